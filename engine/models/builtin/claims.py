"""Claims as the contract wants them: words, and the lines that carry them as verbatim excerpts."""

from collections.abc import Sequence

from engine.base import JsonObject, JsonValue
from engine.models.builtin.payload import Ref

__all__ = ["claim"]

_EXCERPT_CHARS = 4000


def claim(claim_id: str, claim_type: str, text: str, refs: Sequence[Ref]) -> JsonObject:
    """A claim whose excerpts are the refs' own lines (spec S45, S46)."""
    return {
        "claim_id": claim_id,
        "claim_type": claim_type,
        "claim_text": text,
        "support_level": "direct",
        "evidence_bindings": list[JsonValue](_binding(ref) for ref in refs),
    }


def _binding(ref: Ref) -> JsonObject:
    return {
        "source_type": "tool",
        "tool_name": ref.tool,
        "source_invocation_id": ref.invocation_id,
        "source_invocation_ids": [ref.invocation_id],
        "raw_path": ref.path,
        "evidence_excerpt": ref.text[:_EXCERPT_CHARS],
    }
