"""The fixed Chinese wording of an answer, made from allowed material alone."""

from engine.answer import Answer, ConfirmedFact
from engine.base import JsonObject
from engine.composition.material import Material
from engine.composition.page import page
from engine.contracts.composer import ComposerReply

__all__ = ["as_draft", "compose", "reworded"]

_MAX_POSSIBLE = 5


def compose(material: Material) -> Answer:
    """The answer in the fixed wording of its verdict (spec S62-S64)."""
    return _answer(
        material,
        conclusion=_conclusion(material),
        confirmed=material.facts,
        possible=_possible(material),
        gaps=material.gaps,
        next_steps=material.next_steps or _default_steps(material),
        rendered_by="template",
    )


def reworded(reply: ComposerReply, material: Material) -> Answer:
    """The answer in a model's words; the caller has made sure that `objections` finds none."""
    words = {fact.claim_id: fact.text for fact in reply.confirmed}
    confirmed = tuple(fact.model_copy(update={"text": words.get(fact.claim_id, fact.text)}) for fact in material.facts)
    return _answer(
        material,
        # because only what is confirmed can be checked sentence by sentence: everything else keeps its fixed words
        conclusion=reply.conclusion if material.confirmed else _conclusion(material),
        confirmed=confirmed,
        possible=_possible(material),
        gaps=material.gaps,
        next_steps=material.next_steps or _default_steps(material),
        rendered_by="model",
    )


def as_draft(answer: Answer) -> JsonObject:
    """An answer as the `composer_v1` object that says the same."""
    return {
        "conclusion": answer.conclusion,
        "confirmed": [{"claim_id": fact.claim_id, "text": fact.text} for fact in answer.confirmed],
        "possible": list(answer.possible),
        "gaps": list(answer.gaps),
        "next_steps": list(answer.next_steps),
    }


def _answer(
    material: Material,
    *,
    conclusion: str,
    confirmed: tuple[ConfirmedFact, ...],
    possible: tuple[str, ...],
    gaps: tuple[str, ...],
    next_steps: tuple[str, ...],
    rendered_by: str,
) -> Answer:
    answer = Answer(
        outcome=material.verdict,
        verdict=material.verdict,
        conclusion=conclusion,
        confirmed=confirmed,
        possible=possible,
        gaps=gaps,
        next_steps=next_steps,
        notes=material.notes,
        hypotheses=material.hypotheses,
        rendered_by="model" if rendered_by == "model" else "template",
    )
    return answer.model_copy(update={"text": page(answer)})


def _conclusion(material: Material) -> str:
    if material.verdict == "REJECT":
        return "现有证据与部分判断相反，无法给出可靠结论"
    if not material.confirmed:
        return "现有证据不足，无法确认任何事实"
    first = material.confirmed[0]
    if material.verdict == "LOW_CONFID":
        return f"尚不能下结论；目前能确认的是：{_short(first.text)}"
    if all(claim.claim_type == "negative_observation" for claim in material.confirmed):
        return f"{material.window_label} 未发现异常：{first.text}"
    return _short(first.text)


def _short(text: str) -> str:
    """The first of several statements: the rest stands below, and a phone's notification shows one line."""
    head, _, rest = text.partition("；")
    return f"{head}（另有 {rest.count('；') + 1} 项同向证据）" if rest else head


def _possible(material: Material) -> tuple[str, ...]:
    if material.verdict == "REJECT":
        return ()
    inferred = tuple(f"（推断）{claim.text}" for claim in material.inferred)
    return (*inferred, *(suspect.text for suspect in material.hypotheses))[:_MAX_POSSIBLE]


def _default_steps(material: Material) -> tuple[str, ...]:
    if material.verdict == "PASS":
        return ()
    return ("补充证据缺口对应的数据后重新提问", "人工核对上面列出的原始证据")
