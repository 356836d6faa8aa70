"""Verifier: classifies each projected claim against its projected evidence, then code has the last word."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from engine.base import JsonObject
from engine.budget import Usage
from engine.check import FailedAttempt, Verification, VerifierReply
from engine.dialogue import ask, call_timeout, serialize
from engine.errors import BadModelOutput, ModelUnavailable
from engine.gate import GateStage
from engine.ports import Deps, ModelRequest
from engine.run import Failure, Run
from engine.verification.assessment import assess
from engine.verification.protocol import read_verifier_reply

__all__ = ["verifier_payload", "verify"]

_ATTEMPTS = 2


async def verify(run: Run, deps: Deps) -> Verification | Failure:
    """Ask the Verifier, at most twice and with byte-identical input (spec S35), and settle the verdict.

    Returns a Verification with status FAILED when no legal reply came; never a verdict then (spec S18).
    """
    if run.gate is None:
        return Failure(node="verifier", reason="verifier.nothing_projected", detail="没有通过校验的证据可供复核")
    payload = serialize(verifier_payload(run, run.gate))
    digest = hashlib.sha256(payload.encode()).hexdigest()
    failed: list[FailedAttempt] = []
    usage = Usage()
    reply: VerifierReply | None = None
    while reply is None and len(failed) < _ATTEMPTS:
        started = deps.clock.now()
        request = ModelRequest(
            role="verifier", contract="verifier_v2", payload=payload, timeout=call_timeout(run, deps)
        )
        try:
            answered = await ask(deps, request)
            usage += answered.usage
            reply = read_verifier_reply(answered.text, run.gate.verified_output.claims)
        except BadModelOutput as error:
            failed.append(_failed(error.reason, started, deps))
        except ModelUnavailable as error:
            failed.append(_failed(f"unavailable: {error}", started, deps))
            if not error.retryable:
                break
    tried = tuple(failed)
    if reply is None:
        return Verification(
            status="FAILED",
            failure_reason=f"verifier.failed: {_reasons(tried)}",
            failed_attempts=tried,
            input_sha256=digest,
            usage=usage,
        )
    settled = assess(reply, run, deps.system)
    return settled.model_copy(update={"failed_attempts": tried, "input_sha256": digest, "usage": usage})


def verifier_payload(run: Run, gate: GateStage) -> JsonObject:
    """Exactly the keys that the Verifier may see (spec S30, S31; interfaces.md)."""
    payload: JsonObject = {
        "diagnosis_context": {
            "question": run.question.text,
            "window": run.window.model_dump(mode="json"),
            "timezone": run.question.timezone,
        },
        "verified_executor_output": gate.verified_output.model_dump(mode="json"),
        "verified_evidence": [item.model_dump(mode="json") for item in gate.verified_evidence],
        "gatekeeper_audit": gate.result.model_dump(mode="json"),
        "verdict_ceiling": gate.ceiling,
    }
    if run.retry_context is not None:
        payload["retry_context"] = run.retry_context.model_dump(mode="json")
    return payload


def _failed(reason: str, started: datetime, deps: Deps) -> FailedAttempt:
    took = (deps.clock.now() - started).total_seconds() * 1000
    return FailedAttempt(reason=reason[:300], started_at=started, duration_ms=max(0.0, took))


def _reasons(failed: Sequence[FailedAttempt]) -> str:
    return "; ".join(attempt.reason for attempt in failed)
