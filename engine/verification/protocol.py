"""Reads `verifier_v2`, strictly (spec S07-S09, S60, S61; reading.md 9)."""

from collections.abc import Sequence
from typing import cast, get_args

from engine.base import JsonObject, JsonValue
from engine.check import (
    ClaimCheck,
    ClaimEvidenceRef,
    ClaimVerification,
    HypothesisCheck,
    Verdict,
    VerifierReply,
)
from engine.claim import Claim
from engine.contracts.fields import choice, identifier, objects, optional_text
from engine.contracts.json_object import read_object
from engine.errors import BadModelOutput

__all__ = ["read_verifier_reply"]

_CLASSES = cast("tuple[str, ...]", get_args(ClaimVerification))
_VERDICTS = cast("tuple[str, ...]", get_args(Verdict))
_DETAIL_CHARS = 1000
_MOST_REFS = 20


def read_verifier_reply(text: str, projected: Sequence[Claim]) -> VerifierReply:
    """Parse the Verifier's text against the claims that it was given.

    `facts_checked` may be absent or anything: the compatibility projection replaces it (stage-three-design).

    Raises:
        BadModelOutput: not exactly one bare JSON object, a missing or mistyped field, a class outside the
            fixed set, or checks that are not one for each projected claim and none for another.
    """
    source, _ = read_object(text, allow_fence=False)
    claims = {claim.claim_id: claim for claim in projected}
    checks = tuple(
        _check(item, f"claim_checks[{number}]", claims)
        for number, item in enumerate(objects(source, "claim_checks", "reply", most=200))
    )
    checked = [check.claim_id for check in checks]
    if sorted(checked) != sorted(claims):
        raise BadModelOutput("wrong_checks", "there must be one check for each projected claim and no other")
    rationale = source.get("rationale")
    if not isinstance(rationale, str):
        raise BadModelOutput("missing_field", "reply.rationale must be a string")
    hypotheses = source.get("hypothesis_checks")
    return VerifierReply(
        verdict=cast("Verdict", choice(source, "verdict", "reply", _VERDICTS)),
        groundedness_score=_score(source.get("groundedness_score")),
        critical_fact_count=_count(source.get("critical_fact_count")),
        claim_checks=checks,
        hypothesis_checks=_hypotheses(hypotheses if isinstance(hypotheses, list) else []),
        rationale=rationale[:4000],
    )


def _check(source: JsonObject, place: str, claims: dict[str, Claim]) -> ClaimCheck:
    claim_id = identifier(source, "claim_id", place)
    claim = claims.get(claim_id)
    if claim is None:
        raise BadModelOutput("wrong_checks", f"{place} checks a claim that was not projected")
    detail = source.get("detail")
    if not isinstance(detail, str):
        raise BadModelOutput("missing_field", f"{place}.detail must be a string")
    refs = objects(source, "evidence_refs", place, most=_MOST_REFS)
    return ClaimCheck(
        claim_id=claim_id,
        claim_text=claim.claim_text,
        claim_type=claim.claim_type,
        verification=cast("ClaimVerification", choice(source, "verification", place, _CLASSES)),
        detail=detail[:_DETAIL_CHARS],
        evidence_refs=tuple(_ref(item) for item in refs),
    )


def _ref(source: JsonObject) -> ClaimEvidenceRef:
    ids = source.get("source_invocation_ids")
    whole = [str(item) for item in ids if isinstance(item, str | int)] if isinstance(ids, list) else []
    single = optional_text(source, "source_invocation_id")
    note = optional_text(source, "note")
    path = source.get("raw_path")
    return ClaimEvidenceRef(
        claim_id=optional_text(source, "claim_id"),
        trace_ref=optional_text(source, "trace_ref"),
        tool_name=optional_text(source, "tool_name"),
        source_invocation_ids=tuple(whole) or ((single,) if single else ()),
        raw_path=path if isinstance(path, str) else None,
        note=note[:500] if note else None,
    )


def _hypotheses(values: list[JsonValue]) -> tuple[HypothesisCheck, ...]:
    found: list[HypothesisCheck] = []
    for number, item in enumerate(values):
        if not isinstance(item, dict):
            raise BadModelOutput("wrong_type", f"hypothesis_checks[{number}] must be an object")
        place = f"hypothesis_checks[{number}]"
        detail = item.get("detail")
        found.append(
            HypothesisCheck(
                hypothesis_id=identifier(item, "hypothesis_id", place),
                verification=cast("ClaimVerification", choice(item, "verification", place, _CLASSES)),
                detail=detail[:_DETAIL_CHARS] if isinstance(detail, str) else "",
            )
        )
    return tuple(found)


def _score(value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadModelOutput("wrong_type", "reply.groundedness_score must be a number")
    if not 0 <= value <= 1:
        raise BadModelOutput("wrong_value", "reply.groundedness_score must lie between 0 and 1")
    return float(value)


def _count(value: JsonValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10_000:
        raise BadModelOutput("missing_field", "reply.critical_fact_count must be a whole number")
    return value
