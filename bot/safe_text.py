"""Text without the characters that steer whatever shows it: a terminal, Slack, a log."""

import re

__all__ = ["one_line", "safe_text"]

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def safe_text(text: str) -> str:
    """The text without control, escape, zero-width and direction characters; line feeds and tabs stay."""
    return _STEERING.sub("", text)


def one_line(text: str) -> str:
    """The text as one safe line."""
    return " ".join(safe_text(text).split())
