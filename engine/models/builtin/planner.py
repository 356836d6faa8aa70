"""Planner rules: from the words of a question to the calls that answer it."""

import re

from engine.base import JsonObject, JsonValue
from engine.models.builtin.payload import objects, texts
from engine.models.builtin.topics import (
    Topic,
    emphasis_of,
    is_broad,
    named_services,
    signal_names,
    signals_for,
    topics_of,
)

__all__ = ["plan"]

_KINDS = {
    "query_metrics": "metrics",
    "query_logs": "logs",
    "query_alerts": "alerts",
    "query_changes": "changes",
    "query_traces": "traces",
    "lookup_knowledge": "knowledge",
}

_GOALS = {
    "query_metrics": "看哪些指标偏离基线",
    "query_logs": "看哪些日志新出现、变多或消失",
    "query_alerts": "看窗口内有哪些告警",
    "query_changes": "看窗口前后有哪些变更",
    "query_traces": "看调用耗时和等待的变化",
    "lookup_knowledge": "找处置指南",
}

_MOST_STEPS = 10
_MOST_SERVICES = 2
_MOST_GAPS = 3
_FAILURES = re.compile(r"error.*ratio|availability|success|5xx|fail")
_SLOWNESS = re.compile(r"latency|duration|response")


def plan(payload: JsonObject) -> JsonObject:
    """A `planner_plan_v1` object for either mode."""
    if payload.get("mode") == "EVIDENCE_GAP_ONLY":
        return _fill_gaps(payload)
    question = str(payload.get("question", "")).replace("\0", " ")
    kinds = set(texts(payload, "sources"))
    services = named_services(question, objects(payload, "services"))
    topics = [topic for topic in topics_of(question) if _KINDS[topic.tool] in kinds]
    narrow = bool(topics) and not is_broad(question)
    steps = _narrow_steps(topics, question, services, payload) if narrow else _broad_steps(question, services, payload)
    return {
        "intent": f"{'确认' if narrow else '查找'}：{question[:200]}",
        "scope": "narrow" if narrow else "broad",
        "services": list[JsonValue](services),
        "steps": _numbered([step for step in steps if _KINDS[str(step["tool"])] in kinds][:_MOST_STEPS]),
    }


def _broad_steps(question: str, services: list[str], payload: JsonObject) -> list[JsonObject]:
    """Every kind of telemetry over all services, failures by name, the asked services closely, guidance."""
    tools = ("query_metrics", "query_logs", "query_alerts", "query_changes", "query_traces")
    steps = [_step(tool, {}) for tool in tools]
    guide: JsonObject = {"query": question[:300]}
    if services:
        guide["service"] = services[0]
    steps.append(_step("lookup_knowledge", guide))
    # because the list over all signals is bounded, and a small drop in availability would stand far down in it
    steps += [_step("query_metrics", {"signal": name}) for name in _asked_signals(question, payload)]
    for service in services[:1]:
        steps += [_step("query_metrics", {"service": service}), _step("query_logs", {"service": service})]
    return steps


def _asked_signals(question: str, payload: JsonObject) -> list[str]:
    names = signal_names(payload)
    if len(names) <= 1:
        return []
    failures = [name for name in names if _FAILURES.search(name)][:2]
    slowness = [name for name in names if _SLOWNESS.search(name) and re.search(r"p95|average|mean", name)][:1]
    return [*failures, *slowness] if emphasis_of(question) == "latency" else failures


def _narrow_steps(topics: list[Topic], question: str, services: list[str], payload: JsonObject) -> list[JsonObject]:
    """One call a topic and service, at most two, because a narrow question wants one figure (spec S79)."""
    names = signal_names(payload)
    steps: list[JsonObject] = []
    for service in services[:_MOST_SERVICES] or [None]:
        for topic in topics[:2]:
            arguments: JsonObject = {"service": service} if service else {}
            matched = signals_for(topic, question, names)
            if matched:
                arguments["signal"] = matched[0]
            steps.append(_step(topic.tool, arguments))
    return steps[:2]


def _fill_gaps(payload: JsonObject) -> JsonObject:
    """One or two calls a gap: the tool that its words ask for where it was not used, else another witness."""
    context, system = payload.get("retry_context"), payload.get("system")
    context = context if isinstance(context, dict) else {}
    system = system if isinstance(system, dict) else {}
    kinds, used = set(texts(system, "sources")), set(texts(context, "tools_used"))
    steps: list[JsonObject] = []
    named: list[str] = []
    for gap in objects(context, "gaps")[:_MOST_GAPS]:
        text = str(gap.get("claim_text", ""))
        services = named_services(text, [{"name": name} for name in texts(system, "services")])[:1]
        named += services
        wanted = [topic.tool for topic in topics_of(text)]
        order = sorted(
            dict.fromkeys((*wanted, "query_logs", "query_metrics", "query_traces")), key=lambda tool: tool in used
        )
        able = [tool for tool in order if _KINDS[tool] in kinds]
        arguments: JsonObject = {"service": services[0]} if services else {}
        steps += [_step(tool, dict(arguments)) for tool in able[:2]]
    distinct = [step for number, step in enumerate(steps) if step not in steps[:number]]
    return {
        "intent": "补充关键判断缺少的证据",
        "scope": "broad",
        "services": list[JsonValue](dict.fromkeys(named)),
        "steps": _numbered(distinct[:4]),
    }


def _step(tool: str, arguments: JsonObject) -> JsonObject:
    return {"goal": _GOALS[tool], "tool": tool, "arguments": arguments}


def _numbered(steps: list[JsonObject]) -> list[JsonValue]:
    return [{"id": f"s{number}", **step} for number, step in enumerate(steps, start=1)]
