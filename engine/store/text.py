"""Text that every database can hold: neither NUL nor lone surrogates, and keys of bounded length."""

import re

from engine.base import JsonValue
from engine.errors import StoreError

__all__ = ["KEY_LENGTH", "LINE_LENGTH", "checked_key", "clip", "is_key", "storable"]

KEY_LENGTH = 200
"""Characters of an identifier or a name."""

LINE_LENGTH = 4000
"""Characters of a line of foreign text, such as an error."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def storable(value: JsonValue) -> JsonValue:
    """The same JSON with U+FFFD for each character that PostgreSQL or UTF-8 cannot hold."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {_text(key): storable(item) for key, item in value.items()}
    return value


def _text(text: str) -> str:
    # because nearly every text is plain, and asking that costs less than searching
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def clip(text: str, length: int = LINE_LENGTH) -> str:
    """The text, cut to `length` characters; a cut ends in an ellipsis."""
    return text if len(text) <= length else text[: length - 1] + "…"


def is_key(text: str) -> bool:
    """Whether the text may be an identifier in every database."""
    return 0 < len(text) <= KEY_LENGTH and _UNSTORABLE.search(text) is None


def checked_key(name: str, text: str) -> str:
    """The identifier itself.

    Raises:
        StoreError: it is empty, longer than 200 characters, or holds what no database can.
    """
    if not is_key(text):
        raise StoreError(f"{name} must have 1 to {KEY_LENGTH} characters and hold no NUL or lone surrogate")
    return text
