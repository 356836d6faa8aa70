"""A finished or interrupted run as the store keeps it and `--json` prints it (interfaces.md)."""

from pydantic import Field

from engine.answer import ConfirmedFact, Outcome, Suspect
from engine.base import AwareDatetime, Frozen, JsonObject
from engine.budget import Usage
from engine.invocation import ToolInvocation
from engine.question import Question
from engine.run import RunEvent
from engine.window import TimeWindow

__all__ = ["RecordedAnswer", "RunRecord", "RunSummary"]


class RecordedAnswer(Frozen):
    """The answer's part of the record."""

    text: str
    conclusion: str = ""
    confirmed: tuple[ConfirmedFact, ...] = ()
    possible: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rendered_by: str = "template"


class RunRecord(Frozen):
    """Everything the audit of one run needs, read from the store by run id."""

    run_id: str
    session_id: str
    question: Question
    window: TimeWindow
    baseline: TimeWindow | None = None
    started_at: AwareDatetime
    stage: str
    """The node the run was last in; `end` for a finished run. A killed run says here what it was doing."""
    outcome: Outcome | None = None
    fallback_reason: str | None = None
    answer: RecordedAnswer | None = None
    hypotheses: tuple[Suspect, ...] = ()
    self_evaluation: JsonObject = Field(default_factory=dict)
    """The channels `rule_evaluation`, `aiops_rule_evaluation`, `verifier_evaluation`."""
    invocations: tuple[ToolInvocation, ...] = ()
    events: tuple[RunEvent, ...] = ()
    usage: Usage = Usage()
    duration_ms: float | None = None


class RunSummary(Frozen):
    """One line of `verdict runs`."""

    run_id: str
    session_id: str
    question: str
    started_at: AwareDatetime
    stage: str
    outcome: Outcome | None = None
    conclusion: str | None = None
    duration_ms: float | None = None
