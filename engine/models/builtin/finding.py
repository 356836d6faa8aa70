"""A finding: one telling line of evidence about one service, with a strength and Chinese words that it carries."""

import math
from dataclasses import dataclass
from typing import Literal

from engine.models.builtin.payload import Ref

__all__ = ["UNUSUAL", "Finding", "Kind", "strength_of"]

Kind = Literal["metric", "log", "edge", "operation", "alert", "change"]

UNUSUAL = 3.0
"""A tool's score from which something counts as unusual."""

_STRONGEST = 7.0


@dataclass(frozen=True)
class Finding:
    """One telling line of evidence about one service.

    Attributes:
        service: whom it speaks of.
        kind: what sort of evidence.
        strength: 0 for nothing; about 2 for clearly unusual, 6 for extreme.
        own: whether it arises in the service itself, rather than being handed up by what it calls.
        text: a Chinese sentence whose every number and name stands in the ref's text.
        ref: the line.
        hint: what it suggests, in a few Chinese words without numbers or names.
        state: whether it is the state of a resource of the service's own (pool, CPU, memory).
    """

    service: str
    kind: Kind
    strength: float
    own: bool
    text: str
    ref: Ref
    hint: str
    state: bool = False


def strength_of(score: float) -> float:
    """A tool's score (0 to 1000) on the scale of findings: each doubling counts one."""
    return min(_STRONGEST, math.log2(1.0 + max(0.0, score)))
