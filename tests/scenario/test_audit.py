"""What is kept of a run (spec S19-S28, S37, S50)."""

import pytest

from tests.scenario.story import (
    Story,
    binding,
    check,
    claim,
    evaluation,
    executor_output,
    passing,
    verdict,
)

BROKEN = {
    "planner": passing(planner=["no plan"]),
    "executor": passing(executor=["no contract"]),
    "gatekeeper": passing(executor=[executor_output(claim("c1", bindings=[binding("inv-404")]))]),
    "verifier": passing(verifier=["no", "no"]),
    "composer": passing(composer=["no"]),
}


@pytest.mark.spec("S19", "S07")
async def test_claim_checks_and_the_rest_are_persisted() -> None:
    """A completed Verifier leaves its checks, legacy facts, verdicts, score, rationale and verified material."""
    found = evaluation(await Story(passing()).told())
    expected = {
        "claim_checks",
        "facts_checked",
        "verifier_status",
        "model_verdict",
        "effective_verdict",
        "verdict",
        "groundedness_score",
        "critical_fact_count",
        "rationale",
        "verified_executor_output",
        "verified_evidence",
        "gatekeeper_result",
        "verdict_ceiling",
        "derivability_guard",
        "traceability_version",
        "prompt_audit",
        "composer_output",
        "evidence_retry_count",
    }
    assert expected <= set(found)
    assert found["verifier_status"] == "COMPLETED"


@pytest.mark.spec("S20")
async def test_composer_output_is_compact_and_a_handled_failure_is_visible() -> None:
    """The composition is kept by ids and counts; a template in the model's place gives its reason."""
    good = evaluation(await Story(passing()).told())["composer_output"]
    assert isinstance(good, dict)
    assert good["confirmed"] == ["c1"]
    record = await Story(passing(composer=["no json"])).told()
    bad = evaluation(record)["composer_output"]
    assert isinstance(bad, dict)
    assert bad["rendered_by"] == "template"
    assert str(bad["template_reason"]).startswith("composer.")
    assert {"claim_checks", "gatekeeper_result"} <= set(evaluation(record))


@pytest.mark.spec("S21", "S28")
async def test_the_verdict_stands_beside_the_other_channels() -> None:
    """`verifier_evaluation.verdict` is the effective verdict, and `rule_evaluation` is still there."""
    record = await Story(passing()).told()
    assert evaluation(record)["verdict"] == "PASS"
    assert set(record.self_evaluation) == {"rule_evaluation", "verifier_evaluation"}


async def test_a_run_that_an_alert_started_uses_the_alert_channel() -> None:
    """The rule-based score of an alert's run goes to `aiops_rule_evaluation`."""
    record = await Story(passing(), origin="alert").told()
    assert set(record.self_evaluation) == {"aiops_rule_evaluation", "verifier_evaluation"}


@pytest.mark.spec("S22", "S25")
@pytest.mark.parametrize("node", sorted(BROKEN))
async def test_every_handled_failure_keeps_status_and_prompts(node: str) -> None:
    """Whichever node fails, the evaluation holds a status, the prompts, and no made-up verdict."""
    record = await Story(BROKEN[node]).told()
    found = evaluation(record)
    audit = found["prompt_audit"]
    assert isinstance(audit, dict)
    assert isinstance(audit["prompts"], list)
    assert len(audit["prompts"]) == 4
    if node == "composer":
        assert found["verdict"] == "PASS"
    else:
        assert record.outcome == "FALLBACK"
        assert found["failure_reason"]
        assert {"model_verdict", "effective_verdict", "verdict"}.isdisjoint(found)


@pytest.mark.spec("S22")
async def test_a_gate_rejection_keeps_the_gate_audit() -> None:
    """A run that ended at the Gatekeeper still persists what the Gatekeeper found."""
    found = evaluation(await Story(BROKEN["gatekeeper"]).told())
    assert isinstance(found["gatekeeper_result"], dict)
    assert found["gatekeeper_result"]["failed_rules"] == ["evidence.invocation_ref"]


@pytest.mark.spec("S23", "S76", "S80", "S81")
@pytest.mark.parametrize("path", ["/series/0", None], ids=["pass", "fail"])
async def test_the_gate_result_is_kept_whole(path: str | None) -> None:
    """Status, severity, bindings, rules, failed rules, warnings, errors and the rule set version are persisted."""
    output = executor_output(claim("c1"), claim("c2", bindings=[binding(path=path)]))
    script = passing(executor=[output], verifier=[verdict(check("c1"), check("c2"))] if path else [verdict()])
    result = evaluation(await Story(script).told())["gatekeeper_result"]
    assert isinstance(result, dict)
    assert set(result) == {
        "status",
        "severity",
        "checked_bindings",
        "rules",
        "failed_rules",
        "warnings",
        "errors",
        "rule_set_version",
        "evidence_gaps",
    }
    assert result["status"] == ("pass" if path else "fail")
    assert isinstance(result["rules"], list)
    assert len(result["rules"]) >= 8


@pytest.mark.spec("S24")
async def test_prompts_are_named_and_versioned_but_never_stored() -> None:
    """The audit names a prompt per role with version and digest, and holds no prompt text."""
    audit = evaluation(await Story(passing()).told())["prompt_audit"]
    assert isinstance(audit, dict)
    assert audit["version"]
    assert isinstance(audit["prompts"], list)
    roles = [prompt["name"] for prompt in audit["prompts"] if isinstance(prompt, dict)]
    assert [str(name).split("-")[1] for name in roles] == ["planner", "executor", "verifier", "composer"]
    assert all(isinstance(prompt, dict) and set(prompt) == {"name", "version", "sha256"} for prompt in audit["prompts"])


@pytest.mark.spec("S26")
async def test_no_raw_executor_text_is_persisted() -> None:
    """The evaluation holds at most the projection: unprojected claims and the Executor's prose are gone."""
    output = executor_output(claim("c1"), claim("c2", "RAW-CLAIM-TEXT", bindings=[binding(path=None)]))
    record = await Story(passing(executor=[output | {"thoughts": "RAW-THOUGHTS"}])).told()
    text = record.model_dump_json()
    assert "RAW-CLAIM-TEXT" not in text
    assert "RAW-THOUGHTS" not in text
    found = evaluation(record)
    assert found["executor_structured_output"] == found["verified_executor_output"]
    assert "tool_trace_summary" not in found


@pytest.mark.spec("S37")
async def test_the_traceability_snapshot_is_what_the_verifier_used() -> None:
    """The persisted evidence snapshot equals what stood in the Verifier's message."""
    story = Story(passing())
    found = evaluation(await story.told())
    assert found["traceability_version"]
    assert found["verified_evidence"] == story.payload("verifier")["verified_evidence"]


@pytest.mark.spec("S50")
async def test_the_machine_contract_is_there_for_inspection_only() -> None:
    """The structured contract can be read in the evaluation while the answer shows none of it."""
    record = await Story(passing()).told()
    projection = evaluation(record)["verified_executor_output"]
    assert isinstance(projection, dict)
    assert projection["answer_version"] == "executor_evidence_v2"
    assert record.answer is not None
    assert "executor_evidence_v2" not in record.answer.text


async def test_a_session_keeps_the_channels_of_its_latest_run() -> None:
    """Two questions of one session share a session id and leave two records."""
    first = Story(passing(), session_id="thread-1")
    record = await first.told()
    assert record.session_id == "thread-1"
    assert [summary.run_id for summary in await first.store.recent(5, session_id="thread-1")] == ["run-1"]
