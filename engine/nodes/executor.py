"""Executor: gathers the planned evidence at once, lets the model ask for more, and takes its claims."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.base import JsonObject, JsonValue
from engine.budget import Usage
from engine.composition.reduction import fit
from engine.composition.trace_summary import summarise
from engine.contracts.executor_evidence import read_executor_output
from engine.dialogue import ask, budget_failure, call_timeout, relief, serialize, speaker
from engine.errors import BadModelOutput, ModelUnavailable
from engine.invocation import Reduction, ToolCall, ToolInvocation
from engine.ports import Deps, Model, ModelReply, ModelRequest, ToolTurn
from engine.run import Execution, Failure, Run
from engine.stand_in import StandIn
from engine.toolbox import invoke_all, same_call

__all__ = ["execute"]

_FIRST_SHARE = 70
"""Percent of the model's room that the first message's evidence may take; the rest is for tool rounds."""


@dataclass
class _Progress:
    """What this cycle has done so far; lives for one call of `execute`."""

    model: Model
    invocations: tuple[ToolInvocation, ...] = ()
    turns: tuple[ToolTurn, ...] = ()
    earlier_rounds: int = 0
    stand_in: StandIn | None = None
    reductions: tuple[Reduction, ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def rounds(self) -> int:
        return self.earlier_rounds + len(self.turns)

    def add(self, made: tuple[ToolInvocation, ...]) -> None:
        self.invocations += made
        size = sum(len(serialize(invocation.output)) for invocation in made)
        self.usage += Usage(tool_calls=len(made), output_bytes=size)

    def hand_over(self, standby: Model, stand_in: StandIn) -> None:
        """Let the standby go on; what was gathered goes into its payload, as turns are the other model's words."""
        self.model, self.stand_in = standby, stand_in
        self.earlier_rounds, self.turns, self.reductions = self.rounds, (), ()

    def show(self, views: Sequence[JsonObject], run: Run, room: int | None) -> list[JsonValue]:
        """The views as the model gets them: whole where there is room, else the most relevant of each."""
        if room is None:
            return list(views)
        fitted, reductions = fit(views, _wanted(run), max(0, room))
        self.reductions += reductions
        return list(fitted)


async def execute(run: Run, deps: Deps) -> Execution:
    """Prefetch the plan's calls, then hold the bounded dialogue that ends in `executor_evidence_v2`.

    Where the model fails and there is a standby, that one concludes from the evidence already gathered.
    """
    progress = _Progress(model=speaker(run, deps))
    steps = run.plan.steps if run.plan else ()
    prefetch = [_clean(ToolCall(tool=step.tool, arguments=step.arguments), deps) for step in steps]
    failure = await _gather(prefetch, run, deps, progress)
    if failure is not None:
        return _ended("FAILED", progress, failure)
    ended = await _converse(run, deps, progress)
    stand_in = relief(ended.failure, run, deps) if ended.failure else None
    if stand_in is None or deps.standby is None:
        return ended
    progress.hand_over(deps.standby, stand_in)
    return await _converse(run, deps, progress)


async def _converse(run: Run, deps: Deps, progress: _Progress) -> Execution:
    room = progress.model.room("executor")
    payload = serialize(_payload(run, deps, progress, room))
    while True:
        try:
            reply = await _turn(run, deps, payload, progress)
        except ModelUnavailable as error:
            progress.usage += error.usage
            return _ended("FAILED", progress, _unanswered(error, run, deps, progress))
        except BadModelOutput as error:
            progress.usage += error.usage
            return _ended("INVALID_OUTPUT", progress, _invalid(error))
        progress.usage += reply.usage
        if not reply.tool_calls:
            return _read(reply, progress)
        if len(progress.turns) >= run.budget.tool_rounds:
            return _ended("INVALID_OUTPUT", progress, _too_many_rounds())
        left = None if room is None else room - _bytes(payload) - sum(_turn_bytes(turn) for turn in progress.turns)
        failure = await _round(reply, run, deps, progress, left)
        if failure is not None:
            return _ended("FAILED", progress, failure)


async def _turn(run: Run, deps: Deps, payload: str, progress: _Progress) -> ModelReply:
    request = ModelRequest(
        role="executor",
        contract="executor_evidence_v2",
        payload=payload,
        tools=deps.tool_specs(),
        turns=progress.turns,
        timeout=call_timeout(run, deps, progress.model),
        nonce=run.nonce,
    )
    return await ask(progress.model, request)


async def _gather(calls: Sequence[ToolCall], run: Run, deps: Deps, progress: _Progress) -> Failure | None:
    """Make the calls that no earlier invocation answers; None, or the bound that was met."""
    earlier = (*run.invocations, *progress.invocations)
    fresh: list[ToolCall] = []
    for call in calls:
        again = any(same_call(call, done) for done in earlier) or any(call == other for other in fresh)
        if not again:
            fresh.append(call)
    spent = run.usage + progress.usage
    bound = run.budget.exceeded_by(spent, run.elapsed(deps.clock.now()))
    if bound is not None:
        return budget_failure("executor", bound)
    room = run.budget.tool_calls - spent.tool_calls
    progress.add(await invoke_all(fresh[:room], run, deps, earlier))
    if len(fresh) > room:
        return budget_failure("executor", "budget.tool_calls")
    bound = run.budget.exceeded_by(run.usage + progress.usage, run.elapsed(deps.clock.now()))
    return budget_failure("executor", bound) if bound and bound != "budget.tool_calls" else None


async def _round(reply: ModelReply, run: Run, deps: Deps, progress: _Progress, room: int | None) -> Failure | None:
    asked = tuple(_clean(call, deps) for call in reply.tool_calls)
    failure = await _gather(asked, run, deps, progress)
    if failure is not None:
        return failure
    known = (*run.invocations, *progress.invocations)
    views = [next(evidence_view(done) for done in known if same_call(call, done)) for call in asked]
    # because the rounds that are still allowed need room of their own
    share = None if room is None else room // max(1, run.budget.tool_rounds - len(progress.turns))
    results = tuple(serialize(view) for view in progress.show(views, run, share))
    progress.turns += (ToolTurn(calls=reply.tool_calls, results=results, carry=reply.carry),)
    return None


def _clean(call: ToolCall, deps: Deps) -> ToolCall:
    """The call as it is made, compared and stored: without the protocol's own id, and without secrets."""
    return call.model_copy(update={"call_id": None, "arguments": deps.redact(call.arguments)})


def _wanted(run: Run) -> str:
    """What the evidence is for, in words."""
    plan = run.plan
    goals = (plan.intent, *plan.services, *(step.goal for step in plan.steps)) if plan else ()
    return " ".join((run.question.text, *goals))


def _bytes(text: str) -> int:
    return len(text.encode())


def _turn_bytes(turn: ToolTurn) -> int:
    calls = sum(_bytes(serialize(call.model_dump(mode="json"))) for call in turn.calls)
    return calls + _bytes(turn.carry) + sum(_bytes(result) for result in turn.results)


def _payload(run: Run, deps: Deps, progress: _Progress, room: int | None) -> JsonObject:
    payload: JsonObject = {
        "question": run.question.text,
        "intent": run.plan.intent if run.plan else "",
        "scope": run.plan.scope if run.plan else "broad",
        "timezone": run.question.timezone,
        "window": run.window.model_dump(mode="json"),
        "baseline": run.baseline.model_dump(mode="json") if run.baseline else None,
        "services": [service.model_dump(mode="json") for service in deps.system.services],
        "invocations": [],
        "rounds_left": run.budget.tool_rounds,
    }
    if run.retry_context is not None:
        payload["retry_context"] = run.retry_context.model_dump(mode="json")
        payload["earlier_summary"] = [item.model_dump(mode="json") for item in summarise(run.invocations)]
    views = [evidence_view(invocation) for invocation in (*run.invocations, *progress.invocations)]
    left = None if room is None else (room - _bytes(serialize(payload))) * _FIRST_SHARE // 100
    payload["invocations"] = progress.show(views, run, left)
    return payload


def evidence_view(invocation: ToolInvocation) -> JsonObject:
    """What a model sees of an invocation: its refs, nothing else of its output (architecture.md, Evidence)."""
    return {
        "invocation_id": invocation.id,
        "tool_name": invocation.tool_name,
        "arguments": invocation.arguments,
        "status": invocation.status,
        "note": invocation.note,
        "error": invocation.error,
        "error_kind": invocation.error_kind,
        "evidence_refs": [ref.model_dump(mode="json") for ref in invocation.evidence_refs],
    }


def _read(reply: ModelReply, progress: _Progress) -> Execution:
    try:
        output = read_executor_output(reply.text)
    except BadModelOutput as error:
        return _ended("INVALID_OUTPUT", progress, _invalid(error))
    return Execution(
        status="OK",
        invocations=progress.invocations,
        output=output,
        rounds=progress.rounds,
        stand_in=progress.stand_in,
        reductions=progress.reductions,
        usage=progress.usage,
    )


def _ended(status: str, progress: _Progress, failure: Failure) -> Execution:
    return Execution(
        status="INVALID_OUTPUT" if status == "INVALID_OUTPUT" else "FAILED",
        invocations=progress.invocations,
        failure=failure,
        rounds=progress.rounds,
        stand_in=progress.stand_in,
        reductions=progress.reductions,
        usage=progress.usage,
    )


def _unanswered(error: ModelUnavailable, run: Run, deps: Deps, progress: _Progress) -> Failure:
    bound = run.budget.exceeded_by(run.usage + progress.usage, run.elapsed(deps.clock.now()))
    if bound is not None:
        return budget_failure("executor", bound)
    return Failure(node="executor", reason="executor.unavailable", detail=f"取证模型没有应答（{error}）")


def _invalid(error: BadModelOutput) -> Failure:
    return Failure(
        node="executor",
        reason=f"executor.invalid_output.{error.reason}",
        detail="取证模型的输出不合约定，未采用",
    )


def _too_many_rounds() -> Failure:
    return Failure(
        node="executor",
        reason="executor.invalid_output.tool_rounds",
        detail="取证模型一直要求更多数据，没有给出结论",
    )
