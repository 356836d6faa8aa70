"""Secrets and personal data out of telemetry, once, before anything is stored, shown or sent (architecture.md)."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Collection

from engine.base import JsonValue

__all__ = ["Redactor"]

_NAMES = r"(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret|private[_-]?key|credential|密码|口令|密钥|令牌)"

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("private-key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}"),
    ("aws-key", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
    ("gitlab-token", r"\bglpat-[A-Za-z0-9_-]{16,}"),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"),
    ("slack-webhook", r"hooks\.slack\.com/services/[A-Za-z0-9/]{10,}"),
    ("model-key", r"\bsk-[A-Za-z0-9_-]{16,}"),
    ("stripe-key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{30,}"),
    ("aliyun-key", r"\bLTAI[A-Za-z0-9]{12,}"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("basic-auth", r"(?<=://)[^\s/:@<>]{1,100}:[^\s/@<>]{1,200}(?=@)"),
    ("authorization", r"(?i)(?<=bearer )[A-Za-z0-9._~+/=-]{8,}|(?<=basic )[A-Za-z0-9+/=]{8,}"),
    ("value", rf"(?i){_NAMES}[\"']?\s*(?:=|:|：|是|为|\bis\b)\s*[\"']?(?P<value>[^\s\"',;&}}<>）)]{{3,}})"),
)  # fmt: skip

_EMAIL = re.compile(r"\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}\b")
_PHONE = re.compile(r"(?<![\d.])(?:\+?86[- ]?)?1[3-9]\d[- ]?\d{4}[- ]?\d{4}(?![\d.])")
_IDENTITY = re.compile(r"(?<!\w)\d{17}[\dXx](?!\w)")
_CARD = re.compile(r"(?<![\w.])(?:\d{4}[- ]){3}\d{1,7}(?![\w.])|(?<![\w.])\d{15,19}(?![\w.])")

_HINT = re.compile(
    r"(?i)-----BEGIN|eyJ|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|xapp-|hooks\.slack|sk-|[rs]k_|AIza|LTAI|npm_"
    rf"|://[^\s/]*@|bearer |basic |{_NAMES}|@|1[3-9]\d|\d{{15}}|\d{{4}}[- ]\d{{4}}"
)
"""A text that holds none of these holds nothing to redact."""

_COMPILED = tuple((kind, re.compile(pattern, re.DOTALL)) for kind, pattern in _PATTERNS)
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_PLACEHOLDER = re.compile(r"<(?:SECRET|EMAIL|PHONE|ID|CARD):")


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

    def redact(self, text: str) -> str:
        """The text without secrets and personal data; idempotent."""
        if not _HINT.search(text):
            return text
        for kind, pattern in _COMPILED:
            text = pattern.sub(self._replacement(kind), text)
        text = _EMAIL.sub(lambda match: self._mark("EMAIL", match.group()), text)
        text = _IDENTITY.sub(lambda match: self._if(_is_identity, "ID", match.group()), text)
        text = _CARD.sub(lambda match: self._if(_is_card, "CARD", match.group()), text)
        return _PHONE.sub(lambda match: self._mark("PHONE", match.group()), text)

    def redact_json(self, value: JsonValue) -> JsonValue:
        """The same for every text of a JSON value, keys included."""
        if isinstance(value, str):
            return value if value in self._known else self.redact(value)
        if isinstance(value, list):
            return [self.redact_json(item) for item in value]
        if isinstance(value, dict):
            return {self.redact(key): self.redact_json(item) for key, item in value.items()}
        return value

    def _replacement(self, kind: str) -> Callable[[re.Match[str]], str]:
        def replace(match: re.Match[str]) -> str:
            found = match.groupdict().get("value") or match.group()
            if _PLACEHOLDER.search(found) or found.startswith("<"):
                return match.group()
            return match.group().replace(found, self._mark(f"SECRET:{kind}", found))

        return replace

    def _if(self, check: Callable[[str], bool], kind: str, text: str) -> str:
        return self._mark(kind, text) if check(text) else text

    def _mark(self, kind: str, secret: str) -> str:
        digest = hmac.new(self._key, secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
        return f"<{kind}:{digest[:4]}>"


def _is_identity(text: str) -> bool:
    """The check digit of a Chinese resident identity number (GB 11643)."""
    total = sum(int(digit) * weight for digit, weight in zip(text[:17], _WEIGHTS, strict=True))
    return "10X98765432"[total % 11] == text[17].upper()


def _is_card(text: str) -> bool:
    """The Luhn check of a card number."""
    digits = [int(character) for character in text if character.isdigit()]
    if not 15 <= len(digits) <= 19:
        return False
    doubled = [digit if index % 2 == 0 else sum(divmod(digit * 2, 10)) for index, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
