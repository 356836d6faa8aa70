"""What the Gatekeeper found: each binding checked, the rules that failed, and what may go on."""

from typing import Literal

from pydantic import Field

from engine.base import Frozen, JsonObject
from engine.claim import ExecutorOutput

__all__ = [
    "CheckedBinding",
    "EvidenceGap",
    "GateResult",
    "GateStage",
    "GateStatus",
    "Rule",
    "Severity",
    "VerifiedEvidence",
]

Severity = Literal["none", "low_confid", "reject"]
GateStatus = Literal["PASS", "LOW_CONFID", "REJECT"]
"""The normalised status (reading.md 3); LOW_CONFID is also the ceiling of the verdict then."""


class Rule(Frozen):
    """One entry of the rule catalog: data only (spec S83)."""

    id: str
    description: str
    enabled: bool = True
    default_severity: Severity
    parameters: JsonObject = Field(default_factory=dict)


class CheckedBinding(Frozen):
    """The outcome for one binding of one claim."""

    claim_id: str
    index: int
    """Position of the binding within its claim, from 0."""
    status: Literal["passed", "failed"]
    failed_rule: str | None = None
    severity: Severity = "none"
    tool_name: str = ""
    source_invocation_id: str | None = None
    raw_path: str | None = None
    detail: str = ""
    """Why it failed, in one Chinese sentence; empty when it passed."""
    backfilled: bool = False
    """Whether `source_invocation_id` was filled in as the only candidate (spec S77)."""


class EvidenceGap(Frozen):
    """A call that brought nothing: what is not known, which the Verifier may see (spec S38, S39)."""

    kind: Literal["failed_call", "empty_result", "deduped_retrieval"]
    invocation_id: str
    tool_name: str
    detail: str


class GateResult(Frozen):
    """The raw Gatekeeper audit, as it is persisted (spec S23, S76, S80)."""

    status: Literal["pass", "fail"]
    severity: Severity
    checked_bindings: tuple[CheckedBinding, ...] = ()
    rules: tuple[Rule, ...] = ()
    failed_rules: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    rule_set_version: str
    evidence_gaps: tuple[EvidenceGap, ...] = ()


class VerifiedEvidence(Frozen):
    """The place and the words that carry one claim; all the Verifier knows of the incident (spec S33)."""

    claim_id: str
    source_invocation_id: str
    tool_name: str
    raw_path: str
    matched_text: str
    """The excerpt as the system's own text has it."""


class GateStage(Frozen):
    """The Gatekeeper node's one thing: the audit, the normalised status and the projection."""

    result: GateResult
    status: GateStatus
    verified_output: ExecutorOutput
    """Only claims with a passed binding, with their passed bindings; hypotheses that rest on such claims."""
    verified_evidence: tuple[VerifiedEvidence, ...] = ()

    @property
    def ceiling(self) -> Literal["PASS", "LOW_CONFID"]:
        """The highest verdict that may come out (spec S75)."""
        return "PASS" if self.status == "PASS" else "LOW_CONFID"
