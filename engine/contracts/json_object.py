"""Exactly one JSON object out of a model's text."""

import json
import math
import re
from typing import NoReturn

from engine.base import JsonObject, JsonValue
from engine.errors import BadModelOutput

__all__ = ["FENCE_WARNING", "MAX_CHARS", "MAX_DEPTH", "read_object"]

FENCE_WARNING = "one Markdown fence around the object was tolerated"

MAX_CHARS = 1_000_000
"""The longest reply that is read."""

MAX_DEPTH = 100
"""How deep objects and lists may nest, the outermost counted; below what any later reader can hold."""

_FENCE = "```"
_OPENING = re.compile(r"```[A-Za-z0-9_-]*[ \t\r]*")


def read_object(text: str, *, allow_fence: bool) -> tuple[JsonObject, tuple[str, ...]]:
    """Parse a text that must be one JSON object and nothing around it.

    Args:
        text: what a model wrote.
        allow_fence: whether one leading and trailing Markdown fence is tolerated (reading.md 2).

    Returns:
        The object, and what was tolerated.

    Raises:
        BadModelOutput: blank, too large, not JSON, no object, a repeated key, a number that is not finite,
            NUL characters, lone surrogates or nesting too deep.
    """
    if not text.strip():
        raise BadModelOutput("blank", "the reply is empty")
    if len(text) > MAX_CHARS:
        raise BadModelOutput("too_large", f"the reply has {len(text)} characters, at most {MAX_CHARS} are read")
    body = _unfenced(text) if allow_fence else None
    try:
        value: JsonValue = json.loads(
            text if body is None else body, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite
        )
        _check_inside(value)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise BadModelOutput("not_json", f"{str(error)[:120]}") from error
    if not isinstance(value, dict):
        raise BadModelOutput("not_one_object", f"the reply is a JSON {type(value).__name__}, not an object")
    return value, () if body is None else (FENCE_WARNING,)


def _unfenced(text: str) -> str | None:
    """What stands within the fence; None where there is none around the whole text."""
    head, newline, rest = text.strip().partition("\n")
    if not newline or not rest.endswith(_FENCE) or not _OPENING.fullmatch(head):
        return None
    body = rest.removesuffix(_FENCE).rstrip(" \t")
    return body if body.endswith("\n") else None


def _check_inside(value: JsonValue) -> None:
    """Refuse what neither a frozen value nor a database can hold; a loop, because the depth is foreign."""
    pending: list[tuple[JsonValue, int]] = [(value, 1)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, str):
            _check_text(item)
        elif isinstance(item, dict | list):
            if depth > MAX_DEPTH:
                raise _too_deep()
            if isinstance(item, dict):
                for key in item:
                    _check_text(key)
            pending.extend((inner, depth + 1) for inner in (item.values() if isinstance(item, dict) else item))


def _check_text(text: str) -> None:
    if "\0" in text:
        raise BadModelOutput("not_json", "a string holds a NUL character")
    if not text.isascii():
        text.encode()


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        # because two values under one key leave it to the reader's taste which one was checked
        raise BadModelOutput("repeated_key", "a key stands twice in one object")
    return made


def _finite(digits: str) -> float:
    value = float(digits)
    # because 1e999 is legal JSON but becomes an infinity
    return value if math.isfinite(value) else _refuse("a number beyond every float")


def _refuse(name: str) -> NoReturn:
    raise BadModelOutput("not_json", f"{name} is no JSON number")


def _too_deep() -> BadModelOutput:
    return BadModelOutput("not_json", f"the reply is nested too deeply, at most {MAX_DEPTH} levels are read")
