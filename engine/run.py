"""One diagnosis from question to answer: a frozen record with one typed field per stage."""

from datetime import datetime
from typing import Literal, Self

from pydantic import Field

from engine.answer import Answer
from engine.base import AwareDatetime, Frozen
from engine.budget import Budget, Usage
from engine.check import Verification
from engine.claim import ExecutorOutput
from engine.gate import GateStage
from engine.invocation import Reduction, ToolInvocation
from engine.plan import Plan, RetryContext
from engine.question import Question
from engine.stand_in import StandIn
from engine.window import TimeWindow

__all__ = ["Execution", "Failure", "NodeName", "Run", "RunEvent"]

NodeName = Literal["planner", "executor", "gatekeeper", "verifier", "evidence_retry", "composer", "fallback", "end"]


class Failure(Frozen):
    """Why a stage did not give its one thing; a value that routes to Fallback, never an exception."""

    node: NodeName
    reason: str
    """Machine-readable, such as `executor.invalid_output` or `budget.seconds`."""
    detail: str
    """One Chinese sentence for the reader."""
    usage: Usage = Usage()


class Execution(Frozen):
    """The Executor node's one thing: what it called in this cycle and what it asserts."""

    status: Literal["OK", "INVALID_OUTPUT", "FAILED"]
    """INVALID_OUTPUT: the model's text breaks its contract (spec S51). FAILED: no text came, or a bound was met."""
    invocations: tuple[ToolInvocation, ...] = ()
    """The calls of this cycle, kept whatever the status is."""
    output: ExecutorOutput | None = None
    """Given exactly when the status is OK."""
    failure: Failure | None = None
    """Given exactly when the status is not OK."""
    rounds: int = 0
    """Rounds of tool calls beyond the prefetch."""
    reductions: tuple[Reduction, ...] = ()
    """What was left out of the evidence that the model was shown, because its room did not take all."""
    stand_in: StandIn | None = None
    usage: Usage = Usage()


class RunEvent(Frozen):
    """One attempt of one node, as the orchestration trace keeps it."""

    node: NodeName
    status: Literal["ok", "failed"]
    attempt: int = 1
    cycle: int = 0
    started_at: AwareDatetime
    duration_ms: float = Field(ge=0)
    reason: str | None = None
    usage: Usage = Usage()


class Run(Frozen):
    """The state of one diagnosis. Nodes read it; only the pipeline evolves it."""

    run_id: str
    session_id: str
    question: Question
    window: TimeWindow
    """The stretch under investigation."""
    baseline: TimeWindow | None = None
    """The stretch it is compared with."""
    budget: Budget = Budget()
    started_at: AwareDatetime
    nonce: str = ""
    """The run's own mark between data and instructions; never stored, logged or shown."""
    cycle: int = 0
    """How many evidence retries were begun: 0 or 1 (spec S14, S15)."""
    plan: Plan | None = None
    invocations: tuple[ToolInvocation, ...] = ()
    """Every tool call of the run, over all cycles."""
    execution: Execution | None = None
    gate: GateStage | None = None
    verification: Verification | None = None
    retry_context: RetryContext | None = None
    answer: Answer | None = None
    failure: Failure | None = None
    stand_in: StandIn | None = None
    events: tuple[RunEvent, ...] = ()
    usage: Usage = Usage()

    def evolve(self, **changes: object) -> Self:
        """The same run with some fields replaced; values are trusted to be of their field's type."""
        return self.model_copy(update=changes)

    def elapsed(self, now: datetime) -> float:
        """Seconds since the run started."""
        return (now - self.started_at).total_seconds()
