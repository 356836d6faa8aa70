"""Tool calls and what they left behind: the only material that may carry a claim."""

from typing import Literal

from pydantic import Field

from engine.base import AwareDatetime, Frozen, JsonObject, JsonValue
from engine.window import TimeWindow

__all__ = [
    "EvidenceRef",
    "InvocationStatus",
    "Reduction",
    "RetrievalDetails",
    "Scope",
    "ToolCall",
    "ToolInvocation",
    "ToolResult",
]

InvocationStatus = Literal["ok", "empty", "failed", "deduped"]


class EvidenceRef(Frozen):
    """One citable place of a tool's output."""

    raw_path: str
    """RFC 6901 JSON Pointer into the invocation's output."""
    text: str
    """That place rendered as one line by `engine.rendering.render_line`."""


class Scope(Frozen):
    """What a result speaks about, so that absence can be judged (architecture.md, guard)."""

    services: tuple[str, ...] = ()
    """The services that were asked about; empty means all the source knows."""
    window: TimeWindow | None = None
    filtered: bool = False
    """Whether a filter (text, level, signal, query) narrowed the result beyond service and window."""
    complete: bool = True
    """Whether nothing was cut off: not truncated, not sampled, no partial answer of the source."""
    matched: bool = True
    """Whether the selector matched any series or stream at all."""


class ToolCall(Frozen):
    """One call that a plan or a model asks for."""

    tool: str = Field(max_length=200)
    arguments: JsonObject = Field(default_factory=dict)
    call_id: str | None = None
    """The model's own id of the call, where its protocol has one."""


class ToolResult(Frozen):
    """What a tool returns when its source answered."""

    status: Literal["ok", "empty", "deduped"]
    output: JsonValue
    evidence_refs: tuple[EvidenceRef, ...] = ()
    scope: Scope = Scope()
    note: str | None = None
    """One Chinese sentence on truncation, warnings or emptiness, for people and models alike."""


class RetrievalDetails(Frozen):
    """The part of a stored invocation that bindings point into (spec, precise evidence references)."""

    evidence_refs: tuple[EvidenceRef, ...] | None = None
    """None for an invocation stored before references existed (spec S69)."""


class ToolInvocation(Frozen):
    """One persisted tool call of a run; `output` is already redacted and bounded."""

    id: str
    run_id: str
    cycle: int = 0
    """0 for the first plan's calls, 1 after the evidence retry."""
    tool_name: str
    arguments: JsonObject = Field(default_factory=dict)
    status: InvocationStatus
    started_at: AwareDatetime
    ended_at: AwareDatetime
    output: JsonValue = None
    retrieval_details: RetrievalDetails = RetrievalDetails()
    scope: Scope = Scope()
    note: str | None = None
    error: str | None = None
    """For `failed`: what went wrong, in one line."""
    error_kind: Literal["bad_arguments", "source_unavailable"] | None = None

    @property
    def evidence_refs(self) -> tuple[EvidenceRef, ...]:
        """The citable places; empty where there are none."""
        return self.retrieval_details.evidence_refs or ()


class Reduction(Frozen):
    """How much of one invocation's evidence a model was shown, where its room did not take all."""

    invocation_id: str
    kept: int = Field(ge=0)
    """Evidence refs that were shown."""
    of: int = Field(ge=0)
    """Evidence refs that the invocation has."""
    room: int
    """Bytes of UTF-8 that all invocations' views together were given."""
