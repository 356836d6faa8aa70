"""Numbers and directions of a clause against the records that it speaks of."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from engine.verification.guard.clauses import Clause
from engine.verification.guard.records import Held, Record
from engine.verification.guard.words import QUALIFIERS
from engine.verification.quantities import Quantity, matches, satisfies

__all__ = ["number_finding", "pairs", "sign_of"]

_NOW = re.compile(r"窗口|当前|现在|目前|期间|window|now")
_BASE = re.compile(r"baseline|expected")
_FROM = re.compile(r"(?:从|由|自|from)\s*$")
_TO = re.compile(r"\s*(?:→|->|升|降|涨|跌|增|减|to\b)")

_CHANGED_BY = re.compile(
    r"(?:上升|升高|增加|增长|增多|上涨|下降|降低|减少|回落|increased by|dropped by)(?:了)?\s*约?\s*$"
)
"""Words that make the number behind them a change, not a level."""

_PARTNERS: tuple[tuple[str, str], ...] = (
    ("window.mean", "baseline.mean"),
    ("p95_ms", "baseline_p95_ms"),
    ("p50_ms", "baseline_p50_ms"),
    ("wait_p50_ms", "baseline_wait_p50_ms"),
    ("self_p50_ms", "baseline_self_p50_ms"),
    ("self_p95_ms", "baseline_self_p95_ms"),
    ("count", "expected"),
    ("count", "baseline_count"),
    ("errors", "baseline_errors"),
    ("total", "baseline_total"),
    ("window.max", "baseline.max"),
    ("window.last", "baseline.mean"),
)
"""(now, then), most telling first."""

Finding = str
"""`held`, `refuted` or `missing`."""


def number_finding(clause: Clause, index: int, records: Sequence[Record]) -> tuple[Finding, frozenset[int]]:
    """Whether records hold a clause's number under a name that fits the words before it.

    Returns:
        `held`, `refuted` (a comparison that the fitting numbers fail) or `missing`, and the positions of the
        records that hold it.
    """
    claimed = clause.quantities[index]
    begin = clause.quantities[index - 1].end if index else 0
    words, after = clause.text[begin : claimed.start], clause.text[claimed.end : claimed.end + 6]
    asked = _asked(words, after)
    if _CHANGED_BY.search(words):
        changed = frozenset(
            position
            for position, record in enumerate(records)
            if any(matches(claimed, item) for item in _changes(record))
        )
        return ("held", changed) if changed else ("missing", frozenset())
    fitting = [
        (position, held.quantity)
        for position, record in enumerate(records)
        for held in record.held
        if _compatible(claimed, held) and _fits(held.key, asked, record)
    ]
    holding = frozenset(position for position, quantity in fitting if satisfies(quantity, claimed))
    if holding:
        return "held", holding
    if claimed.comparator is not None:
        return ("refuted", frozenset()) if fitting else ("missing", frozenset())
    if claimed.dimension == "times":
        derived = frozenset(
            position
            for position, record in enumerate(records)
            if any(matches(claimed, item) for item in _ratios(record))
        )
        if derived:
            return "held", derived
    return "missing", frozenset()


def pairs(record: Record) -> Iterator[tuple[Quantity, Quantity]]:
    """(now, then) numbers that the record holds, most telling first."""
    for now, then in _PARTNERS:
        current, base = record.numbers(now), record.numbers(then)
        if current and base:
            yield current[0], base[0]


def sign_of(record: Record) -> int | None:
    """1 where the record shows a rise, -1 a fall, 0 no change; None where it shows only one point."""
    said = {"up": 1, "down": -1, "flat": 0}.get(record.pairs.get("direction", ""))
    if said is not None:
        return said
    both = next(pairs(record), None)
    if both is None:
        return None
    now, then = both
    return (now.value > then.value) - (now.value < then.value)


def _compatible(claimed: Quantity, held: Held) -> bool:
    if claimed.dimension in ("plain", held.quantity.dimension):
        return True
    if claimed.dimension == "count":
        return held.quantity.dimension == "plain"
    if claimed.dimension == "times":
        return held.quantity.dimension == "plain" and held.key in {"", "change"}
    return claimed.dimension == "rate" and held.quantity.dimension == "plain" and held.key.endswith("rate")


@dataclass(frozen=True)
class _Asked:
    """What the words around a number ask of the name that it stands under.

    Attributes:
        fields: patterns that the name, or the series it belongs to, must fit.
        baseline: whether the number may be one of the baseline's.
    """

    fields: tuple[re.Pattern[str], ...]
    baseline: bool


def _asked(words: str, after: str) -> _Asked:
    fields = tuple(field for word, field in QUALIFIERS if word.search(words))
    named = any(field.search("baseline expected") for field in fields)
    now = _NOW.search(words) and not re.search(r"基线|baseline|预期", words)
    return _Asked(fields, baseline=not now if named else bool(_FROM.search(words) or _TO.match(after)))


def _fits(key: str, asked: _Asked, record: Record) -> bool:
    """Whether a number under this name may be what the words around the claim's number speak of."""
    if not key:
        return True
    if _BASE.search(key) and not asked.baseline:
        return False
    return all(field.search(key) or field.search(record.about) for field in asked.fields)


def _changes(record: Record) -> Iterator[Quantity]:
    """By how much each pair changed: the difference in its own unit, and as a share of what it was."""
    for now, then in pairs(record):
        difference = abs(now.value - then.value)
        yield Quantity(difference, abs(now.raw - then.raw), now.dimension, Decimal(0), 0, 0)
        if then.value > 0:
            share = difference / then.value
            yield Quantity(share, share, "ratio", Decimal(0), 0, 0)


def _ratios(record: Record) -> Iterable[Quantity]:
    for now, then in pairs(record):
        if then.value > 0:
            value = now.value / then.value
            yield Quantity(value, value, "times", Decimal(0), 0, 0)
