"""Whether an answer can be read, before it is handed on; what cannot may be asked for once more."""

import json
from collections.abc import Callable
from typing import cast

from engine.base import JsonObject
from engine.contracts.composer import read_composition
from engine.contracts.executor_evidence import read_executor_output
from engine.contracts.json_object import MAX_CHARS
from engine.contracts.planner_plan import read_plan
from engine.errors import BadModelOutput
from engine.models.openai.profile import Mode
from engine.ports import Role

__all__ = ["extracted", "objection"]

_MOST_STARTS = 50
"""How many opening braces are tried."""

_READERS: dict[Role, Callable[[str], object]] = {
    "planner": lambda text: read_plan(text, mode="FULL"),
    "executor": read_executor_output,
    "composer": read_composition,
}


def objection(role: Role, text: str) -> BadModelOutput | None:
    """What the node's own reader would say; None for the Verifier, whose one technical retry is its node's (S35)."""
    reader = _READERS.get(role)
    try:
        if reader is not None:
            reader(text)
    except BadModelOutput as error:
        return error
    return None


def extracted(text: str, mode: Mode) -> str:
    """The one JSON object within the words around it, where the endpoint enforces nothing.

    Elsewhere, and where there is none or more than one, the text as it is: its reader says what is wrong.
    """
    if mode != "prompt" or len(text) > MAX_CHARS:
        return text
    found = _objects(text)
    return found[0] if len(found) == 1 else text


def _objects(text: str) -> list[str]:
    decoder = json.JSONDecoder()
    found: list[str] = []
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            break
        try:
            value, end = cast("tuple[JsonObject, int]", decoder.raw_decode(text, start))
        except (ValueError, RecursionError):
            end = start + 1
        else:
            # because {} in a sentence is no answer
            found += [text[start:end]] if value else []
        start = text.find("{", end)
    return found
