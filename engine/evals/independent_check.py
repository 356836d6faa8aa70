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

__all__ = ["unsupported_facts"]

_NUMBER = re.compile(r"(?<![\w.\-:/#])\d+(?:\.\d+)?(?![\w]*[-:]\d)")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[-_:./]+[A-Za-z0-9_]+)+")
_SCALES = (1.0, 1e2, 1e-2, 1e-3, 1e3, 1e6, 1e-6, 1e9, 1e-9)


def unsupported_facts(record: RunRecord) -> tuple[str, ...]:
    """The ids of confirmed claims whose evidence is not there or does not hold their numbers and names."""
    if record.answer is None:
        return ()
    invocations = {item.id: item for item in record.invocations}
    return tuple(fact.claim_id for fact in record.answer.confirmed if any(_objections(fact, invocations)))


def _objections(fact: ConfirmedFact, invocations: dict[str, ToolInvocation]) -> Iterator[str]:
    if not fact.evidence:
        yield "no evidence"
    words = ""
    for item in fact.evidence:
        line = _line(item, invocations)
        if line is None:
            yield "no such place"
            continue
        words += f" {line}"
        parts = [_folded(part) for part in item.excerpt.split("…")]
        if not all(part in _folded(line) for part in parts):
            yield "the excerpt does not stand there"
    said, held = _folded(fact.text), _folded(words)
    for name in _NAME.findall(said):
        if name.strip(".:/-") not in held:
            yield f"name {name}"
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", held)]
    for text in _NUMBER.findall(re.sub(r"「[^」]*」|\d{1,2}-\d{1,2} \d{1,2}:\d{2}", " ", said)):
        if not _found(text, numbers):
            yield f"number {text}"


def _line(item: CitedEvidence, invocations: dict[str, ToolInvocation]) -> str | None:
    invocation = invocations.get(item.invocation_id)
    if invocation is None or invocation.tool_name != item.tool_name:
        return None
    try:
        node: Any = jsonpointer.resolve_pointer(invocation.output, item.raw_path)  # pyright: ignore[reportUnknownMemberType]
    except jsonpointer.JsonPointerException:
        return None
    return render_line(node)


def _found(text: str, numbers: list[float]) -> bool:
    """Whether a number of the evidence is the claimed one after a change of unit and rounding."""
    claimed = float(text)
    half = 0.5 * 10 ** -len(text.partition(".")[2]) * 1.0001
    return any(abs(number * scale - claimed) <= half for number in numbers for scale in _SCALES)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
