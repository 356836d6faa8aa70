"""Untrusted text on a terminal: nothing in it may steer the terminal or turn its lines around."""

import re
import sys
from typing import TextIO

__all__ = ["make_safe_streams", "safe_text"]

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def safe_text(text: str) -> str:
    """The text without control, escape, zero-width and direction characters; line feeds and tabs stay."""
    return _STEERING.sub("", text)


def make_safe_streams() -> None:
    """Let Chinese through on any terminal: what its encoding cannot show becomes an escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream)


def _reconfigure(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        utf8 = (stream.encoding or "").lower().replace("-", "") == "utf8"
        reconfigure(errors="backslashreplace" if utf8 or not stream.isatty() else "replace")
        if not utf8 and not stream.isatty():
            reconfigure(encoding="utf-8", errors="backslashreplace")
