"""A narrow question: one claim, at most two, of what was asked and nothing else (spec S79)."""

from collections.abc import Sequence

from engine.base import JsonObject
from engine.models.builtin.claims import claim
from engine.models.builtin.findings import read_findings
from engine.models.builtin.payload import Ref, refs_of
from engine.models.builtin.topics import Topic, topics_of
from engine.models.builtin.wording import count, figure

__all__ = ["narrow_claims"]

_MOST = 2

Told = tuple[str, str, Ref]
"""Claim type, words and the line that carries them."""


def narrow_claims(payload: JsonObject) -> list[JsonObject]:
    """At most two observations that answer the question from the planned calls."""
    topics = topics_of(str(payload.get("question", "")))
    claims: list[JsonObject] = []
    seen: set[str] = set()
    for summary in refs_of(payload, prefix="/summary"):
        if summary.invocation_id in seen or len(claims) >= _MOST:
            continue
        seen.add(summary.invocation_id)
        told = _told(payload, summary, topics)
        if told is not None:
            claim_type, text, ref = told
            claims.append(claim(f"c{len(claims) + 1}", claim_type, text, [ref]))
    return claims


def _told(payload: JsonObject, summary: Ref, topics: Sequence[Topic]) -> Told | None:
    if summary.tool == "query_metrics":
        rows = [ref for ref in refs_of(payload, "query_metrics", "/series/") if _same_call(ref, summary)]
        asked = rows if summary.arguments.get("signal") else [row for row in rows if _fits(row, topics)]
        return _series(_foremost(asked)) if asked else None
    if summary.tool == "query_logs":
        return _logs(summary)
    if summary.tool in {"query_alerts", "query_changes"}:
        return _events(payload, summary)
    if summary.tool == "query_traces" and summary.number("spans"):
        spans, errors = summary.number("spans") or 0, summary.number("errors") or 0
        return "observation", f"窗口内{_whose(summary)} {count(spans)} 个调用片段中有 {count(errors)} 个失败", summary
    return None


def _logs(summary: Ref) -> Told | None:
    errors, total = summary.number("errors") or 0, summary.number("total") or 0
    if not total and summary.get("matched_streams") == "false":
        return None
    if not errors:
        return "negative_observation", f"窗口内{_whose(summary)} {count(total)} 条日志中未发现 ERROR 日志", summary
    return "observation", f"窗口内{_whose(summary)} {count(total)} 条日志中有 {count(errors)} 条 ERROR 日志", summary


def _events(payload: JsonObject, summary: Ref) -> Told | None:
    what = "告警" if summary.tool == "query_alerts" else "变更"
    if not summary.number("total"):
        return "negative_observation", f"窗口内没有{_whose(summary)}{what}", summary
    findings = [item for item in read_findings(payload) if _same_call(item.ref, summary)]
    return ("observation", findings[0].text, findings[0].ref) if findings else None


def _series(ref: Ref) -> Told:
    unit = ref.get("unit")
    now, base = figure(ref.number("window.mean"), unit), figure(ref.number("baseline.mean"), unit)
    peak, direction = figure(ref.number("window.max"), unit), ref.get("direction")
    text = f"{ref.get('service')} 的{ref.get('title')}（{ref.get('signal')}）窗口均值 {now}，峰值 {peak}"
    if ref.number("baseline.mean") is None:
        return "observation", text, ref
    text = f"{text}，基线均值 {base}"
    if direction == "flat":
        worse = "下降" if ref.get("worse") == "down" else "上升"
        return "negative_observation", f"{text}，没有明显{worse}", ref
    return "observation", f"{text}，较基线{'上升' if direction == 'up' else '下降'}", ref


def _foremost(rows: Sequence[Ref]) -> Ref:
    """The series that departs most; where none does, the one that stands worst."""
    down = rows[0].get("worse") == "down"

    def standing(row: Ref) -> tuple[float, float]:
        mean = row.number("window.mean") or 0.0
        return row.number("score") or 0.0, -mean if down else mean

    return max(rows, key=standing)


def _fits(row: Ref, topics: Sequence[Topic]) -> bool:
    return any(pattern.search(row.get("signal")) for topic in topics for pattern in topic.signals)


def _same_call(ref: Ref, summary: Ref) -> bool:
    return ref.invocation_id == summary.invocation_id


def _whose(summary: Ref) -> str:
    return f" {summary.get('services')} 的" if summary.arguments.get("service") else ""
