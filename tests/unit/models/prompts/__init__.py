"""The prompts' own examples, as the tests read them out of the files."""

import json
import re
from importlib.resources import files
from typing import cast

from engine.base import JsonObject, JsonValue
from engine.ports import Role

__all__ = ["example", "example_object", "source"]


def source(role: Role) -> str:
    """A role's file as it is packaged."""
    return files("engine.models.prompts").joinpath(f"{role}.md").read_text(encoding="utf-8")


def example(role: Role, name: str) -> str:
    """The text in the fenced block of that name."""
    (block,) = re.findall(rf"^```json {re.escape(name)}\n(.*?)\n```$", source(role), re.DOTALL | re.MULTILINE)
    return cast("str", block)


def example_object(role: Role, name: str) -> JsonObject:
    """The block's object."""
    value: JsonValue = json.loads(example(role, name))
    assert isinstance(value, dict)
    return value
