"""Executor rules: from the evidence lines to claims, ranked hypotheses and next steps (spec S44-S48, S79)."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from engine.base import JsonObject, JsonValue
from engine.claim import ANSWER_VERSION
from engine.models.builtin.claims import claim
from engine.models.builtin.finding import Finding
from engine.models.builtin.findings import read_findings
from engine.models.builtin.narrow import narrow_claims
from engine.models.builtin.payload import Ref, calls_of, objects, refs_of, texts
from engine.models.builtin.suspects import SuspectService, rank
from engine.models.builtin.topics import named_services
from engine.models.builtin.wording import count

__all__ = ["conclude"]

_KINDS = ("metric", "log", "edge", "operation", "alert", "change")
_WORD = re.compile(r"[a-z][a-z_]{3,}|[\u3400-\u9fff]{2}")
_MANY = 10
"""Fewer errors than this are no growth worth a word."""
_SILENT = 0.2
"""Share of silent series above which metrics give no all-clear."""
_MOST_SUSPECTS = 5
_MOST_CLAIMS = 8
_MOST_HINTS = 4
_SEEN_KINDS = frozenset({"metric", "alert"})
_SEEN = 1.2
"""Strength from which a departure at the entry counts as seen there."""

_SECOND = 1.5
"""Strength from which a finding that is not the service's own may stand beside one that is."""

_CRITICAL = 4.5
"""Suspicion from which the first suspect's findings are called symptoms."""


def conclude(payload: JsonObject) -> JsonObject:
    """An `executor_evidence_v2` object over the payload's evidence."""
    if payload.get("scope") == "narrow":
        return _output(narrow_claims(payload), [], [], _missing(payload))
    callees = {str(item.get("name")): texts(item, "depends_on") for item in objects(payload, "services")}
    findings = read_findings(payload)
    suspects = rank(findings, callees)[:_MOST_SUSPECTS]
    if not suspects:
        return _output(_healthy(payload), [], [], _missing(payload))
    claims: list[JsonObject] = []
    hypotheses: list[JsonObject] = []
    for position, suspect in enumerate(suspects, start=1):
        ids = _claim(claims, suspect, first=position == 1)
        if ids:
            hypotheses.append(_hypothesis(position, suspect, suspects[0].score, ids))
        if position == 1:
            claims += _impact(payload, findings, callees, suspect, f"c{len(claims) + 1}")
    return _output(claims[:_MOST_CLAIMS], hypotheses, _actions(payload, suspects[0]), _missing(payload))


def _claim(claims: list[JsonObject], suspect: SuspectService, *, first: bool) -> list[str]:
    """Add the suspect's claims: for the first its findings kind by kind and a joint one, else the strongest."""
    if len(claims) >= _MOST_CLAIMS:
        return []
    chosen = _by_tool(suspect.findings)
    ids: list[str] = []
    # because a resource that is used up says more than the failures that follow from it
    leading = [*_saturated(suspect), *(finding for finding in chosen if finding.kind != "metric")]
    joint = (
        _joint(leading if leading and leading[0].state else chosen) if first and suspect.score >= _CRITICAL else None
    )
    if joint is not None:
        ids.append(_add(claims, "root_cause", joint))
    # because what the joint claim says need not be said twice
    state = _saturated(suspect) if first else []
    rest = [finding for finding in (*state, *chosen) if finding not in (joint or ())]
    unique = {finding.ref.text: finding for finding in rest}
    for finding in list(unique.values())[: 4 if first else 1]:
        critical = first and suspect.score >= _CRITICAL and finding.kind != "change"
        ids.append(_add(claims, "symptom" if critical else "observation", (finding,)))
    return ids


def _impact(
    payload: JsonObject,
    findings: Sequence[Finding],
    callees: Mapping[str, Sequence[str]],
    suspect: SuspectService,
    claim_id: str,
) -> list[JsonObject]:
    """What is seen at the service that was asked about, else where requests enter; nothing where that is the suspect."""
    called = {callee for targets in callees.values() for callee in targets}
    entries = [name for name, targets in callees.items() if targets and name not in called]
    places = named_services(str(payload.get("question", "")), objects(payload, "services")) or entries
    if suspect.service in places:
        return []
    seen = [
        finding for finding in findings
        if finding.service in places and finding.kind in _SEEN_KINDS and not finding.own and finding.strength >= _SEEN
    ]  # fmt: skip
    return [claim(claim_id, "symptom", finding.text, [finding.ref]) for finding in seen[:1]]


def _saturated(suspect: SuspectService) -> list[Finding]:
    """The resource of the service's own that departs most, such as its pool: it says what the others follow from."""
    return [finding for finding in suspect.findings if finding.kind == "metric" and finding.state][:1]


def _by_tool(findings: Sequence[Finding]) -> list[Finding]:
    """The strongest finding of each tool, in the order in which people look: metrics, logs, calls, alerts, changes."""
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.ref.tool, finding)
    return sorted(first.values(), key=lambda finding: _KINDS.index(finding.kind))


def _joint(chosen: Sequence[Finding]) -> tuple[Finding, ...] | None:
    """Two findings of different tools that stand for the same cause; a change may be one of three, not of two."""
    telling = [
        finding for finding in chosen
        if finding.kind not in {"alert", "change"} and (finding.own or finding.strength >= _SECOND)
    ]  # fmt: skip
    telling.sort(key=lambda finding: not finding.own)
    pair = telling[:2]
    if len(pair) < 2 or not pair[0].own:
        return None
    change = next((finding for finding in chosen if finding.kind == "change"), None)
    return (*pair, change) if change else tuple(pair)


def _add(claims: list[JsonObject], claim_type: str, findings: Sequence[Finding]) -> str:
    """Add a claim, or name the one that says the same already."""
    text = "；".join(finding.text for finding in findings)
    for known in claims:
        if known["claim_text"] == text:
            return str(known["claim_id"])
    claim_id = f"c{len(claims) + 1}"
    claims.append(claim(claim_id, claim_type, text, [finding.ref for finding in findings]))
    return claim_id


def _hypothesis(position: int, suspect: SuspectService, best: float, ids: list[str]) -> JsonObject:
    why = list(dict.fromkeys(finding.hint for finding in suspect.findings))[:_MOST_HINTS]
    return {
        "hypothesis_id": f"h{position}",
        "text": f"{suspect.service}：{'、'.join(why)}",
        "service": suspect.service,
        "score": round(suspect.score / best, 3),
        "based_on": list[JsonValue](ids),
    }


def _healthy(payload: JsonObject) -> list[JsonObject]:
    """What complete results say when nothing stands out."""
    claims: list[JsonObject] = []
    summaries = list(refs_of(payload, prefix="/summary"))
    # because a few series always stray, and an all-clear that opens with them reads as an alarm
    for ref in sorted(summaries, key=lambda ref: bool(ref.number("anomalous_series"))):
        sentence = _quiet(ref)
        if sentence and len(claims) < 4 and not ref.arguments:
            kind = "symptom" if _many_errors(ref) else "negative_observation"
            claims.append(claim(f"c{len(claims) + 1}", kind, sentence, [ref]))
    return claims


def _many_errors(ref: Ref) -> bool:
    """Whether errors grew in sum, although no single kind of them stands out; that is no all-clear."""
    errors, before = ref.number("errors") or 0, ref.number("baseline_errors") or 0
    if ref.tool != "query_logs" or errors < _MANY:
        return False
    stretch = ref.number("baseline_seconds") or 0
    begin, end = ref.get("window.from"), ref.get("window.to")
    seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds() if begin and end else 0
    expected = before * seconds / stretch if stretch else before
    return errors > 2 * expected


def _quiet(ref: Ref) -> str | None:
    if ref.get("complete") == "false":
        return None
    if ref.tool == "query_metrics" and ref.number("matched_series"):
        matched, anomalous = ref.number("matched_series") or 0, ref.number("anomalous_series") or 0
        if (ref.number("silent_series") or 0) > _SILENT * matched:
            # because an all-clear over what is left would pass over what fell silent
            return None
        if anomalous == 0:
            return f"共 {count(matched)} 条指标序列，未发现偏离基线的序列"
        return f"共 {count(matched)} 条指标序列，其中 {count(anomalous)} 条偏离基线"
    if ref.tool == "query_logs" and ref.number("total"):
        errors, before = ref.number("errors") or 0, ref.number("baseline_errors") or 0
        if errors == 0:
            return f"窗口内 {count(ref.number('total') or 0)} 条日志中未发现 ERROR 日志"
        tail = f"，没有增多（基线 {count(before)} 条）" if errors <= before else f"，基线 {count(before)} 条"
        return f"窗口内 ERROR 日志 {count(errors)} 条{tail}"
    if ref.tool == "query_alerts" and ref.number("total") == 0:
        return "窗口内没有告警"
    if ref.tool == "query_traces" and ref.number("spans") and ref.number("errors") == 0:
        return f"窗口内 {count(ref.number('spans') or 0)} 个调用片段中没有失败的调用"
    return None


def _actions(payload: JsonObject, suspect: SuspectService) -> list[JsonValue]:
    """Next steps from what was found, and where a runbook speaks of it; guidance stays guidance (spec S48)."""
    actions: list[JsonValue] = []
    change = next((finding for finding in suspect.findings if finding.kind == "change"), None)
    if change is not None:
        actions.append(
            f"评估是否回退 {suspect.service} 的这次 {change.ref.get('kind')}：{change.ref.get('summary')[:120]}"
        )
    for ref in _fitting(list(refs_of(payload, "lookup_knowledge", "/chunks/")), suspect)[:2]:
        actions.append(f"参考处置指南「{ref.get('heading')}」（{ref.get('file')}）")
    actions.append(f"优先检查 {suspect.service}")
    return actions


def _fitting(chunks: list[Ref], suspect: SuspectService) -> list[Ref]:
    """Runbook sections, those first that speak of what was found."""
    words = set(_WORD.findall(" ".join(finding.ref.text for finding in suspect.findings).lower()))
    return sorted(chunks, key=lambda ref: -len(words.intersection(_WORD.findall(ref.text.lower()))))


def _missing(payload: JsonObject) -> list[JsonValue]:
    failed = dict.fromkeys(str(call.get("tool_name")) for call in calls_of(payload, status="failed"))
    return [f"{tool} 没有取到数据，恢复后重新提问" for tool in failed]


def _output(
    claims: list[JsonObject], hypotheses: list[JsonObject], actions: list[JsonValue], missing: list[JsonValue]
) -> JsonObject:
    return {
        "answer_version": ANSWER_VERSION,
        "claims": list[JsonValue](claims),
        "hypotheses": list[JsonValue](hypotheses),
        "recommended_actions": actions,
        "missing_info": missing,
    }
