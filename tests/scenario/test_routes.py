"""Every route through the graph (spec S06, S13-S18, S22, S35, S51, S52, S58, S59, S74)."""

import pytest

from engine.base import JsonObject, JsonValue
from engine.errors import BadModelOutput, ModelUnavailable, SourceUnavailable
from engine.invocation import ToolCall
from engine.ports import ModelReply
from tests.fakes import FixedTool
from tests.scenario.story import (
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

FORWARD = ["planner", "executor", "gatekeeper", "verifier", "composer"]


@pytest.mark.spec("S13")
async def test_pass_goes_to_the_composer() -> None:
    """PASS is worded by the Composer, which never sees what the Executor wrote beyond the projection."""
    spoken = executor_output(missing_info=["需要看慢查询"])
    story = Story(passing(executor=[spoken]))
    record = await story.told()
    assert story.nodes == FORWARD
    assert record.outcome == "PASS"
    parts = {"question", "verdict", "claims", "possible", "gaps", "next_steps", "draft"}
    assert set(story.payload("composer")) == parts


@pytest.mark.spec("S13", "S54", "S53")
async def test_a_removed_answer_field_never_reaches_the_reader() -> None:
    """`user_facing_answer` in the Executor's object is refused by the Gatekeeper and shown to nobody."""
    smuggled = executor_output() | {"user_facing_answer": "根因是火星磁暴"}
    story = Story(passing(executor=[smuggled]))
    record = await story.told()
    result = evaluation(record)["gatekeeper_result"]
    assert isinstance(result, dict)
    assert result["failed_rules"] == ["schema.executor_v2"]
    assert record.outcome != "PASS"
    assert "火星" not in record.model_dump_json()


@pytest.mark.spec("S14")
async def test_low_confidence_under_a_low_ceiling_gets_no_retry() -> None:
    """Where the ceiling is LOW_CONFID, more evidence cannot help, and the Composer takes over."""
    mixed = executor_output(claim("c1"), claim("c2", bindings=[binding(path=None)]))
    story = Story(passing(executor=[mixed], verifier=[verdict(check("c1", "unsupported"), verdict="LOW_CONFID")]))
    record = await story.told()
    assert story.nodes == FORWARD
    assert record.outcome == "LOW_CONFID"
    assert evaluation(record)["evidence_retry_count"] == 0


@pytest.mark.spec("S14")
async def test_inference_only_is_no_gap_that_a_tool_could_fill() -> None:
    """LOW_CONFID without an unsupported critical claim gets no retry."""
    story = Story(passing(verifier=[verdict(check("c1", "reasonable_inference"), verdict="LOW_CONFID")]))
    await story.told()
    assert story.nodes == FORWARD


@pytest.mark.spec("S14", "S15")
async def test_one_retry_and_no_more() -> None:
    """A critical gap under a PASS ceiling starts one second cycle in EVIDENCE_GAP_ONLY mode, never a third."""
    weak = verdict(check("c1", "unsupported"), verdict="LOW_CONFID", score=0.0)
    story = Story(
        passing(
            planner=[plan("query_metrics"), plan("query_logs")],
            executor=[executor_output(), executor_output()],
            verifier=[weak, weak],
        )
    )
    record = await story.told()
    assert story.nodes == [*FORWARD[:4], "evidence_retry", *FORWARD]
    assert evaluation(record)["evidence_retry_count"] == 1
    assert record.outcome == "LOW_CONFID"
    second = story.payload("planner", 1)
    assert second["mode"] == "EVIDENCE_GAP_ONLY"
    assert "question" not in second
    assert {invocation.cycle for invocation in record.invocations} == {0, 1}


@pytest.mark.spec("S15")
async def test_the_retry_answers_over_old_and_new_evidence() -> None:
    """After the retry the Executor sees both cycles' evidence and may pass on the new one."""
    weak = verdict(check("c1", "unsupported"), verdict="LOW_CONFID", score=0.0)
    better = executor_output(claim("c9", "payment-service 的 ERROR 日志出现 412 次", bindings=[log_binding("inv-2")]))
    strong = verdict(
        check("c9", tool_name="query_logs", raw_path="/groups/0", source_invocation_ids=["inv-2"], claim_id="c9")
    )
    story = Story(
        passing(
            planner=[plan("query_metrics"), plan("query_logs")],
            executor=[executor_output(), better],
            verifier=[weak, strong],
        )
    )
    record = await story.told()
    seen = story.payload("executor", 1)["invocations"]
    assert isinstance(seen, list)
    assert [item["invocation_id"] for item in seen if isinstance(item, dict)] == ["inv-1", "inv-2"]
    assert record.outcome == "PASS"
    assert "retry_context" in story.payload("verifier", 1)


@pytest.mark.spec("S17", "S64")
async def test_reject_is_bounded() -> None:
    """REJECT says that no reliable conclusion stands, names no root cause and uses no model wording."""
    text = "payment-service 的 CPU 使用率均值 92%，ERROR 日志 PoolTimeout 出现 412 次"
    cause = claim("c2", text, "root_cause", [binding(), log_binding()])
    whole: list[JsonValue] = [{"claim_id": "c2"}]
    found: JsonObject = {**check("c2"), "evidence_refs": whole}
    script = passing(
        executor=[executor_output(claim("c1"), cause)],
        verifier=[verdict(check("c1", "contradicted"), found, verdict="REJECT")],
    )
    story = Story(script)
    record = await story.told()
    checks = evaluation(record)["claim_checks"]
    assert isinstance(checks, list)
    assert [item["verification"] for item in checks if isinstance(item, dict)] == ["contradicted", "direct_observation"]
    assert record.answer is not None
    assert record.outcome == "REJECT"
    assert "无法给出可靠结论" in record.answer.text
    assert "PoolTimeout" not in record.answer.text
    assert record.answer.confirmed == ()
    assert record.hypotheses == ()
    assert story.model.calls("composer") == []


@pytest.mark.spec("S18", "S22")
@pytest.mark.parametrize(
    ("lines", "calls"),
    [
        (["no json", "still none"], 2),
        ([ModelUnavailable("503", retryable=True), ModelUnavailable("503", retryable=True)], 2),
        ([ModelUnavailable("401", retryable=False)], 1),
        ([BadModelOutput("blank", "empty reply"), ModelUnavailable("timeout", retryable=True)], 2),
    ],
    ids=["invalid twice", "retryable twice", "not retryable", "mixed"],
)
async def test_a_failed_verifier_gives_no_verdict(lines: list[str | Exception], calls: int) -> None:
    """When the Verifier gives no legal reply the run ends in Fallback and no verdict stands anywhere."""
    story = Story(passing(verifier=lines))
    record = await story.told()
    found = evaluation(record)
    assert len(story.model.calls("verifier")) == calls
    assert record.outcome == "FALLBACK"
    assert found["verifier_status"] == "FAILED"
    assert {"model_verdict", "effective_verdict", "verdict"}.isdisjoint(found)
    assert [event.status for event in record.events if event.node == "verifier"] == ["failed"] * calls


@pytest.mark.spec("S35")
async def test_the_technical_retry_is_byte_identical() -> None:
    """A second Verifier attempt gets the very same bytes; nothing else runs again."""
    story = Story(passing(verifier=["```json\n{}\n```", verdict()]))
    record = await story.told()
    first, second = story.model.calls("verifier")
    assert first.payload.encode() == second.payload.encode()
    assert len(story.model.calls("executor")) == 1
    assert [len(tool.calls) for tool in story.tools] == [1, 1]
    assert record.outcome == "PASS"
    attempts = [(event.attempt, event.status) for event in record.events if event.node == "verifier"]
    assert attempts == [(1, "failed"), (2, "ok")]


@pytest.mark.spec("S06", "S51", "S52")
@pytest.mark.parametrize(
    "text",
    ["", "对不起，我不知道", "[1, 2]", '{"answer_version": "v1"}', '{"answer_version": "executor_evidence_v2"}'],
    ids=["blank", "prose", "list", "old version", "missing lists"],
)
async def test_malformed_executor_output_goes_straight_to_fallback(text: str) -> None:
    """INVALID_OUTPUT skips Gatekeeper, Verifier and Composer, and stays visible in events and evaluation."""
    story = Story(passing(executor=[text]))
    record = await story.told()
    found = evaluation(record)
    assert story.nodes == ["planner", "executor", "fallback"]
    assert record.outcome == "FALLBACK"
    assert str(found["failure_reason"]).startswith("executor.invalid_output")
    assert found["verifier_status"] == "SKIPPED"
    assert [event.reason for event in record.events if event.node == "executor"] == [found["failure_reason"]]
    assert "verdict" not in found


@pytest.mark.spec("S58", "S74", "S55")
async def test_a_fabricated_invocation_bypasses_the_verifier() -> None:
    """A binding to an invocation that never happened rejects the run before any verdict."""
    lie = executor_output(claim("c1", bindings=[binding("inv-404")]))
    story = Story(passing(executor=[lie]))
    record = await story.told()
    found = evaluation(record)
    assert story.nodes == ["planner", "executor", "gatekeeper", "fallback"]
    assert isinstance(found["gatekeeper_result"], dict)
    assert found["gatekeeper_result"]["severity"] == "reject"
    assert {"model_verdict", "effective_verdict", "verdict"}.isdisjoint(found)


async def test_low_confidence_with_nothing_projected_has_nothing_to_verify() -> None:
    """A run whose only binding lacks its path ends in Fallback, without a verdict."""
    story = Story(passing(executor=[executor_output(claim("c1", bindings=[binding(path=None)]))]))
    record = await story.told()
    assert story.nodes == ["planner", "executor", "gatekeeper", "fallback"]
    assert "effective_verdict" not in evaluation(record)


@pytest.mark.parametrize(
    "line", ["not a plan", ModelUnavailable("connection refused", retryable=True)], ids=["bad", "down"]
)
async def test_a_failed_planner_goes_to_fallback(line: str | Exception) -> None:
    """Without a plan nothing is gathered and the answer says so."""
    story = Story(passing(planner=[line]))
    record = await story.told()
    assert story.nodes == ["planner", "fallback"]
    assert record.outcome == "FALLBACK"
    assert record.answer is not None
    assert "没有形成可靠结论" in record.answer.text


@pytest.mark.parametrize(
    "line",
    ["not json", ModelUnavailable("503", retryable=True), '{"conclusion": "CPU 使用率均值 97%"}'],
    ids=["bad", "down", "invented number"],
)
async def test_a_failed_composer_is_replaced_by_the_template(line: str | Exception) -> None:
    """The template renders the same material, and the reason can be read in the trace."""
    record = await Story(passing(composer=[line])).told()
    assert record.answer is not None
    assert record.outcome == "PASS"
    assert record.answer.rendered_by == "template"
    assert "92%" in record.answer.text
    assert "97%" not in record.answer.text
    (event,) = [event for event in record.events if event.node == "composer"]
    assert str(event.reason).startswith("composer.")


async def test_a_failing_tool_costs_a_gap_and_not_the_run() -> None:
    """A source that is down leaves its failed invocation; the rest of the run goes on."""
    down = FixedTool("query_logs", error=SourceUnavailable("loki: connection refused"))
    record = await Story(passing(), tools=(metrics_tool(), down)).told()
    assert record.outcome == "PASS"
    assert [invocation.status for invocation in record.invocations] == ["ok", "failed"]
    assert record.answer is not None
    assert any("query_logs" in gap for gap in record.answer.gaps)


async def test_the_model_may_ask_for_more_within_bounds() -> None:
    """Tool calls that the model asks for are made, answered with refs, and numbered on."""
    more = ModelReply(tool_calls=(ToolCall(tool="query_logs", arguments={"level": "ERROR"}, call_id="t1"),))
    story = Story(passing(planner=[plan("query_metrics")], executor=[more, executor_output()]))
    record = await story.told()
    assert [invocation.id for invocation in record.invocations] == ["inv-1", "inv-2"]
    (turn,) = story.model.calls("executor")[1].turns
    assert '"invocation_id":"inv-2"' in turn.results[0]
    assert record.outcome == "PASS"


async def test_a_model_that_never_stops_asking_is_stopped() -> None:
    """After the allowed rounds a further tool call is invalid output."""
    asks = [
        ModelReply(tool_calls=(ToolCall(tool="query_logs", arguments={"contains": str(number)}),))
        for number in range(9)
    ]
    story = Story(passing(planner=[plan("query_metrics")], executor=asks))
    record = await story.told()
    assert record.outcome == "FALLBACK"
    assert record.fallback_reason == "executor.invalid_output.tool_rounds"
    assert len(story.model.calls("executor")) == story.budget.tool_rounds + 1


async def test_an_internal_defect_ends_in_an_answer() -> None:
    """An unforeseen error inside a node routes to Fallback instead of silence."""
    story = Story(passing(verifier=[ValueError("a defect")]))
    record = await story.told()
    assert record.outcome == "FALLBACK"
    assert record.fallback_reason == "internal.ValueError"


async def test_logs_and_metrics_may_carry_a_root_cause_together() -> None:
    """A root cause that two different tools carry may be confirmed."""
    cause = claim(
        "c2",
        "payment-service 的 CPU 使用率均值 92%，ERROR 日志 PoolTimeout 出现 412 次",
        "root_cause",
        [binding(), log_binding()],
    )
    refs: dict[str, object] = {"tool_name": None, "source_invocation_ids": [], "raw_path": None, "claim_id": "c2"}
    script = passing(
        executor=[executor_output(claim("c1"), cause)], verifier=[verdict(check("c1"), check("c2", **refs))]
    )
    record = await Story(script, tools=(metrics_tool(), logs_tool())).told()
    assert record.answer is not None
    assert "c2" in [fact.claim_id for fact in record.answer.confirmed]
