"""JSON Schemas of the four contracts, as endpoints that constrain a reply take them.

They describe the form that a model should write today. The readers beside this module take more (absent lists,
legacy keys), because a reply that is legal is read whatever wrote it; what a schema admits, its reader reads.
Written in the dialect of strict structured outputs: every property required, no property beyond, absence as null
(https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas").
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast, get_args

from engine.base import JsonObject, JsonValue
from engine.check import ClaimVerification, FactVerification, Verdict
from engine.claim import ANSWER_VERSION, ClaimType

__all__ = ["CONTRACT_SCHEMAS", "STRICT"]


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _text_or_null(description: str) -> JsonObject:
    return {"type": ["string", "null"], "description": description}


def _one_of(*values: object) -> JsonObject:
    return {"type": "string", "enum": [str(value) for value in values]}


def _list(items: JsonObject, description: str = "") -> JsonObject:
    made: JsonObject = {"type": "array", "items": items}
    return made | {"description": description} if description else made


def _object(**properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": cast("JsonObject", properties),
        "required": cast("list[JsonValue]", list(properties)),
        "additionalProperties": False,
    }


_SENTENCES = _list({"type": "string"})
_CLASS = _one_of(*get_args(ClaimVerification))

_PLAN = _object(
    intent=_text("what is to be found out, one Chinese sentence"),
    scope=_one_of("narrow", "broad"),
    services=_list({"type": "string"}, "names as in the message"),
    steps=_list(
        _object(
            id=_text("s1, s2, ..."),
            goal=_text("what the call is to show, in Chinese"),
            tool=_text("name of one of the tools"),
            # because each tool has its own arguments, this object is open, and the contract not strict
            arguments={"type": "object", "additionalProperties": True, "description": "the tool's own arguments"},
        )
    ),
)

_EVIDENCE = _object(
    answer_version=_one_of(ANSWER_VERSION),
    claims=_list(
        _object(
            claim_id=_text("c1, c2, ..."),
            claim_type=_one_of(*get_args(ClaimType)),
            claim_text=_text("one Chinese sentence that its excerpts carry"),
            support_level=_one_of("direct", "indirect"),
            evidence_bindings=_list(
                _object(
                    source_type=_text("tool"),
                    tool_name=_text("tool_name of the invocation"),
                    source_invocation_id=_text("invocation_id as given"),
                    source_invocation_ids=_list({"type": "string"}, "the same id once more"),
                    raw_path=_text("raw_path of the evidence ref as given"),
                    evidence_excerpt=_text("one contiguous part of that ref's text, copied"),
                    source_id=_text_or_null("null unless the ref names a source of its own"),
                )
            ),
        )
    ),
    hypotheses=_list(
        _object(
            hypothesis_id=_text("h1, h2, ..."),
            text=_text("one Chinese sentence"),
            based_on=_list({"type": "string"}, "claim_ids"),
            service=_text_or_null("name as in the message"),
            score={"type": ["number", "null"], "description": "0 to 1, higher is more suspect"},
        )
    ),
    recommended_actions=_SENTENCES,
    missing_info=_SENTENCES,
)

_VERIFICATION = _object(
    verdict=_one_of(*get_args(Verdict)),
    groundedness_score={"type": "number", "description": "0 to 1"},
    critical_fact_count={"type": "integer"},
    claim_checks=_list(
        _object(
            claim_id=_text("of a projected claim"),
            verification=_CLASS,
            detail=_text("why, one Chinese sentence"),
            evidence_refs=_list(
                _object(
                    claim_id=_text_or_null("as in verified_evidence"),
                    trace_ref=_text_or_null("null unless verified_evidence gives one"),
                    tool_name=_text_or_null("as in verified_evidence"),
                    source_invocation_ids=_list({"type": "string"}),
                    raw_path=_text_or_null("as in verified_evidence"),
                    note=_text_or_null("null, or a short remark"),
                )
            ),
        )
    ),
    hypothesis_checks=_list(_object(hypothesis_id={"type": "string"}, verification=_CLASS, detail={"type": "string"})),
    facts_checked=_list(
        _object(
            fact={"type": "string"},
            is_critical={"type": "boolean"},
            verification=_one_of(*get_args(FactVerification)),
            detail={"type": "string"},
        ),
        "the older form of claim_checks; may be empty",
    ),
    rationale=_text("in Chinese"),
)

_COMPOSITION = _object(
    conclusion=_text("one Chinese sentence"),
    confirmed=_list(_object(claim_id={"type": "string"}, text={"type": "string"})),
    possible=_SENTENCES,
    gaps=_SENTENCES,
    next_steps=_SENTENCES,
)

CONTRACT_SCHEMAS: Mapping[str, JsonObject] = MappingProxyType(
    {
        "planner_plan_v1": _PLAN,
        "executor_evidence_v2": _EVIDENCE,
        "verifier_v2": _VERIFICATION,
        "composer_v1": _COMPOSITION,
    }
)
"""Contract name → its schema; treated as read-only."""

STRICT: frozenset[str] = frozenset(CONTRACT_SCHEMAS) - {"planner_plan_v1"}
"""The contracts that may be sent with `strict: true`. A plan's `arguments` are an open object (interfaces.md), which
strict mode knows no way to say, so the Planner's schema goes along without it."""
