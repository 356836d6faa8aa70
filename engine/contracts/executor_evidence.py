"""Reads `executor_evidence_v2` (spec S44-S47, S51-S54; reading.md 2)."""

from typing import cast, get_args

from engine.base import JsonObject, JsonValue
from engine.claim import ANSWER_VERSION, Claim, ClaimType, EvidenceBinding, ExecutorOutput, Hypothesis
from engine.contracts.fields import (
    choice,
    identifier,
    identifiers,
    items,
    objects,
    optional_identifier,
    optional_text,
    sentences,
    text,
)
from engine.contracts.json_object import read_object
from engine.errors import BadModelOutput

__all__ = ["REMOVED_FIELDS", "read_executor_output"]

REMOVED_FIELDS = ("diagnosis_summary", "user_facing_answer")

_CLAIM_TYPES = cast("tuple[str, ...]", get_args(ClaimType))
_MOST_CLAIMS = 50
_MOST_BINDINGS = 20
_MOST_ITEMS = 50


def read_executor_output(text_: str) -> ExecutorOutput:
    """Parse the Executor's final text.

    Removed fields and empty `evidence_bindings` parse: judging them is the Gatekeeper's (S53, S54).

    Raises:
        BadModelOutput: not one JSON object, a wrong version, a missing or mistyped top-level list, a claim
            without its mandatory scalar fields, a mistyped invocation id, or too much of anything.
    """
    source, warnings = read_object(text_, allow_fence=True)
    version = source.get("answer_version")
    if version != ANSWER_VERSION:
        raise BadModelOutput("wrong_version", f"answer_version must be {ANSWER_VERSION!r}")
    claims = tuple(
        _claim(item, f"claims[{number}]")
        for number, item in enumerate(objects(source, "claims", "reply", most=_MOST_CLAIMS))
    )
    if len({claim.claim_id for claim in claims}) != len(claims):
        raise BadModelOutput("repeated_id", "two claims share one claim_id")
    hypotheses = items(source, "hypotheses", "reply", most=_MOST_ITEMS)
    return ExecutorOutput(
        claims=claims,
        hypotheses=tuple(
            made
            for made in (_hypothesis(item, number) for number, item in enumerate(hypotheses, start=1))
            if made is not None
        ),
        recommended_actions=sentences(items(source, "recommended_actions", "reply", most=_MOST_ITEMS)),
        missing_info=sentences(items(source, "missing_info", "reply", most=_MOST_ITEMS)),
        removed_fields=tuple(name for name in REMOVED_FIELDS if name in source),
        warnings=warnings,
    )


def _claim(source: JsonObject, place: str) -> Claim:
    given = source.get("evidence_bindings") is not None
    # because a binding that is cut off is one that nobody checks, too many are refused and not cut
    bindings = items(source, "evidence_bindings", place, most=_MOST_BINDINGS) if given else []
    support = choice(source, "support_level", place, ("direct", "indirect"))
    return Claim(
        claim_id=identifier(source, "claim_id", place),
        claim_type=cast("ClaimType", choice(source, "claim_type", place, _CLAIM_TYPES)),
        claim_text=text(source, "claim_text", place, limit=2000),
        support_level="direct" if support == "direct" else "indirect",
        evidence_bindings=tuple(
            _binding(item, f"{place}.evidence_bindings[{number}]") for number, item in enumerate(bindings)
        ),
    )


def _binding(item: JsonValue, place: str) -> EvidenceBinding:
    source: JsonObject = item if isinstance(item, dict) else {}
    excerpt = source.get("evidence_excerpt")
    path = source.get("raw_path")
    return EvidenceBinding(
        source_type=optional_text(source, "source_type", place) or "",
        tool_name=optional_text(source, "tool_name", place) or "",
        source_invocation_id=optional_identifier(source, "source_invocation_id", place),
        source_invocation_ids=identifiers(source, "source_invocation_ids", place, most=_MOST_ITEMS),
        raw_path=path if isinstance(path, str) else None,
        evidence_excerpt=excerpt if isinstance(excerpt, str) else "",
        source_id=optional_text(source, "source_id", place),
    )


def _hypothesis(item: JsonValue, number: int) -> Hypothesis | None:
    if isinstance(item, str):
        return Hypothesis(hypothesis_id=f"h{number}", text=item[:2000]) if item.strip() else None
    if not isinstance(item, dict):
        return None
    words = sentences([item.get("hypothesis") or item])
    if not words:
        return None
    place = f"hypotheses[{number - 1}]"
    score = item.get("score")
    numeric = isinstance(score, int | float) and not isinstance(score, bool)
    return Hypothesis(
        hypothesis_id=optional_text(item, "hypothesis_id", place) or f"h{number}",
        text=words[0][:2000],
        based_on=_ids(item.get("based_on")),
        service=optional_text(item, "service", place),
        score=float(score) if numeric and isinstance(score, int | float) and abs(score) < 1e9 else None,
    )


def _ids(value: JsonValue) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    whole = (str(item) for item in value if isinstance(item, str | int) and not isinstance(item, bool))
    return tuple(item for item in whole if item)[:_MOST_ITEMS]
