"""The verifier's rules."""

import json

import pytest

from engine.base import JsonObject
from engine.check import VerifierReply
from engine.claim import Claim, ClaimType
from engine.models.builtin.verifier import verify
from engine.rendering import render_line
from engine.verification.protocol import read_verifier_reply
from tests.unit.models.builtin.evidence import group, series

METRIC = render_line(
    {key: value for key, value in series("pay", "http_error_ratio", 0.3127, 0.002).items() if key != "breached"}
)
LOGS = render_line(group("pay", "PoolTimeout", 412, 0))


def _claim(text: str, claim_type: ClaimType = "observation") -> Claim:
    return Claim(claim_id="c1", claim_type=claim_type, claim_text=text, support_level="direct")


def _verify(claim: Claim, *evidence: tuple[str, str]) -> VerifierReply:
    payload: JsonObject = {
        "diagnosis_context": {
            "question": "pay 怎么了",
            "window": {"from": "2026-11-30T06:00:00Z", "to": "2026-11-30T06:30:00Z"},
            "timezone": "Asia/Shanghai",
        },
        "verified_executor_output": {"claims": [claim.model_dump(mode="json")]},
        "verified_evidence": [
            {
                "claim_id": "c1",
                "source_invocation_id": f"inv-{number}",
                "tool_name": tool,
                "raw_path": "/series/0",
                "matched_text": text,
            }
            for number, (tool, text) in enumerate(evidence)
        ],
        "gatekeeper_audit": {},
        "verdict_ceiling": "PASS",
    }
    return read_verifier_reply(json.dumps(verify(payload), ensure_ascii=False), [claim])


TEXT = "pay 的错误率窗口均值 31.3%，基线均值 0.2%"


@pytest.mark.parametrize(
    ("claim", "evidence", "verification", "verdict", "score"),
    [
        (_claim(TEXT), [("query_metrics", METRIC)], "direct_observation", "PASS", 1.0),
        (_claim("pay 的错误率窗口均值 91.3%"), [("query_metrics", METRIC)], "unsupported", "LOW_CONFID", 0.0),
        (_claim("pay 的错误率超过 90%", "symptom"), [("query_metrics", METRIC)], "contradicted", "REJECT", 0.0),
        (_claim(TEXT, "root_cause"), [("query_metrics", METRIC)], "reasonable_inference", "LOW_CONFID", 0.6),
        (
            _claim(f"{TEXT}；pay 的 ERROR 日志「PoolTimeout」出现 412 次", "root_cause"),
            [("query_metrics", METRIC), ("query_logs", LOGS)],
            "direct_observation",
            "PASS",
            1.0,
        ),
        (_claim(TEXT), [("lookup_knowledge", METRIC)], "unsupported", "LOW_CONFID", 0.0),
    ],
)
def test_a_claim_gets_the_class_that_its_evidence_carries(
    claim: Claim, evidence: list[tuple[str, str]], verification: str, verdict: str, score: float
) -> None:
    """The class is what the guard derives, and verdict and score follow from it."""
    reply = _verify(claim, *evidence)
    assert (reply.claim_checks[0].verification, reply.verdict, reply.groundedness_score) == (
        verification,
        verdict,
        score,
    )
    assert reply.critical_fact_count == 1


def test_a_check_refers_to_the_evidence_that_it_rests_on() -> None:
    """Each item of the claim's evidence is a ref, with its call and path."""
    (ref,) = _verify(_claim(TEXT), ("query_metrics", METRIC)).claim_checks[0].evidence_refs
    assert (ref.tool_name, ref.source_invocation_ids, ref.raw_path) == ("query_metrics", ("inv-0",), "/series/0")


def test_a_lowered_claim_is_explained_in_chinese() -> None:
    """The detail says what the evidence does not hold."""
    assert (
        "证据中没有" in _verify(_claim("pay 的错误率窗口均值 91.3%"), ("query_metrics", METRIC)).claim_checks[0].detail
    )


def test_the_legacy_facts_stand_beside_the_checks() -> None:
    """The raw reply carries one fact a check, in the legacy classes."""
    payload: JsonObject = {
        "verified_executor_output": {"claims": [_claim(TEXT).model_dump(mode="json")]}, "verified_evidence": [],
    }  # fmt: skip
    facts = verify(payload)["facts_checked"]
    assert isinstance(facts, list)
    assert [fact["verification"] for fact in facts if isinstance(fact, dict)] == ["no_evidence"]
