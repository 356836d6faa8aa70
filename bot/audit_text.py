"""The audit of a run as people read it."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from bot.progress import NODES_ZH
from engine.base import JsonObject, JsonValue
from engine.check import ClaimCheck, GuardReport
from engine.composition.page import OUTCOMES_ZH
from engine.gate import GateResult, VerifiedEvidence
from engine.invocation import Reduction
from engine.ports import PromptAudit
from engine.record import RunRecord

__all__ = ["audit_text", "outcome_zh"]

_CLASSES_ZH = {
    "direct_observation": "直接观察到",
    "reasonable_inference": "合理推断",
    "overstated": "说过头了",
    "unsupported": "证据不足",
    "external_unknown": "证据之外",
    "contradicted": "与证据相反",
}

_STATUS_ZH = {"ok": "有数据", "empty": "没有命中", "failed": "失败", "deduped": "没有新内容"}
_EXCERPT = 400


def outcome_zh(outcome: str) -> str:
    """An outcome in words."""
    return {str(name): words for name, words in OUTCOMES_ZH.items()}.get(outcome, outcome)


def audit_text(record: RunRecord) -> str:
    """Claims with class and evidence, the Gatekeeper's findings, gaps, calls, timings and prompts."""
    found = record.self_evaluation.get("verifier_evaluation")
    evaluation: JsonObject = found if isinstance(found, dict) else {}
    return "\n".join(
        (
            *_head(record, evaluation),
            *_claims(evaluation, _moments(record)),
            *_gate(evaluation.get("gatekeeper_result")),
            *_calls(record, _shown(evaluation.get("reductions"))),
            *_events(record),
            *_prompts(evaluation.get("prompt_audit")),
        )
    )


def _head(record: RunRecord, evaluation: JsonObject) -> Iterator[str]:
    zone = record.question.timezone
    yield f"运行    {record.run_id}（会话 {record.session_id}）"
    yield f"问题    {record.question.text}"
    yield f"时间段  {record.window.label(zone)}（{zone}）"
    yield f"状态    {outcome_zh(record.outcome) if record.outcome else f'未完成，停在 {record.stage}'}"
    if record.fallback_reason:
        yield f"原因    {record.fallback_reason}"
    if isinstance(stand_in := evaluation.get("stand_in"), dict):
        yield f"接手    {stand_in.get('model')}（自 {stand_in.get('node')} 起；{stand_in.get('reason')}）"
    if "model_verdict" in evaluation:
        yield (
            f"裁决    {evaluation['effective_verdict']}（模型 {evaluation['model_verdict']}，"
            f"上限 {evaluation['verdict_ceiling']}，有据分 {evaluation['groundedness_score']}）"
        )


def _claims(evaluation: JsonObject, moments: dict[str, str]) -> Iterator[str]:
    checks = [ClaimCheck.model_validate(item) for item in _items(evaluation.get("claim_checks"))]
    evidence = [VerifiedEvidence.model_validate(item) for item in _items(evaluation.get("verified_evidence"))]
    report = evaluation.get("derivability_guard")
    guard = GuardReport.model_validate(report) if report else None
    if checks:
        yield "\n判断"
    for check in checks:
        yield f"  {check.claim_id} [{_CLASSES_ZH[check.verification]}] {check.claim_text}"
        for finding in guard.findings if guard else ():
            if finding.claim_id == check.claim_id:
                model = _CLASSES_ZH[finding.model_verification]
                yield from (f"      守卫：{reason}（模型判为{model}）" for reason in finding.reasons)
        for item in evidence:
            if item.claim_id == check.claim_id:
                asked = moments.get(item.source_invocation_id, "")
                yield f"      {item.tool_name} {item.source_invocation_id} {item.raw_path} {asked}".rstrip()
                yield f"        {item.matched_text[:_EXCERPT]}"


def _moments(record: RunRecord) -> dict[str, str]:
    """When each call was made, in the question's zone."""
    zone = ZoneInfo(record.question.timezone)
    return {item.id: f"{item.started_at.astimezone(zone):%m-%d %H:%M:%S}" for item in record.invocations}


def _gate(value: JsonValue) -> Iterator[str]:
    if not value:
        return
    result = GateResult.model_validate(value)
    yield f"\n绑定校验  {result.status}（{result.severity}，规则集 {result.rule_set_version}）"
    for binding in result.checked_bindings:
        if binding.status == "failed":
            yield f"  {binding.claim_id} 第 {binding.index + 1} 条：{binding.failed_rule} {binding.detail}"
    yield from (f"  提示：{warning}" for warning in result.warnings)
    yield from (f"  缺口：{gap.tool_name} {gap.invocation_id} {gap.detail[:160]}" for gap in result.evidence_gaps)


def _shown(value: JsonValue) -> dict[str, str]:
    """By invocation: how much of its evidence the model was shown, where its room did not take all."""
    reductions = [Reduction.model_validate(item) for item in _items(value)]
    return {item.invocation_id: f"（模型只看到 {item.of} 行中的 {item.kept} 行）" for item in reductions}


def _calls(record: RunRecord, shown: dict[str, str]) -> Iterator[str]:
    if record.invocations:
        yield "\n取证"
    for item in record.invocations:
        took = (item.ended_at - item.started_at).total_seconds()
        given = " ".join(f"{key}={value}" for key, value in item.arguments.items())
        detail = (item.error or item.note or "")[:160]
        status = f"{_STATUS_ZH[item.status]}{shown.get(item.id, '')}"
        yield f"  {item.id} {item.tool_name} {status} {took:.2f} 秒 {given} {detail}".rstrip()


def _events(record: RunRecord) -> Iterator[str]:
    if record.events:
        yield "\n轨迹"
    for event in record.events:
        name = NODES_ZH.get(event.node, event.node)
        attempt = f"（第 {event.attempt} 次）" if event.attempt > 1 else ""
        yield f"  {name}{attempt} {event.status} {event.duration_ms:.0f} 毫秒 {event.reason or ''}".rstrip()


def _prompts(value: JsonValue) -> Iterator[str]:
    if not value:
        return
    audit = PromptAudit.model_validate(value)
    yield f"\n提示词  {audit.version}"
    for prompt in audit.prompts:
        yield f"  {prompt.name} 版本 {prompt.version} {prompt.sha256[:12]}"


def _items(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
