"""Planner: from the question to the tool calls to make."""

from engine.base import JsonObject
from engine.budget import Usage
from engine.contracts.planner_plan import read_plan
from engine.dialogue import ask, call_timeout, relief, serialize, speaker
from engine.errors import BadModelOutput, ModelUnavailable
from engine.plan import Plan
from engine.ports import Deps, Model, ModelRequest
from engine.run import Failure, Run

__all__ = ["plan"]


async def plan(run: Run, deps: Deps) -> Plan | Failure:
    """Ask the model for a plan, then the standby where there is one.

    In an evidence retry the planner sees the gaps alone (reading.md 11).
    """
    planned = await _ask_planner(run, deps, speaker(run, deps))
    if isinstance(planned, Plan):
        return planned
    stand_in = relief(planned, run, deps)
    if stand_in is None or deps.standby is None:
        return planned
    again = await _ask_planner(run, deps, deps.standby)
    took = planned.usage + again.usage
    if isinstance(again, Failure):
        return again.model_copy(update={"usage": took})
    return again.model_copy(update={"usage": took, "stand_in": stand_in})


async def _ask_planner(run: Run, deps: Deps, model: Model) -> Plan | Failure:
    request = ModelRequest(
        role="planner",
        contract="planner_plan_v1",
        payload=serialize(_gap_payload(run, deps) if run.retry_context else _full_payload(run, deps)),
        tools=deps.tool_specs(),
        timeout=call_timeout(run, deps, model),
        nonce=run.nonce,
    )
    usage = Usage()
    try:
        reply = await ask(model, request)
        usage = reply.usage
        planned = read_plan(reply.text, mode="EVIDENCE_GAP_ONLY" if run.retry_context else "FULL")
    except ModelUnavailable as error:
        detail = f"规划模型没有应答（{error}）"
        return Failure(node="planner", reason="planner.unavailable", detail=detail, usage=error.usage)
    except BadModelOutput as error:
        detail = "规划模型的输出不合约定"
        return Failure(node="planner", reason=f"planner.{error.reason}", detail=detail, usage=usage + error.usage)
    return planned.model_copy(update={"usage": usage})


def _full_payload(run: Run, deps: Deps) -> JsonObject:
    return {
        "mode": "FULL",
        "question": run.question.text,
        "now": run.question.asked_at.isoformat(),
        "timezone": run.question.timezone,
        "window": run.window.model_dump(mode="json"),
        "baseline": run.baseline.model_dump(mode="json") if run.baseline else None,
        "services": [service.model_dump(mode="json") for service in deps.system.services],
        "signals": [signal.model_dump(mode="json") for signal in deps.system.signals],
        "sources": list(deps.system.kinds),
        "known_facts": list(run.question.known_facts),
    }


def _gap_payload(run: Run, deps: Deps) -> JsonObject:
    assert run.retry_context is not None
    return {
        "mode": "EVIDENCE_GAP_ONLY",
        "retry_context": run.retry_context.model_dump(mode="json"),
        "system": {
            "services": [service.name for service in deps.system.services],
            "signals": [signal.name for signal in deps.system.signals],
            "sources": list(deps.system.kinds),
        },
    }
