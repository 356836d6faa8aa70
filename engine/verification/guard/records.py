"""Evidence as the guard reads it: one record an item, with its numbers under their names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import Field

from engine.base import Frozen
from engine.invocation import Scope
from engine.verification.guard.entities import holds
from engine.verification.guard.words import NEGATED_AFTER, NEGATED_BEFORE
from engine.verification.quantities import Dimension, Quantity, fold, read_quantities, to_quantity
from engine.window import TimeWindow

__all__ = ["GuardEvidence", "GuardScope", "Held", "Record", "read_record"]

_PAIR = re.compile(r'([^\s="]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)')
_AROUND = 40
"""Characters around a match in which a denial of it may stand."""

_RENDERED = re.compile(r"[^\s=\"]+=(?:\"[^\"]*\"|\S+)\s+[^\s=\"]+=")
"""A line of `key=value` pairs."""

_NUMERIC = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d{1,3})?")

_UNIT_DIMENSIONS: dict[str, tuple[Dimension, str]] = {
    "ratio": ("ratio", "1"),
    "percent": ("ratio", "0.01"),
    "seconds": ("time", "1"),
    "milliseconds": ("time", "1e-3"),
    "bytes": ("bytes", "1"),
    "requests_per_second": ("rate", "1"),
    "per_second": ("rate", "1"),
}

_SUFFIX_DIMENSIONS: tuple[tuple[str, tuple[Dimension, str]], ...] = (
    ("_ms", ("time", "1e-3")),
    ("_seconds", ("time", "1")),
    ("_bytes", ("bytes", "1")),
    ("_ratio", ("ratio", "1")),
    ("_percent", ("ratio", "0.01")),
    ("_per_second", ("rate", "1")),
)

_IN_UNIT = frozenset(
    {"value", "mean", "min", "max", "last"}
    | {f"{stretch}.{name}" for stretch in ("window", "baseline") for name in ("mean", "min", "max", "last")}
)
"""Fields that a record's `unit` applies to."""


class GuardEvidence(Frozen):
    """One verified item, with the whole text that it stands in."""

    text: str
    """The matched text: numbers must stand here."""
    context: str
    """The whole text of its evidence ref: names may stand here."""
    tool_name: str
    invocation_id: str = ""
    raw_path: str = ""
    guidance: bool = False
    scope: Scope = Scope()


class GuardScope(Frozen):
    """What the run is about."""

    timezone: str = "Asia/Shanghai"
    window: TimeWindow | None = None
    services: tuple[str, ...] = ()
    aliases: dict[str, str] = Field(default_factory=dict)
    """Alias → service name."""

    @cached_property
    def names(self) -> dict[str, str]:
        """Folded service name → service name."""
        return {fold(service): service for service in self.services}


@dataclass(frozen=True)
class Held:
    """A number of the evidence and the name it stands under; `key` is empty in running text."""

    key: str
    quantity: Quantity


@dataclass(frozen=True)
class Record:
    """One evidence item, read."""

    source: GuardEvidence
    held: tuple[Held, ...]
    pairs: dict[str, str]

    @cached_property
    def text(self) -> str:
        """The matched text, folded."""
        return fold(self.source.text)

    @cached_property
    def near(self) -> str:
        """The matched text with the words just around it, folded: an excerpt may have cut off a denial."""
        whole, at = self.source.context, self.source.context.find(self.source.text)
        if whole == self.source.text or at < 0:
            return self.context
        return fold(whole[max(0, at - _AROUND) : at + len(self.source.text) + _AROUND])

    @cached_property
    def about(self) -> str:
        """Name and title of the series that the record's numbers belong to, folded."""
        return f"{self.pairs.get('signal', '')} {self.pairs.get('title', '')}".lower()

    @cached_property
    def context(self) -> str:
        """The whole text, folded."""
        same = self.source.context == self.source.text
        return self.text if same else fold(self.source.context)

    @cached_property
    def relation(self) -> tuple[str, str] | None:
        """(caller, callee) where the record is of a call."""
        caller = self.pairs.get("caller") or self.pairs.get("from")
        callee = self.pairs.get("callee") or self.pairs.get("to")
        return (fold(caller), fold(callee)) if caller and callee else None

    def holds(self, name: str) -> bool:
        """Whether the record names something, in the matched text or around it."""
        return holds(self.text, name) or (self.source.context != self.source.text and holds(self.context, name))

    def speaks_of(self, pattern: re.Pattern[str]) -> bool:
        """Whether the record shows a concept, in the matched text, the tool's name or around it."""
        if pattern.search(self.source.tool_name):
            return True
        # because the text around may be long, it is folded only when the matched one does not tell
        return _affirms(pattern, self.near) or _affirms(pattern, self.context)

    def numbers(self, key: str) -> list[Quantity]:
        """The numbers under one name."""
        return [item.quantity for item in self.held if item.key == key]


def _affirms(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a folded text shows a concept without denying it just before or behind."""
    return any(
        not NEGATED_BEFORE.search(text[max(0, match.start() - _AROUND) : match.start()])
        and not NEGATED_AFTER.match(text, match.end())
        for match in pattern.finditer(text)
    )


def read_record(source: GuardEvidence) -> Record:
    """Read an item's numbers: fields by name with the record's unit, running text as it stands."""
    pairs: dict[str, str] = {}
    rest: list[str] = []
    position = 0
    for match in _PAIR.finditer(source.text):
        if match.start() > position + 1:
            rest.append(source.text[position : match.start()])
        position = match.end()
        value = match.group(2)
        pairs.setdefault(match.group(1).lower(), value[1:-1] if value.startswith('"') else value)
    rest.append(source.text[position:])
    unit = pairs.get("unit") or _context_unit(source)
    held: list[Held] = []
    for key, value in pairs.items():
        held += _field(key, value, unit)
    # because in a rendered line a number outside a pair was cut off from its name, and may be anybody's
    for piece in () if _RENDERED.match(source.context[:400]) else rest:
        held += [Held("", quantity) for quantity in read_quantities(piece)]
    return Record(source, tuple(held), pairs)


def _context_unit(source: GuardEvidence) -> str:
    match = re.search(r"(?:^|\s)unit=(\S+)", source.context[:2000])
    return match.group(1) if match else ""


def _field(key: str, value: str, unit: str) -> Sequence[Held]:
    if not _NUMERIC.fullmatch(value.lower()):
        return [Held(key, quantity) for quantity in read_quantities(value)]
    dimension, scale = _dimension(key, unit)
    quantity = to_quantity(value, dimension, scale)
    return [Held(key, quantity)] if quantity else []


def _dimension(key: str, unit: str) -> tuple[Dimension, str]:
    for suffix, found in _SUFFIX_DIMENSIONS:
        if key.endswith(suffix):
            return found
    if key == "change":
        return "times", "1"
    # because only the statistics of a series are in its unit; its counts and scores are bare numbers
    return _UNIT_DIMENSIONS.get(unit, ("plain", "1")) if key in _IN_UNIT else ("plain", "1")
