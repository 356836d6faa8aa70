"""Typed fields out of a parsed object, with the place named in every complaint."""

import re
from collections.abc import Iterable

from engine.base import JsonObject, JsonValue
from engine.errors import BadModelOutput

__all__ = [
    "choice",
    "identifier",
    "identifiers",
    "items",
    "objects",
    "optional_identifier",
    "optional_text",
    "sentences",
    "text",
]

_TEXT_CHARS = 4000
_UNSEEN = re.compile(
    r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
)
_ID_CHARS = 200
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
    return one_line(value)


def one_line(text: str) -> str:
    """A sentence on one line and without characters that are not seen, because a line break could forge a page."""
    return " ".join(_UNSEEN.sub("", text).split())


def optional_text(source: JsonObject, key: str, place: str) -> str | None:
    """A string, or a whole number as one; anything else counts as absent, but too long a text is refused."""
    value = source.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        return None
    return text({key: value}, key, place)


def identifier(source: JsonObject, key: str, place: str) -> str:
    """A mandatory id: a string, or a whole number as one."""
    value = source.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        source = {key: str(value)}
    return text(source, key, place, limit=_ID_CHARS)


def optional_identifier(source: JsonObject, key: str, place: str) -> str | None:
    """An id that may be absent, null or blank.

    Raises:
        BadModelOutput: something else than a string or a whole number stands there. It is no absence, because
            an absent id may be filled in.
    """
    value = source.get(key)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return identifier(source, key, place)


def identifiers(source: JsonObject, key: str, place: str, *, most: int) -> tuple[str, ...]:
    """A list of ids that may be absent or null; blank and null items are passed over.

    Raises:
        BadModelOutput: no list, too many items, or an item that is no id.
    """
    if source.get(key) is None:
        return ()
    listed = enumerate(items(source, key, place, most=most))
    found = (optional_identifier({key: item}, key, f"{place}[{number}]") for number, item in listed)
    return tuple(item for item in found if item is not None)


def choice(source: JsonObject, key: str, place: str, allowed: Iterable[str]) -> str:
    """A mandatory string out of a fixed set."""
    value = text(source, key, place, limit=_ID_CHARS)
    known = tuple(allowed)
    if value not in known:
        # because what a model wrote stays out of errors, which are persisted (spec S26)
        raise BadModelOutput("wrong_value", f"{place}.{key} is none of {', '.join(known)}")
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
            found.append(one_line(candidate)[:_TEXT_CHARS])
    return tuple(found)
