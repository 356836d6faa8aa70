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
from engine.contracts.fields import choice, identifier, identifiers, objects, optional_identifier
from engine.contracts.json_object import read_object
from engine.errors import BadModelOutput

__all__ = ["read_verifier_reply"]

_CLASSES = cast("tuple[str, ...]", get_args(ClaimVerification))
_VERDICTS = cast("tuple[str, ...]", get_args(Verdict))
_DETAIL_CHARS = 1000
_NOTE_CHARS = 500
_MOST_CHECKS = 200
_MOST_REFS = 20
_MOST_IDS = 20


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
        for number, item in enumerate(objects(source, "claim_checks", "reply", most=_MOST_CHECKS))
    )
    made = {check.claim_id: check for check in checks}
    if len(made) != len(checks) or len(made) != len(claims):
        raise BadModelOutput("wrong_checks", "there must be one check for each projected claim and no other")
    rationale = source.get("rationale")
    if not isinstance(rationale, str):
        raise BadModelOutput("missing_field", "reply.rationale must be a string")
    return VerifierReply(
        verdict=cast("Verdict", choice(source, "verdict", "reply", _VERDICTS)),
        groundedness_score=_score(source.get("groundedness_score")),
        critical_fact_count=_count(source.get("critical_fact_count")),
        claim_checks=tuple(made[claim_id] for claim_id in claims),
        hypothesis_checks=_hypotheses(source),
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
        evidence_refs=tuple(_ref(item, f"{place}.evidence_refs[{number}]") for number, item in enumerate(refs)),
    )


def _ref(source: JsonObject, place: str) -> ClaimEvidenceRef:
    single = optional_identifier(source, "source_invocation_id", place)
    plural = identifiers(source, "source_invocation_ids", place, most=_MOST_IDS)
    note = source.get("note")
    path = source.get("raw_path")
    if path is not None and not isinstance(path, str):
        raise BadModelOutput("wrong_type", f"{place}.raw_path must be a string")
    return ClaimEvidenceRef(
        claim_id=optional_identifier(source, "claim_id", place),
        trace_ref=optional_identifier(source, "trace_ref", place),
        tool_name=optional_identifier(source, "tool_name", place),
        # because each id that is given must name something verified, none is left out
        source_invocation_ids=tuple(dict.fromkeys((*plural, single) if single else plural)),
        raw_path=path,
        note=note[:_NOTE_CHARS] if isinstance(note, str) and note else None,
    )


def _hypotheses(reply: JsonObject) -> tuple[HypothesisCheck, ...]:
    if reply.get("hypothesis_checks") is None:
        return ()
    found: list[HypothesisCheck] = []
    for number, item in enumerate(objects(reply, "hypothesis_checks", "reply", most=_MOST_CHECKS)):
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
