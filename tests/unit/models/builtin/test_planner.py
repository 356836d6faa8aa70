"""The planner's rules."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonObject
from engine.contracts.planner_plan import read_plan
from engine.models.builtin.planner import plan
from engine.plan import Plan

KINDS = ["metrics", "logs", "alerts", "changes", "traces", "knowledge"]

SERVICES: list[JsonObject] = [
    {"name": "payment-service", "aliases": ["支付服务"], "depends_on": []},
    {"name": "order-service", "aliases": [], "depends_on": ["payment-service"]},
    {"name": "ts-gateway-service", "aliases": [], "depends_on": []},
]
SIGNALS = [
    "http_error_ratio", "http_latency_p50_seconds", "http_latency_p95_seconds", "process_cpu_usage_ratio",
    "db_pool_usage_ratio", "db_pool_in_use", "process_memory_bytes",
]  # fmt: skip


def _plan(question: str, kinds: list[str] = KINDS, signals: list[str] = SIGNALS) -> Plan:
    payload: dict[str, Any] = {
        "mode": "FULL",
        "question": question,
        "services": SERVICES,
        "signals": [{"name": name, "title": name, "unit": "ratio", "worse": "up"} for name in signals],
        "sources": kinds,
    }
    return read_plan(json.dumps(plan(payload)), mode="FULL")


@pytest.mark.parametrize(
    ("question", "tool", "arguments"),
    [
        (
            "payment-service 现在错误率多少？",
            "query_metrics",
            {"service": "payment-service", "signal": "http_error_ratio"},
        ),
        ("支付服务 CPU 高吗", "query_metrics", {"service": "payment-service", "signal": "process_cpu_usage_ratio"}),
        ("payment-service 的连接池使用率高吗？", "query_metrics",
         {"service": "payment-service", "signal": "db_pool_usage_ratio"}),
        ("order-service p50 延迟多少", "query_metrics",
         {"service": "order-service", "signal": "http_latency_p50_seconds"}),
        ("order-service 延迟多少", "query_metrics", {"service": "order-service", "signal": "http_latency_p95_seconds"}),
        ("payment-service 有没有告警", "query_alerts", {"service": "payment-service"}),
        ("最近有没有发布", "query_changes", {}),
        ("what is the error rate of paymentservice", "query_metrics",
         {"service": "payment-service", "signal": "http_error_ratio"}),
    ],
)  # fmt: skip
@pytest.mark.spec("S79")
def test_a_question_for_one_figure_is_narrow(question: str, tool: str, arguments: JsonObject) -> None:
    """One figure of one service is one call, to the tool and signal that the words name."""
    made = _plan(question)
    assert made.scope == "narrow"
    assert [(step.tool, step.arguments) for step in made.steps] == [(tool, arguments)]


@pytest.mark.parametrize(
    "question",
    [
        "payment-service 为什么报错？",
        "哪个服务的错误率最高",
        "订票变慢，定位一下根因",
        "why is checkout slow",
        "系统不太对劲",
        "可用率下降, 帮忙找一下原因",
        "17:48 左右是不是有故障? 请给出证据",
    ],
)
def test_a_question_for_what_is_wrong_is_broad(question: str) -> None:
    """Why, where and which look at every kind of telemetry, over all services."""
    made = _plan(question)
    assert made.scope == "broad"
    everywhere = {step.tool for step in made.steps if not step.arguments}
    assert everywhere == {"query_metrics", "query_logs", "query_alerts", "query_changes", "query_traces"}
    assert len(made.steps) <= 10


def test_only_tools_with_a_source_are_planned() -> None:
    """A system with metrics alone gets calls for metrics alone."""
    assert {step.tool for step in _plan("为什么报错", kinds=["metrics"]).steps} == {"query_metrics"}


def test_failures_are_asked_for_by_name() -> None:
    """A small drop in availability must not fall behind the bound of the list over all signals."""
    signals = [f"latency_p{share}_seconds" for share in range(50, 60)]
    made = _plan("为什么报错", signals=[*signals, "availability_ratio"])
    assert {"signal": "availability_ratio"} in [step.arguments for step in made.steps]


@pytest.mark.parametrize(
    ("question", "services"),
    [
        ("payment-service 为什么报错", ("payment-service",)),
        ("支付服务为什么报错", ("payment-service",)),
        ("PaymentService 和 order service 为什么报错", ("payment-service", "order-service")),
        ("从网关看请求为什么变慢了", ("ts-gateway-service",)),
        ("订单为什么提交不了", ("order-service",)),
        ("系统为什么慢", ()),
    ],
)
def test_services_are_found_by_name_alias_and_trade(question: str, services: tuple[str, ...]) -> None:
    """Names without hyphens, aliases and a trade word that fits one service only name it."""
    assert _plan(question).services == services


def test_a_named_service_is_looked_at_closely() -> None:
    """A broad question that names a service asks for all of its metrics and logs, and guidance for it."""
    steps = [(step.tool, step.arguments) for step in _plan("payment-service 为什么报错").steps]
    assert ("query_metrics", {"service": "payment-service"}) in steps
    assert ("query_logs", {"service": "payment-service"}) in steps
    assert ("lookup_knowledge", {"query": "payment-service 为什么报错", "service": "payment-service"}) in steps


def test_a_gap_is_filled_with_a_tool_that_was_not_used() -> None:
    """A retry asks another witness about the service that the gap speaks of, and nothing else."""
    payload: dict[str, Any] = {
        "mode": "EVIDENCE_GAP_ONLY",
        "retry_context": {
            "gaps": [{"claim_id": "c1", "claim_text": "payment-service 的错误率上升", "verification": "unsupported"}],
            "tools_used": ["query_metrics"],
        },
        "system": {"services": ["payment-service", "order-service"], "signals": SIGNALS, "sources": KINDS},
    }
    made = read_plan(json.dumps(plan(payload)), mode="EVIDENCE_GAP_ONLY")
    assert [(step.tool, step.arguments) for step in made.steps] == [
        ("query_logs", {"service": "payment-service"}),
        ("query_traces", {"service": "payment-service"}),
    ]


@given(st.text(max_size=200), st.sets(st.sampled_from(KINDS)), st.booleans())
def test_every_question_gets_a_legal_plan(question: str, kinds: set[str], gap: bool) -> None:
    """Planning is total and bounded, and calls only tools that have a source."""
    payload: dict[str, Any] = {
        "mode": "FULL",
        "question": question,
        "services": SERVICES,
        "signals": [],
        "sources": [*kinds],
    }
    if gap:
        context = {"gaps": [{"claim_text": question}], "tools_used": []}
        payload = {"mode": "EVIDENCE_GAP_ONLY", "retry_context": context, "system": {"sources": [*kinds]}}
    made = read_plan(json.dumps(plan(cast("JsonObject", payload))), mode="FULL")
    assert len(made.steps) <= 10
    tools = {"metrics": "query_metrics", "logs": "query_logs", "alerts": "query_alerts", "changes": "query_changes",
             "traces": "query_traces", "knowledge": "lookup_knowledge"}  # fmt: skip
    assert {step.tool for step in made.steps} <= {tools[kind] for kind in kinds}
