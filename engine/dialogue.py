"""One call of a model within the run's bounds."""

import asyncio
import json

from engine.base import JsonValue
from engine.errors import ModelUnavailable
from engine.ports import Deps, ModelReply, ModelRequest
from engine.run import Failure, NodeName, Run

__all__ = ["ask", "budget_failure", "call_timeout", "serialize"]

_MODEL_SECONDS = 60.0
"""The longest one model call may take, in seconds."""

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


def call_timeout(run: Run, deps: Deps) -> float:
    """Seconds that the next model call may take; a little above zero at the least."""
    left = run.budget.seconds - run.elapsed(deps.clock.now())
    return max(0.05, min(_MODEL_SECONDS, left))


async def ask(deps: Deps, request: ModelRequest) -> ModelReply:
    """Call the model and keep it to its time.

    Raises:
        ModelUnavailable: nobody answered in time (retryable), or as the model itself raised it.
        BadModelOutput: as the model itself raised it.
    """
    try:
        async with asyncio.timeout(request.timeout):
            return await deps.model.complete(request)
    except TimeoutError as error:
        raise ModelUnavailable(f"no reply within {request.timeout:.0f} s", retryable=True) from error


def budget_failure(node: NodeName, bound: str) -> Failure:
    """The failure of a node that met a bound of the run's budget."""
    return Failure(node=node, reason=bound, detail=_BOUNDS_ZH.get(bound, "诊断资源已达上限"))
