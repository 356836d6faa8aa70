"""Configuration and secrets from variables: `VERDICT_SECTION__KEY`, and `…_FILE` for a file that holds the value."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_origin

from pydantic import BaseModel

from bot.settings_errors import Trail, field_type, model_of
from engine.errors import ConfigError

__all__ = ["override", "secrets_from"]

_PREFIX = "VERDICT_"
_MAX_BYTES = 64_000
"""Bound on a file that a variable names."""


def override(raw: dict[str, Any], environ: Mapping[str, str], model: type[BaseModel]) -> dict[Trail, str]:
    """Lay the variables over the file's values, in place.

    A list is written with commas or as JSON, a table as JSON, an entry of a list by its number from 0. The names of
    services and signals are found whatever their case, with `_` for what a variable's name cannot hold.

    Args:
        raw: the file's content, changed.
        environ: the variables.
        model: the root of the configuration; tells lists from texts.

    Returns:
        The variable that gave a value, by the value's trail.

    Raises:
        ConfigError: a variable names a place that cannot be, or a file that cannot be read.
    """
    places: dict[Trail, str] = {}
    for name, value in sorted(_given(environ).items()):
        source, text = name, value
        if name.endswith("_FILE"):
            source, text = name.removesuffix("_FILE"), _content(name, value)
        trail = _put(raw, source, text, model)
        places[trail] = name
    return places


def secrets_from(environ: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    """The secrets that the environment gives, by name; a `…_FILE` variable rules.

    Raises:
        ConfigError: the file cannot be read.
    """
    found: dict[str, str] = {}
    for name in names:
        file = environ.get(f"{name}_FILE")
        if file:
            found[name] = _content(f"{name}_FILE", file)
        elif environ.get(name):
            found[name] = environ[name]
    return found


def _given(environ: Mapping[str, str]) -> dict[str, str]:
    given = {name: value for name, value in environ.items() if name.startswith(_PREFIX) and "__" in name}
    if environ.get("VERDICT_MODEL_FALLBACK"):
        given.setdefault("VERDICT_MODEL__FALLBACK", environ["VERDICT_MODEL_FALLBACK"])
    return given


def _put(raw: dict[str, Any], name: str, text: str, model: type[BaseModel]) -> Trail:
    here: Any = raw
    trail: list[int | str] = []
    *sections, last = name.removeprefix(_PREFIX).lower().split("__")
    for section in sections:
        step = _step(here, section, model, trail, name)
        trail.append(step)
        here = _within(here, step, list if get_origin(field_type(model, trail)) is tuple else dict)
        if not isinstance(here, dict | list):
            raise ConfigError(f"{name}: {section} is no table; remove the variable or the key of that name")
    step = _step(here, last, model, trail, name)
    trail.append(step)
    _set(here, step, _read(text, field_type(model, trail), name))
    return tuple(trail)


def _set(here: Any, step: int | str, value: Any) -> None:
    if step == len(here) and isinstance(here, list):
        cast("list[Any]", here).append(value)
    else:
        here[step] = value


def _within(here: Any, step: int | str, empty: type[list[Any] | dict[str, Any]]) -> Any:
    """What stands at the step, made where nothing does."""
    if isinstance(here, list):
        entries = cast("list[Any]", here)
        if step == len(entries):
            entries.append(empty())
        return entries[cast("int", step)]
    return here.setdefault(step, empty())


def _step(here: Any, word: str, model: type[BaseModel], trail: list[int | str], name: str) -> int | str:
    """A list's entry by number, a key as the table writes it, or the word itself."""
    if isinstance(here, list):
        if not word.isdecimal() or int(word) > len(cast("list[Any]", here)):
            raise ConfigError(f"{name}: {word!r} is no entry of the list; number them from 0, without a gap")
        return int(word)
    if not word:
        raise ConfigError(f"{name}: a part of the name is empty; write VERDICT_SECTION__KEY")
    if model_of(field_type(model, trail)) is not None:
        return word
    keys = cast("dict[str, Any]", here)
    return next((key for key in keys if key.lower().replace("-", "_") == word), word)


def _read(text: str, annotation: Any, name: str) -> Any:
    """The variable's text as a value of the type that belongs there; numbers are read when validated."""
    origin = get_origin(annotation)
    if origin not in {tuple, dict} and model_of(annotation) is None:
        return text
    if text.lstrip().startswith(("[", "{")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{name}: starts like JSON but is none; mend it or write a,b") from error
    return [part.strip() for part in text.split(",") if part.strip()] if origin is tuple else text


def _content(name: str, file: str) -> str:
    try:
        with Path(file).open("rb") as opened:
            content = opened.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise ConfigError(f"{name}: the file is longer than {_MAX_BYTES} bytes; name the right one")
        return content.decode("utf-8").strip()
    except (OSError, ValueError) as error:
        # because the system's message could repeat what the file holds
        raise ConfigError(f"{name}: the file cannot be read: {type(error).__name__}") from error
