"""A closer look before concluding: the whole log of services in which ordinary lines seem to be missing."""

from engine.base import JsonObject
from engine.invocation import ToolCall
from engine.models.builtin.logs import lines_lost, read_groups
from engine.models.builtin.payload import calls_of

__all__ = ["second_look"]

_MOST = 6


def second_look(payload: JsonObject, *, rounds: int) -> tuple[ToolCall, ...]:
    """The calls to make before concluding; none for a narrow question, or once they were made.

    The list over all services is bounded and shows what changed; whether a line is missing shows only beside
    the lines of its service that did come.

    Args:
        payload: the executor's payload, with what later rounds brought.
        rounds: how many rounds were asked for already.
    """
    left = payload.get("rounds_left")
    if payload.get("scope") == "narrow" or rounds or not isinstance(left, int) or left < 1:
        return ()
    looked = {_asked_service(call) for call in calls_of(payload) if call.get("tool_name") == "query_logs"}
    services = dict.fromkeys(group.service for group in lines_lost(read_groups(payload)))
    wanted = [service for service in services if service and service not in looked][:_MOST]
    return tuple(ToolCall(tool="query_logs", arguments={"service": service}) for service in wanted)


def _asked_service(call: JsonObject) -> str:
    arguments = call.get("arguments")
    return str(arguments.get("service") or "") if isinstance(arguments, dict) else ""
