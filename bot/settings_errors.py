"""What is wrong with a configuration, in one line that names the place and the remedy."""

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

__all__ = ["Trail", "dotted", "explain", "field_type", "model_of", "unknown_key"]

Trail = tuple[int | str, ...]

_WRITE = {
    "number": "must be a number: write it as 30 or 0.5",
    "table": "must be a table: write its keys below a [section]",
    "list": 'must be a list: write ["one", "two"]',
    "text": 'must be text: write it in quotes, "so"',
    "switch": "must be true or false",
}

_KINDS = {
    "int_type": "number",
    "int_parsing": "number",
    "int_from_float": "number",
    "float_type": "number",
    "float_parsing": "number",
    "finite_number": "number",
    "model_type": "table",
    "dict_type": "table",
    "tuple_type": "list",
    "string_type": "text",
    "path_type": "text",
    "bool_type": "switch",
    "bool_parsing": "switch",
}


def explain(error: ValidationError, model: type[BaseModel], places: Mapping[Trail, str], file: str) -> str:
    """The first thing that is wrong.

    Args:
        error: what validation found.
        model: the root of the configuration.
        places: the variable that gave a value, by the value's trail; all others stand in the file.
        file: the configuration file.
    """
    first = error.errors(include_input=False, include_url=False)[0]
    trail: Trail = first["loc"]
    place = _place(trail, places, file)
    if first["type"] == "extra_forbidden":
        return unknown_key(trail, model, place)
    return f"{place}: {dotted(trail)}: {_remedy(first)}"


def unknown_key(trail: Trail, model: type[BaseModel], place: str) -> str:
    """Names the key and the nearest one that is known in its table."""
    table = model_of(field_type(model, trail[:-1]))
    known = list(table.model_fields) if table else []
    near = difflib.get_close_matches(str(trail[-1]), known, n=1, cutoff=0.0)
    return f"{place}: unknown key {dotted(trail)!r}; the nearest known one is {near[0] if near else 'none'!r}"


def dotted(trail: Trail) -> str:
    """Such as `sources[0].path`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in trail).removeprefix(".")


def field_type(model: type[BaseModel], trail: Sequence[int | str]) -> Any:
    """The type at a place of the configuration; None where there is no such place."""
    found: Any = model
    for step in trail:
        table, origin = model_of(found), get_origin(found)
        if table is not None and origin is None:
            field = table.model_fields.get(str(step))
            found = field.annotation if field else None
        elif origin in {dict, tuple}:
            found = get_args(found)[1 if origin is dict else 0]
        else:
            return None
    return found


def model_of(annotation: Any) -> type[BaseModel] | None:
    """The table that a type describes, if it is one."""
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _place(trail: Trail, places: Mapping[Trail, str], file: str) -> str:
    """A variable where one gave the value, what it stands in, or something within it; else the file."""
    around = [trail[:length] for length in range(len(trail), 0, -1) if trail[:length] in places]
    within = [given for given in places if given[: len(trail)] == trail]
    return next((places[near] for near in (*around, *within)), file)


def _remedy(details: ErrorDetails) -> str:
    kind = details["type"]
    if kind in _KINDS:
        return _WRITE[_KINDS[kind]]
    if kind == "literal_error":
        return f"must be one of {details.get('ctx', {}).get('expected', '')}"
    if kind == "missing":
        return "is missing; add it"
    text = details["msg"].removeprefix("Input ").removeprefix("Value error, ")
    return f"{text[:1].lower()}{text[1:]}"
