"""Verifier: classifies each projected claim against its projected evidence, then code has the last word."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime

from engine.base import JsonObject
from engine.budget import Usage
from engine.check import FailedAttempt, Verification, VerifierReply
from engine.dialogue import ask, call_timeout, relief, serialize, speaker
from engine.errors import BadModelOutput, ModelError, ModelUnavailable
from engine.gate import GateStage
from engine.ports import Deps, Model, ModelRequest
from engine.run import Failure, Run
from engine.verification.assessment import assess
from engine.verification.protocol import read_verifier_reply

__all__ = ["verifier_payload", "verify"]

_ATTEMPTS = 2


async def verify(run: Run, deps: Deps) -> Verification | Failure:
    """Ask the Verifier, at most twice and with byte-identical input (spec S35), and settle the verdict.

    Where both attempts fail and there is a standby, that one reads the same input.
    Returns a Verification with status FAILED when no legal reply came; never a verdict then (spec S18).
    """
    if run.gate is None:
        return Failure(node="verifier", reason="verifier.nothing_projected", detail="没有通过校验的证据可供复核")
    payload = serialize(verifier_payload(run, run.gate))
    attempts = _Attempts(payload)
    reply = await attempts.of(speaker(run, deps), run, run.gate, deps)
    stand_in = None if reply else relief(attempts.failure(), run, deps)
    if stand_in is not None and deps.standby is not None:
        reply = await attempts.of(deps.standby, run, run.gate, deps)
    digest = hashlib.sha256(payload.encode()).hexdigest()
    if reply is None:
        return Verification(
            status="FAILED",
            failure_reason=attempts.failure().reason,
            failed_attempts=tuple(attempts.failed),
            input_sha256=digest,
            usage=attempts.usage,
        )
    return assess(reply, run, deps.system).model_copy(
        update={
            "failed_attempts": tuple(attempts.failed),
            "input_sha256": digest,
            "usage": attempts.usage,
            "stand_in": stand_in,
        }
    )


@dataclass
class _Attempts:
    """The tries of one verification; lives for one call of `verify`."""

    payload: str
    failed: list[FailedAttempt] = field(default_factory=list[FailedAttempt])
    usage: Usage = field(default_factory=Usage)

    async def of(self, model: Model, run: Run, gate: GateStage, deps: Deps) -> VerifierReply | None:
        """The model's first legal reply within its two attempts; None when neither was."""
        for _ in range(_ATTEMPTS):
            started = deps.clock.now()
            request = ModelRequest(
                role="verifier",
                contract="verifier_v2",
                payload=self.payload,
                timeout=call_timeout(run, deps, model),
                nonce=run.nonce,
            )
            try:
                answered = await ask(model, request)
                self.usage += answered.usage
                return read_verifier_reply(answered.text, gate.verified_output.claims)
            except BadModelOutput as error:
                self._note(error.reason, error, started, deps)
            except ModelUnavailable as error:
                self._note(f"unavailable: {error}", error, started, deps)
                if not error.retryable:
                    return None
        return None

    def failure(self) -> Failure:
        """What went wrong so far, as one value."""
        reasons = "; ".join(attempt.reason for attempt in self.failed)
        return Failure(node="verifier", reason=f"verifier.failed: {reasons}", detail="复核模型没有给出合约定的结果")

    def _note(self, reason: str, error: ModelError, started: datetime, deps: Deps) -> None:
        self.usage += error.usage
        took = (deps.clock.now() - started).total_seconds() * 1000
        self.failed.append(FailedAttempt(reason=reason[:300], started_at=started, duration_ms=max(0.0, took)))


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
