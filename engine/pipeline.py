"""The graph as one table: every node, what it leaves in the run, and where the run goes next."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from engine.answer import Answer
from engine.budget import Usage
from engine.check import FailedAttempt, Verification
from engine.dialogue import budget_failure
from engine.gate import GateStage
from engine.nodes.composer import compose_answer
from engine.nodes.evidence_retry import prepare_retry
from engine.nodes.executor import execute
from engine.nodes.fallback import fall_back
from engine.nodes.gatekeeper import gate
from engine.nodes.planner import plan
from engine.nodes.verifier import verify
from engine.plan import Plan, RetryContext
from engine.ports import Deps, Progress
from engine.run import Execution, Failure, NodeName, Run, RunEvent
from engine.verification.verdict import qualifies_for_retry

__all__ = ["GRAPH", "START", "Step", "advance", "mermaid", "walk"]

logger = logging.getLogger(__name__)

START: NodeName = "planner"

_GRACE_SECONDS = 2.0
"""What a node may overrun the budget by before it is cut; nodes keep their own time within it."""

_MAX_STEPS = 16
"""Above the longest route: two cycles of four nodes, the retry, and the last node."""


def after_planner(run: Run) -> NodeName:
    """A plan goes to the executor; without one there is nothing to gather."""
    return "fallback" if run.failure else "executor"


def after_executor(run: Run) -> NodeName:
    """Anything but a legal contract goes straight to Fallback (spec S06, S51)."""
    return "gatekeeper" if run.execution and run.execution.status == "OK" and not run.failure else "fallback"


def after_gatekeeper(run: Run) -> NodeName:
    """REJECT, and nothing left to verify, bypass the Verifier (spec S58, reading.md 4)."""
    if run.gate is None or run.gate.status == "REJECT" or not run.gate.verified_evidence:
        return "fallback"
    return "verifier"


def after_verifier(run: Run) -> NodeName:
    """A failed Verifier gives no verdict (S18); a LOW_CONFID with critical gaps gets one retry (S14, S15)."""
    if run.failure or run.verification is None or run.verification.status == "FAILED":
        return "fallback"
    return "evidence_retry" if _qualifies(run) else "composer"


def after_evidence_retry(run: Run) -> NodeName:
    """The second cycle begins at the planner, with the gaps alone."""
    return "fallback" if run.failure else "planner"


def after_composer(run: Run) -> NodeName:
    """An answer ends the run."""
    return "fallback" if run.failure else "end"


def after_fallback(run: Run) -> NodeName:
    """Fallback always ends the run."""
    return "end"


def _qualifies(run: Run) -> bool:
    assert run.verification is not None
    assert run.gate is not None
    tools = tuple(dict.fromkeys(invocation.tool_name for invocation in run.invocations))
    return run.cycle == 0 and qualifies_for_retry(
        run.verification, run.gate.verified_output.claims, run.gate.ceiling, tools, run.cycle
    )


def _keep_plan(run: Run, value: Plan) -> Run:
    return run.evolve(plan=value, stand_in=run.stand_in or value.stand_in, usage=run.usage + value.usage)


def _keep_execution(run: Run, value: Execution) -> Run:
    return run.evolve(
        execution=value,
        invocations=run.invocations + value.invocations,
        failure=value.failure,
        stand_in=run.stand_in or value.stand_in,
        usage=run.usage + value.usage,
    )


def _keep_gate(run: Run, value: GateStage) -> Run:
    failure = None
    if value.status == "REJECT":
        rules = "、".join(value.result.failed_rules)
        failure = Failure(node="gatekeeper", reason="gatekeeper.reject", detail=f"取证结论引用的证据对不上（{rules}）")
    elif not value.verified_evidence:
        failure = Failure(
            node="gatekeeper", reason="gatekeeper.nothing_projected", detail="没有一条判断带着可核对的证据"
        )
    return run.evolve(gate=value, failure=failure)


def _keep_verification(run: Run, value: Verification) -> Run:
    failure = None
    if value.status == "FAILED":
        failure = Failure(node="verifier", reason="verifier.failed", detail="复核没有完成，未经复核的判断不予展示")
    return run.evolve(
        verification=value,
        failure=failure,
        stand_in=run.stand_in or value.stand_in,
        usage=run.usage + value.usage,
    )


def _keep_retry(run: Run, value: RetryContext) -> Run:
    # because the second cycle is judged by itself: what the first one concluded must not leak into it
    return run.evolve(retry_context=value, cycle=run.cycle + 1, plan=None, execution=None, gate=None, verification=None)


def _keep_answer(run: Run, value: Answer) -> Run:
    return run.evolve(answer=value, usage=run.usage + value.usage)


@dataclass(frozen=True)
class Step:
    """One row of the graph.

    Attributes:
        act: the node: a function of (run, deps) that returns its one thing or a Failure.
        keep: folds that thing into the run; pure.
        route: names the next node; pure.
        targets: every node that `route` may name, for the picture and its test.
    """

    act: Callable[[Run, Deps], Awaitable[Any]]
    keep: Callable[[Run, Any], Run]
    route: Callable[[Run], NodeName]
    targets: dict[NodeName, str]


GRAPH: dict[NodeName, Step] = {
    "planner": Step(plan, _keep_plan, after_planner, {"executor": "plan", "fallback": "no plan"}),
    "executor": Step(
        execute,
        _keep_execution,
        after_executor,
        {"gatekeeper": "executor_evidence_v2", "fallback": "INVALID_OUTPUT, no reply, budget"},
    ),
    "gatekeeper": Step(
        gate,
        _keep_gate,
        after_gatekeeper,
        {"verifier": "PASS, LOW_CONFID", "fallback": "REJECT, nothing projected"},
    ),
    "verifier": Step(
        verify,
        _keep_verification,
        after_verifier,
        {
            "composer": "PASS, LOW_CONFID, REJECT",
            "evidence_retry": "LOW_CONFID with critical gaps, once",
            "fallback": "FAILED",
        },
    ),
    "evidence_retry": Step(
        prepare_retry,
        _keep_retry,
        after_evidence_retry,
        {"planner": "EVIDENCE_GAP_ONLY", "fallback": "no gap"},
    ),
    "composer": Step(compose_answer, _keep_answer, after_composer, {"end": "answer", "fallback": "no material"}),
    "fallback": Step(fall_back, _keep_answer, after_fallback, {"end": "answer without a verdict"}),
}


async def walk(run: Run, deps: Deps) -> Run:
    """Take the run from its first node to the end, keeping each step in the store."""
    node: NodeName = START
    for _ in range(_MAX_STEPS):
        if node == "end":
            return run
        run, node = await advance(run, node, deps)
    raise RuntimeError(f"the graph did not end within {_MAX_STEPS} steps: {run.run_id}")


async def advance(run: Run, node: NodeName, deps: Deps) -> tuple[Run, NodeName]:
    """Run one node, fold what it returned, note it in the store, and name the next node."""
    step = GRAPH[node]
    deps.observer.notice(Progress(run_id=run.run_id, kind="node_started", node=node))
    started = deps.clock.now()
    value = await _act(step, run, node, deps)
    after = _fold(step, run, value)
    following = step.route(after)
    ended = deps.clock.now()
    events = _events(node, run.cycle, after, value, started, ended)
    after = after.evolve(events=after.events + events)
    # because a killed run must say what it was doing, each checkpoint names the node that begins now
    await deps.store.checkpoint(after, node, events, node if following == "end" else following)
    deps.observer.notice(
        Progress(
            run_id=run.run_id,
            kind="node_finished",
            node=node,
            status=events[-1].status,
            detail=events[-1].reason or "",
            duration_ms=events[-1].duration_ms,
        )
    )
    return after, following


async def _act(step: Step, run: Run, node: NodeName, deps: Deps) -> object:
    spent = run.budget.exceeded_by(run.usage, run.elapsed(deps.clock.now()))
    if spent in {"budget.seconds", "budget.tokens", "budget.model_calls"} and node in _SPENDERS:
        return budget_failure(node, spent)
    left = max(0.0, run.budget.seconds - run.elapsed(deps.clock.now()))
    try:
        async with asyncio.timeout(left + _GRACE_SECONDS):
            return await step.act(run, deps)
    except TimeoutError:
        return budget_failure(node, "budget.seconds")
    except Exception as error:
        # because a defect in a node must still end in an answer that says so, not in silence
        logger.exception("node failed", extra={"action": "node_failed", "run_id": run.run_id, "node": node})
        return Failure(node=node, reason=f"internal.{type(error).__name__}", detail="内部错误，已记录，未给出结论")


_SPENDERS: frozenset[NodeName] = frozenset({"planner", "executor", "verifier"})
"""Nodes that may not begin once a bound is met; the composer falls back to its template by itself."""


def _fold(step: Step, run: Run, value: object) -> Run:
    if isinstance(value, Failure):
        return run.evolve(failure=value, usage=run.usage + value.usage)
    return step.keep(run, value)


def _events(
    node: NodeName, cycle: int, after: Run, value: object, started: datetime, ended: datetime
) -> tuple[RunEvent, ...]:
    tries: tuple[FailedAttempt, ...] = value.failed_attempts if isinstance(value, Verification) else ()
    failed = [
        RunEvent(
            node=node,
            status="failed",
            attempt=number,
            cycle=cycle,
            started_at=attempt.started_at,
            duration_ms=attempt.duration_ms,
            reason=attempt.reason,
        )
        for number, attempt in enumerate(tries, start=1)
    ]
    if isinstance(value, Verification) and value.status == "FAILED" and failed:
        return tuple(failed)
    if tries:
        # because the last attempt began when the one before it had failed
        started = min(ended, tries[-1].started_at + timedelta(milliseconds=tries[-1].duration_ms))
    failure = after.failure if node != "fallback" else None
    reason = failure.reason if failure else _note(value)
    last = RunEvent(
        node=node,
        status="failed" if failure else "ok",
        attempt=len(failed) + 1,
        cycle=cycle,
        started_at=started,
        duration_ms=max(0.0, (ended - started).total_seconds() * 1000),
        reason=reason,
        usage=_usage(value),
    )
    return (*failed, last)


def _note(value: object) -> str | None:
    if isinstance(value, Answer):
        return value.template_reason
    if isinstance(value, Verification):
        return value.effective_verdict
    if isinstance(value, GateStage):
        return value.status
    return None


def _usage(value: object) -> Usage:
    usage = getattr(value, "usage", None)
    return usage if isinstance(usage, Usage) else Usage()


def mermaid() -> str:
    """The table as a Mermaid flow chart; README shows exactly this."""
    lines = ["flowchart TD", f"    start([question]) --> {START}"]
    for node, step in GRAPH.items():
        for target, label in step.targets.items():
            shape = "finish([answer])" if target == "end" else target
            lines.append(f'    {node} -->|"{label}"| {shape}')
    return "\n".join(lines)
