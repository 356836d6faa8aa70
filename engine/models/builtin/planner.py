"""Planner rules: from the words of a question to the calls that answer it."""

import re

from engine.base import JsonObject, JsonValue
from engine.models.builtin.payload import objects, texts

__all__ = ["plan"]

_BROAD = re.compile(
    r"为什么|为何|原因|根因|哪个|哪条|哪里|哪些|定位|排查|怎么回事|什么问题|引起|导致|拖慢|可疑|故障|误报|出了什么|怎么了|"
    r"why|root cause|what happened|what's wrong|which|investigate"
)

_TOPICS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("query_alerts", "", re.compile(r"告警|报警|alert")),
    ("query_changes", "", re.compile(r"发布|变更|上线|部署|回滚|改动|deploy|change|release")),
    ("query_logs", "", re.compile(r"日志|报错信息|异常栈|堆栈|log|exception|stack")),
    (
        "query_metrics",
        r"error|5xx|availability",
        re.compile(r"错误率|失败率|可用性|可用率|error rate|error ratio|availability"),
    ),
    ("query_metrics", r"cpu", re.compile(r"cpu|处理器")),
    ("query_metrics", r"mem", re.compile(r"内存|memory|oom")),
    ("query_metrics", r"pool|conn", re.compile(r"连接池|连接数|connection|pool")),
    ("query_metrics", r"latency|duration", re.compile(r"延迟|时延|耗时|响应时间|多慢|latency|response time")),
    ("query_metrics", r"request|qps|rate", re.compile(r"流量|请求量|qps|rps|吞吐|traffic|throughput")),
    ("query_traces", "", re.compile(r"调用链|链路追踪|trace|span")),
)

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

_MOST_SERVICES = 2


def plan(payload: JsonObject) -> JsonObject:
    """A `planner_plan_v1` object for either mode."""
    if payload.get("mode") == "EVIDENCE_GAP_ONLY":
        return _fill_gaps(payload)
    question = str(payload.get("question", ""))
    kinds = set(texts(payload, "sources"))
    services = _services(question, objects(payload, "services"))
    topics = [(tool, signal) for tool, signal, words in _TOPICS if words.search(question.lower())]
    narrow = bool(topics) and not _BROAD.search(question.lower())
    steps = _narrow_steps(topics[0], services, payload) if narrow else _broad_steps(question, services)
    return {
        "intent": f"{'确认' if narrow else '查找'}：{question[:200]}",
        "scope": "narrow" if narrow else "broad",
        "services": list[JsonValue](services),
        "steps": _numbered([step for step in steps if _KINDS[str(step["tool"])] in kinds]),
    }


def _broad_steps(question: str, services: list[str]) -> list[JsonObject]:
    tools = ("query_metrics", "query_logs", "query_alerts", "query_changes", "query_traces")
    steps = [_step(tool, {}) for tool in tools]
    for service in services[:_MOST_SERVICES]:
        steps += [_step("query_metrics", {"service": service}), _step("query_logs", {"service": service})]
    guide: JsonObject = {"query": question[:300]}
    if services:
        guide["service"] = services[0]
    return [*steps, _step("lookup_knowledge", guide)]


def _narrow_steps(topic: tuple[str, str], services: list[str], payload: JsonObject) -> list[JsonObject]:
    tool, wanted = topic
    names = [str(signal.get("name")) for signal in objects(payload, "signals")]
    steps: list[JsonObject] = []
    for service in services[:_MOST_SERVICES] or [None]:
        arguments: JsonObject = {"service": service} if service else {}
        matched = [name for name in names if wanted and re.search(wanted, name)]
        if len(matched) == 1:
            arguments["signal"] = matched[0]
        steps.append(_step(tool, arguments))
    return steps


def _fill_gaps(payload: JsonObject) -> JsonObject:
    context = payload.get("retry_context")
    system = payload.get("system")
    context = context if isinstance(context, dict) else {}
    system = system if isinstance(system, dict) else {}
    kinds = set(texts(system, "sources"))
    steps: list[JsonObject] = []
    named: list[str] = []
    for gap in objects(context, "gaps")[:3]:
        text = str(gap.get("claim_text", "")).lower()
        service = next((name for name in texts(system, "services") if name.lower() in text), None)
        arguments: JsonObject = {"service": service} if service else {}
        named += [service] if service else []
        topic = next((tool for tool, _, words in _TOPICS if words.search(text)), None)
        for tool in dict.fromkeys((topic or "query_metrics", "query_logs", "query_metrics")):
            steps.append(_step(tool, dict(arguments)))
    kept = [step for step in steps if _KINDS[str(step["tool"])] in kinds][:4]
    return {
        "intent": "补充关键判断缺少的证据",
        "scope": "broad",
        "services": list[JsonValue](dict.fromkeys(named)),
        "steps": _numbered(kept),
    }


def _services(question: str, known: list[JsonObject]) -> list[str]:
    """The services that a question names, by name, alias, or the name without its separators."""
    folded = question.lower()
    squeezed = re.sub(r"[-_\s]", "", folded)
    found: list[tuple[int, int, str]] = []
    for service in known:
        name = str(service.get("name"))
        candidates = [name, *texts(service, "aliases")]
        for candidate in candidates:
            lowered = candidate.lower()
            at = folded.find(lowered)
            if at < 0 and len(lowered) >= 6:
                at = squeezed.find(re.sub(r"[-_\s]", "", lowered))
            if at >= 0 and lowered:
                found.append((-len(lowered), at, name))
                break
    found.sort()
    kept: list[str] = []
    for _, _, name in found:
        # because "payment" within "payment-service" names the longer one only
        if not any(name.lower() in other.lower() for other in kept):
            kept.append(name)
    return kept


def _step(tool: str, arguments: JsonObject) -> JsonObject:
    return {"goal": _GOALS[tool], "tool": tool, "arguments": arguments}


def _numbered(steps: list[JsonObject]) -> list[JsonValue]:
    return [{"id": f"s{number}", **step} for number, step in enumerate(steps, start=1)]
