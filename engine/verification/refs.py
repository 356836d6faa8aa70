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
        kept = tuple(ref for ref in check.evidence_refs if any(_names(ref, item) for item in own))
        if len(kept) < len(check.evidence_refs):
            dropped = len(check.evidence_refs) - len(kept)
            warnings.append(f"{check.claim_id}: {dropped} evidence refs name nothing verified and were dropped")
        verification = check.verification
        if verification == "direct_observation" and not kept:
            verification = "unsupported"
            warnings.append(f"{check.claim_id}: direct_observation without an evidence ref became unsupported")
        cleaned.append(check.model_copy(update={"evidence_refs": kept, "verification": verification}))
    return tuple(cleaned), tuple(warnings)


def _names(ref: ClaimEvidenceRef, item: VerifiedEvidence) -> bool:
    """Whether every part that the reference gives is the item's, and it gives at least one."""
    given = (
        (ref.claim_id, item.claim_id),
        (ref.tool_name, item.tool_name),
        (ref.raw_path, item.raw_path),
    )
    if any(part is not None and part != own for part, own in given):
        return False
    if ref.source_invocation_ids and item.source_invocation_id not in ref.source_invocation_ids:
        return False
    return bool(ref.source_invocation_ids) or any(part is not None for part, _ in given)
