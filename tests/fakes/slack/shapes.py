"""What a JSON value of Block Kit must look like, as checks that name the place of each fault the way Slack does.

A check is a function from (value, pointer) to faults; a fault reads `[ERROR] <what> [json-pointer:<where>]`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from bot.slack_text import units

__all__ = [
    "Check",
    "Fault",
    "anything",
    "array",
    "boolean",
    "either",
    "enum",
    "fault",
    "integer",
    "items",
    "mapping",
    "number",
    "record",
    "string",
    "tagged",
    "text",
]

Fault = str
Check = Callable[[Any, str], Iterable[Fault]]


def fault(what: str, pointer: str) -> Fault:
    """One fault as Slack words it."""
    return f"[ERROR] {what} [json-pointer:{pointer}]"


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def array(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def anything(value: Any, pointer: str) -> Iterable[Fault]:
    """No condition."""
    return ()


def string(most: int, least: int = 1) -> Check:
    """A string of `least` to `most` UTF-16 units."""

    def check(value: Any, pointer: str) -> Iterable[Fault]:
        if not isinstance(value, str):
            yield fault("must provide a string", pointer)
        elif units(value) > most:
            yield fault(f"must be less than {most + 1} characters", pointer)
        elif units(value) < least:
            yield fault(f"must be more than {least - 1} characters", pointer)

    return check


def boolean(value: Any, pointer: str) -> Iterable[Fault]:
    """True or false."""
    if not isinstance(value, bool):
        yield fault("must provide a boolean", pointer)


def number(value: Any, pointer: str) -> Iterable[Fault]:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        yield fault("must provide a number", pointer)


def integer(least: int, most: int) -> Check:
    """A whole number between two."""

    def check(value: Any, pointer: str) -> Iterable[Fault]:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            yield fault(f"must be an integer from {least} to {most}", pointer)

    return check


def enum(*allowed: str) -> Check:
    """One of some words."""

    def check(value: Any, pointer: str) -> Iterable[Fault]:
        if value not in allowed:
            yield fault(f"must be a valid enum value: {', '.join(allowed)}", pointer)

    return check


def items(of: Check, most: int, least: int = 1) -> Check:
    """A list of `least` to `most` of the same."""

    def check(value: Any, pointer: str) -> Iterable[Fault]:
        if not isinstance(value, list):
            yield fault("must provide an array", pointer)
            return
        held = array(value)
        if len(held) > most:
            yield fault(f"no more than {most} items allowed", pointer)
        if len(held) < least:
            yield fault(f"no fewer than {least} items allowed", pointer)
        for index, item in enumerate(held):
            yield from of(item, f"{pointer}/{index}")

    return check


def record(needed: Mapping[str, Check], allowed: Mapping[str, Check] | None = None) -> Check:
    """An object with the needed fields, perhaps the allowed ones, and no others."""
    known = {**needed, **(allowed or {})}

    def check(value: Any, pointer: str) -> Iterable[Fault]:
        if not isinstance(value, dict):
            yield fault("must provide an object", pointer)
            return
        for name in needed:
            if name not in value:
                yield fault(f"missing required field: {name}", pointer)
        for name, held in mapping(value).items():
            if name not in known:
                yield fault(f"invalid additional property: {name}", f"{pointer}/{name}")
            else:
                yield from known[name](held, f"{pointer}/{name}")

    return check


def tagged(kinds: Mapping[str, Check]) -> Check:
    """An object whose `type` says which check it has to pass."""

    def check(value: Any, pointer: str) -> Iterable[Fault]:
        kind = mapping(value).get("type")
        if not isinstance(kind, str) or kind not in kinds:
            yield fault(f"unsupported type: {kind}", f"{pointer}/type")
        else:
            yield from kinds[kind](value, pointer)

    return check


def either(first: str, second: str, rest: Check) -> Check:
    """An object that passes `rest` and has at least one of two fields."""

    def check(value: Any, pointer: str) -> Iterable[Fault]:
        if isinstance(value, dict) and first not in value and second not in value:
            yield fault(f"must define either `{first}` or `{second}`", pointer)
        yield from rest(value, pointer)

    return check


def text(most: int, *kinds: str) -> Check:
    """A text object of one of the kinds (`plain_text`, `mrkdwn`); each kind has its own options."""
    options: dict[str, dict[str, Check]] = {"plain_text": {"emoji": boolean}, "mrkdwn": {"verbatim": boolean}}
    return tagged({kind: record({"type": anything, "text": string(most)}, options[kind]) for kind in kinds})
