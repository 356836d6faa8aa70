"""Typed fields out of a parsed object, with the place named in every complaint."""

from collections.abc import Iterable

from engine.base import JsonObject, JsonValue
from engine.errors import BadModelOutput

__all__ = ["choice", "identifier", "items", "objects", "optional_text", "sentences", "text"]

_TEXT_CHARS = 4000
_SENTENCE_KEYS = ("text", "action", "description", "detail", "info", "summary", "title")


def text(source: JsonObject, key: str, place: str, *, limit: int = _TEXT_CHARS) -> str:
    """A mandatory, non-blank string; longer than `limit` is refused, because a cut claim is another claim."""
    value = source.get(key)
    if value is None:
        raise BadModelOutput("missing_field", f"{place}.{key} is missing")
    if not isinstance(value, str):
        raise BadModelOutput("wrong_type", f"{place}.{key} must be a string")
    if not value.strip():
        raise BadModelOutput("missing_field", f"{place}.{key} is blank")
    if len(value) > limit:
        raise BadModelOutput("too_large", f"{place}.{key} has more than {limit} characters")
    return value


def optional_text(source: JsonObject, key: str) -> str | None:
    """A string, or a whole number as one; anything else counts as absent."""
    value = source.get(key)
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def identifier(source: JsonObject, key: str, place: str) -> str:
    """A mandatory id: a string, or a whole number as one."""
    value = source.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(source, key, place, limit=200)


def choice(source: JsonObject, key: str, place: str, allowed: Iterable[str]) -> str:
    """A mandatory string out of a fixed set."""
    value = text(source, key, place, limit=200)
    known = tuple(allowed)
    if value not in known:
        raise BadModelOutput("wrong_value", f"{place}.{key} is {value[:60]!r}, not one of {', '.join(known)}")
    return value


def items(source: JsonObject, key: str, place: str, *, most: int) -> list[JsonValue]:
    """A mandatory list of at most `most` items."""
    value = source.get(key)
    if value is None:
        raise BadModelOutput("missing_field", f"{place}.{key} is missing")
    if not isinstance(value, list):
        raise BadModelOutput("wrong_type", f"{place}.{key} must be a list")
    if len(value) > most:
        raise BadModelOutput("too_large", f"{place}.{key} has {len(value)} items, at most {most} are read")
    return value


def objects(source: JsonObject, key: str, place: str, *, most: int) -> list[JsonObject]:
    """A mandatory list of objects."""
    found: list[JsonObject] = []
    for number, item in enumerate(items(source, key, place, most=most)):
        if not isinstance(item, dict):
            raise BadModelOutput("wrong_type", f"{place}.{key}[{number}] must be an object")
        found.append(item)
    return found


def sentences(values: Iterable[JsonValue]) -> tuple[str, ...]:
    """Strings, or objects that hold one under a usual key; what is neither is passed over."""
    found: list[str] = []
    for value in values:
        candidate = value
        if isinstance(value, dict):
            candidate = next((value[key] for key in _SENTENCE_KEYS if isinstance(value.get(key), str)), None)
        if isinstance(candidate, str) and candidate.strip():
            found.append(candidate.strip()[:_TEXT_CHARS])
    return tuple(found)
