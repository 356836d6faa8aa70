"""The effective verdict, and whether one evidence retry is due (spec S14, S15, S75; reading.md 8, 11)."""

from collections.abc import Sequence

from engine.check import FactChecked, Verdict, Verification
from engine.claim import Claim, critical_claims
from engine.plan import EvidenceGapRequest

__all__ = ["effective_verdict", "implied_verdict", "qualifies_for_retry", "retry_gaps"]

_ORDER: tuple[Verdict, ...] = ("REJECT", "LOW_CONFID", "PASS")

_FILLABLE = frozenset({"unsupported", "external_unknown", "overstated"})

_GUIDANCE_TOOLS = frozenset({"lookup_knowledge"})
"""Tools that guide and cannot fill a gap."""


def implied_verdict(facts: Sequence[FactChecked], overstated: bool) -> Verdict:
    """The verdict that the classes imply.

    Args:
        facts: the legacy facts; only critical ones count.
        overstated: whether a critical claim is overstated, which the legacy classes do not tell.
    """
    critical = [fact.verification for fact in facts if fact.is_critical]
    if "contradicted" in critical:
        return "REJECT"
    if overstated or "no_evidence" in critical or "direct_evidence" not in critical:
        return "LOW_CONFID"
    return "PASS"


def effective_verdict(model: Verdict, implied: Verdict, ceiling: Verdict) -> Verdict:
    """The lowest of the three."""
    return min((model, implied, ceiling), key=_ORDER.index)


def retry_gaps(
    verification: Verification, claims: Sequence[Claim], tools: Sequence[str]
) -> tuple[EvidenceGapRequest, ...]:
    """The critical gaps of the Verifier's that a configured tool could fill."""
    if not any(tool not in _GUIDANCE_TOOLS for tool in tools):
        return ()
    critical = critical_claims(tuple(claims))
    return tuple(
        EvidenceGapRequest(
            claim_id=check.claim_id,
            claim_type=check.claim_type,
            claim_text=check.claim_text,
            verification=check.verification,
            detail=check.detail,
        )
        for check in verification.claim_checks
        if check.claim_id in critical and check.verification in _FILLABLE
    )


def qualifies_for_retry(
    verification: Verification, claims: Sequence[Claim], ceiling: str, tools: Sequence[str], retries: int
) -> bool:
    """Exactly one retry, under a PASS ceiling, with a critical valid gap; no score threshold decides (S15)."""
    return (
        retries == 0
        and verification.effective_verdict == "LOW_CONFID"
        and ceiling == "PASS"
        and bool(retry_gaps(verification, claims, tools))
    )
