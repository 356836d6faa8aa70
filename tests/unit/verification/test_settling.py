"""Reference cleaning, legacy facts, score, verdict and retry (spec S10-S12, S14, S15, S36; reading.md 6-11)."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.check import ClaimCheck, ClaimEvidenceRef, ClaimVerification, Verdict, Verification
from engine.claim import Claim, critical_claims
from engine.gate import VerifiedEvidence
from engine.verification.refs import clean_refs
from engine.verification.scoring import facts_checked, groundedness_score, legacy
from engine.verification.verdict import effective_verdict, implied_verdict, qualifies_for_retry, retry_gaps

CLASSES: tuple[ClaimVerification, ...] = get_args(ClaimVerification)
VERDICTS: tuple[Verdict, ...] = ("REJECT", "LOW_CONFID", "PASS")

EVIDENCE = (
    VerifiedEvidence(
        claim_id="c1",
        source_invocation_id="inv-1",
        tool_name="query_metrics",
        raw_path="/series/0",
        matched_text="mean=0.92",
    ),
)


def check(claim_id: str, verification: ClaimVerification, *refs: ClaimEvidenceRef) -> ClaimCheck:
    """One check."""
    return ClaimCheck(
        claim_id=claim_id, claim_text="文", claim_type="symptom", verification=verification, evidence_refs=refs
    )


def claim(claim_id: str, claim_type: str) -> Claim:
    """One claim."""
    return Claim.model_validate(
        {"claim_id": claim_id, "claim_type": claim_type, "claim_text": "文", "support_level": "direct"}
    )


@pytest.mark.spec("S10")
@pytest.mark.parametrize(
    ("verification", "fact"),
    [
        ("direct_observation", "direct_evidence"),
        ("reasonable_inference", "indirect_support"),
        ("overstated", "indirect_support"),
        ("unsupported", "no_evidence"),
        ("external_unknown", "no_evidence"),
        ("contradicted", "contradicted"),
    ],
)
def test_each_class_has_its_legacy_fact(verification: ClaimVerification, fact: str) -> None:
    """The fixed mapping, with the claim's text and whether it is critical."""
    assert legacy(verification) == fact
    (made,) = facts_checked((check("c1", verification),), {"c1"})
    assert (made.fact, made.is_critical, made.verification) == ("c1: 文", True, fact)


@pytest.mark.spec("S12")
@pytest.mark.parametrize(
    ("classes", "score"),
    [
        (["direct_observation"], 1.0),
        (["direct_observation", "reasonable_inference"], 0.8),
        (["overstated", "unsupported"], 0.3),
        (["external_unknown"], 0.0),
        (["direct_observation", "direct_observation", "unsupported"], 2 / 3),
    ],
)
def test_the_score_is_the_mean_of_the_mapped_values(classes: list[ClaimVerification], score: float) -> None:
    """1.0 for direct, 0.6 for indirect, 0.0 for none, over critical facts only."""
    checks = tuple(check(f"c{number}", item) for number, item in enumerate(classes))
    facts = facts_checked((*checks, check("x", "unsupported")), {item.claim_id for item in checks})
    assert groundedness_score(facts) == pytest.approx(score)


@pytest.mark.spec("S11")
def test_a_contradicted_critical_fact_forces_reject_and_zero() -> None:
    """One critical contradiction outweighs everything else; an uncritical one does not."""
    facts = facts_checked((check("c1", "direct_observation"), check("c2", "contradicted")), {"c1", "c2"})
    assert groundedness_score(facts) == 0.0
    assert implied_verdict(facts, overstated=False) == "REJECT"
    lenient = facts_checked((check("c1", "direct_observation"), check("c2", "contradicted")), {"c1"})
    assert implied_verdict(lenient, overstated=False) == "PASS"


def test_without_a_critical_fact_nothing_passes() -> None:
    """No critical fact gives score 0 and at most LOW_CONFID."""
    assert groundedness_score(()) == 0.0
    assert implied_verdict((), overstated=False) == "LOW_CONFID"


@given(st.lists(st.sampled_from(CLASSES), max_size=6), st.sampled_from(VERDICTS), st.sampled_from(VERDICTS))
def test_the_effective_verdict_is_never_above_any_of_its_bounds(
    classes: list[ClaimVerification], model: Verdict, ceiling: Verdict
) -> None:
    """Model, classes and ceiling each bound the verdict; the score stays within 0 and 1."""
    checks = tuple(check(f"c{number}", item) for number, item in enumerate(classes))
    facts = facts_checked(checks, {item.claim_id for item in checks})
    implied = implied_verdict(facts, overstated="overstated" in classes)
    found = effective_verdict(model, implied, ceiling)
    assert VERDICTS.index(found) == min(VERDICTS.index(item) for item in (model, implied, ceiling))
    assert 0.0 <= groundedness_score(facts) <= 1.0


@pytest.mark.parametrize(
    ("types", "critical"),
    [
        (["root_cause", "observation"], {"c0"}),
        (["symptom", "impact", "risk", "negative_observation"], {"c0", "c1", "c2"}),
        (["observation", "negative_observation"], {"c0", "c1"}),
        ([], set[str]()),
    ],
)
def test_which_claims_are_critical(types: list[str], critical: set[str]) -> None:
    """Cause, symptom, impact and risk are; where none is there, observations are the answer."""
    claims = tuple(claim(f"c{number}", item) for number, item in enumerate(types))
    assert critical_claims(claims) == critical


@pytest.mark.spec("S36")
@pytest.mark.parametrize(
    ("ref", "kept"),
    [
        (ClaimEvidenceRef(claim_id="c1"), True),
        (ClaimEvidenceRef(tool_name="query_metrics", source_invocation_ids=("inv-1",)), True),
        (ClaimEvidenceRef(raw_path="/series/0", trace_ref="t-9"), True),
        (ClaimEvidenceRef(source_invocation_ids=("inv-9",)), False),
        (ClaimEvidenceRef(raw_path="/series/1"), False),
        (ClaimEvidenceRef(claim_id="c2", raw_path="/series/0"), False),
        (ClaimEvidenceRef(trace_ref="t-1", note="somewhere"), False),
    ],
)
def test_a_reference_must_name_something_verified(ref: ClaimEvidenceRef, kept: bool) -> None:
    """A reference stays when every part it gives is one verified item's; else it goes, with a warning."""
    (cleaned,), warnings = clean_refs((check("c1", "direct_observation", ref),), EVIDENCE)
    assert (cleaned.evidence_refs == (ref,)) == kept
    assert cleaned.verification == ("direct_observation" if kept else "unsupported")
    assert bool(warnings) != kept


def _verified(*checks: ClaimCheck, verdict: Verdict = "LOW_CONFID") -> Verification:
    return Verification(status="COMPLETED", effective_verdict=verdict, claim_checks=checks)


@pytest.mark.spec("S14", "S15")
@pytest.mark.parametrize(
    ("verification", "verdict", "ceiling", "retries", "tools", "due"),
    [
        ("unsupported", "LOW_CONFID", "PASS", 0, ("query_logs",), True),
        ("external_unknown", "LOW_CONFID", "PASS", 0, ("query_logs",), True),
        ("overstated", "LOW_CONFID", "PASS", 0, ("query_logs",), True),
        ("reasonable_inference", "LOW_CONFID", "PASS", 0, ("query_logs",), False),
        ("unsupported", "LOW_CONFID", "LOW_CONFID", 0, ("query_logs",), False),
        ("unsupported", "LOW_CONFID", "PASS", 1, ("query_logs",), False),
        ("unsupported", "REJECT", "PASS", 0, ("query_logs",), False),
        ("unsupported", "PASS", "PASS", 0, ("query_logs",), False),
        ("unsupported", "LOW_CONFID", "PASS", 0, ("lookup_knowledge",), False),
        ("unsupported", "LOW_CONFID", "PASS", 0, (), False),
    ],
)
def test_when_a_retry_is_due(
    verification: ClaimVerification, verdict: Verdict, ceiling: str, retries: int, tools: tuple[str, ...], due: bool
) -> None:
    """Only LOW_CONFID under a PASS ceiling with a critical gap that a tool could fill, and only once."""
    found = _verified(check("c1", verification), verdict=verdict)
    assert qualifies_for_retry(found, (claim("c1", "symptom"),), ceiling, tools, retries) == due


def test_an_uncritical_gap_is_none() -> None:
    """A gap on an observation beside a symptom starts no retry."""
    found = _verified(check("c1", "direct_observation"), check("c2", "unsupported"))
    assert retry_gaps(found, (claim("c1", "symptom"), claim("c2", "observation")), ("query_logs",)) == ()
