"""References of claim checks against what was verified (spec S05, S36; reading.md 9)."""

from collections.abc import Sequence

from engine.check import ClaimCheck, ClaimEvidenceRef
from engine.gate import VerifiedEvidence

__all__ = ["clean_refs"]


def clean_refs(
    checks: Sequence[ClaimCheck], evidence: Sequence[VerifiedEvidence]
) -> tuple[tuple[ClaimCheck, ...], tuple[str, ...]]:
    """Drop references that name nothing verified for their claim, and lower what is left without one.

    Returns:
        The checks, and a warning for each dropped reference and lowered class.
    """
    cleaned: list[ClaimCheck] = []
    warnings: list[str] = []
    for check in checks:
        own = [item for item in evidence if item.claim_id == check.claim_id]
        kept = tuple(ref for ref in check.evidence_refs if _names(ref, own))
        if len(kept) < len(check.evidence_refs):
            dropped = len(check.evidence_refs) - len(kept)
            warnings.append(f"{check.claim_id}: {dropped} evidence refs name nothing verified and were dropped")
        verification = check.verification
        if verification == "direct_observation" and not kept:
            verification = "unsupported"
            warnings.append(f"{check.claim_id}: direct_observation without an evidence ref became unsupported")
        cleaned.append(check.model_copy(update={"evidence_refs": kept, "verification": verification}))
    return tuple(cleaned), tuple(warnings)


def _names(ref: ClaimEvidenceRef, own: Sequence[VerifiedEvidence]) -> bool:
    """Whether the reference names something, and each part of it names one and the same item.

    With several invocation ids each must name an item, because one good id must not carry a made-up one.
    """
    if not ref.source_invocation_ids and ref.claim_id is None and ref.tool_name is None and ref.raw_path is None:
        return False
    fitting = {item.source_invocation_id for item in own if _fits(ref, item)}
    return bool(fitting) and fitting.issuperset(ref.source_invocation_ids)


def _fits(ref: ClaimEvidenceRef, item: VerifiedEvidence) -> bool:
    given = ((ref.claim_id, item.claim_id), (ref.tool_name, item.tool_name), (ref.raw_path, item.raw_path))
    return all(part is None or part == held for part, held in given)
