"""Names, codes, versions and quoted words of a text, and whether other texts hold them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.verification.guard.words import NEUTRAL
from engine.verification.quantities import Quantity, fold, read_quantities

__all__ = ["QUOTED", "Entity", "holds", "holds_any", "read_entities"]

_TOKEN = re.compile(r"[a-z0-9_]+(?:(?:::|[-./@+]|:(?=\d))[a-z0-9_]+)*")
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)[^\s，。；、）)\"'》」]+")
QUOTED = re.compile(r"[「“\"『]([^」”\"』]{2,200})[」”\"』]")
"""Words that a text quotes: they must stand in the evidence letter by letter."""

_TIMES = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[t ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?)?"
    r"|(?<![\d:.])\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?![\d:])|(?<!\d)\d{1,2}-\d{1,2}(?=\s+\d{1,2}:\d{2})|\d{1,2}月\d{1,2}[日号]"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_CONNECTED = re.compile(r"[a-z0-9_]")


@dataclass(frozen=True)
class Entity:
    """One name as the text writes it, folded."""

    name: str
    start: int
    quoted: bool = False


def read_entities(
    text: str, quantities: Sequence[Quantity] | None = None, *, strict: bool = False
) -> tuple[Entity, ...]:
    """The names that a text speaks of.

    In Chinese text every Latin word is one but for a few neutral ones; in English text only those that look
    like identifiers are, unless `strict`. Quantities and times are left out, because they are checked as such.
    """
    folded = fold(text)
    numbers = read_quantities(text) if quantities is None else quantities
    taken = [(number.start, number.end) for number in numbers]
    taken += [match.span() for match in _TIMES.finditer(folded)]
    found: list[Entity] = []
    for pattern, quoted in ((_URL, False), (QUOTED, True)):
        for match in pattern.finditer(folded):
            name = match.group(match.lastindex or 0).strip()
            if name and not _overlaps(match.span(), taken):
                found.append(Entity(name, match.start(), quoted))
                taken.append(match.span())
    chinese = strict or len(_HAN.findall(folded)) * 4 >= len(folded.split()) or not folded.isascii()
    for match in _TOKEN.finditer(folded):
        name = match.group().strip("-./:@+")
        if not name or _overlaps(match.span(), taken) or name in NEUTRAL or (len(name) == 1 and not name.isdigit()):
            continue
        if chinese or _looks_like_identifier(name):
            found.append(Entity(name, match.start()))
    return tuple(found)


def holds(text: str, name: str) -> bool:
    """Whether a folded text holds the name as a whole, not inside a longer identifier."""
    start = text.find(name)
    while start >= 0:
        if not _continues(text, start - 1, -1) and not _continues(text, start + len(name), 1):
            return True
        start = text.find(name, start + 1)
    return False


def holds_any(texts: Iterable[str], name: str) -> bool:
    """Whether one of several folded texts holds the name."""
    return any(holds(text, name) for text in texts)


def _continues(text: str, at: int, step: int) -> bool:
    """Whether an identifier goes on at this index in the given direction."""
    if not 0 <= at < len(text):
        return False
    character = text[at]
    if _CONNECTED.match(character):
        return True
    beyond = at + step
    return character in "-:" and 0 <= beyond < len(text) and bool(_CONNECTED.match(text[beyond]) or text[beyond] == ":")


def _looks_like_identifier(name: str) -> bool:
    return bool(re.search(r"\d|[-_:/@]|\.\w", name))


def _overlaps(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
