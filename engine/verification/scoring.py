"""The legacy facts and the groundedness score, computed from the classes (spec S10-S12; reading.md 6, 7)."""

from collections.abc import Collection, Sequence

from engine.check import ClaimCheck, ClaimVerification, FactChecked, FactVerification

__all__ = ["facts_checked", "groundedness_score", "legacy"]

_LEGACY: dict[ClaimVerification, FactVerification] = {
    "direct_observation": "direct_evidence",
    "reasonable_inference": "indirect_support",
    "overstated": "indirect_support",
    "unsupported": "no_evidence",
    "external_unknown": "no_evidence",
    "contradicted": "contradicted",
}

_VALUES: dict[FactVerification, float] = {
    "direct_evidence": 1.0,
    "indirect_support": 0.6,
    "no_evidence": 0.0,
    "contradicted": 0.0,
}


def legacy(verification: ClaimVerification) -> FactVerification:
    """The legacy class of a claim's class."""
    return _LEGACY[verification]


def facts_checked(checks: Sequence[ClaimCheck], critical: Collection[str]) -> tuple[FactChecked, ...]:
    """The compatibility projection of the checks, in their order."""
    return tuple(
        FactChecked(
            fact=f"{check.claim_id}: {check.claim_text}",
            is_critical=check.claim_id in critical,
            verification=legacy(check.verification),
            detail=check.detail,
            evidence_refs=check.evidence_refs,
        )
        for check in checks
    )


def groundedness_score(facts: Sequence[FactChecked]) -> float:
    """Mean over critical facts, 0 to 1; 0 with any critical contradiction or without a critical fact."""
    values = [_VALUES[fact.verification] for fact in facts if fact.is_critical]
    if not values or any(fact.is_critical and fact.verification == "contradicted" for fact in facts):
        return 0.0
    return min(1.0, max(0.0, sum(values) / len(values)))
