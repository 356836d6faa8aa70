"""What the answer may be made of, and nothing else (reading.md 16, 17)."""

import re
from collections.abc import Iterable, Iterator

from engine.answer import CitedEvidence, ConfirmedFact, Suspect
from engine.base import Frozen, JsonObject
from engine.check import ClaimCheck, ClaimVerification, Verdict
from engine.claim import Claim, Hypothesis
from engine.composition.notes import notes_on
from engine.gate import EvidenceGap, GateStage, VerifiedEvidence
from engine.invocation import ToolInvocation
from engine.run import Run
from engine.system import SystemMap
from engine.verification.guard.residue import plain_numbers, unexplained_words
from engine.verification.quantities import fold
from engine.verification.text_check import Allowed, allow, unsupported_parts

__all__ = ["Material", "MaterialClaim", "gather_material"]

_TYPES_ZH = {
    "root_cause": "根因判断",
    "symptom": "症状判断",
    "impact": "影响判断",
    "risk": "风险判断",
    "observation": "观察",
    "negative_observation": "“未出现”的观察",
}

_NOT_CARRIED_ZH: dict[ClaimVerification, str] = {
    "overstated": "说得比证据多，未采用",
    "unsupported": "现有证据不足以支持，未采用",
    "external_unknown": "涉及证据之外的对象或数值，未采用",
    "contradicted": "与证据相反，已排除",
}

_REFUTED = frozenset({"unsupported", "external_unknown", "contradicted"})

_ORDER = ("root_cause", "symptom", "impact", "risk", "observation", "negative_observation")

_MAX_ITEMS = 5


class MaterialClaim(Frozen):
    """A claim that may be said, with the words that carry it."""

    claim_id: str
    claim_type: str
    text: str
    verification: ClaimVerification
    evidence: tuple[CitedEvidence, ...]


class Material(Frozen):
    """Everything a Composer may use."""

    question: str
    timezone: str
    window_label: str
    verdict: Verdict
    confirmed: tuple[MaterialClaim, ...]
    """Direct observations, most telling first; no root cause under REJECT."""
    inferred: tuple[MaterialClaim, ...] = ()
    hypotheses: tuple[Suspect, ...] = ()
    gaps: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """How the answer came about; shown as it is, and never a Composer's to say."""
    known_names: tuple[str, ...] = ()
    """Names of services; naming one asserts nothing."""

    @property
    def facts(self) -> tuple[ConfirmedFact, ...]:
        """The confirmed claims as the answer shows them."""
        return tuple(
            ConfirmedFact(text=claim.text, claim_id=claim.claim_id, evidence=claim.evidence) for claim in self.confirmed
        )

    def allowed(self) -> Allowed:
        """Every text whose numbers and names may be said again, read."""
        claims = (*self.confirmed, *self.inferred)
        excerpts = (item.excerpt for claim in claims for item in claim.evidence)
        hypotheses = (suspect.text for suspect in self.hypotheses)
        return allow(
            (
                self.window_label,
                *(claim.text for claim in claims),
                *excerpts,
                *hypotheses,
                *self.gaps,
                *self.next_steps,
                *self.known_names,
            )
        )

    def payload(self, draft: JsonObject) -> JsonObject:
        """The Composer's user message (interfaces.md): claims with their ids, never raw tool output.

        Args:
            draft: the fixed template's wording of the same material, as `composer_v1`; to be improved on.
        """
        return {
            "question": self.question,
            "verdict": self.verdict,
            "claims": [
                {
                    "claim_id": claim.claim_id,
                    "claim_type": claim.claim_type,
                    "text": claim.text,
                    "class": claim.verification,
                    "excerpts": [item.excerpt for item in claim.evidence],
                }
                for claim in (*self.confirmed, *self.inferred)
            ],
            "possible": [suspect.text for suspect in self.hypotheses],
            "gaps": list(self.gaps),
            "next_steps": list(self.next_steps),
            "draft": draft,
        }


def gather_material(run: Run, system: SystemMap) -> Material:
    """Sort the projected claims by what their class lets them become.

    Args:
        run: a run whose gate and verification are there and COMPLETED.
        system: for the names of services.
    """
    assert run.gate is not None
    assert run.verification is not None
    assert run.verification.effective_verdict is not None
    verdict = run.verification.effective_verdict
    claims = {claim.claim_id: claim for claim in run.gate.verified_output.claims}
    checks = sorted(run.verification.claim_checks, key=lambda check: _rank(check, claims))
    evidence = run.gate.verified_evidence
    confirmed = tuple(
        _say(claims[check.claim_id], check, evidence)
        for check in checks
        if check.verification == "direct_observation"
        and not (verdict == "REJECT" and claims[check.claim_id].claim_type == "root_cause")
    )
    inferred = tuple(
        _say(claims[check.claim_id], check, evidence)
        for check in checks
        if check.verification == "reasonable_inference" and verdict != "REJECT"
    )
    names = tuple(service.name for service in system.services)
    base = Material(
        question=run.question.text,
        timezone=run.question.timezone,
        window_label=run.window.label(run.question.timezone),
        verdict=verdict,
        confirmed=confirmed,
        inferred=inferred,
        gaps=(*_claim_gaps(checks, claims), *_call_gaps(run.gate.result.evidence_gaps)),
        notes=notes_on(run),
        known_names=names,
    )
    allowed = base.allowed()
    suspects = () if verdict == "REJECT" else _suspects(run.gate, run, allowed, names)
    output = run.gate.verified_output
    guides = tuple(text for invocation in run.invocations for text in _headings(invocation))
    steps = _allowed_only((*output.recommended_actions, *output.missing_info), allowed + allow(guides), base.timezone)
    return base.model_copy(update={"hypotheses": suspects, "next_steps": steps[:_MAX_ITEMS]})


def _rank(check: ClaimCheck, claims: dict[str, Claim]) -> int:
    claim = claims.get(check.claim_id)
    return _ORDER.index(claim.claim_type) if claim else len(_ORDER)


def _say(claim: Claim, check: ClaimCheck, evidence: Iterable[VerifiedEvidence]) -> MaterialClaim:
    return MaterialClaim(
        claim_id=claim.claim_id,
        claim_type=claim.claim_type,
        text=claim.claim_text,
        verification=check.verification,
        evidence=tuple(
            CitedEvidence(
                invocation_id=item.source_invocation_id,
                tool_name=item.tool_name,
                raw_path=item.raw_path,
                excerpt=item.matched_text,
            )
            for item in evidence
            if item.claim_id == claim.claim_id
        ),
    )


def _claim_gaps(checks: Iterable[ClaimCheck], claims: dict[str, Claim]) -> tuple[str, ...]:
    """Say what is not carried, by kind and id; never the claim itself, because it would read as a finding."""
    return tuple(
        f"一条{_TYPES_ZH[claims[check.claim_id].claim_type]}（{check.claim_id[:40]}）"
        f"{_NOT_CARRIED_ZH[check.verification]}"
        for check in checks
        if check.verification in _NOT_CARRIED_ZH
    )


def _call_gaps(gaps: Iterable[EvidenceGap]) -> tuple[str, ...]:
    tools = dict.fromkeys(gap.tool_name for gap in gaps if gap.kind == "failed_call")
    return tuple(f"{tool} 调用失败，这部分情况未知" for tool in tools)


def _suspects(gate: GateStage, run: Run, allowed: Allowed, names: tuple[str, ...]) -> tuple[Suspect, ...]:
    assert run.verification is not None
    refuted = {check.hypothesis_id for check in run.verification.hypothesis_checks if check.verification in _REFUTED}
    carried = {
        check.claim_id
        for check in run.verification.claim_checks
        if check.verification in {"direct_observation", "reasonable_inference"}
    }
    kept = (
        hypothesis
        for hypothesis in gate.verified_output.hypotheses
        if hypothesis.hypothesis_id not in refuted and carried.intersection(hypothesis.based_on)
    )
    spoken = (_suspect(hypothesis, allowed, names, run.question.timezone) for hypothesis in kept)
    found = [suspect for suspect in spoken if suspect is not None]
    # because interfaces.md promises the most suspect first, whatever order a model wrote them in
    return tuple(sorted(found, key=lambda suspect: -(suspect.score if suspect.score is not None else float("-inf"))))


def _suspect(hypothesis: Hypothesis, allowed: Allowed, names: tuple[str, ...], timezone: str) -> Suspect | None:
    service = hypothesis.service if hypothesis.service in names else None
    if _plainly_said(hypothesis.text, allowed, timezone):
        return Suspect(service=service, text=hypothesis.text, score=hypothesis.score)
    if service is not None:
        return Suspect(service=service, text=f"可能与 {service} 有关", score=hypothesis.score)
    return None


def _headings(invocation: ToolInvocation) -> Iterator[str]:
    """File and heading of each runbook section: a next step may point there, never repeat what stands there."""
    output = invocation.output
    chunks = output.get("chunks") if isinstance(output, dict) else None
    for chunk in chunks if isinstance(chunks, list) else []:
        if isinstance(chunk, dict):
            yield f"{chunk.get('file')} {chunk.get('heading')}"


def _allowed_only(texts: Iterable[str], allowed: Allowed, timezone: str) -> tuple[str, ...]:
    return tuple(text for text in texts if text and _plainly_said(text, allowed, timezone))


def _plainly_said(text: str, allowed: Allowed, timezone: str) -> bool:
    """Whether a model's free sentence may be shown: nothing from outside, and no word that nothing explains."""
    if "\n" in text or unsupported_parts(text, allowed, timezone=timezone):
        return False
    known = " ".join(allowed.texts)
    return not unexplained_words(plain_numbers(_DIRECTIONS_ZH.sub(" ", fold(text))), known)


_DIRECTIONS_ZH = re.compile(
    r"可能方向|可能|也许|疑似|怀疑|优先|检查|核对|核实|查看|确认|评估|是否|回退|回滚|扩容|重启|排查|联系|观察|参考|处置|指南|"
    r"补充|恢复后|恢复|重新提问|重新|提问|没有取到数据|数据|自身|有关|相关|方向|吃紧|变多|变慢|变长|增多|偏离基线|刚有变更|"
    r"有告警|报告下游不可用|下游|上游|不可用|响应|请求|失败|报错|错误|日志|异常|告警|变更|指标|调用|连接池|资源|流量|内存|延迟|"
    r"缺失|消失|少了|丢失的|少见|网络|等待|负责人|值班|发布|部署|版本|配置|这次|最近|先|再|后|以及|需要|看|慢查询|可用性"
)
"""Words of advice and suspicion; they assert no fact of the incident, only where to look."""
