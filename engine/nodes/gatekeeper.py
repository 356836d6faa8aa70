"""Gatekeeper: every binding against what was really persisted."""

from engine.gate import GateStage
from engine.gatekeeper.judge import judge
from engine.ports import Deps
from engine.run import Failure, Run

__all__ = ["gate"]


async def gate(run: Run, deps: Deps) -> GateStage | Failure:
    """Check the executor's output against the run's own invocations."""
    if run.execution is None or run.execution.output is None:
        return Failure(node="gatekeeper", reason="gatekeeper.nothing_to_check", detail="没有可校验的取证结论")
    return judge(run.execution.output, run.invocations, deps.rules)
