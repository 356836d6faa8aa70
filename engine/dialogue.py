"""One call of a model within the run's bounds."""

import asyncio
import json

from engine.base import JsonValue
from engine.errors import ModelUnavailable
from engine.ports import Deps, Model, ModelReply, ModelRequest
from engine.run import Failure, NodeName, Run
from engine.stand_in import StandIn

__all__ = ["ask", "budget_failure", "call_timeout", "relief", "serialize", "speaker"]

_MODEL_SECONDS = 60.0
"""The longest one model call may take, in seconds."""

_RESERVE_SECONDS = 5.0
"""What is kept of a run's time for a standby that has not taken over yet, at most a tenth of the budget."""

_BOUNDS_ZH = {
    "budget.seconds": "诊断用时已达上限",
    "budget.model_calls": "模型调用次数已达上限",
    "budget.tool_calls": "取证调用次数已达上限",
    "budget.tokens": "模型用量已达上限",
    "budget.output_bytes": "取证数据量已达上限",
}


def serialize(payload: JsonValue) -> str:
    """Serialize a model's payload: compact, key order as given, so that equal payloads are byte-identical."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def call_timeout(run: Run, deps: Deps, model: Model) -> float:
    """Seconds that the next call of the model may take; a little above zero at the least."""
    left = run.budget.seconds - run.elapsed(deps.clock.now())
    if deps.standby is not None and model is not deps.standby:
        # because a provider that stalls must leave the standby the time to finish
        left -= min(_RESERVE_SECONDS, run.budget.seconds / 10)
    return max(0.05, min(_MODEL_SECONDS, left))


def speaker(run: Run, deps: Deps) -> Model:
    """Who plays the roles now: the standby once it took over, else the model."""
    return deps.standby if run.stand_in is not None and deps.standby is not None else deps.model


def relief(failure: Failure, run: Run, deps: Deps) -> StandIn | None:
    """The standby's taking over after the model's failure; None where there is none, or it failed itself.

    A bound of the budget is nobody's failure: it ends the run whoever speaks.
    """
    if deps.standby is None or run.stand_in is not None or failure.reason.startswith("budget."):
        return None
    return StandIn(node=failure.node, reason=failure.reason, detail=failure.detail[:300], model=deps.standby.name)


async def ask(model: Model, request: ModelRequest) -> ModelReply:
    """Call the model and keep it to its time.

    Raises:
        ModelUnavailable: nobody answered in time (retryable), or as the model itself raised it.
        BadModelOutput: as the model itself raised it.
    """
    try:
        async with asyncio.timeout(request.timeout):
            return await model.complete(request)
    except TimeoutError as error:
        raise ModelUnavailable(f"no reply within {request.timeout:.0f} s", retryable=True) from error


def budget_failure(node: NodeName, bound: str) -> Failure:
    """The failure of a node that met a bound of the run's budget."""
    return Failure(node=node, reason=bound, detail=_BOUNDS_ZH.get(bound, "诊断资源已达上限"))
