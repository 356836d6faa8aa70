"""The executor's rules: from evidence lines to claims, hypotheses and next steps."""

import json

import pytest

from engine.base import JsonObject
from engine.claim import Claim, ExecutorOutput
from engine.contracts.executor_evidence import read_executor_output
from engine.models.builtin.executor import conclude
from engine.verification.guard import GuardEvidence, GuardScope, judge
from tests.unit.models.builtin.evidence import call, edge, executor_payload, group, quiet, series, system

POOL = series(
    "payment-service", "db_pool_in_use", 10, 2.1, unit="connections", title="在用连接数", score=40
)  # fmt: skip
ERRORS = series("order-service", "http_error_ratio", 0.313, 0.002, score=90)
TIMEOUTS = group("payment-service", "/pay failed: PoolTimeout: couldn't get a connection", 412, 0)
REPORTED = group("order-service", "HttpServerErrorException: 503 from upstream", 380, 0)
DEPLOY: JsonObject = {
    "time": "2026-11-30T13:55:00+08:00", "service": "payment-service", "kind": "deploy", "summary": "v1.4.2 → v1.5.0",
}  # fmt: skip
RUNBOOK: JsonObject = {
    "chunk_id": "k1", "file": "db-pool.md", "heading": "数据库连接池耗尽", "line": 3, "text": "先看 max_connections 是否为 999",
}  # fmt: skip


def _output(payload: JsonObject) -> ExecutorOutput:
    return read_executor_output(json.dumps(conclude(payload), ensure_ascii=False))


def _incident(**changes: object) -> JsonObject:
    payload = executor_payload(
        call("query_metrics", POOL, ERRORS),
        call("query_logs", TIMEOUTS, REPORTED),
        call("query_changes", DEPLOY),
        call("lookup_knowledge", RUNBOOK),
    )
    return {**payload, **changes}  # pyright: ignore[reportReturnType]


def _texts(payload: JsonObject) -> dict[tuple[str, str], str]:
    calls = payload["invocations"]
    assert isinstance(calls, list)
    found: dict[tuple[str, str], str] = {}
    for item in calls:
        assert isinstance(item, dict)
        refs = item["evidence_refs"]
        assert isinstance(refs, list)
        for ref in refs:
            assert isinstance(ref, dict)
            found[str(item["invocation_id"]), str(ref["raw_path"])] = str(ref["text"])
    return found


@pytest.mark.spec("S44")
def test_the_output_holds_only_the_structured_fields() -> None:
    """The reply is one object with the contract's five fields and no finished prose."""
    assert list(conclude(_incident())) == [
        "answer_version", "claims", "hypotheses", "recommended_actions", "missing_info",
    ]  # fmt: skip


@pytest.mark.spec("S45")
@pytest.mark.spec("S46")
def test_every_claim_is_bound_to_the_lines_that_carry_it() -> None:
    """Each binding names its tool, call and path, and its excerpt is that line, letter by letter."""
    payload = _incident()
    texts = _texts(payload)
    claims = _output(payload).claims
    assert {binding.tool_name for item in claims for binding in item.evidence_bindings} == {
        "query_metrics", "query_logs", "query_changes",
    }  # fmt: skip
    for item in claims:
        assert item.evidence_bindings
        for binding in item.evidence_bindings:
            assert binding.source_type == "tool"
            assert binding.source_invocation_ids == (binding.source_invocation_id,)
            assert binding.evidence_excerpt == texts[str(binding.source_invocation_id), str(binding.raw_path)]


def test_every_claim_follows_from_its_lines() -> None:
    """The guard derives each claim from its excerpts: no number or name is the model's own."""
    payload = _incident()
    for item in _output(payload).claims:
        verdict = judge(item, _evidence(item), GuardScope(services=("payment-service", "order-service")))
        assert (verdict.outcome, item.claim_text) == ("derived", item.claim_text)


def _evidence(item: Claim) -> list[GuardEvidence]:
    return [
        GuardEvidence(
            text=binding.evidence_excerpt, context=binding.evidence_excerpt, tool_name=binding.tool_name
        )
        for binding in item.evidence_bindings
    ]  # fmt: skip


def test_a_root_cause_is_claimed_where_two_tools_carry_it() -> None:
    """Metrics and logs of one service make the claim, the deploy joins it, and no word says that one caused the other."""
    causes = [item for item in _output(_incident()).claims if item.claim_type == "root_cause"]
    assert len(causes) == 1
    assert {binding.tool_name for binding in causes[0].evidence_bindings} == {
        "query_metrics", "query_logs", "query_changes",
    }  # fmt: skip
    assert "在用连接数" in causes[0].claim_text
    assert "412" in causes[0].claim_text
    assert not any(word in causes[0].claim_text for word in ("导致", "引起", "因为"))


@pytest.mark.spec("S47")
def test_what_one_tool_alone_shows_is_a_hypothesis() -> None:
    """With logs alone nothing is claimed as root cause; the suspect stands under hypotheses."""
    output = _output(executor_payload(call("query_logs", TIMEOUTS)))
    assert [item.claim_type for item in output.claims if item.claim_type == "root_cause"] == []
    assert [item.service for item in output.hypotheses] == ["payment-service"]


@pytest.mark.spec("S48")
def test_a_runbook_guides_and_is_no_fact() -> None:
    """Its heading is among the next steps; no claim is bound to it or repeats its number."""
    output = _output(_incident())
    assert any("数据库连接池耗尽" in action and "db-pool.md" in action for action in output.recommended_actions)
    assert not any("999" in item.claim_text for item in output.claims)
    assert all(
        binding.tool_name != "lookup_knowledge" for item in output.claims for binding in item.evidence_bindings
    )  # fmt: skip


def test_the_callee_that_explains_its_callers_comes_first() -> None:
    """The caller's failures are louder, and still the callee's own resource ranks above them."""
    output = _output(_incident())
    assert [item.service for item in output.hypotheses] == ["payment-service", "order-service"]
    assert output.hypotheses[0].score == 1.0


def test_hypotheses_rest_on_claims() -> None:
    """Each hypothesis names claims of the same output."""
    output = _output(_incident())
    known = {item.claim_id for item in output.claims}
    assert all(item.based_on and set(item.based_on) <= known for item in output.hypotheses)


def test_the_service_that_was_asked_about_is_described_beside_the_suspect() -> None:
    """Who asks about the caller reads what is seen there, as a symptom."""
    output = _output(_incident(question="order-service 为什么报错？"))
    symptoms = [item.claim_text for item in output.claims if item.claim_type == "symptom"]
    assert any("order-service" in text and "31.3%" in text for text in symptoms)


def test_no_text_is_claimed_twice() -> None:
    """What is an impact and a suspect's evidence at once is one claim."""
    texts = [item.claim_text for item in _output(_incident(question="order-service 为什么报错？")).claims]
    assert len(texts) == len(set(texts))


def test_a_broad_answer_stays_short() -> None:
    """However much departs, at most eight claims and five hypotheses come of it."""
    names: dict[str, list[str]] = {f"s{number}_service": [] for number in range(20)}
    rows = [series(name.replace("_", "-"), "http_error_ratio", 0.5, 0.0) for name in names]
    output = _output(executor_payload(call("query_metrics", *rows), services=system(**names)))
    assert len(output.claims) <= 8
    assert len(output.hypotheses) == 5


def test_a_quiet_system_is_said_to_be_quiet() -> None:
    """Complete results without a finding become negative observations, and nobody is suspected."""
    output = _output(executor_payload(*quiet()))
    assert {item.claim_type for item in output.claims} == {"negative_observation"}
    assert output.hypotheses == ()


def test_an_incomplete_result_carries_no_absence() -> None:
    """What was cut off is not said to hold nothing."""
    assert _output(executor_payload(*quiet(complete=False))).claims == ()


def test_weak_departures_alone_accuse_nobody() -> None:
    """One series a little beyond its range is what every day looks like."""
    weak = series("payment-service", "http_latency_p95_seconds", 0.05, 0.03, unit="seconds", title="延迟", score=3.2)
    assert _output(executor_payload(*quiet(), call("query_metrics", weak))).hypotheses == ()


def test_a_change_alone_accuses_nobody() -> None:
    """A deploy without anything unusual is no suspect."""
    assert _output(executor_payload(*quiet(), call("query_changes", DEPLOY))).hypotheses == ()


def test_a_failed_call_is_said() -> None:
    """What could not be asked is missing information."""
    output = _output(_incident(invocations=[*quiet(), call("query_traces", status="failed")]))
    assert any("query_traces" in item for item in output.missing_info)


def test_a_slow_network_blames_the_callee_and_not_who_waits() -> None:
    """A wait beyond the callee's own time makes the callee the suspect."""
    payload = executor_payload(
        call("query_traces", edges=[edge("order-service", "payment-service", wait=(1003, 2), wait_score=117)])
    )
    output = _output(payload)
    assert [item.service for item in output.hypotheses] == ["payment-service"]
    assert "order-service 调用 payment-service" in output.claims[0].claim_text


NARROW = [
    (
        "payment-service 现在错误率多少？",
        call(
            "query_metrics",
            series("payment-service", "http_error_ratio", 0.0127, 0.012, direction="flat", score=0.4),
            summary={"services": "payment-service", "matched_series": 1},
            arguments={"service": "payment-service", "signal": "http_error_ratio"},
        ),
        "negative_observation",
        ["1.27%", "没有明显上升"],
    ),
    (
        "payment-service 连接数高吗",
        call(
            "query_metrics",
            POOL,
            ERRORS,
            summary={"services": "payment-service", "matched_series": 2},
            arguments={"service": "payment-service"},
        ),
        "observation",
        ["在用连接数", "10", "2.1", "上升"],
    ),
    (
        "payment-service 有没有告警",
        call(
            "query_alerts",
            summary={"services": "payment-service", "total": 0, "firing": 0, "complete": True},
            arguments={"service": "payment-service"},
            status="empty",
        ),
        "negative_observation",
        ["没有", "告警"],
    ),
    (
        "payment-service 有错误日志吗",
        call(
            "query_logs",
            TIMEOUTS,
            summary={"services": "payment-service", "total": 1200, "errors": 412, "matched_streams": True},
            arguments={"service": "payment-service"},
        ),
        "observation",
        ["1200", "412"],
    ),
]


@pytest.mark.spec("S79")
@pytest.mark.parametrize(("question", "made", "claim_type", "words"), NARROW)
def test_a_narrow_question_gets_one_observation(
    question: str, made: JsonObject, claim_type: str, words: list[str]
) -> None:
    """The figure that was asked for, no root cause, no next steps, nothing of other topics."""
    output = _output(executor_payload(made, question=question, scope="narrow"))
    assert [item.claim_type for item in output.claims] == [claim_type]
    assert all(word in output.claims[0].claim_text for word in words)
    assert output.hypotheses == ()
    assert output.recommended_actions == ()


def test_a_narrow_question_for_what_is_not_measured_gets_no_other_figure() -> None:
    """Where no series fits the topic, an unrelated one does not stand in."""
    made = call("query_metrics", ERRORS, summary={"services": "order-service", "matched_series": 1})
    assert _output(executor_payload(made, question="order-service 内存多少", scope="narrow")).claims == ()
