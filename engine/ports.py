"""What the engine needs from outside, as protocols with their invariants; and Deps, which carries them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

from pydantic import Field

from engine.base import Frozen, JsonObject, JsonValue
from engine.budget import Budget, Usage
from engine.gate import Rule
from engine.invocation import ToolCall, ToolResult
from engine.record import RunRecord, RunSummary
from engine.run import NodeName, Run, RunEvent
from engine.system import SystemMap
from engine.window import TimeWindow

__all__ = [
    "Channel",
    "Clock",
    "Deps",
    "IdFactory",
    "Model",
    "ModelReply",
    "ModelRequest",
    "Observer",
    "Progress",
    "PromptAudit",
    "PromptInfo",
    "Role",
    "RuleSet",
    "Store",
    "Tool",
    "ToolContext",
    "ToolSpec",
    "ToolTurn",
    "as_it_is",
]

Role = Literal["planner", "executor", "verifier", "composer"]

Contract = Literal["planner_plan_v1", "executor_evidence_v2", "verifier_v2", "composer_v1"]

Channel = Literal["rule_evaluation", "aiops_rule_evaluation", "verifier_evaluation"]


class PromptInfo(Frozen):
    """Which prompt (or builtin rule module) spoke for a role; never its text."""

    name: str
    version: str
    sha256: str


class PromptAudit(Frozen):
    """The prompt catalog's version and one entry per role (spec S24)."""

    version: str
    prompts: tuple[PromptInfo, ...]


class ToolSpec(Frozen):
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: JsonObject
    """JSON Schema of the arguments object."""
    guidance: bool = False
    """Whether its results guide (runbooks) rather than witness the incident (spec S48)."""


class ToolTurn(Frozen):
    """One round in which the model asked for tool calls, and what came of each."""

    calls: tuple[ToolCall, ...]
    results: tuple[str, ...]
    """One serialized JSON object per call, in the calls' order."""
    carry: str = ""
    """The reply's `carry`, given back as it came."""


class ModelRequest(Frozen):
    """One call of a model."""

    role: Role
    contract: Contract
    payload: str
    """The user message: one serialized JSON object. Equal requests are byte-identical."""
    tools: tuple[ToolSpec, ...] = ()
    turns: tuple[ToolTurn, ...] = ()
    """Earlier tool rounds of this call; executor only."""
    timeout: float = Field(gt=0)
    """Seconds this call may take."""
    nonce: str = ""
    """The run's own mark, which no text that the run reads can know; it marks off data from instructions."""


class ModelReply(Frozen):
    """What a model answered: text within its contract, or tool calls."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage(model_calls=1)
    """What this reply took, every try and repair of it counted."""
    carry: str = ""
    """What the model wants to be reminded of when the calls' results come; opaque to the engine."""


class Model(Protocol):
    """Something that plays the four roles.

    `complete` returns untrusted text: the caller parses it. It raises `ModelUnavailable` when nobody answered
    (`retryable` says whether to ask again), `BadModelOutput` when the answer is unusable before parsing.
    It keeps to `request.timeout`, reads nothing but the request, and remembers nothing between calls.
    """

    @property
    def name(self) -> str: ...

    @property
    def prompts(self) -> PromptAudit: ...

    def room(self, role: Role) -> int | None:
        """Bytes of UTF-8 that a request's payload and turns may have together; None where there is no bound."""
        ...

    async def complete(self, request: ModelRequest) -> ModelReply: ...


class ToolContext(Frozen):
    """What a tool call may know of its run."""

    window: TimeWindow
    baseline: TimeWindow | None = None
    now: datetime
    timezone: str = "Asia/Shanghai"
    """Zone in which times are rendered in the output."""
    seen_chunks: frozenset[str] = frozenset()
    """Knowledge chunks that this run already retrieved; they come back as `deduped` (spec S39)."""
    max_bytes: int = 256_000
    """Bound on the output's JSON, in bytes."""


class Tool(Protocol):
    """Something a model may call.

    `call` validates its arguments itself and raises `BadArguments` naming what exists, or
    `SourceUnavailable`. Its result is redacted, within `context.max_bytes`, and says whether it is complete.
    Every evidence ref's pointer resolves in the output, and its text is `render_line` of that place.
    """

    @property
    def spec(self) -> ToolSpec: ...

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult: ...


class Store(Protocol):
    """Where runs are kept. Every method raises `StoreError` and nothing else of the database's.

    Writes are idempotent: what is written again for the same run, node and cycle replaces what was there.
    """

    async def begin(self, run: Run) -> None:
        """Create the run's row, and the session's if it is new."""
        ...

    async def checkpoint(
        self, run: Run, node: NodeName, events: tuple[RunEvent, ...], following: NodeName | None = None
    ) -> None:
        """Keep what the finished node left: its events and new invocations.

        `stage` becomes the following node where one is given, so that no `enter` is needed for it, else the
        finished one.
        """
        ...

    async def enter(self, run_id: str, node: NodeName) -> None:
        """Note that a node begins, so that a killed run says what it was doing."""
        ...

    async def finish(self, run: Run, duration_ms: float) -> None:
        """Keep the answer and the outcome; `stage` becomes `end`."""
        ...

    async def merge_evaluation(self, run_id: str, channel: Channel, value: JsonObject) -> None:
        """Write one channel of the run's and session's `self_evaluation`, keeping the others (S27-S29)."""
        ...

    async def load(self, run_id: str) -> RunRecord:
        """The whole record; raises `UnknownRun`."""
        ...

    async def recent(self, limit: int, session_id: str | None = None) -> tuple[RunSummary, ...]:
        """The newest runs, newest first."""
        ...

    async def prune(self, older_than: timedelta, now: datetime) -> int:
        """Delete runs (and sessions left empty) that started longer ago; returns how many runs."""
        ...


class Clock(Protocol):
    """The time, aware; tests bring their own."""

    def now(self) -> datetime: ...


class IdFactory(Protocol):
    """New identifiers: unique, sortable by time for runs, unguessable for invocations."""

    def run_id(self, now: datetime) -> str: ...

    def session_id(self, now: datetime) -> str: ...

    def invocation_id(self, ordinal: int) -> str: ...

    def nonce(self) -> str: ...


class Progress(Frozen):
    """What just happened in a run, for whoever watches."""

    run_id: str
    kind: Literal["node_started", "node_finished", "tool_started", "tool_finished"]
    node: NodeName
    name: str = ""
    """The tool's name, for tool events."""
    status: str = ""
    """The node's or invocation's status, for finished events."""
    detail: str = ""
    duration_ms: float | None = None


class Observer(Protocol):
    """Whoever watches a run. Must not raise and must not block."""

    def notice(self, progress: Progress) -> None: ...


@dataclass(frozen=True)
class RuleSet:
    """The Gatekeeper's catalog, versioned (spec S80-S83)."""

    version: str
    rules: tuple[Rule, ...]

    def get(self, rule_id: str) -> Rule | None:
        """The enabled rule of that id, else None."""
        return next((rule for rule in self.rules if rule.id == rule_id and rule.enabled), None)


def as_it_is(value: JsonValue) -> JsonValue:
    """The value unchanged: no redaction."""
    return value


@dataclass(frozen=True)
class Deps:
    """Everything a node may use besides its run."""

    model: Model
    """Who plays the roles."""
    tools: Mapping[str, Tool]
    store: Store
    clock: Clock
    ids: IdFactory
    observer: Observer
    rules: RuleSet
    system: SystemMap
    budget: Budget
    standby: Model | None = None
    """Who finishes a run whose model fails before a verdict; None where such a run ends in Fallback."""
    redact: Callable[[JsonValue], JsonValue] = as_it_is
    """Takes secrets out of what people and models write, before it is stored; tools redact their own output."""

    def tool_specs(self) -> tuple[ToolSpec, ...]:
        """The tools' descriptions, in catalog order."""
        return tuple(tool.spec for tool in self.tools.values())
