"""Text folded for comparison (NFKC, case, white space), with the way back to the original (reading.md 5)."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Folded", "fold", "folded_text"]

_EVEN = r"[!-~\u3001-\u3002\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff5e]+"
"""Visible ASCII, its full-width forms, Han characters and their stops: each folds to exactly one character."""

_STRETCH = re.compile(rf"{_EVEN}(?:[ \t\n]{_EVEN})*")

_SPACES = re.compile(r"\s+")


class _Segment(NamedTuple):
    """A stretch that folds one to one, or one character (with its marks) and what it became."""

    start: int
    end: int
    even: bool


@dataclass(frozen=True)
class Folded:
    """A folded text and where each part of it came from.

    Attributes:
        text: the folded form.
        offsets: where in it each segment begins.
        segments: where in the original each segment stands.
    """

    text: str
    offsets: tuple[int, ...]
    segments: tuple[_Segment, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the original a folded stretch stands; whole characters, their combining marks included."""
        first, offset = self._at(start)
        last, last_offset = self._at(end - 1)
        return (
            first.start + (start - offset if first.even else 0),
            last.start + (end - last_offset) if last.even else last.end,
        )

    def splits(self, at: int) -> bool:
        """Whether a cut there would part what one original character became, such as the 1 of ½."""
        if not 0 < at < len(self.text):
            return False
        segment, offset = self._at(at)
        return not segment.even and offset < at

    def _at(self, index: int) -> tuple[_Segment, int]:
        number = bisect_right(self.offsets, index) - 1
        return self.segments[number], self.offsets[number]


def folded_text(text: str) -> str:
    """The folded form alone, in a fraction of the time."""
    return " ".join(_composed(text).split())


def fold(text: str) -> Folded:
    """Fold a text; linear in its length."""
    made: list[str] = []
    offsets: list[int] = []
    segments: list[_Segment] = []
    length = 0
    for segment in _segments(text):
        piece = text[segment.start : segment.end]
        piece = _SPACES.sub(" ", _composed(piece))
        if not made or made[-1].endswith(" "):
            piece = piece.removeprefix(" ")
        if piece:
            made.append(piece)
            offsets.append(length)
            segments.append(segment)
            length += len(piece)
    return Folded("".join(made), tuple(offsets), tuple(segments))


def _segments(text: str) -> Iterator[_Segment]:
    position = 0
    for match in _STRETCH.finditer(text):
        start, end = match.span()
        if end < len(text) and _attaches(text[end]):
            # because a mark right after it combines with the stretch's last character
            end -= 1
        if start < end:
            yield from _characters(text, position, start)
            yield _Segment(start, end, even=True)
            position = end
    yield from _characters(text, position, len(text))


def _characters(text: str, start: int, end: int) -> Iterator[_Segment]:
    while start < end:
        stop = start + 1
        while stop < end and _attaches(text[stop]):
            stop += 1
        yield _Segment(start, stop, even=False)
        start = stop


def _composed(piece: str) -> str:
    # because ASCII composes with nothing, and lowering it is many times quicker than folding
    return piece.lower() if piece.isascii() else unicodedata.normalize("NFKC", piece).casefold()


def _attaches(character: str) -> bool:
    """Whether the character may compose with the one before it: combining marks, Hangul vowels and finals."""
    return unicodedata.combining(character) != 0 or "\u1160" <= character <= "\u11ff"
