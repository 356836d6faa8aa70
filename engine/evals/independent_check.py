"""Whether each confirmed sentence of a record is carried, found out without the guard's code.

It must not import the verification, gatekeeper or composition packages: what checks the guard must not be
the guard.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import jsonpointer  # pyright: ignore[reportMissingTypeStubs]  # because the package ships no types

from engine.answer import CitedEvidence, ConfirmedFact
from engine.invocation import ToolInvocation
from engine.record import RunRecord
from engine.rendering import render_line

__all__ = ["objections", "unsupported_facts"]

_QUOTE = re.compile(r"「([^」]*)」")
_MOMENT = re.compile(r"(?<!\d)(?:(\d{1,2}-\d{1,2})[ t])?(\d{1,2}:\d{2}(?::\d{2})?)(?![\d:])")
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}t\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:z|[+-]\d{2}:\d{2})?")
_NAME = re.compile(r"[a-z][a-z0-9_]*(?:[-_:./]+[a-z0-9_]+)*")
_TELLING = re.compile(r"[-_:./\d]")
_NUMBER = re.compile(r"(?<![a-z0-9_.:/#])(?<![a-z0-9]-)(\d+(?:,\d{3})*(?:\.\d+)?)\s*(%|[a-z]+|[\u4e00-\u9fff]{1,2})?")
_HELD = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_SHORTEST_NAME = 4

_TIME = (1.0, 1e3, 1e-3, 1e6, 1e-6, 60.0, 1 / 60, 1 / 3600, 1 / 60_000, 1 / 3_600_000)
_SIZE = (1.0, *(base**-power for base in (1000.0, 1024.0) for power in (1, 2, 3, 4)), 1e3, 1024.0)
_SCALES: dict[str, tuple[float, ...]] = {
    "%": (1.0, 100.0),
    **dict.fromkeys(("s", "ms", "us", "min", "h", "秒", "毫秒", "微秒", "分钟", "小时"), _TIME),
    **dict.fromkeys(("b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "字节"), _SIZE),
    "万": (1.0, 1e-4),
    "亿": (1.0, 1e-8),
}
"""By what a number of the evidence may be multiplied to be the claimed one, by the unit behind the latter."""


def unsupported_facts(record: RunRecord) -> tuple[str, ...]:
    """The ids of confirmed claims whose evidence is not there or does not hold their numbers and names."""
    return tuple(dict.fromkeys(claim_id for claim_id, _ in objections(record)))


def objections(record: RunRecord) -> tuple[tuple[str, str], ...]:
    """Each thing that is wrong with a confirmed claim, as (claim id, what); empty where all is carried."""
    if record.answer is None:
        return ()
    invocations = {item.id: item for item in record.invocations}
    return tuple(
        (fact.claim_id, objection) for fact in record.answer.confirmed for objection in _objections(fact, invocations)
    )


def _objections(fact: ConfirmedFact, invocations: dict[str, ToolInvocation]) -> Iterator[str]:
    if not fact.evidence:
        yield "no evidence"
    lines: list[str] = []
    for item in fact.evidence:
        line = _line(item, invocations)
        if line is None:
            yield f"no such place: {item.invocation_id} {item.raw_path}"
            continue
        lines.append(_folded(line))
        if not all(_folded(part) in lines[-1] for part in item.excerpt.split("…")):
            yield "the excerpt does not stand there"
    excerpts = " ".join(_folded(item.excerpt) for item in fact.evidence)
    yield from _unheld(_folded(fact.text), " ".join(lines), excerpts)


def _unheld(said: str, lines: str, excerpts: str) -> Iterator[str]:
    """What the sentence says and the evidence does not, in the order quotes, moments, names, numbers."""
    for quote in _QUOTE.findall(said):
        if not all(part.strip() in lines for part in quote.split("...")):
            yield f"quote {quote}"
    rest = _QUOTE.sub(" ", said)
    for date, clock in _MOMENT.findall(rest):
        if (f"{date}t{clock}" if date else clock) not in lines and f"{date} {clock}".strip() not in lines:
            yield f"time {date} {clock}"
    rest = _MOMENT.sub(" ", rest)
    for name in _NAME.findall(rest):
        if len(name) >= _SHORTEST_NAME and _TELLING.search(name) and not _stands(name, lines):
            yield f"name {name}"
    held = [float(number) for number in _HELD.findall(_ISO.sub(" ", excerpts))]
    for text, unit in _NUMBER.findall(_NAME.sub(_without_digits, rest)):
        if not _found(text, _SCALES.get(unit) or _SCALES.get(unit[:1]) or (1.0,), held):
            yield f"number {text}{unit}"


def _without_digits(match: re.Match[str]) -> str:
    """A name counts as a name, not as numbers; a unit's letters stay."""
    return match.group() if match.group().isalpha() else " "


def _line(item: CitedEvidence, invocations: dict[str, ToolInvocation]) -> str | None:
    invocation = invocations.get(item.invocation_id)
    if invocation is None or invocation.tool_name != item.tool_name:
        return None
    try:
        node: Any = jsonpointer.resolve_pointer(invocation.output, item.raw_path)  # pyright: ignore[reportUnknownMemberType]
    except jsonpointer.JsonPointerException:
        return None
    return render_line(node)


def _stands(name: str, lines: str) -> bool:
    """Whether the whole name stands there, and not only as a part of a longer one."""
    return re.search(rf"(?<![a-z0-9_-]){re.escape(name)}(?![a-z0-9_-])", lines) is not None


def _found(text: str, scales: tuple[float, ...], held: list[float]) -> bool:
    """Whether a number of the evidence is the claimed one after a change of unit and rounding."""
    plain = text.replace(",", "")
    claimed = float(plain)
    half = 0.5 * 10 ** -len(plain.partition(".")[2]) * 1.0001
    return any(abs(number * scale - claimed) <= half for number in held for scale in scales)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
