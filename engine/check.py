"""What the Verifier found: claim checks, legacy facts, the verdict and the score (`verifier_v2`)."""

from typing import Literal

from pydantic import Field

from engine.base import AwareDatetime, Frozen
from engine.budget import Usage
from engine.stand_in import StandIn

__all__ = [
    "ClaimCheck",
    "ClaimEvidenceRef",
    "ClaimVerification",
    "FactChecked",
    "FactVerification",
    "FailedAttempt",
    "GuardFinding",
    "GuardReport",
    "HypothesisCheck",
    "Verdict",
    "Verification",
    "VerifierReply",
]

Verdict = Literal["PASS", "LOW_CONFID", "REJECT"]

ClaimVerification = Literal[
    "direct_observation",
    "reasonable_inference",
    "overstated",
    "unsupported",
    "external_unknown",
    "contradicted",
]

FactVerification = Literal["direct_evidence", "indirect_support", "no_evidence", "contradicted"]


class ClaimEvidenceRef(Frozen):
    """A place in `verified_evidence` that a check rests on (spec S36, S61; interfaces.md)."""

    claim_id: str | None = None
    trace_ref: str | None = None
    tool_name: str | None = None
    source_invocation_ids: tuple[str, ...] = ()
    raw_path: str | None = None
    note: str | None = None


class ClaimCheck(Frozen):
    """The class of one claim (spec S60)."""

    claim_id: str
    claim_text: str = ""
    claim_type: str = ""
    verification: ClaimVerification
    detail: str = ""
    evidence_refs: tuple[ClaimEvidenceRef, ...] = ()


class HypothesisCheck(Frozen):
    """The class of one hypothesis, where the Verifier gave one (reading.md 17)."""

    hypothesis_id: str
    verification: ClaimVerification
    detail: str = ""


class FactChecked(Frozen):
    """The legacy projection of a claim check (spec S10)."""

    fact: str
    is_critical: bool
    verification: FactVerification
    detail: str = ""
    evidence_refs: tuple[ClaimEvidenceRef, ...] = ()


class VerifierReply(Frozen):
    """A legal reply of the Verifier model, parsed and not yet judged (reading.md 9)."""

    verdict: Verdict
    groundedness_score: float = Field(ge=0, le=1)
    critical_fact_count: int | None = None
    claim_checks: tuple[ClaimCheck, ...]
    hypothesis_checks: tuple[HypothesisCheck, ...] = ()
    rationale: str = ""
    warnings: tuple[str, ...] = ()


class GuardFinding(Frozen):
    """What the derivability guard said of one claim."""

    claim_id: str
    outcome: Literal["derived", "contradicted", "not_derivable"]
    model_verification: ClaimVerification
    """The class before the guard."""
    verification: ClaimVerification
    """The class after it: never higher."""
    reasons: tuple[str, ...] = ()
    """Short Chinese sentences; empty where the claim is derived."""


class GuardReport(Frozen):
    """The guard's part of the audit (`derivability_guard`)."""

    version: str
    findings: tuple[GuardFinding, ...] = ()
    lowered: tuple[str, ...] = ()
    """Ids of the claims whose class the guard lowered."""


class FailedAttempt(Frozen):
    """A try of the Verifier that gave no legal reply (spec S35)."""

    reason: str
    started_at: AwareDatetime
    duration_ms: float


class Verification(Frozen):
    """The Verifier node's one thing."""

    status: Literal["COMPLETED", "FAILED"]
    model_verdict: Verdict | None = None
    effective_verdict: Verdict | None = None
    groundedness_score: float | None = None
    model_groundedness_score: float | None = None
    critical_fact_count: int | None = None
    claim_checks: tuple[ClaimCheck, ...] = ()
    hypothesis_checks: tuple[HypothesisCheck, ...] = ()
    facts_checked: tuple[FactChecked, ...] = ()
    rationale: str = ""
    guard: GuardReport | None = None
    warnings: tuple[str, ...] = ()
    failure_reason: str | None = None
    failed_attempts: tuple[FailedAttempt, ...] = ()
    """At most two; the last of two is why the status is FAILED."""
    input_sha256: str | None = None
    """Digest of the serialized input; the same for both attempts (spec S35)."""
    usage: Usage = Usage()
    stand_in: StandIn | None = None
