"""A stored run as the objects that `--json` prints (interfaces.md)."""

from engine.base import JsonObject
from engine.record import RunRecord

__all__ = ["ask_object", "audit_object"]


def ask_object(record: RunRecord) -> JsonObject:
    """The object of `verdict ask --json`."""
    answer = record.answer
    return {
        "run_id": record.run_id,
        "session_id": record.session_id,
        "question": record.question.text,
        "window": record.window.model_dump(mode="json"),
        "outcome": record.outcome,
        "fallback_reason": record.fallback_reason,
        "answer": None
        if answer is None
        else {
            "text": answer.text,
            "conclusion": answer.conclusion,
            "confirmed": [fact.model_dump(mode="json") for fact in answer.confirmed],
            "possible": list(answer.possible),
            "gaps": list(answer.gaps),
            "next_steps": list(answer.next_steps),
            "notes": list(answer.notes),
            "rendered_by": answer.rendered_by,
        },
        "hypotheses": [suspect.model_dump(mode="json") for suspect in record.hypotheses],
        "evaluation": record.self_evaluation.get("verifier_evaluation"),
        "invocations": [
            {
                "id": item.id,
                "tool_name": item.tool_name,
                "arguments": item.arguments,
                "status": item.status,
                "evidence_refs": [ref.model_dump(mode="json") for ref in item.evidence_refs],
            }
            for item in record.invocations
        ],
        "events": [
            event.model_dump(mode="json", include={"node", "status", "attempt", "started_at", "duration_ms", "reason"})
            for event in record.events
        ],
        "usage": record.usage.model_dump(mode="json"),
        "duration_ms": record.duration_ms,
    }


def audit_object(record: RunRecord) -> JsonObject:
    """The whole record: what `ask --json` prints, every channel, and the tools' stored output."""
    return {
        **ask_object(record),
        "stage": record.stage,
        "started_at": record.started_at.isoformat(),
        "baseline": record.baseline.model_dump(mode="json") if record.baseline else None,
        "self_evaluation": record.self_evaluation,
        "invocations": [item.model_dump(mode="json") for item in record.invocations],
        "events": [event.model_dump(mode="json") for event in record.events],
    }
