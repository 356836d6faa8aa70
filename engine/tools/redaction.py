"""Secrets and personal data out of telemetry, once, before anything is stored, shown or sent (architecture.md)."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Collection

from engine.base import JsonValue
from engine.tools.secret_patterns import (
    CARD,
    EMAIL,
    IDENTITY,
    NAMED_KEY,
    PHONE,
    SECRETS,
    is_card,
    is_identity,
    may_hold_secret,
)

__all__ = ["Redactor"]

_PLACEHOLDER = re.compile(r"<(?:SECRET:[a-z-]+|EMAIL|PHONE|ID|CARD):[0-9a-f]{4}>")
_MEASURE = re.compile(
    r"(?i)(?:bytes|nanos|micros|millis|[nmu]s|size|offset|seq|lsn|count|duration|elapsed|memory|heap|used|free|total|limit"
    r"|timestamp|ts|epoch|pid|tid)[\"']?\s*[=:]\s*[\"']?$"
)
"""What stands before a number that measures something, and is no telephone number therefore."""


class Redactor:
    """Replaces secrets by placeholders such as `<SECRET:aws-key:3f2a>`.

    The same secret gets the same placeholder within one process, so that stored output, excerpt, prompt and
    answer agree. The digest is keyed by a random key that never leaves the process, because a bare digest of
    a short password could be guessed back.
    """

    def __init__(self, key: bytes | None = None, known_names: Collection[str] = ()) -> None:
        """Make one redactor for a process.

        Args:
            key: the digest's key; random unless given.
            known_names: names of services, kept as they are even where one looks like an e-mail address.
        """
        self._key = key or secrets.token_bytes(32)
        self._known = frozenset(known_names)
        self._rules = self._made_rules()

    def redact(self, text: str) -> str:
        """The text without secrets and personal data; idempotent."""
        if not may_hold_secret(text):
            return text
        # because cutting a secret out may uncover the edge of another; each round leaves less plain text, so it ends
        while (again := self._once(text)) != text:
            text = again
        return text

    def redact_json(self, value: JsonValue) -> JsonValue:
        """The same for every text of a JSON value, keys included; text under a key such as `password` goes whole."""
        if isinstance(value, str):
            return value if value in self._known else self.redact(value)
        if isinstance(value, list):
            return [self.redact_json(item) for item in value]
        if isinstance(value, dict):
            return {self.redact(key): self._under(key, item) for key, item in value.items()}
        return value

    def _once(self, text: str) -> str:
        # because a placeholder names a kind of secret, and must not be read as `secret: value` itself
        parts: list[str] = []
        position = 0
        for placeholder in _PLACEHOLDER.finditer(text):
            parts += (self._plain(text[position : placeholder.start()]), placeholder.group())
            position = placeholder.end()
        return "".join([*parts, self._plain(text[position:])])

    def _under(self, key: str, value: JsonValue) -> JsonValue:
        secret = isinstance(value, str) and value and NAMED_KEY.fullmatch(key) and not _PLACEHOLDER.fullmatch(value)
        return self._mark("SECRET:value", str(value)) if secret else self.redact_json(value)

    def _plain(self, text: str) -> str:
        """Redact text that holds no placeholder; each kind looks only at what the kinds before it left."""
        pieces = [text]
        for pattern, replace in self._rules:
            pieces = [
                part
                for index, piece in enumerate(pieces)
                for part in (_split(piece, pattern, replace) if index % 2 == 0 else [piece])
            ]
        return "".join(pieces)

    def _made_rules(self) -> list[tuple[re.Pattern[str], Callable[[re.Match[str], str], str | None]]]:
        return [
            *((pattern, self._always(f"SECRET:{kind}")) for kind, pattern in SECRETS),
            (EMAIL, self._always("EMAIL")),
            (IDENTITY, lambda _, found: self._mark("ID", found) if is_identity(found) else None),
            (CARD, lambda _, found: self._mark("CARD", found) if is_card(found) else None),
            (PHONE, self._phone),
        ]

    def _always(self, kind: str) -> Callable[[re.Match[str], str], str | None]:
        return lambda _, found: None if found in self._known else self._mark(kind, found)

    def _phone(self, match: re.Match[str], found: str) -> str | None:
        measured = _MEASURE.search(match.string, max(0, match.start() - 40), match.start())
        return None if measured else self._mark("PHONE", found)

    def _mark(self, kind: str, secret: str) -> str:
        digest = hmac.new(self._key, secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
        return f"<{kind}:{digest[:4]}>"


def _split(text: str, pattern: re.Pattern[str], replace: Callable[[re.Match[str], str], str | None]) -> list[str]:
    """The text cut at what the pattern finds: text stands at even places, placeholders at odd ones.

    A pattern's groups are the secret itself; without groups all of the match is.
    """
    parts: list[str] = []
    position = 0
    for match in pattern.finditer(text):
        group = match.lastindex or 0
        mark = replace(match, match.group(group))
        if mark is not None:
            parts += (text[position : match.start(group)], mark)
            position = match.end(group)
    return [*parts, text[position:]]
