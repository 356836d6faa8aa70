"""Log lines grouped by what is constant in them."""

import re
from collections.abc import Mapping
from typing import Any, cast

import msgspec

__all__ = ["Templates", "normalise_level", "template_of", "text_of"]

_HEAD = 400
"""Characters of a message that decide its template."""

_LONGEST = 240
_JSON_LINE = 8000
_CACHED = 20_000
_REMEMBERED = 32
"""Characters up to which a word is remembered; longer ones seldom come again."""

_STAR = "<*>"
_DUMP = re.compile(r'\[[A-Za-z][\w .-]{0,40}:\s|\{(?=\s*\\?"[^"]{0,60}"\s*:)')
"""`[key: value…` or `{"key": …` to the end: what follows is an argument dump."""

_QUOTED = re.compile(r'([\w.-]*[=:]\s?)?"+((?:[^"\\]|\\.){1,400})"+')
_SAYING = re.compile(r"(?:^|[._-])(?:msg|message|event|err|error|exception|reason|level|logger)[=:]\s?$", re.IGNORECASE)
"""A key whose quoted value is what the line says rather than a parameter."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://", re.IGNORECASE)
_VARIABLE = re.compile(
    r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|(?<![\dA-Za-z])(?=[a-fA-F]*\d)[0-9a-fA-F]{12,}(?![\dA-Za-z])"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?"
    r"|(?<![#A-Za-z\d_])[A-Za-z_-]*\d{3,}[A-Za-z\d_-]*"
    r"|(?<![#A-Za-z\d_])[A-Za-z]+(?:-[a-z]+)*-[a-z0-9]{8,10}-[a-z0-9]{5}(?![A-Za-z\d_-])"
    r"|(?<![#A-Za-z\d_.])[-+]?\d+(?:\.\d+)?[A-Za-zµ\d_-]*"
)
_HEX = "0123456789abcdef"
_SHORTEST_HEX = 12
_SHAPE = str.maketrans("0123456789", "0000000000")
_REPEATED = re.compile(r"<\*>(?:[\s,;]+<\*>)+")
_DIGIT = re.compile(r"\d")
_FRAME = re.compile(r"\n\s+(?:at |File \"|\.\.\. \d)")

_MESSAGE_KEYS = ("message", "msg", "body", "event", "error", "err", "exception")

_LEVELS = {
    "TRACE": "DEBUG", "DEBUG": "DEBUG", "FINE": "DEBUG", "INFO": "INFO", "INFORMATION": "INFO", "NOTICE": "INFO",
    "WARN": "WARN", "WARNING": "WARN", "ERROR": "ERROR", "ERR": "ERROR", "SEVERE": "ERROR", "FATAL": "FATAL",
    "CRITICAL": "FATAL", "CRIT": "FATAL", "PANIC": "FATAL", "EMERG": "FATAL", "ALERT": "FATAL",
}  # fmt: skip


class Templates:
    """Templates of many messages, with a bounded memory of words already seen; the result is that of `template_of`."""

    def __init__(self) -> None:
        self._words: dict[str, str] = {}
        self._shapes: dict[str, str] = {}

    def of(self, message: str) -> str:
        """The message with its variable parts replaced by `<*>`. Deterministic and total.

        A number behind `#` stays, because it is a place in the code (`Controller#129`). A JSON line stands for
        what its message field says; a stack trace for the lines above its first frame.
        """
        if message.startswith("{"):
            message = _said(message)
        if "\n" in message:
            frame = _FRAME.search(message)
            message = message[: frame.start()] if frame else message
        head = message[:_HEAD]
        dump = _DUMP.search(head)
        if dump:
            head = f"{head[: dump.end()]}{_STAR}"
        if '"' in head:
            head = _QUOTED.sub(_quoted, head)
        words = self._words
        template = " ".join([words.get(word) or self._mask(word) for word in head.split()])
        if "<*> <*>" in template or "<*>," in template or "<*>;" in template:
            template = _REPEATED.sub(_STAR, template)
        return template[:_LONGEST] or "(blank)"

    def _mask(self, word: str) -> str:
        if len(word) >= _SHORTEST_HEX and not word.strip(_HEX) and not word.isalpha():
            return _STAR
        # because whether a digit is masked never depends on which digit it is
        shape = word.translate(_SHAPE)
        return self._shapes.get(shape) or self._look(word, shape)

    def _look(self, word: str, shape: str) -> str:
        """Mask a word whose shape is new, and remember it by its shape where no digit of it stays."""
        masked = self._parts(word, "/") or self._parts(word, "=") or _VARIABLE.sub(_STAR, word)
        if len(word) > _REMEMBERED or "/" in word:
            return masked
        if _DIGIT.search(masked) or shape == word:
            _remember(self._words, word, masked)
        else:
            _remember(self._shapes, shape, masked)
        return masked

    def _parts(self, word: str, separator: str) -> str | None:
        """The word with each part between separators masked alone; None where it has no such part."""
        if separator not in word:
            return None
        parts = word.split(separator)
        return separator.join([self._words.get(part) or self._mask(part) if part else "" for part in parts])


def template_of(message: str) -> str:
    """The template of one message; see `Templates.of`."""
    return Templates().of(message)


def text_of(body: Any) -> str:
    """The message of a log record whose body is text or a structure."""
    if isinstance(body, str):
        return body
    try:
        return msgspec.json.encode(body).decode()
    except (msgspec.MsgspecError, RecursionError, OverflowError, TypeError, ValueError):
        return "(unreadable body)"


def normalise_level(severity: object) -> str:
    """One of DEBUG, INFO, WARN, ERROR, FATAL; what is unknown counts as INFO.

    A number is OpenTelemetry's SeverityNumber: 1-8 DEBUG, 9-12 INFO, 13-16 WARN, 17-20 ERROR, 21-24 FATAL.
    """
    if isinstance(severity, int) and 1 <= severity <= 24:
        return ("DEBUG", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")[(severity - 1) // 4]
    return _LEVELS.get(severity.strip().upper().rstrip("234"), "INFO") if isinstance(severity, str) else "INFO"


def _remember(cache: dict[str, str], key: str, value: str) -> None:
    if len(cache) >= _CACHED:
        cache.clear()
    cache[key] = value


def _said(line: str) -> str:
    """What a JSON line says, with its other fields left out; the line itself where it is none."""
    if len(line) > _JSON_LINE:
        return line
    try:
        decoded = msgspec.json.decode(line)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return line
    fields: Mapping[str, object] = cast("dict[str, object]", decoded) if isinstance(decoded, dict) else {}
    for key in _MESSAGE_KEYS:
        text = fields.get(key)
        if isinstance(text, str) and text.strip():
            return text
    return f"{{{' '.join(list(fields)[:20])}}}" if fields else line


def _quoted(match: re.Match[str]) -> str:
    key, value = match.group(1) or "", match.group(2)
    if key and _SAYING.search(key):
        return f"{key}{value}"
    if _ADDRESS.match(value):
        return f"{key}{value.split('?', 1)[0]}"
    return f"{key}{_STAR}"
