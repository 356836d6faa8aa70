"""Each binding against what was persisted: rules, severity, projection (reading.md 3, 4, 14)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.claim import Claim, EvidenceBinding, ExecutorOutput
from engine.gate import (
    CheckedBinding,
    EvidenceGap,
    GateResult,
    GateStage,
    GateStatus,
    Rule,
    Severity,
    VerifiedEvidence,
)
from engine.gatekeeper.evidence import Evidence
from engine.gatekeeper.excerpt import find_support
from engine.invocation import ToolInvocation
from engine.ports import RuleSet

__all__ = ["judge"]

_SEVERITIES: tuple[Severity, ...] = ("none", "low_confid", "reject")
_STATUSES: dict[Severity, GateStatus] = {"none": "PASS", "low_confid": "LOW_CONFID", "reject": "REJECT"}

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,200}")
_POINTER = re.compile(r"(?=.{0,500}\Z)(?:/[A-Za-z0-9_.~:-]*)*")

_FAILED_ZH = {
    "schema.executor_v2": "判断没有带证据，或含有已废弃的字段",
    "evidence.invocation_ref": "引用的调用在本次诊断里不存在，或工具名对不上",
    "evidence.invocation_missing": "没有指明来自哪次调用",
    "evidence.raw_path_missing": "没有指明在输出中的位置",
    "evidence.refs_unavailable": "这次调用没有可引用的证据位置",
    "evidence.raw_path": "输出里没有这个位置",
    "evidence.excerpt_mismatch": "摘录与该位置的原文对不上",
    "evidence.guidance_only": "只有处置指南，没有本次故障的证据",
}


@dataclass(frozen=True)
class _Judged:
    """One binding, what became of it, and the words that support it."""

    binding: EvidenceBinding
    checked: CheckedBinding
    matched: str | None


def judge(output: ExecutorOutput, invocations: Sequence[ToolInvocation], rules: RuleSet) -> GateStage:
    """Check every binding of every claim and project what passed.

    Args:
        output: the Executor's legal contract.
        invocations: every persisted invocation of the run.
        rules: the catalog. A disabled rule fails nothing, but what it would have failed is not projected.

    Returns:
        The audit with rule metadata always; nothing in it holds an excerpt, because the Verifier sees it.
    """
    evidence = Evidence(invocations)
    lengths = _lengths(rules)
    failures: list[tuple[str, str]] = [("schema.executor_v2", "")] if output.removed_fields else []
    judged: dict[str, list[_Judged]] = {}
    for claim in output.claims:
        if not claim.evidence_bindings:
            failures.append(("schema.executor_v2", claim.claim_id))
        judged[claim.claim_id] = [
            _judge_binding(claim, index, binding, evidence, rules, lengths)
            for index, binding in enumerate(claim.evidence_bindings)
        ]
    guided = _guidance_only(output.claims, judged, rules)
    failures += [("evidence.guidance_only", claim_id) for claim_id in sorted(guided)]
    checked = tuple(item.checked for items in judged.values() for item in items)
    failures += [(item.failed_rule, item.claim_id) for item in checked if item.failed_rule]
    enforced = [(rule, claim_id) for rule_id, claim_id in failures if (rule := rules.get(rule_id))]
    found: list[Severity] = ["none", *(rule.default_severity for rule, _ in enforced)]
    severity = max(found, key=_SEVERITIES.index)
    result = GateResult(
        status="fail" if enforced else "pass",
        severity=severity,
        checked_bindings=checked,
        rules=rules.rules,
        failed_rules=tuple(dict.fromkeys(rule.id for rule, _ in enforced)),
        warnings=(*output.warnings, *_backfills(checked)),
        errors=tuple(_error(rule, claim_id) for rule, claim_id in enforced),
        rule_set_version=rules.version,
        evidence_gaps=_gaps(invocations),
    )
    unchecked = not any(rule.enabled for rule in rules.rules)
    projected = {
        claim_id: [item for item in items if item.matched is not None]
        for claim_id, items in judged.items()
        if claim_id not in guided
    }
    return GateStage(
        result=result,
        status="LOW_CONFID" if unchecked else _STATUSES[severity],
        verified_output=_projection(output, projected),
        verified_evidence=tuple(
            _verified(claim.claim_id, item) for claim in output.claims for item in projected.get(claim.claim_id, [])
        ),
    )


def _judge_binding(
    claim: Claim, index: int, binding: EvidenceBinding, evidence: Evidence, rules: RuleSet, lengths: tuple[int, int]
) -> _Judged:
    invocation_id, backfilled = evidence.identify(binding)
    named = binding
    if invocation_id != binding.source_invocation_id:
        named = binding.model_copy(update={"source_invocation_id": invocation_id})
    failed_rule, matched = _check(named, evidence, lengths)
    rule = rules.get(failed_rule) if failed_rule else None
    checked = CheckedBinding(
        claim_id=claim.claim_id,
        index=index,
        status="failed" if failed_rule else "passed",
        failed_rule=failed_rule,
        severity=rule.default_severity if rule else "none",
        tool_name=_shown(binding.tool_name, _NAME, failed_rule) or "",
        source_invocation_id=_shown(invocation_id, _NAME, failed_rule),
        raw_path=_shown(binding.raw_path, _POINTER, failed_rule),
        detail=_FAILED_ZH[failed_rule] if failed_rule else "",
        backfilled=backfilled,
    )
    return _Judged(named, checked, matched)


def _shown(given: str | None, form: re.Pattern[str], failed_rule: str | None) -> str | None:
    """What the audit repeats of a binding: what exists, or what has an id's or path's form; never prose (S32)."""
    return given if given is None or failed_rule is None or form.fullmatch(given) else None


def _check(binding: EvidenceBinding, evidence: Evidence, lengths: tuple[int, int]) -> tuple[str | None, str | None]:
    """The first rule that fails, or the words that support the binding."""
    if not evidence.knows_all(binding):
        return "evidence.invocation_ref", None
    if binding.source_invocation_id is None:
        return "evidence.invocation_missing", None
    invocation = evidence.find(binding.source_invocation_id)
    if invocation is None or invocation.tool_name != binding.tool_name:
        return "evidence.invocation_ref", None
    if binding.raw_path is None:
        return "evidence.raw_path_missing", None
    if invocation.retrieval_details.evidence_refs is None or invocation.status == "failed":
        return "evidence.refs_unavailable", None
    text = evidence.text(invocation, binding.raw_path)
    if text is None:
        return "evidence.raw_path", None
    excerpt = binding.evidence_excerpt
    quotable = len(excerpt.strip()) >= lengths[0] and len(excerpt) <= lengths[1]
    matched = find_support(excerpt, evidence.prepared(invocation, binding.raw_path)) if quotable else None
    return (None, matched) if matched is not None else ("evidence.excerpt_mismatch", None)


def _lengths(rules: RuleSet) -> tuple[int, int]:
    """The least and the most characters of an excerpt that counts as a quote."""
    rule = "evidence.excerpt_mismatch"
    return _parameter(rules, rule, "min_excerpt_chars", 1), _parameter(rules, rule, "max_excerpt_chars", 4000)


def _parameter(rules: RuleSet, rule_id: str, name: str, default: int) -> int:
    value = next((rule.parameters.get(name) for rule in rules.rules if rule.id == rule_id), default)
    return value if isinstance(value, int) else default


def _guidance_only(claims: Iterable[Claim], judged: dict[str, list[_Judged]], rules: RuleSet) -> frozenset[str]:
    rule = next((rule for rule in rules.rules if rule.id == "evidence.guidance_only"), None)
    listed = rule.parameters.get("guidance_tools") if rule else None
    guides = set(listed) if isinstance(listed, list) else set[object]()
    found: set[str] = set()
    for claim in claims:
        passed = [item for item in judged[claim.claim_id] if item.matched is not None]
        if passed and all(item.binding.tool_name in guides for item in passed):
            found.add(claim.claim_id)
    return frozenset(found)


def _projection(output: ExecutorOutput, projected: dict[str, list[_Judged]]) -> ExecutorOutput:
    claims = tuple(
        claim.model_copy(update={"evidence_bindings": tuple(_as_matched(item) for item in projected[claim.claim_id])})
        for claim in output.claims
        if projected.get(claim.claim_id)
    )
    ids = {claim.claim_id for claim in claims}
    hypotheses = tuple(
        hypothesis.model_copy(update={"based_on": tuple(item for item in hypothesis.based_on if item in ids)})
        for hypothesis in output.hypotheses
        if ids.intersection(hypothesis.based_on)
    )
    return output.model_copy(update={"claims": claims, "hypotheses": hypotheses, "removed_fields": (), "warnings": ()})


def _as_matched(item: _Judged) -> EvidenceBinding:
    return item.binding.model_copy(update={"evidence_excerpt": item.matched})


def _verified(claim_id: str, item: _Judged) -> VerifiedEvidence:
    return VerifiedEvidence(
        claim_id=claim_id,
        source_invocation_id=item.binding.source_invocation_id or "",
        tool_name=item.binding.tool_name,
        raw_path=item.binding.raw_path or "",
        matched_text=item.matched or "",
    )


def _backfills(checked: Iterable[CheckedBinding]) -> tuple[str, ...]:
    return tuple(
        f"auto-backfill: claim {item.claim_id} binding {item.index} got the only {item.tool_name} invocation "
        f"{item.source_invocation_id}"
        for item in checked
        if item.backfilled
    )


def _error(rule: Rule, claim_id: str) -> str:
    return f"{rule.id}: {claim_id or 'reply'}: {rule.description}"


def _gaps(invocations: Iterable[ToolInvocation]) -> tuple[EvidenceGap, ...]:
    found: list[EvidenceGap] = []
    for item in invocations:
        if item.status == "failed":
            found.append(_gap("failed_call", item, f"{item.error_kind or 'failed'}: {(item.error or '')[:200]}"))
        elif item.status == "empty":
            found.append(_gap("empty_result", item, (item.note or "the call matched nothing")[:200]))
        elif item.status == "deduped":
            found.append(_gap("deduped_retrieval", item, "nothing that this run had not retrieved before"))
    return tuple(found)


def _gap(kind: str, item: ToolInvocation, detail: str) -> EvidenceGap:
    return EvidenceGap.model_validate(
        {"kind": kind, "invocation_id": item.id, "tool_name": item.tool_name, "detail": detail}
    )
