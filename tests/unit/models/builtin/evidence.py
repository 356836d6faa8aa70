"""Payloads with evidence lines in the tools' shapes."""

from collections.abc import Mapping, Sequence

from engine.base import JsonObject, JsonValue
from engine.rendering import render_line

__all__ = ["call", "edge", "executor_payload", "group", "quiet", "series", "system"]

WINDOW: JsonObject = {"from": "2026-11-30T06:00:00Z", "to": "2026-11-30T06:30:00Z"}
BASELINE: JsonObject = {"from": "2026-11-30T05:00:00Z", "to": "2026-11-30T06:00:00Z"}

_LISTS = {
    "query_metrics": "series",
    "query_logs": "groups",
    "query_alerts": "alerts",
    "query_changes": "changes",
    "lookup_knowledge": "chunks",
}


def call(
    tool: str,
    *rows: JsonObject,
    summary: JsonObject | None = None,
    arguments: JsonObject | None = None,
    invocation_id: str = "",
    status: str = "ok",
    **lists: Sequence[JsonObject],
) -> JsonObject:
    """One invocation as the executor sees it; `rows` go to the tool's own list, `lists` to named ones."""
    refs: list[JsonValue] = []
    if summary is not None:
        refs.append({"raw_path": "/summary", "text": render_line(summary)})
    named: Mapping[str, Sequence[JsonObject]] = {_LISTS.get(tool, "rows"): rows, **lists}
    for name, items in named.items():
        refs += list[JsonValue](
            {"raw_path": f"/{name}/{number}", "text": render_line(item)} for number, item in enumerate(items)
        )
    return {
        "invocation_id": invocation_id or f"inv-{tool}-{len(rows)}-{sorted(arguments or {})}",
        "tool_name": tool,
        "arguments": arguments or {},
        "status": status,
        "note": None,
        "error": "no answer" if status == "failed" else None,
        "evidence_refs": refs,
    }


def series(
    service: str,
    signal: str,
    mean: float,
    base: float,
    *,
    score: float = 20.0,
    unit: str = "ratio",
    title: str = "错误率",
    direction: str = "up",
    worse: str = "up",
    samples: int = 30,
    breached: int = 12,
) -> JsonObject:
    """A row of `query_metrics`."""
    return {
        "service": service,
        "signal": signal,
        "title": title,
        "unit": unit,
        "worse": worse,
        "direction": direction,
        "score": score,
        "breached": breached,
        "window": {"count": samples, "mean": mean, "min": base, "max": mean * 1.1, "last": mean},
        "baseline": {"count": 60, "mean": base, "min": base, "max": base},
    }


def group(
    service: str,
    template: str,
    count: int,
    expected: float,
    *,
    level: str = "ERROR",
    kind: str = "new",
    score: float = 60.0,
    before: float | None = None,
) -> JsonObject:
    """A row of `query_logs`."""
    return {
        "service": service,
        "level": level,
        "kind": kind,
        "count": count,
        "expected": expected,
        "baseline_count": expected * 2 if before is None else before,
        "score": score,
        "template": template,
    }


def edge(caller: str, callee: str, *, wait: tuple[float, float] = (3, 3), wait_score: float = 0.0) -> JsonObject:
    """An edge of `query_traces`; `wait` is the median now and in the baseline."""
    now, before = wait
    return {
        "caller": caller,
        "callee": callee,
        "count": 40,
        "baseline_count": 80,
        "errors": 0,
        "p50_ms": 10,
        "baseline_p50_ms": 10,
        "p95_ms": 20,
        "baseline_p95_ms": 20,
        "wait_p50_ms": now,
        "baseline_wait_p50_ms": before,
        "wait_p95_ms": now * 2,
        "baseline_wait_p95_ms": before * 2,
        "score": wait_score,
        "wait_score": wait_score,
    }


def quiet(*, complete: bool = True) -> list[JsonObject]:
    """Calls over a system in which nothing stands out."""
    whole: JsonObject = {"complete": complete}
    return [
        call("query_metrics", summary={"services": 3, "matched_series": 21, "anomalous_series": 0, **whole}),
        call("query_logs", summary={"services": 3, "total": 3168, "errors": 0, "baseline_errors": 0, **whole}),
        call("query_alerts", summary={"services": "all", "total": 0, "firing": 0, **whole}, status="empty"),
    ]


def system(**depends_on: Sequence[str]) -> list[JsonValue]:
    """Services by name, underscores for hyphens, with whom they call."""
    return [
        {"name": name.replace("_", "-"), "aliases": [], "depends_on": list(targets)}
        for name, targets in depends_on.items()
    ]


def executor_payload(
    *calls: JsonObject,
    question: str = "下单失败，根因在哪里？",
    scope: str = "broad",
    services: list[JsonValue] | None = None,
    baseline: JsonObject | None = None,
) -> JsonObject:
    """A payload of the executor role."""
    return {
        "question": question,
        "intent": question,
        "scope": scope,
        "timezone": "Asia/Shanghai",
        "window": WINDOW,
        "baseline": baseline or BASELINE,
        "services": services if services is not None else system(order_service=["payment-service"], payment_service=[]),
        "invocations": list[JsonValue](calls),
        "rounds_left": 3,
    }
