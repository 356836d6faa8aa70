"""What Slack would take but a reader must not get: live mentions and links out of foreign text, and bold that does not show."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.fakes.slack.limits import walk

__all__ = ["Manners", "breaches"]

_TOKEN = re.compile(r"<([!@#][^<>\n]*)>")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_GLUED = re.compile(r"[^\s!-/:-@\[-`{-~]\*(?=[^\s*])[^*\n]*[^\s*]\*|\*(?=[^\s*])[^*\n]*[^\s*]\*[^\s!-/:-@\[-`{-~]")
_BARE_LINK = re.compile(r"(?<![<|\w])https?://")


@dataclass
class Manners:
    """What a test lets through.

    Attributes:
        mentions: ids of users whom a message may name live (the asker).
        links: beginnings of addresses that may be live in mrkdwn without `verbatim`.
    """

    mentions: frozenset[str] = frozenset()
    links: tuple[str, ...] = ()


def breaches(payload: dict[str, Any], manners: Manners) -> list[str]:
    """Each breach with the text it was found in."""
    said = payload.get("text")
    top = [("mrkdwn", said, bool(payload.get("blocks")))] if isinstance(said, str) else []
    found = [breach for kind, text, quiet in [*top, *_texts(payload)] for breach in _text(kind, text, quiet, manners)]
    for held in walk(payload.get("blocks")):
        kind = held.get("type")
        if kind in {"broadcast", "usergroup"} or (kind == "user" and held.get("user_id") not in manners.mentions):
            found.append(f"a live mention: {held}")
    return found


def _texts(payload: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    for held in walk(payload.get("blocks")):
        said = held.get("text")
        if held.get("type") in {"mrkdwn", "markdown"} and isinstance(said, str):
            yield held["type"], said, held.get("verbatim") is True or held["type"] == "markdown"


def _text(kind: str, text: str, quiet: bool, manners: Manners) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if not (token.startswith("@") and token[1:].split("|")[0] in manners.mentions) and not token.startswith(
            "!date^"
        ):
            yield f"a live token <{token}> in {text[:200]!r}"
    shown = _CODE.sub("", text)
    if kind == "mrkdwn" and _GLUED.search(shown):
        yield f"bold glued to a character: {text[:200]!r}"
    for link in _BARE_LINK.finditer(shown) if not quiet else ():
        if not shown.startswith(manners.links or ("\0",), link.start()):
            yield f"an address that becomes a link: {text[:200]!r}"
