"""The derivability guard: code that may only lower a claim's class (architecture.md; reading.md 10)."""

from collections.abc import Mapping, Sequence

from engine.check import ClaimCheck, GuardFinding, GuardReport
from engine.claim import Claim
from engine.verification.guard.judging import judge
from engine.verification.guard.order import GuardVerdict, lower_of
from engine.verification.guard.records import GuardEvidence, GuardScope

__all__ = ["GUARD_VERSION", "GuardEvidence", "GuardScope", "GuardVerdict", "guard", "judge"]

GUARD_VERSION = "derivability_guard_v1"


def guard(
    checks: Sequence[ClaimCheck],
    claims: Sequence[Claim],
    evidence: Mapping[str, Sequence[GuardEvidence]],
    scope: GuardScope,
) -> tuple[tuple[ClaimCheck, ...], GuardReport]:
    """Lower every check to what its claim's evidence carries; raise none.

    Args:
        checks: the Verifier's checks, one a claim.
        claims: the projected claims.
        evidence: the verified items by claim id.
        scope: the run's zone, window and services.
    """
    by_id = {claim.claim_id: claim for claim in claims}
    lowered: list[ClaimCheck] = []
    findings: list[GuardFinding] = []
    for check in checks:
        verdict = judge(by_id[check.claim_id], evidence.get(check.claim_id, ()), scope)
        verification = lower_of(check.verification, verdict.ceiling)
        findings.append(
            GuardFinding(
                claim_id=check.claim_id,
                outcome=verdict.outcome,
                model_verification=check.verification,
                verification=verification,
                reasons=verdict.reasons,
            )
        )
        lowered.append(check.model_copy(update={"verification": verification}))
    report = GuardReport(
        version=GUARD_VERSION,
        findings=tuple(findings),
        lowered=tuple(item.claim_id for item in findings if item.verification != item.model_verification),
    )
    return tuple(lowered), report
