"""Composer: the Chinese answer from allowed material only, else the fixed template."""

from engine.answer import Answer
from engine.composition.check import objections
from engine.composition.material import Material, gather_material
from engine.composition.template import as_draft, compose, reworded
from engine.contracts.composer import ComposerReply, read_composition
from engine.dialogue import ask, call_timeout, serialize, speaker
from engine.errors import BadModelOutput, ModelUnavailable
from engine.ports import Deps, ModelReply, ModelRequest
from engine.run import Failure, Run

__all__ = ["compose_answer"]


async def compose_answer(run: Run, deps: Deps) -> Answer | Failure:
    """Word the answer. The model's words are kept only when code finds nothing in them that is not allowed."""
    if run.verification is None or run.gate is None:
        return Failure(node="composer", reason="composer.nothing_verified", detail="没有复核结果可供撰写")
    material = gather_material(run, deps.system)
    template = compose(material)
    if material.verdict == "REJECT":
        # because a rejected diagnosis gets the fixed degraded wording only (spec S64)
        return template
    return await _worded(run, deps, material, template)


async def _worded(run: Run, deps: Deps, material: Material, template: Answer) -> Answer:
    try:
        reply = await _ask_composer(run, deps, material, template)
    except (ModelUnavailable, BadModelOutput) as error:
        return template.model_copy(
            update={"template_reason": f"composer.failed: {str(error)[:200]}", "usage": error.usage}
        )
    try:
        worded = read_composition(reply.text)
    except BadModelOutput as error:
        return template.model_copy(update={"template_reason": f"composer.{error.reason}", "usage": reply.usage})
    return _checked(worded, material, template).model_copy(update={"usage": reply.usage})


async def _ask_composer(run: Run, deps: Deps, material: Material, template: Answer) -> ModelReply:
    model = speaker(run, deps)
    request = ModelRequest(
        role="composer",
        contract="composer_v1",
        payload=serialize(material.payload(as_draft(template))),
        timeout=call_timeout(run, deps, model),
        nonce=run.nonce,
    )
    return await ask(model, request)


def _checked(worded: ComposerReply, material: Material, template: Answer) -> Answer:
    if worded == read_composition(serialize(as_draft(template))):
        # because the draft said back word for word is the template's own text
        return template
    found = objections(worded, material)
    if found:
        return template.model_copy(update={"template_reason": f"composer.check: {'; '.join(found)[:300]}"})
    answer = reworded(worded, material)
    return template if answer.text == template.text else answer
