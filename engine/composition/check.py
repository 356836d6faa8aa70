"""Whether a Composer's words say more than the material; one objection is enough for the template."""

from engine.claim import Claim
from engine.composition.material import Material, MaterialClaim
from engine.contracts.composer import ComposerReply
from engine.verification.guard import GuardEvidence, GuardScope, judge
from engine.verification.text_check import holds_json, is_chinese, unsupported_parts

__all__ = ["objections"]


def objections(reply: ComposerReply, material: Material) -> tuple[str, ...]:
    """What is wrong with the Composer's words, in short English; empty where nothing is.

    Every text may hold only what the allowed material holds. A confirmed sentence, and the conclusion, must
    besides be carried by the guard as if they were claims, because words alone can turn a finding around.
    """
    found: list[str] = []
    allowed = material.allowed()
    for text in reply.texts:
        parts = unsupported_parts(text, allowed, timezone=material.timezone)
        found += [f"not in the material: {part}" for part in parts]
        if not is_chinese(text):
            found.append("not Chinese")
        if holds_json(text):
            found.append("holds JSON")
    claims = {claim.claim_id: claim for claim in material.confirmed}
    scope = GuardScope(timezone=material.timezone, services=material.known_names)
    for fact in reply.confirmed:
        claim = claims.get(fact.claim_id)
        if claim is None:
            found.append(f"unknown claim: {fact.claim_id[:40]}")
        elif not _carried(fact.text, (claim,), claim.claim_type, scope):
            found.append(f"reworded beyond its evidence: {fact.claim_id[:40]}")
    if material.confirmed and not _carried(reply.conclusion, material.confirmed, "observation", scope):
        found.append("conclusion beyond the confirmed claims")
    return tuple(dict.fromkeys(found))


def _carried(text: str, claims: tuple[MaterialClaim, ...], claim_type: str, scope: GuardScope) -> bool:
    evidence = [
        GuardEvidence(text=item.excerpt, context=item.excerpt, tool_name=item.tool_name)
        for claim in claims
        for item in claim.evidence
    ]
    # because a confirmed sentence may be said again word for word, also where its evidence needs more context
    if text in {claim.text for claim in claims}:
        return True
    said = [GuardEvidence(text=claim.text, context=claim.text, tool_name="") for claim in claims]
    judged = Claim.model_validate(
        {"claim_id": "composer", "claim_type": claim_type, "claim_text": text, "support_level": "direct"}
    )
    return judge(judged, [*evidence, *said], scope).outcome == "derived"
