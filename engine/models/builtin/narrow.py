"""A narrow question: one claim, at most two, of what was asked and nothing else (spec S79)."""

from engine.base import JsonObject, JsonValue
from engine.models.builtin.findings import read_findings
from engine.models.builtin.payload import Ref, refs_of
from engine.models.builtin.wording import count, figure

__all__ = ["narrow_claims"]

_MOST = 2


def narrow_claims(payload: JsonObject) -> list[JsonObject]:
    """At most two observations that answer the question from the planned calls."""
    claims: list[JsonObject] = []
    seen: set[str] = set()
    for ref in refs_of(payload, prefix="/summary"):
        if ref.invocation_id in seen or len(claims) >= _MOST:
            continue
        seen.add(ref.invocation_id)
        told = _told(payload, ref)
        if told is not None:
            claims.append(_claim(len(claims) + 1, *told))
    return claims


def _told(payload: JsonObject, summary: Ref) -> tuple[str, str, Ref] | None:
    items = [ref for ref in refs_of(payload, summary.tool) if ref.invocation_id == summary.invocation_id]
    rows = [ref for ref in items if ref.path.count("/") == 2]
    whose = f"{summary.get('services')} 的" if summary.arguments.get("service") else ""
    if summary.tool == "query_metrics" and rows:
        return _series(rows[0])
    if summary.tool == "query_logs":
        errors, total = summary.number("errors") or 0, summary.number("total") or 0
        if not errors:
            return "negative_observation", f"窗口内{whose} {count(total)} 条日志中未发现 ERROR 日志", summary
        return "observation", f"窗口内{whose} {count(total)} 条日志中有 {count(errors)} 条 ERROR 日志", summary
    if summary.tool in {"query_alerts", "query_changes"}:
        what = "告警" if summary.tool == "query_alerts" else "变更"
        if not summary.number("total"):
            return "negative_observation", f"窗口内没有{whose}{what}", summary
        findings = [item for item in read_findings(payload) if item.ref.invocation_id == summary.invocation_id]
        return ("observation", findings[0].text, findings[0].ref) if findings else None
    if summary.tool == "query_traces" and summary.number("spans"):
        spans, errors = summary.number("spans") or 0, summary.number("errors") or 0
        return "observation", f"窗口内{whose} {count(spans)} 个调用片段中有 {count(errors)} 个失败", summary
    return None


def _series(ref: Ref) -> tuple[str, str, Ref]:
    unit = ref.get("unit")
    now, base = figure(ref.number("window.mean"), unit), figure(ref.number("baseline.mean"), unit)
    peak, direction = figure(ref.number("window.max"), unit), ref.get("direction")
    text = (
        f"{ref.get('service')} 的{ref.get('title')}（{ref.get('signal')}）窗口均值 {now}，峰值 {peak}，基线均值 {base}"
    )
    if direction == "flat":
        return "negative_observation", f"{text}，没有明显上升", ref
    return "observation", f"{text}，较基线{'上升' if direction == 'up' else '下降'}", ref


def _claim(position: int, claim_type: str, text: str, ref: Ref) -> JsonObject:
    binding: JsonValue = {
        "source_type": "tool",
        "tool_name": ref.tool,
        "source_invocation_id": ref.invocation_id,
        "source_invocation_ids": [ref.invocation_id],
        "raw_path": ref.path,
        "evidence_excerpt": ref.text[:4000],
    }
    return {
        "claim_id": f"c{position}",
        "claim_type": claim_type,
        "claim_text": text,
        "support_level": "direct",
        "evidence_bindings": [binding],
    }
