"""What verdict a run comes to (spec S01-S04, S74, S75)."""

import pytest

from tests.scenario.story import Story, binding, check, claim, evaluation, executor_output, passing, plan, verdict

TWO = executor_output(claim("c1"), claim("c2", "payment-service 的 CPU 使用率高于基线均值 21%"))


@pytest.mark.spec("S01")
async def test_pass_when_every_critical_claim_is_carried() -> None:
    """A run whose critical claims are all directly observed, under a PASS ceiling, ends in PASS."""
    record = await Story(passing(executor=[TWO], verifier=[verdict(check("c1"), check("c2"))])).told()
    found = evaluation(record)
    assert record.outcome == "PASS"
    assert found["verdict_ceiling"] == "PASS"
    assert isinstance(found["groundedness_score"], float)
    assert found["groundedness_score"] >= 0.5


@pytest.mark.spec("S01")
async def test_pass_with_one_direct_and_one_inferred_claim() -> None:
    """An inference beside a direct observation does not prevent PASS."""
    checks = verdict(check("c1"), check("c2", "reasonable_inference"))
    record = await Story(passing(executor=[TWO], verifier=[checks])).told()
    assert record.outcome == "PASS"
    assert record.answer is not None
    assert [fact.claim_id for fact in record.answer.confirmed] == ["c1"]


@pytest.mark.spec("S02")
@pytest.mark.parametrize("weak", ["unsupported", "external_unknown", "overstated"])
async def test_a_critical_claim_that_is_not_carried_caps_the_verdict(weak: str) -> None:
    """One critical claim unsupported, unknown or overstated gives LOW_CONFID, even if the model says PASS."""
    checks = verdict(check("c1"), check("c2", weak))
    script = passing(planner=[plan(), plan()], executor=[TWO, TWO], verifier=[checks, checks])
    record = await Story(script).told()
    assert record.outcome == "LOW_CONFID"
    assert evaluation(record)["model_verdict"] == "PASS"


@pytest.mark.spec("S03")
async def test_inference_alone_is_low_confidence() -> None:
    """Critical claims that are all only inferred give LOW_CONFID."""
    checks = verdict(check("c1", "reasonable_inference"), check("c2", "reasonable_inference"))
    record = await Story(passing(executor=[TWO], verifier=[checks])).told()
    assert record.outcome == "LOW_CONFID"
    assert evaluation(record)["effective_verdict"] == "LOW_CONFID"


@pytest.mark.spec("S04", "S11", "S16")
async def test_a_contradicted_critical_claim_is_rejected_without_a_retry() -> None:
    """A contradiction of a critical claim gives REJECT with score 0 and no second cycle."""
    story = Story(passing(executor=[TWO], verifier=[verdict(check("c1"), check("c2", "contradicted"))]))
    record = await story.told()
    assert record.outcome == "REJECT"
    assert evaluation(record)["groundedness_score"] == 0.0
    assert story.nodes == ["planner", "executor", "gatekeeper", "verifier", "composer"]


@pytest.mark.spec("S04")
async def test_a_number_that_the_evidence_refutes_is_rejected_whatever_the_model_says() -> None:
    """A claim of 超过 95% over evidence of 92% is contradicted by code although the model passed it."""
    lie = executor_output(claim("c1", "payment-service 的 CPU 使用率均值超过 95%"))
    record = await Story(passing(executor=[lie])).told()
    assert record.outcome == "REJECT"
    assert evaluation(record)["model_verdict"] == "PASS"


@pytest.mark.spec("S04", "S72")
async def test_a_fabricated_entity_is_never_confirmed() -> None:
    """A service that the evidence does not know cannot be confirmed, whatever the model says."""
    lie = executor_output(claim("c1", "billing-gateway-x9 的 CPU 使用率均值 92%"))
    script = passing(planner=[plan(), plan()], executor=[lie, lie], verifier=[verdict(), verdict()])
    record = await Story(script).told()
    assert record.outcome in {"LOW_CONFID", "REJECT"}
    assert record.answer is not None
    assert record.answer.confirmed == ()
    assert "billing-gateway-x9" not in record.answer.text


@pytest.mark.spec("S72")
async def test_words_that_stand_in_the_excerpt_may_be_a_direct_observation() -> None:
    """A claim whose concrete facts stand in its excerpt stays a direct observation."""
    record = await Story(passing()).told()
    checks = evaluation(record)["claim_checks"]
    assert isinstance(checks, list)
    assert isinstance(checks[0], dict)
    assert checks[0]["verification"] == "direct_observation"


@pytest.mark.spec("S75", "S34", "S59")
async def test_a_low_confidence_gate_prevents_pass() -> None:
    """One binding without a path caps the verdict although the Verifier passed what was left."""
    mixed = executor_output(claim("c1"), claim("c2", bindings=[binding(path=None)]))
    record = await Story(passing(executor=[mixed])).told()
    found = evaluation(record)
    assert (found["model_verdict"], found["verdict_ceiling"]) == ("PASS", "LOW_CONFID")
    assert found["effective_verdict"] == "LOW_CONFID"
    assert record.outcome == "LOW_CONFID"
