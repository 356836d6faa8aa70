"""What a text holds that its allowed material does not: numbers, names, codes, links, commands, mentions."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.verification.guard.entities import holds_any, read_entities
from engine.verification.guard.records import GuardEvidence, read_record
from engine.verification.guard.times import carried, read_times
from engine.verification.quantities import Quantity, fold, matches, read_quantities

__all__ = ["Allowed", "allow", "holds_json", "is_chinese", "unsupported_parts"]

_MENTION = re.compile(r"<[!@#][^>]{0,80}>|(?<![a-z0-9_.])@(?:here|channel|everyone)\b", re.IGNORECASE)
_LINK = re.compile(r"[a-z][a-z0-9+.-]{1,20}://\S+|!\[[^\]]*\]\([^)]*\)", re.IGNORECASE)
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_NUMBERING = re.compile(
    r"^\s*(?:[(（]?\d{1,2}[.、)）]|\[\d{1,2}\]|第[一二三四五六七八九十\d]{1,3})|\[\d{1,2}\]", re.MULTILINE
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_JSON = re.compile(r'[{\[]\s*"[^"\n]{1,80}"\s*[:,\]]|```|"\s*:\s*[\[{"\d]')


@dataclass(frozen=True)
class Allowed:
    """Texts whose numbers, names and times may be said again, read once.

    Attributes:
        texts: folded.
        held: every number of theirs.
    """

    texts: tuple[str, ...]
    held: tuple[Quantity, ...]

    def __add__(self, other: "Allowed") -> "Allowed":
        return Allowed(self.texts + other.texts, self.held + other.held)


def allow(texts: Iterable[str]) -> Allowed:
    """Read the texts whose parts may be said again."""
    given = tuple(texts)
    return Allowed(tuple(fold(item) for item in given), tuple(_held(given)))


def unsupported_parts(text: str, allowed: Allowed, *, timezone: str) -> tuple[str, ...]:
    """The parts of a text that its allowed material does not hold; empty where all are.

    Args:
        text: what a model wrote for readers.
        allowed: what may be said again.
        timezone: the zone in which the text's clock times are read.
    """
    found = [match.group()[:80] for match in _MENTION.finditer(text)]
    found += [
        match.group()[:80]
        for match in _LINK.finditer(text)
        if not any(fold(match.group()) in item for item in allowed.texts)
    ]
    if _INVISIBLE.search(text):
        found.append("invisible characters")
    plain = _NUMBERING.sub(" ", text)
    quantities = read_quantities(plain)
    folded = fold(plain)
    found += [folded[item.start : item.end] for item in quantities if not _in(item, allowed.held)]
    found += [
        entity.name[:80]
        for entity in read_entities(plain, quantities, strict=True)
        if not holds_any(allowed.texts, entity.name)
        and not (entity.quoted and any(entity.name in item for item in allowed.texts))
    ]
    found += [claimed.text for claimed in read_times(folded) if not carried(claimed, allowed.texts, (), timezone)]
    return tuple(dict.fromkeys(found))


def is_chinese(text: str) -> bool:
    """Whether a sentence reads as Chinese: Han characters, and not fewer than its Latin words."""
    han = len(_HAN.findall(text))
    return han >= 2 and han >= len(_WORD.findall(text))


def holds_json(text: str) -> bool:
    """Whether a text shows JSON or a code fence."""
    return bool(_JSON.search(text))


def _held(allowed: Sequence[str]) -> list[Quantity]:
    found: list[Quantity] = []
    for item in allowed:
        record = read_record(GuardEvidence(text=item, context=item, tool_name=""))
        found += [held.quantity for held in record.held]
        found += read_quantities(item)
    return found


def _in(claimed: Quantity, held: Sequence[Quantity]) -> bool:
    return any(
        matches(claimed, item)
        for item in held
        if claimed.dimension in ("plain", item.dimension)
        or (claimed.dimension in {"count", "times"} and item.dimension in {"plain", "count", "times"})
    )
