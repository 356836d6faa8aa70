"""How the builtin model writes numbers and names, so that a reader sees them at a glance and the guard finds them."""

import re

__all__ = ["clock", "count", "figure", "milliseconds", "phrase"]

_MASKS = re.compile(r"<\*>")
_CODE_HEAD = re.compile(r"^.{0,200}(?:TraceID|SpanID|trace_id)\S*\s+", re.IGNORECASE)
_QUOTES = re.compile(r"[「」『』“”\"]")
_SPACES = re.compile(r"\s+")


def figure(value: float | None, unit: str) -> str:
    """A number in its unit: ratios as percent, seconds as ms below one, bytes as MB."""
    if value is None:
        return "未知"
    if unit == "ratio":
        return f"{_plain(value * 100)}%"
    if unit == "percent":
        return f"{_plain(value)}%"
    if unit == "seconds":
        return f"{_plain(value * 1000)} ms" if abs(value) < 1 else f"{_plain(value)} 秒"
    if unit == "milliseconds":
        return milliseconds(value)
    if unit == "bytes":
        return f"{_plain(value / 1e6)} MB"
    if unit in {"requests_per_second", "per_second"}:
        return f"{_plain(value)} 次/秒"
    return _plain(value)


def milliseconds(value: float | None) -> str:
    """A duration given in milliseconds."""
    if value is None:
        return "未知"
    return f"{_plain(value)} ms" if abs(value) < 1000 else f"{_plain(value / 1000)} 秒"


def count(value: float) -> str:
    """A number of things; a scaled expectation keeps three digits."""
    return _plain(value)


def clock(stamp: str) -> str:
    """An RFC 3339 time as month, day and minute in its own zone."""
    return f"{stamp[5:10]} {stamp[11:16]}" if len(stamp) >= 16 else stamp


def phrase(text: str, limit: int = 90) -> str:
    """The longest constant stretch of a log template, letter by letter, short enough to read on a phone."""
    pieces = _QUOTES.split(_MASKS.sub('"', _CODE_HEAD.sub("", text)))
    words = _SPACES.sub(" ", max(pieces, key=len)).strip(" -:,")
    if len(words) <= limit:
        return words
    cut = words[:limit]
    return cut[: cut.rfind(" ")] if " " in cut[limit // 2 :] else cut


def _plain(value: float) -> str:
    """Three significant digits below a thousand, whole numbers above; never an exponent."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    if abs(value) >= 1000:
        return str(round(value))
    text = f"{value:.3g}"
    return f"{float(text):.10f}".rstrip("0").rstrip(".") if "e" in text else text
