"""Whether a quoted excerpt really stands in a text (reading.md 5): exact after folding, never fuzzy."""

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["PreparedText", "find_exactly", "find_support", "prepare"]

_ELLIPSIS = re.compile(r"\s*(?:…+|\.{3,})\s*")
_CUT = " … "


@dataclass(frozen=True)
class PreparedText:
    """A text folded for matching, with the way back.

    Attributes:
        original: the text as the system has it.
        folded: NFKC, case-folded, white space folded to single spaces.
        origin: for each folded character, the index in `original` that it came from.
    """

    original: str
    folded: str
    origin: tuple[int, ...] | None

    def span(self, start: int, end: int) -> str:
        """The original text behind a folded stretch."""
        if self.origin is None:
            return self.original[start:end]
        return self.original[self.origin[start] : self.origin[end - 1] + 1]


def prepare(text: str) -> PreparedText:
    """Fold a text once for any number of searches; linear in its length."""
    if text.isascii():
        lowered = text.lower()
        if "  " not in lowered and lowered.isprintable():
            # because an ASCII line without runs of spaces folds to itself, index by index
            return PreparedText(text, lowered, None)
    folded: list[str] = []
    origin: list[int] = []
    for index, character in enumerate(text):
        for piece in unicodedata.normalize("NFKC", character).casefold():
            space = piece.isspace()
            if space and (not folded or folded[-1] == " "):
                continue
            folded.append(" " if space else piece)
            origin.append(index)
    return PreparedText(text, "".join(folded), tuple(origin))


def find_exactly(excerpt: str, text: str) -> str | None:
    """The excerpt itself where it stands in the text letter by letter; None asks for the folded search.

    The quick way for what is nearly always the case, because folding 64 KB to find a line costs more than the rest.
    """
    if "…" in excerpt or "..." in excerpt or not any(character.isalnum() for character in excerpt):
        return None
    quoted = excerpt.strip()
    return quoted if _locate(quoted, text, 0) >= 0 else None


def find_support(excerpt: str, text: PreparedText | str) -> str | None:
    """The stretch of the text that the excerpt quotes, as the text has it; None when it is not there.

    An excerpt cut by an ellipsis is supported when each part stands in the text, in order; the parts come
    back joined by ` … `. A match never begins or ends inside a number or an identifier.
    """
    prepared = prepare(text) if isinstance(text, str) else text
    parts = [prepare(part).folded.strip() for part in _ELLIPSIS.split(excerpt)]
    parts = [part for part in parts if part]
    if not any(character.isalnum() for part in parts for character in part):
        return None
    found: list[str] = []
    position = 0
    for part in parts:
        start = _locate(part, prepared.folded, position)
        if start < 0:
            return None
        position = start + len(part)
        found.append(prepared.span(start, position))
    return _CUT.join(found)


def _locate(part: str, text: str, position: int) -> int:
    start = text.find(part, position)
    while start >= 0:
        end = start + len(part)
        if not _inside(text, start) and not _inside(text, end):
            return start
        start = text.find(part, start + 1)
    return -1


def _inside(text: str, at: int) -> bool:
    """Whether a cut at this index would fall inside a number or an identifier."""
    if at <= 0 or at >= len(text):
        return False
    left, right = text[at - 1], text[at]
    if _wordlike(left) and _wordlike(right):
        return True
    if _wordlike(right) and at >= 2 and _joins(text[at - 2], left, right):
        return True
    if _wordlike(left) and at + 1 < len(text) and _joins(left, right, text[at + 1]):
        return True
    return left in "+-" and right.isdigit() and (at < 2 or not _wordlike(text[at - 2]))


def _joins(before: str, joiner: str, after: str) -> bool:
    """Whether the middle character makes one number, version, host or identifier of its neighbours."""
    if joiner in "-.":
        return _wordlike(before) and _wordlike(after)
    if joiner in ",:/":
        return before.isdigit() and after.isdigit()
    return False


def _wordlike(character: str) -> bool:
    if character == "_":
        return True
    # because Chinese writes without word boundaries, a cut between two Han characters is no cut in a word
    return character.isalnum() and not "\u3400" <= character <= "\u9fff"
