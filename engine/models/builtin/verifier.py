"""Verifier rules: the derivability check itself; an inference is never more than one."""

from typing import cast

from engine.base import JsonObject, JsonValue
from engine.check import ClaimVerification
from engine.claim import Claim, critical_claims
from engine.models.builtin.payload import objects
from engine.verification.guard import GuardEvidence, GuardScope, judge
from engine.verification.scoring import legacy
from engine.window import TimeWindow

__all__ = ["verify"]

_VALUES = {"direct_evidence": 1.0, "indirect_support": 0.6, "no_evidence": 0.0, "contradicted": 0.0}


def verify(payload: JsonObject) -> JsonObject:
    """A `verifier_v2` object for the projected claims."""
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
    deciding: list[ClaimVerification] = [
        cast("ClaimVerification", check["verification"]) for check in checks if check["claim_id"] in critical
    ]
    score = sum(_VALUES[legacy(item)] for item in deciding) / len(deciding) if deciding else 0.0
    refuted = "contradicted" in deciding
    verdict = "REJECT" if refuted else "PASS" if deciding and set(deciding) == {"direct_observation"} else "LOW_CONFID"
    return {
        "verdict": verdict,
        "groundedness_score": 0.0 if refuted else round(score, 4),
        "critical_fact_count": len(critical),
        "claim_checks": list[JsonValue](checks),
        "facts_checked": [],
        "rationale": f"逐条按推导规则核对：{len(claims)} 条判断，{deciding.count('direct_observation')} 条关键判断由证据直接支持",
    }


def _check(claim: Claim, evidence: list[JsonObject], scope: GuardScope) -> JsonObject:
    items = [
        GuardEvidence(
            text=str(item.get("matched_text")),
            context=str(item.get("matched_text")),
            tool_name=str(item.get("tool_name")),
        )
        for item in evidence
    ]
    verdict = judge(claim, items, scope)
    refs: list[JsonValue] = [
        {
            "claim_id": claim.claim_id,
            "tool_name": item.get("tool_name"),
            "source_invocation_ids": [item.get("source_invocation_id")],
            "raw_path": item.get("raw_path"),
        }
        for item in evidence
    ]
    return {
        "claim_id": claim.claim_id,
        "verification": verdict.ceiling,
        "detail": "；".join(verdict.reasons) or "证据直接写明",
        "evidence_refs": refs,
    }
