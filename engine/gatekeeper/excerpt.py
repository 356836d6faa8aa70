"""Whether a quoted excerpt really stands in a text (reading.md 5): exact after folding, never fuzzy."""

import re
from dataclasses import dataclass
from functools import cached_property

from engine.gatekeeper.boundary import PLAIN, REACH, cuts_word, visible
from engine.gatekeeper.folding import Folded, fold, folded_text

__all__ = ["PreparedText", "find_support", "prepare"]

_ELLIPSIS = re.compile(r"…+|\.{3,}")
_CUT = " … "
_SAYING = re.compile(r"[0-9A-Za-z\u4e00-\u9fff]")
_VERBATIM_TRIES = 8
_MOST_WORK = 8
"""How often a search may read the text over, in text lengths, before the excerpt counts as not found."""


@dataclass(frozen=True)
class PreparedText:
    """A text to search excerpts in; it is folded when a verbatim search does not answer, and once.

    Attributes:
        original: the text as the system has it.
    """

    original: str

    @cached_property
    def fold(self) -> Folded:
        """The folded form with the way back."""
        return fold(self.original)

    @cached_property
    def folded(self) -> str:
        """NFKC, case-folded, white space folded to single spaces."""
        return folded_text(self.original)


def prepare(text: str) -> PreparedText:
    """Make a text ready for any number of searches."""
    return PreparedText(text)


def find_support(excerpt: str, text: PreparedText | str) -> str | None:
    """The stretch of the text that the excerpt quotes, as the text has it; None when it is not there.

    An excerpt cut by an ellipsis is supported when each part stands in the text, in order; the parts come
    back joined by ` … `. A match never begins or ends inside a number or an identifier, and characters that
    nobody sees do not part them. Linear in the lengths of both.
    """
    prepared = prepare(text) if isinstance(text, str) else text
    parts = [part for part in (part.strip() for part in _ELLIPSIS.split(excerpt)) if part]
    if len(parts) == 1 and _stands_verbatim(parts[0], prepared.original):
        return parts[0]
    if any(folded_text(part) not in prepared.folded for part in parts):
        return None
    folds = [part for part in (fold(part).text.strip() for part in parts) if part]
    if not any(character.isalnum() for part in folds for character in visible(part)):
        return None
    found: list[str] = []
    position = 0
    for part in folds:
        start = _locate(part, prepared.fold, position)
        if start < 0:
            return None
        position = start + len(part)
        found.append(prepared.original[slice(*prepared.fold.span(start, position))])
    return _CUT.join(found)


def _stands_verbatim(part: str, text: str) -> bool:
    """Whether the part stands there letter by letter where folding changes nothing around its ends.

    Spares the folding of long texts: what it finds, the folded search would find too.
    """
    if not _SAYING.search(part):
        return False
    start = text.find(part)
    for _ in range(_VERBATIM_TRIES):
        if start < 0:
            return False
        end = start + len(part)
        around = text[max(0, start - REACH) : start + 1] + text[end - 1 : end + REACH]
        if PLAIN.fullmatch(around) and not cuts_word(text, start) and not cuts_word(text, end):
            return True
        start = text.find(part, start + 1)
    return False


def _locate(part: str, folded: Folded, position: int) -> int:
    tries = 1 + _MOST_WORK * len(folded.text) // len(part)
    start = folded.text.find(part, position)
    while start >= 0:
        end = start + len(part)
        if _may_cut(folded, start) and _may_cut(folded, end):
            return start
        tries -= 1
        # because a long excerpt that fails at very many places is made to be slow, not to be found
        start = folded.text.find(part, start + 1) if tries else -1
    return -1


def _may_cut(folded: Folded, at: int) -> bool:
    return not folded.splits(at) and not cuts_word(folded.text, at)
