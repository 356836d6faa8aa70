"""The order of the classes, and the guard's word on one claim."""

from dataclasses import dataclass
from typing import Literal

from engine.check import ClaimVerification

__all__ = ["GuardVerdict", "lower_of"]

_RANK: dict[ClaimVerification, int] = {
    "direct_observation": 4,
    "reasonable_inference": 3,
    "overstated": 2,
    "unsupported": 1,
    "external_unknown": 1,
    "contradicted": 0,
}


@dataclass(frozen=True)
class GuardVerdict:
    """What the evidence carries.

    Attributes:
        outcome: three-way.
        ceiling: the highest class that the claim may keep.
        reasons: short Chinese sentences; empty for a derived claim.
    """

    outcome: Literal["derived", "contradicted", "not_derivable"]
    ceiling: ClaimVerification
    reasons: tuple[str, ...] = ()


def lower_of(one: ClaimVerification, other: ClaimVerification) -> ClaimVerification:
    """The lower of two classes; the first of two equal ones."""
    return other if _RANK[other] < _RANK[one] else one
