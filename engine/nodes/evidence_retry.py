"""Evidence retry: what the one supplementary cycle is to fill (spec S15)."""

from engine.plan import RetryContext
from engine.ports import Deps
from engine.run import Failure, Run
from engine.verification.verdict import retry_gaps

__all__ = ["prepare_retry"]


async def prepare_retry(run: Run, deps: Deps) -> RetryContext | Failure:
    """Collect the Verifier's critical gaps that a configured tool could fill."""
    if run.verification is None or run.gate is None:
        return Failure(node="evidence_retry", reason="retry.nothing_verified", detail="没有可补充的证据缺口")
    gaps = retry_gaps(run.verification, run.gate.verified_output.claims, tuple(deps.tools))
    used = tuple(dict.fromkeys(invocation.tool_name for invocation in run.invocations))
    return RetryContext(gaps=gaps, tools_used=used)
