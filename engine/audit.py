"""From a finished run to what is persisted as `verifier_evaluation` (spec S19-S26, S37; interfaces.md)."""

from engine.base import JsonObject, JsonValue
from engine.check import Verification
from engine.ports import PromptAudit
from engine.run import Run

__all__ = ["TRACEABILITY_VERSION", "verifier_evaluation"]

TRACEABILITY_VERSION = "verified_evidence_v1"

_STATEMENT_CHARS = 2000


def verifier_evaluation(run: Run, prompts: PromptAudit, standby: PromptAudit | None = None) -> JsonObject:
    """The audit of one run; keys of stages that did not happen are absent, no verdict is made up (spec S22)."""
    record: JsonObject = {
        "verifier_status": run.verification.status if run.verification else "SKIPPED",
        "traceability_version": TRACEABILITY_VERSION,
        "prompt_audit": prompts.model_dump(mode="json"),
        "evidence_retry_count": run.cycle,
    }
    if run.execution is not None and run.execution.reductions:
        record["reductions"] = [item.model_dump(mode="json") for item in run.execution.reductions]
    if run.gate is not None:
        projection = run.gate.verified_output.model_dump(mode="json")
        record |= {
            "gatekeeper_result": run.gate.result.model_dump(mode="json"),
            "verdict_ceiling": run.gate.ceiling,
            "verified_executor_output": projection,
            "executor_structured_output": projection,
            "verified_evidence": [item.model_dump(mode="json") for item in run.gate.verified_evidence],
        }
    if run.verification is not None and run.verification.status == "COMPLETED":
        record |= _verdict(run.verification)
    if run.answer is not None and run.answer.outcome != "FALLBACK":
        record["composer_output"] = _composer_output(run)
    failure = run.failure.reason if run.failure else None
    if failure is not None:
        record["failure_reason"] = failure
        record["failure_detail"] = run.failure.detail if run.failure else None
    if run.stand_in is not None:
        record["stand_in"] = run.stand_in.model_dump(mode="json")
        if standby is not None:
            record["stand_in"]["prompt_audit"] = standby.model_dump(mode="json")
    if run.retry_context is not None:
        record["retry_context"] = run.retry_context.model_dump(mode="json")
    return record


def _verdict(verification: Verification) -> JsonObject:
    guard: JsonValue = verification.guard.model_dump(mode="json") if verification.guard else None
    return {
        "model_verdict": verification.model_verdict,
        "effective_verdict": verification.effective_verdict,
        "verdict": verification.effective_verdict,
        "groundedness_score": verification.groundedness_score,
        "model_groundedness_score": verification.model_groundedness_score,
        "critical_fact_count": verification.critical_fact_count,
        "claim_checks": [check.model_dump(mode="json") for check in verification.claim_checks],
        "hypothesis_checks": [check.model_dump(mode="json") for check in verification.hypothesis_checks],
        "facts_checked": [fact.model_dump(mode="json") for fact in verification.facts_checked],
        "rationale": verification.rationale[:_STATEMENT_CHARS],
        "derivability_guard": guard,
        "verifier_warnings": list(verification.warnings),
        "verifier_input_sha256": verification.input_sha256,
    }


def _composer_output(run: Run) -> JsonObject:
    assert run.answer is not None
    answer = run.answer
    return {
        "rendered_by": answer.rendered_by,
        "template_reason": answer.template_reason,
        "conclusion": answer.conclusion[:_STATEMENT_CHARS],
        "confirmed": [fact.claim_id for fact in answer.confirmed],
        "possible": len(answer.possible),
        "gaps": len(answer.gaps),
        "next_steps": len(answer.next_steps),
    }
