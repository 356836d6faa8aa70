"""Exactly one JSON object out of a model's text."""

import json
import re
from typing import NoReturn

from engine.base import JsonObject, JsonValue
from engine.errors import BadModelOutput

__all__ = ["FENCE_WARNING", "read_object"]

FENCE_WARNING = "one Markdown fence around the object was tolerated"

_MAX_CHARS = 1_000_000
_FENCE = re.compile(r"\A\s*```[A-Za-z0-9_-]*[ \t]*\n(.*)\n\s*```\s*\Z", re.DOTALL)


def read_object(text: str, *, allow_fence: bool) -> tuple[JsonObject, tuple[str, ...]]:
    """Parse a text that must be one JSON object and nothing around it.

    Args:
        text: what a model wrote.
        allow_fence: whether one leading and trailing Markdown fence is tolerated (reading.md 2).

    Returns:
        The object, and what was tolerated.

    Raises:
        BadModelOutput: blank, too large, not JSON, no object, a repeated key, NaN or Infinity, lone
            surrogates or nesting too deep.
    """
    if not text.strip():
        raise BadModelOutput("blank", "the reply is empty")
    if len(text) > _MAX_CHARS:
        raise BadModelOutput("too_large", f"the reply has {len(text)} characters, at most {_MAX_CHARS} are read")
    fenced = _FENCE.match(text) if allow_fence else None
    warnings = (FENCE_WARNING,) if fenced else ()
    try:
        value: JsonValue = json.loads(
            fenced.group(1) if fenced else text, object_pairs_hook=_unique, parse_constant=_refuse
        )
        json.dumps(value, ensure_ascii=False).encode()
    except BadModelOutput:
        raise
    except RecursionError as error:
        raise BadModelOutput("not_json", "the reply is nested too deeply") from error
    except ValueError as error:
        raise BadModelOutput("not_json", f"{str(error)[:120]}") from error
    if not isinstance(value, dict):
        raise BadModelOutput("not_one_object", f"the reply is a JSON {type(value).__name__}, not an object")
    return value, warnings


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        # because two values under one key leave it to the reader's taste which one was checked
        raise BadModelOutput("repeated_key", "a key stands twice in one object")
    return made


def _refuse(name: str) -> NoReturn:
    raise BadModelOutput("not_json", f"{name} is no JSON number")
