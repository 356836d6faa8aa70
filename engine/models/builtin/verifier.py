"""Verifier rules: the derivability check itself; an inference is never more than one."""

from engine.base import JsonObject, JsonValue
from engine.check import ClaimCheck, ClaimEvidenceRef
from engine.claim import Claim, critical_claims
from engine.models.builtin.payload import objects
from engine.verification.guard import GuardEvidence, GuardScope, judge
from engine.verification.scoring import facts_checked, groundedness_score
from engine.verification.verdict import implied_verdict
from engine.window import TimeWindow

__all__ = ["verify"]

_GUIDES = frozenset({"lookup_knowledge"})


def verify(payload: JsonObject) -> JsonObject:
    """A `verifier_v2` object for the projected claims; the guard that runs after it may lower, never raise."""
    context = payload.get("diagnosis_context")
    context = context if isinstance(context, dict) else {}
    output = payload.get("verified_executor_output")
    claims = tuple(Claim.model_validate(item) for item in objects(output if isinstance(output, dict) else {}, "claims"))
    evidence = objects(payload, "verified_evidence")
    window = context.get("window")
    scope = GuardScope(
        timezone=str(context.get("timezone", "Asia/Shanghai")),
        window=TimeWindow.model_validate(window) if isinstance(window, dict) else None,
    )
    checks = [
        _check(claim, [item for item in evidence if item.get("claim_id") == claim.claim_id], scope) for claim in claims
    ]
    critical = critical_claims(claims)
    facts = facts_checked(checks, critical)
    overstated = any(check.claim_id in critical and check.verification == "overstated" for check in checks)
    direct = sum(check.verification == "direct_observation" for check in checks if check.claim_id in critical)
    return {
        "verdict": implied_verdict(facts, overstated),
        "groundedness_score": round(groundedness_score(facts), 4),
        "critical_fact_count": len(critical),
        "claim_checks": [check.model_dump(mode="json", exclude={"claim_text", "claim_type"}) for check in checks],
        "facts_checked": list[JsonValue](fact.model_dump(mode="json") for fact in facts),
        "rationale": (
            f"逐条按推导规则核对：{len(claims)} 条判断，其中 {len(critical)} 条关键判断，{direct} 条由证据直接支持"
        ),
    }


def _check(claim: Claim, evidence: list[JsonObject], scope: GuardScope) -> ClaimCheck:
    items = [
        GuardEvidence(
            text=str(item.get("matched_text")),
            context=str(item.get("matched_text")),
            tool_name=str(item.get("tool_name")),
            guidance=item.get("tool_name") in _GUIDES,
        )
        for item in evidence
    ]
    verdict = judge(claim, items, scope)
    return ClaimCheck(
        claim_id=claim.claim_id,
        claim_text=claim.claim_text,
        claim_type=claim.claim_type,
        verification=verdict.ceiling,
        detail="；".join(verdict.reasons) or "证据直接写明",
        evidence_refs=tuple(
            ClaimEvidenceRef(
                claim_id=claim.claim_id,
                tool_name=str(item.get("tool_name")),
                source_invocation_ids=(str(item.get("source_invocation_id")),),
                raw_path=str(item.get("raw_path")),
            )
            for item in evidence
        ),
    )
