"""Typed arguments of tools, and errors that say what exists."""

import difflib
from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.base import JsonObject
from engine.errors import BadArguments
from engine.ports import ToolContext
from engine.system import SystemMap
from engine.window import TimeWindow

__all__ = [
    "SpanArguments",
    "read_arguments",
    "resolve_service",
    "resolve_signal",
    "resolve_window",
    "schema",
    "unknown",
]

_LISTED = 30
_YEARS = (1970, 2199)


class SpanArguments(BaseModel):
    """What every tool that looks at a stretch of time takes."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    service: str | None = Field(default=None, max_length=200, description="Name or alias of one service")
    start: str | None = Field(default=None, alias="from", description="RFC 3339 with offset; default: the asked window")
    end: str | None = Field(default=None, alias="to", description="RFC 3339 with offset; default: the asked window")


Arguments = TypeVar("Arguments", bound=BaseModel)


def schema(arguments: type[BaseModel]) -> JsonObject:
    """JSON Schema of a tool's arguments, as models get it."""
    return arguments.model_json_schema(by_alias=True)


def read_arguments(arguments: type[Arguments], given: JsonObject) -> Arguments:
    """Validate what a model gave; null counts as absent.

    Raises:
        BadArguments: an unknown or mistyped argument; names it and what exists.
    """
    present = {key: value for key, value in given.items() if value is not None}
    try:
        return arguments.model_validate(present)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(map(str, first["loc"]))[:80]
        known = [field.alias or key for key, field in arguments.model_fields.items()]
        if first["type"] == "extra_forbidden":
            raise BadArguments(f"unknown argument {name!r}; {unknown(name, known)}") from error
        raise BadArguments(f"{name}: {first['msg'][:200]}") from error


def unknown(name: str, known: Sequence[str]) -> str:
    """`did you mean …; there are: …`, bounded."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    ranked = [*near, *(item for item in known if item not in near)]
    more = f" and {len(ranked) - _LISTED} more" if len(ranked) > _LISTED else ""
    return f"{hint}there are: {', '.join(ranked[:_LISTED]) or 'none'}{more}"


def resolve_service(name: str | None, system: SystemMap) -> str | None:
    """The telemetry name of a service given by name or alias.

    Raises:
        BadArguments: no service is called that; names the nearest and what exists.
    """
    if name is None:
        return None
    wanted = name.strip()
    folded = wanted.casefold()
    # because one service's alias may be another's name, and the name means more
    named = [service.name for service in system.services if service.name == wanted]
    folded_names = [service.name for service in system.services if service.name.casefold() == folded]
    aliased = [service.name for service in system.services if folded in {alias.casefold() for alias in service.aliases}]
    for found in (*named, *folded_names, *aliased):
        return found
    raise BadArguments(f"unknown service {name[:80]!r}; {unknown(name, [item.name for item in system.services])}")


def resolve_signal(name: str | None, system: SystemMap) -> str | None:
    """The name of a signal given by name, or by a Chinese title that only one signal has.

    Raises:
        BadArguments: no signal is called that; names the nearest and what exists.
    """
    if name is None or any(signal.name == name for signal in system.signals):
        return name
    titled = [signal.name for signal in system.signals if name in {signal.title, signal.name.casefold()}]
    if len(titled) == 1:
        return titled[0]
    known = titled or [signal.name for signal in system.signals]
    raise BadArguments(f"unknown signal {name[:80]!r}; {unknown(name, known)}")


def resolve_window(arguments: SpanArguments, context: ToolContext) -> TimeWindow:
    """The window that a call is about: its own `from` and `to`, else the run's.

    Raises:
        BadArguments: a time without offset or out of range, or an end that is not after the start.
    """
    start = _moment(arguments.start, "from") or context.window.start
    end = _moment(arguments.end, "to") or context.window.end
    if start >= end:
        raise BadArguments(
            f"from must be before to; the asked window is {context.window.start.isoformat()} to "
            f"{context.window.end.isoformat()}"
        )
    return TimeWindow(start=start, end=end)


def _moment(text: str | None, name: str) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadArguments(f"{name}: {text[:40]!r} is no RFC 3339 time such as 2026-12-01T14:00:00+08:00") from error
    if moment.tzinfo is None:
        raise BadArguments(f"{name}: {text[:40]!r} needs an offset, such as Z or +08:00")
    if not _YEARS[0] <= moment.year <= _YEARS[1]:
        # because times near the ends of the calendar cannot be shown in another zone
        raise BadArguments(f"{name}: {text[:40]!r} is out of range; years {_YEARS[0]} to {_YEARS[1]} are known")
    return moment
