"""Makes what an Executor is shown fit its model: the evidence that matters stays whole, the rest is counted.

Relevance is a sum of plain signs: how many of the wanted words a line holds, each weighed by how rare it is among
the lines (Spärck Jones 1972, inverse document frequency); whether it shows what those words speak of; and whether
it says itself that something is wrong. The points are set by hand, on recorded incidents. Nothing here decides what is true: what is left out is missing evidence,
and the view says so.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.base import JsonObject, JsonValue
from engine.invocation import Reduction
from engine.rendering import parse_line
from engine.verification.guard.words import CONCEPTS
from engine.verification.quantities import fold

__all__ = ["fit"]

_LATIN = re.compile(r"[a-z0-9]+(?:[-_./][a-z0-9]+)*")
_ID_DIGITS = 6
"""From so many digits on a bare number may be an order or a trace, and worth looking for."""
_PIECE = re.compile(r"[a-z]{3,}")
_HAN = re.compile(r"[\u3400-\u9fff]+")

_FAILING = (
    re.compile(r"报错|出错|错误|失败|异常|故障|挂了|error|fail"),
    re.compile(r"error|fail|exception|fatal|5xx|错误"),
)
_BAD = frozenset({"error", "fatal", "critical", "emergency", "page", "failed"})
_CHANGES = frozenset({"deploy", "config", "scale", "restart"})
_TELLING_KINDS = frozenset({"new", "more", "missing"})

_READ_CHARS = 2000
"""So much of a line decides how relevant it is; the line itself stays whole."""

_CONCEPT_POINTS = 2.0
_SUMMARY_POINTS = 6.0
"""More than a line's own signs bring, because a summary alone says what was searched and what is not there; less than
signs and words together, because where there is room for one line it should be the one that was asked for."""
_AGAIN_POINTS = 6.0
"""Taken off a line that the same tool gave before, because two calls that overlap would show it twice."""


@dataclass(frozen=True)
class _Ref:
    """One evidence ref, by the positions of its view and of itself within it."""

    view: int
    position: int
    size: int
    """Bytes that it takes, without the comma that parts it from another."""
    relevance: float


def fit(views: Sequence[JsonObject], wanted: str, room: int) -> tuple[tuple[JsonObject, ...], tuple[Reduction, ...]]:
    """Leave evidence refs out until the views fit.

    Args:
        views: invocations as the Executor is shown them (`evidence_view`), each with `invocation_id` and
            `evidence_refs`.
        wanted: what the evidence is for: the plan's goals and intent, the question, names of services.
        room: bytes of UTF-8 that the views may have as one compact JSON list.

    Returns:
        The views in their order, each with its most relevant refs in theirs, whole and unchanged. A view that
        lost refs has `left_out` as well: how many of how many, and why; and there is one Reduction for it. As long
        as there is room for it, each invocation keeps at least one ref. Equal input gives equal output. Where the
        room does not even take the views without their refs, those are returned: that a call was made, and what
        became of it, is never left out.
    """
    if _size(list(views)) <= room:
        return tuple(views), ()
    refs = [_refs(view) for view in views]
    bare = [_without(view, room) for view in views]
    # because saying that refs were left out may take more bytes than the refs
    whole = {at for at, view in enumerate(views) if not refs[at] or _size(view) <= _size(bare[at])}
    left = room - _frame(views) - sum(_size(views[at] if at in whole else bare[at]) for at in range(len(views)))
    ranked = _ranked([[] if at in whole else listed for at, listed in enumerate(refs)], views, wanted)
    chosen = _choose(ranked, left)
    fitted: list[JsonObject] = []
    reductions: list[Reduction] = []
    for at, view in enumerate(views):
        kept = [ref for position, ref in enumerate(refs[at]) if (at, position) in chosen]
        if at in whole or len(kept) == len(refs[at]):
            fitted.append(view)
            continue
        fitted.append(
            {**view, "evidence_refs": kept, "left_out": _left_out(len(refs[at]) - len(kept), len(refs[at]), room)}
        )
        reductions.append(
            Reduction(invocation_id=str(view.get("invocation_id")), kept=len(kept), of=len(refs[at]), room=room)
        )
    return tuple(fitted), tuple(reductions)


def _size(value: JsonValue) -> int:
    """Bytes of a value as a payload has it (`engine.dialogue.serialize`)."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode())


def _frame(views: Sequence[JsonObject]) -> int:
    """Bytes of the list around the views: two brackets and the commas."""
    return 2 + max(0, len(views) - 1)


def _refs(view: JsonObject) -> list[JsonValue]:
    refs = view.get("evidence_refs")
    return refs if isinstance(refs, list) else []


def _left_out(missing: int, of: int, room: int) -> JsonObject:
    return {
        "evidence_refs": missing,
        "of": of,
        "because": f"模型的输入只容 {room} 字节的证据，这里只留下与问题最相关的；未列出的不等于没有",
    }


def _without(view: JsonObject, room: int) -> JsonObject:
    """The view without its refs; no view that keeps some of them says more beside them."""
    count = len(_refs(view))
    return {**view, "evidence_refs": [], "left_out": _left_out(count, count, room)}


def _ranked(refs: Sequence[Sequence[JsonValue]], views: Sequence[JsonObject], wanted: str) -> list[_Ref]:
    """All refs, most relevant first; the earlier one where two are equally so."""
    texts = [[_text(ref) for ref in listed] for listed in refs]
    sought = _Wanted(wanted, [text for listed in texts for text in listed])
    ranked: list[_Ref] = []
    seen: set[tuple[str, str]] = set()
    for at, listed in enumerate(texts):
        for position, text in enumerate(listed):
            ref, line = refs[at][position], (str(views[at].get("tool_name")), text)
            points = sought.weigh(text) + _signs(ref, text, views[at]) + _lead(position)
            points -= _AGAIN_POINTS if line in seen else 0.0
            seen.add(line)
            ranked.append(_Ref(view=at, position=position, size=_size(ref), relevance=round(points, 6)))
    return sorted(ranked, key=lambda ref: (-ref.relevance, ref.view, ref.position))


def _choose(ranked: Sequence[_Ref], left: int) -> set[tuple[int, int]]:
    """Which refs stay: one of each view first, then by relevance what still fits."""
    smallest: dict[int, int] = {}
    for ref in ranked:
        smallest[ref.view] = min(ref.size, smallest.get(ref.view, ref.size))
    reserved = sum(smallest.values())
    if reserved > left:
        # because not every view can keep one, the most relevant may take the room of the others
        smallest, reserved = {}, 0
    chosen: set[tuple[int, int]] = set()
    started: set[int] = set()
    for first in (True, False):
        for ref in ranked:
            if (ref.view, ref.position) in chosen or (first and ref.view in started):
                continue
            own = smallest.get(ref.view, 0) if first else 0
            cost = ref.size + (1 if ref.view in started else 0)
            if cost > left - (reserved - own):
                continue
            chosen.add((ref.view, ref.position))
            started.add(ref.view)
            left -= cost
            reserved -= own
    return chosen


class _Wanted:
    """The words of what is looked for, each with its weight among the given texts."""

    def __init__(self, wanted: str, texts: Sequence[str]) -> None:
        folded = fold(wanted)
        self._words = _words(folded)
        self._shown = [held for claimed, held in (*CONCEPTS, _FAILING) if claimed.search(folded)]
        held = Counter(word for text in texts for word in self._words & _words(text))
        self._weights = {word: math.log(1 + len(texts) / count) for word, count in held.items()}

    def weigh(self, text: str) -> float:
        """How much of what is wanted a folded text holds."""
        words = sorted(self._words & _words(text))
        concepts = sum(1 for held in self._shown if held.search(text))
        return math.fsum(self._weights[word] for word in words) + _CONCEPT_POINTS * concepts


def _words(text: str) -> frozenset[str]:
    """Names and their pieces of a folded text, and the pairs of its Chinese characters, which has no spaces."""
    names = _LATIN.findall(text)
    pieces = (piece for name in names for piece in _PIECE.findall(name))
    pairs = (run[at : at + 2] for run in _HAN.findall(text) for at in range(len(run) - 1))
    # because a bare number is a time, a count or a line of code, and fits lines that have nothing to do with it
    named = (name for name in names if len(name) > 1 and (not name.isdigit() or len(name) >= _ID_DIGITS))
    return frozenset((*named, *pieces, *pairs))


def _text(ref: JsonValue) -> str:
    text = ref.get("text") if isinstance(ref, dict) else None
    return fold(text[:_READ_CHARS]) if isinstance(text, str) else ""


def _signs(ref: JsonValue, text: str, view: JsonObject) -> float:
    """Points for what a line says of itself, whatever was asked."""
    path = ref.get("raw_path") if isinstance(ref, dict) else None
    if path == "/summary":
        return _SUMMARY_POINTS
    pairs = parse_line(text)
    points = 0.0
    if "first_breach" in pairs:
        points += 2.0
    if _BAD & {pairs.get("level"), pairs.get("severity"), pairs.get("status")} or _number(pairs.get("errors")) > 0:
        points += 2.0
    if pairs.get("kind") in _CHANGES or view.get("tool_name") == "query_changes":
        points += 3.0
    if pairs.get("kind") in _TELLING_KINDS or pairs.get("state") in {"active", "firing"}:
        points += 1.0
    if pairs.get("kind") == "usual" or pairs.get("direction") == "flat":
        points -= 3.0
    return points + min(2.0, math.log10(1 + _number(pairs.get("score"))))


def _lead(position: int) -> float:
    """Points for standing early, because tools list the most unusual first."""
    return 2.0 / (1 + position / 4)


def _number(text: str | None) -> float:
    """A rendered number from zero up; zero for what is none."""
    try:
        value = float(text or 0)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and value > 0 else 0.0
