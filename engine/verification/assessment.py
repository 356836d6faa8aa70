"""From the Verifier's legal reply to the settled verification: code has the last word."""

from engine.check import Verification, VerifierReply
from engine.claim import critical_claims
from engine.invocation import ToolInvocation
from engine.run import Run
from engine.system import SystemMap
from engine.verification.guard import GuardEvidence, GuardScope, guard
from engine.verification.refs import clean_refs
from engine.verification.scoring import facts_checked, groundedness_score
from engine.verification.verdict import effective_verdict, implied_verdict

__all__ = ["assess", "guard_evidence", "guard_scope"]

_GUIDES = frozenset({"lookup_knowledge"})


def assess(reply: VerifierReply, run: Run, system: SystemMap) -> Verification:
    """Clean references, apply the guard, score, and settle the effective verdict (reading.md 6-10)."""
    assert run.gate is not None
    claims = run.gate.verified_output.claims
    critical = critical_claims(claims)
    cleaned, warnings = clean_refs(reply.claim_checks, run.gate.verified_evidence)
    checks, report = guard(cleaned, claims, guard_evidence(run), guard_scope(run, system))
    facts = facts_checked(checks, critical)
    overstated = any(check.claim_id in critical and check.verification == "overstated" for check in checks)
    verdict = effective_verdict(reply.verdict, implied_verdict(facts, overstated), run.gate.ceiling)
    return Verification(
        status="COMPLETED",
        model_verdict=reply.verdict,
        effective_verdict=verdict,
        groundedness_score=groundedness_score(facts),
        model_groundedness_score=reply.groundedness_score,
        critical_fact_count=len(critical),
        claim_checks=checks,
        hypothesis_checks=reply.hypothesis_checks,
        facts_checked=facts,
        rationale=reply.rationale,
        guard=report,
        warnings=(*reply.warnings, *warnings),
    )


def guard_evidence(run: Run) -> dict[str, list[GuardEvidence]]:
    """The verified items by claim, each with the whole text it stands in and the scope of its call."""
    assert run.gate is not None
    invocations = {invocation.id: invocation for invocation in run.invocations}
    texts: dict[str, dict[str, str]] = {}
    found: dict[str, list[GuardEvidence]] = {}
    for item in run.gate.verified_evidence:
        invocation = invocations[item.source_invocation_id]
        if invocation.id not in texts:
            texts[invocation.id] = _texts(invocation)
        found.setdefault(item.claim_id, []).append(
            GuardEvidence(
                text=item.matched_text,
                context=texts[invocation.id].get(item.raw_path, item.matched_text),
                tool_name=item.tool_name,
                invocation_id=invocation.id,
                raw_path=item.raw_path,
                guidance=item.tool_name in _GUIDES,
                scope=invocation.scope,
            )
        )
    return found


def guard_scope(run: Run, system: SystemMap) -> GuardScope:
    """What the guard knows of the run."""
    return GuardScope(
        timezone=run.question.timezone,
        window=run.window,
        services=tuple(service.name for service in system.services),
        aliases={alias: service.name for service in system.services for alias in service.aliases},
    )


def _texts(invocation: ToolInvocation) -> dict[str, str]:
    return {ref.raw_path: ref.text for ref in invocation.evidence_refs}
