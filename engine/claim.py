"""What the executor asserts, and the evidence it binds to each assertion (`executor_evidence_v2`)."""

from typing import Literal

from pydantic import Field

from engine.base import Frozen

__all__ = [
    "ANSWER_VERSION",
    "CRITICAL_TYPES",
    "Claim",
    "ClaimType",
    "EvidenceBinding",
    "ExecutorOutput",
    "Hypothesis",
    "critical_claims",
]

ANSWER_VERSION = "executor_evidence_v2"

ClaimType = Literal["observation", "negative_observation", "symptom", "impact", "risk", "root_cause"]

CRITICAL_TYPES: frozenset[str] = frozenset({"root_cause", "symptom", "impact", "risk"})


class EvidenceBinding(Frozen):
    """Where in the run's evidence a claim stands (spec S46, S65).

    `source_invocation_id` and `raw_path` may be missing in what a model wrote; the Gatekeeper judges that.
    """

    source_type: str = ""
    tool_name: str = ""
    source_invocation_id: str | None = None
    source_invocation_ids: tuple[str, ...] = ()
    """The legacy plural form: read, but never enough for a precise pass (spec S66)."""
    raw_path: str | None = None
    evidence_excerpt: str = ""
    source_id: str | None = None


class Claim(Frozen):
    """One assertion that the executor holds to be confirmed (spec S45)."""

    claim_id: str
    claim_type: ClaimType
    claim_text: str
    support_level: Literal["direct", "indirect"]
    evidence_bindings: tuple[EvidenceBinding, ...] = ()


class Hypothesis(Frozen):
    """A possible direction, ranked by `score` where given; never confirmed (reading.md 17)."""

    hypothesis_id: str
    text: str
    based_on: tuple[str, ...] = ()
    """Claim ids."""
    service: str | None = None
    score: float | None = None


class ExecutorOutput(Frozen):
    """One legal `executor_evidence_v2` object."""

    answer_version: Literal["executor_evidence_v2"] = ANSWER_VERSION
    claims: tuple[Claim, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    recommended_actions: tuple[str, ...] = ()
    missing_info: tuple[str, ...] = ()
    removed_fields: tuple[str, ...] = Field(default=(), exclude=True)
    """Removed fields that stood in the reply (`diagnosis_summary`, `user_facing_answer`; spec S53)."""
    warnings: tuple[str, ...] = Field(default=(), exclude=True)
    """What the parser tolerated, such as one Markdown fence (reading.md 2)."""


def critical_claims(claims: tuple[Claim, ...]) -> frozenset[str]:
    """The ids of the claims that decide the verdict (reading.md 6).

    Where no claim is of a critical type (the narrow question), observations are the answer and critical.
    """
    critical = frozenset(claim.claim_id for claim in claims if claim.claim_type in CRITICAL_TYPES)
    return critical or frozenset(claim.claim_id for claim in claims)
