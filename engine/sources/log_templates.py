"""Log lines grouped by what is constant in them."""

import re

__all__ = ["normalise_level", "template_of"]

_HEAD = 400
"""Characters of a message that decide its template."""

_BRACKETED = re.compile(r"\[([A-Za-z][\w .-]{0,40}):\s.*$", re.DOTALL)
"""`[key: value…` to the end: what follows a labelled bracket is an argument dump."""

_VARIABLE = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
    r"|\b(?=[a-fA-F]*\d)[0-9a-fA-F]{12,}\b"
    r"|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?"
    r'|"[^"]{1,400}"'
    r"|(?<![#\w])[A-Za-z_-]*\d{3,}[\w-]*"
    r"|(?<![#\w.])[-+]?\d+(?:\.\d+)?"
)
_SPACES = re.compile(r"\s+")

_LEVELS = {
    "TRACE": "DEBUG", "DEBUG": "DEBUG", "FINE": "DEBUG", "INFO": "INFO", "INFORMATION": "INFO", "NOTICE": "INFO",
    "WARN": "WARN", "WARNING": "WARN", "ERROR": "ERROR", "ERR": "ERROR", "SEVERE": "ERROR", "FATAL": "FATAL",
    "CRITICAL": "FATAL", "CRIT": "FATAL", "PANIC": "FATAL", "EMERG": "FATAL", "ALERT": "FATAL",
}  # fmt: skip


def template_of(message: str) -> str:
    """The message with its variable parts replaced by `<*>`. Deterministic and total.

    A number behind `#` stays, because it is a place in the code (`Controller#129`).
    """
    head = _SPACES.sub(" ", message[:_HEAD]).strip()
    head = _BRACKETED.sub(r"[\1: <*>", head)
    return _VARIABLE.sub("<*>", head)[:240] or "(blank)"


def normalise_level(severity: str) -> str:
    """One of DEBUG, INFO, WARN, ERROR, FATAL; what is unknown counts as INFO."""
    return _LEVELS.get(severity.strip().upper(), "INFO")
