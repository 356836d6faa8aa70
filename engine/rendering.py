"""One JSON place as one line of text (logfmt), and back: the form in which evidence is quoted."""

import re
from collections.abc import Iterator

from engine.base import JsonValue

__all__ = ["parse_line", "render_line"]

_BARE = re.compile(r"""[^\s"=]+""")
# because a key begins where a run of its characters begins, a long run without "=" is tried once, not once a character
_PAIR = re.compile(r'(?<![^\s="])([^\s="]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
_FOLDED = re.compile(r"\s+")
_KEY_BREAKERS = re.compile(r"""[\s"=]""")


def render_line(value: JsonValue) -> str:
    """Render a JSON place as one line of `key=value` pairs.

    Nested keys are joined by a dot, list items by their index; null and empty places are left out; text
    with white space, quotes or `=` is quoted. A scalar renders as itself. Newlines fold into spaces.

    >>> render_line({"service": "pay", "window": {"mean": 0.31}})
    'service=pay window.mean=0.31'
    """
    if not isinstance(value, dict | list):
        return _FOLDED.sub(" ", _scalar(value)).strip()
    return " ".join(f"{key}={_quoted(text)}" for key, text in _flat(value, ""))


def parse_line(line: str) -> dict[str, str]:
    """Read a rendered line back into its flat pairs; text that is no pair is passed over."""
    pairs: dict[str, str] = {}
    for key, raw in _PAIR.findall(line):
        quoted = raw.startswith('"')
        pairs.setdefault(key, raw[1:-1].replace('\\"', '"').replace("\\\\", "\\") if quoted else raw)
    return pairs


def _flat(value: JsonValue, prefix: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(item, f"{prefix}.{key}" if prefix else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _flat(item, f"{prefix}.{index}" if prefix else str(index))
    elif value is not None and value != "":
        yield _KEY_BREAKERS.sub("_", prefix) or "_", _scalar(value)


def _scalar(value: str | float | bool | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def _quoted(text: str) -> str:
    folded = _FOLDED.sub(" ", text).strip()
    if _BARE.fullmatch(folded):
        return folded
    escaped = folded.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
