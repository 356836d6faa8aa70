"""Foreign errors as the engine's own: short, with the remedy, and never with a key in them."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

import httpx2
import openai

from engine.base import JsonObject
from engine.errors import BadModelOutput, ModelError, ModelUnavailable
from engine.models.openai.seat import Seat
from engine.models.openai.transport import ResponseTooLarge

__all__ = ["retry_after", "translated"]

_RETRYABLE = frozenset({408, 409, 429})
_WORD = re.compile(r"[A-Za-z0-9_.\-]{1,60}")
_KEYISH = re.compile(r"\b(?:sk|key|Bearer)[-_ ][^\s\"',]{4,}", re.IGNORECASE)
_FOREIGN_CHARS = 160


def translated(error: openai.APIError | httpx2.HTTPError, seat: Seat) -> ModelError:
    """The engine's error for what the client raised."""
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, seat)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return ModelUnavailable(f"{seat.host} did not answer in time", retryable=True)
    cause: BaseException | None = error if isinstance(error, httpx2.HTTPError) else error.__cause__
    if isinstance(cause, ResponseTooLarge):
        return BadModelOutput("too_large", f"{seat.host}: {cause}")
    if isinstance(cause, httpx2.DecodingError):
        return BadModelOutput("not_json", f"{seat.host} sent a body that cannot be unpacked")
    if isinstance(error, openai.APIConnectionError) or cause is not None:
        kind = type(cause).__name__ if cause is not None else type(error).__name__
        return ModelUnavailable(
            f"{seat.host} cannot be reached ({kind}); check base_url and the network", retryable=True
        )
    return BadModelOutput("malformed", f"{seat.host} sent what is no reply ({type(error).__name__})")


def retry_after(said: str, now: datetime) -> float | None:
    """Seconds that the server's header asks us to wait; None where it cannot be read (RFC 9110, 10.2.3)."""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", said.strip()):
        return float(said)
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, TypeError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _of_status(error: openai.APIStatusError, seat: Seat) -> ModelUnavailable:
    status = error.status_code
    who = f"{seat.host} ({status})"
    if status in _RETRYABLE or status >= 500:
        return ModelUnavailable(f"{who} is overloaded or failed{_code(error)}", retryable=True)
    if status == 401:
        return ModelUnavailable(f"{who} does not take the key: set {seat.key_variable} to a valid one", retryable=False)
    if status == 403:
        return ModelUnavailable(
            f"{who} does not let the key of {seat.key_variable} use model {seat.name}{_code(error)}", retryable=False
        )
    if status == 404:
        return ModelUnavailable(
            f"{who} knows no model {seat.name}, or base_url is wrong (it mostly ends in /v1)", retryable=False
        )
    if 300 <= status < 400:
        return ModelUnavailable(f"{who} redirects; give base_url as the final address", retryable=False)
    return ModelUnavailable(f"{who} refused the request{_code(error)}{_message(error, seat)}", retryable=False)


def _code(error: openai.APIStatusError) -> str:
    """The error's code where it is a plain word."""
    code = error.code or error.type
    return f", {code}" if isinstance(code, str) and _WORD.fullmatch(code) else ""


def _message(error: openai.APIStatusError, seat: Seat) -> str:
    """The beginning of the server's own words: they name the field that is wrong."""
    given: object = error.body
    body = cast("JsonObject", given) if isinstance(given, dict) else {}
    said = body.get("message")
    if not isinstance(said, str):
        return ""
    if seat.key:
        said = said.replace(seat.key, "…")
    line = " ".join(_KEYISH.sub("…", said).split())
    clean = "".join(letter for letter in line if letter.isprintable())
    return f": {clean[:_FOREIGN_CHARS]}" if clean else ""
