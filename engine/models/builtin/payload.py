"""Reads the payloads that the builtin roles get; they are the engine's own, so a wrong shape is a defect."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from engine.base import JsonObject, JsonValue
from engine.ports import ToolTurn
from engine.rendering import parse_line

__all__ = ["Ref", "calls_of", "number", "objects", "refs_of", "texts", "with_turns"]


@dataclass(frozen=True)
class Ref:
    """One citable line of one call, with its fields."""

    tool: str
    invocation_id: str
    path: str
    text: str
    arguments: JsonObject = field(default_factory=dict[str, JsonValue])

    @cached_property
    def fields(self) -> dict[str, str]:
        """The line's pairs; read when first asked for, because most lines are passed over."""
        return parse_line(self.text)

    def number(self, key: str) -> float | None:
        """A field as a number; None where it is none."""
        return number(self.fields.get(key))

    def get(self, key: str) -> str:
        """A field as text; empty where it is not there."""
        return self.fields.get(key, "")


def objects(payload: JsonObject, key: str) -> list[JsonObject]:
    """A list of objects; empty where it is none."""
    value = payload.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def texts(payload: JsonObject, key: str) -> list[str]:
    """A list of strings; empty where it is none."""
    value = payload.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def calls_of(payload: JsonObject, *, status: str | None = None) -> list[JsonObject]:
    """The invocations, or those of one status."""
    return [item for item in objects(payload, "invocations") if status is None or item.get("status") == status]


def refs_of(payload: JsonObject, tool: str | None = None, prefix: str = "") -> Iterator[Ref]:
    """Every ref of the calls that answered, of one tool and below one path where given."""
    for call in calls_of(payload):
        name = str(call.get("tool_name"))
        if call.get("status") not in {"ok", "empty"} or (tool is not None and name != tool):
            continue
        arguments = call.get("arguments")
        for ref in objects(call, "evidence_refs"):
            path, text = cast("str", ref.get("raw_path")), cast("str", ref.get("text"))
            if path.startswith(prefix):
                given = arguments if isinstance(arguments, dict) else {}
                yield Ref(name, str(call.get("invocation_id")), path, text, given)


def with_turns(payload: JsonObject, turns: Sequence[ToolTurn]) -> JsonObject:
    """The payload with the invocations that later rounds brought."""
    if not turns:
        return payload
    brought = [json.loads(result) for turn in turns for result in turn.results]
    known = payload.get("invocations")
    return {**payload, "invocations": [*(known if isinstance(known, list) else []), *brought]}


def number(text: str | None) -> float | None:
    """A finite number; None where the text is none."""
    try:
        value = float(text) if text is not None else None
    except ValueError:
        return None
    return value if value is not None and abs(value) < 1e300 else None
