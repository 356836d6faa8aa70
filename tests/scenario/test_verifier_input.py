"""What the Verifier may see, and nothing else (spec S05, S30-S34, S73)."""

import json

import pytest

from engine.base import JsonObject
from engine.errors import SourceUnavailable
from tests.fakes import FixedTool
from tests.scenario.story import (
    CPU,
    LOG,
    Story,
    binding,
    check,
    claim,
    evaluation,
    executor_output,
    log_binding,
    logs_tool,
    metrics_tool,
    passing,
    plan,
    verdict,
)

KEYS = {"diagnosis_context", "verified_executor_output", "verified_evidence", "gatekeeper_audit", "verdict_ceiling"}


@pytest.mark.spec("S30")
async def test_the_payload_has_exactly_the_five_blocks() -> None:
    """Before a retry the Verifier's message is one JSON object with the five explicit blocks."""
    story = Story(passing())
    await story.told()
    assert set(story.payload("verifier")) == KEYS


@pytest.mark.spec("S30")
async def test_retry_context_appears_only_after_the_retry() -> None:
    """`retry_context` is added by the evidence retry and by nothing else."""
    weak = verdict(check("c1", "unsupported"), verdict="LOW_CONFID", score=0.0)
    story = Story(
        passing(
            planner=[plan("query_metrics"), plan("query_logs")],
            executor=[executor_output(), executor_output()],
            verifier=[weak, verdict()],
        )
    )
    await story.told()
    assert set(story.payload("verifier", 0)) == KEYS
    assert set(story.payload("verifier", 1)) == KEYS | {"retry_context"}


@pytest.mark.spec("S31", "S73")
async def test_no_raw_or_intermediate_material_reaches_the_verifier() -> None:
    """Plans, unreferenced tool output, prose and trace summaries stay out of the Verifier's message."""
    talkative = executor_output(missing_info=["MISSING-NOTE"]) | {"chain_of_thought": "SECRET-REASONING"}
    script = passing(
        planner=[plan() | {"intent": "PLANNER-INTENT"}],
        executor=[talkative],
    )
    unreferenced: JsonObject = {"summary": {"services": "payment-service"}, "note": "UNREFERENCED-OUTPUT"}
    extra = FixedTool("query_logs", unreferenced, ("/summary", "/note"))
    story = Story(script, tools=(metrics_tool(), extra))
    await story.told()
    sent = story.model.calls("verifier")[0].payload
    for private in ("PLANNER-INTENT", "SECRET-REASONING", "UNREFERENCED-OUTPUT", "tool_trace_summary"):
        assert private not in sent


@pytest.mark.spec("S32", "S59")
async def test_only_passed_bindings_go_along() -> None:
    """A claim keeps its passed binding alone, a claim without one is not projected, and no failed text leaks."""
    bad = log_binding(excerpt="payment-service 已确认被黑客攻击 FORGED")
    mixed = executor_output(
        claim("c1", bindings=[binding(), binding(path=None, excerpt="PATHLESS-EXCERPT")]),
        claim("c2", "payment-service 日志异常", bindings=[binding(path=None, excerpt="OTHER-PATHLESS")]),
    )
    story = Story(passing(executor=[mixed]))
    await story.told()
    sent = story.payload("verifier")
    output = sent["verified_executor_output"]
    assert isinstance(output, dict)
    assert isinstance(output["claims"], list)
    assert [item["claim_id"] for item in output["claims"] if isinstance(item, dict)] == ["c1"]
    text = json.dumps(sent, ensure_ascii=False)
    assert "PATHLESS" not in text
    rejected = Story(passing(executor=[executor_output(claim("c1"), claim("c2", bindings=[bad]))]))
    await rejected.told()
    assert rejected.model.calls("verifier") == []


@pytest.mark.spec("S33")
async def test_evidence_keeps_its_precise_reference() -> None:
    """Each evidence item carries claim, invocation, tool, path and the matched text."""
    output = executor_output(
        claim("c1"), claim("c2", "payment-service 的 ERROR 日志出现 412 次", bindings=[log_binding()])
    )
    story = Story(passing(executor=[output], verifier=[verdict(check("c1"), check("c2", "unsupported"))]))
    await story.told()
    assert story.payload("verifier")["verified_evidence"] == [
        {
            "claim_id": "c1",
            "source_invocation_id": "inv-1",
            "tool_name": "query_metrics",
            "raw_path": "/series/0",
            "matched_text": CPU,
        },
        {
            "claim_id": "c2",
            "source_invocation_id": "inv-2",
            "tool_name": "query_logs",
            "raw_path": "/groups/0",
            "matched_text": LOG,
        },
    ]


@pytest.mark.spec("S34")
async def test_the_audit_and_the_ceiling_stand_side_by_side() -> None:
    """The raw Gatekeeper audit and the normalised ceiling are separate blocks."""
    mixed = executor_output(claim("c1"), claim("c2", bindings=[binding(path=None)]))
    story = Story(passing(executor=[mixed]))
    await story.told()
    sent = story.payload("verifier")
    audit = sent["gatekeeper_audit"]
    assert sent["verdict_ceiling"] == "LOW_CONFID"
    assert isinstance(audit, dict)
    assert (audit["status"], audit["severity"]) == ("fail", "low_confid")
    assert audit["failed_rules"] == ["evidence.raw_path_missing"]


@pytest.mark.spec("S38", "S39")
async def test_failed_and_repeated_calls_are_visible_as_gaps() -> None:
    """The Verifier sees failed calls and deduplicated retrievals as gaps, never as support."""
    down = FixedTool("query_logs", error=SourceUnavailable("connection refused"))
    again = FixedTool("lookup_knowledge", {"chunks": []}, status="deduped")
    script = passing(planner=[plan("query_metrics", "query_logs", "lookup_knowledge")])
    story = Story(script, tools=(metrics_tool(), down, again))
    record = await story.told()
    audit = story.payload("verifier")["gatekeeper_audit"]
    assert isinstance(audit, dict)
    assert isinstance(audit["evidence_gaps"], list)
    kinds = [(gap["kind"], gap["tool_name"]) for gap in audit["evidence_gaps"] if isinstance(gap, dict)]
    assert kinds == [("failed_call", "query_logs"), ("deduped_retrieval", "lookup_knowledge")]
    assert record.outcome == "PASS"


@pytest.mark.spec("S05", "S36")
@pytest.mark.parametrize(
    "ref",
    [{"raw_path": "/series/9"}, {"source_invocation_ids": ["inv-9"]}, {"tool_name": "query_logs"}],
    ids=["path", "invocation", "tool"],
)
async def test_a_direct_observation_without_a_matching_reference_is_lowered(ref: JsonObject) -> None:
    """A check whose reference names nothing verified loses the reference, and its class with it."""
    story = Story(
        passing(
            planner=[plan(), plan()],
            executor=[executor_output(), executor_output()],
            verifier=[verdict(check("c1", **ref)), verdict(check("c1", **ref))],
        )
    )
    record = await story.told()
    (found,) = evaluation(record)["claim_checks"]  # type: ignore[misc]
    assert isinstance(found, dict)
    assert (found["verification"], found["evidence_refs"]) == ("unsupported", [])
    assert record.answer is not None
    assert record.answer.confirmed == ()


@pytest.mark.spec("S05")
async def test_the_verifier_cannot_add_claims() -> None:
    """A check for a claim that was not projected makes the reply invalid; nothing of it is used."""
    story = Story(passing(verifier=[verdict(check("c1"), check("c7")), verdict()]))
    record = await story.told()
    assert [event.status for event in record.events if event.node == "verifier"] == ["failed", "ok"]
    assert record.answer is not None
    assert [fact.claim_id for fact in record.answer.confirmed] == ["c1"]


async def test_log_and_metric_tools_give_what_stories_quote() -> None:
    """The excerpts that stories quote are the tools' own lines."""
    record = await Story(passing(), tools=(metrics_tool(), logs_tool())).told()
    lines = [ref.text for invocation in record.invocations for ref in invocation.evidence_refs]
    assert CPU in lines
    assert LOG in lines
