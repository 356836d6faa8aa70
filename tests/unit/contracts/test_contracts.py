"""Readers of what models write: legal forms, and nothing but BadModelOutput for the rest."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonObject
from engine.claim import Claim
from engine.contracts.composer import read_composition
from engine.contracts.executor_evidence import read_executor_output
from engine.contracts.json_object import FENCE_WARNING
from engine.contracts.planner_plan import read_plan
from engine.errors import BadModelOutput
from engine.verification.protocol import read_verifier_reply
from tests.scenario.story import check, claim, composition, executor_output, plan, verdict

CLAIMS = (
    Claim(claim_id="c1", claim_type="symptom", claim_text="CPU 92%", support_level="direct"),
    Claim(claim_id="c2", claim_type="impact", claim_text="慢", support_level="direct"),
)

READERS: dict[str, Callable[[str], object]] = {
    "planner": lambda text: read_plan(text, "FULL"),
    "executor": read_executor_output,
    "verifier": lambda text: read_verifier_reply(text, CLAIMS),
    "composer": read_composition,
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)

KEYS = [
    "answer_version",
    "claims",
    "hypotheses",
    "recommended_actions",
    "missing_info",
    "claim_id",
    "claim_type",
    "claim_text",
    "support_level",
    "evidence_bindings",
    "verdict",
    "groundedness_score",
    "claim_checks",
    "facts_checked",
    "rationale",
    "critical_fact_count",
    "steps",
    "scope",
    "intent",
    "services",
    "conclusion",
    "confirmed",
    "possible",
    "gaps",
    "next_steps",
    "hypothesis_checks",
    "verification",
    "detail",
    "evidence_refs",
    "text",
    "tool",
    "arguments",
]


def _read(reader: str, text: str) -> None:
    with suppress(BadModelOutput):
        READERS[reader](text)


@pytest.mark.parametrize("reader", sorted(READERS))
@given(text=st.text(max_size=300))
def test_any_text_is_read_or_refused(reader: str, text: str) -> None:
    """No text whatsoever raises anything but BadModelOutput."""
    _read(reader, text)


@pytest.mark.parametrize("reader", sorted(READERS))
@given(value=st.dictionaries(st.sampled_from(KEYS), json_values, max_size=8))
def test_any_object_is_read_or_refused(reader: str, value: dict[str, Any]) -> None:
    """No JSON object with the contract's own keys raises anything but BadModelOutput."""
    _read(reader, json.dumps(value))


@pytest.mark.parametrize("reader", sorted(READERS))
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "blank"),
        ("   \n", "blank"),
        ("对不起", "not_json"),
        ("[1]", "not_one_object"),
        ('{"a": 1} {"b": 2}', "not_json"),
        ('{"a": NaN}', "not_json"),
        ('{"a": 1, "a": 2}', "repeated_key"),
        ('{"a": "\\ud800"}', "not_json"),
        ("[" * 100_000, "not_json"),
        ('{"a": "' + "x" * 1_000_001 + '"}', "too_large"),
    ],
)
def test_what_is_no_single_object_is_named(reader: str, text: str, reason: str) -> None:
    """Each way of not being one JSON object has its own reason."""
    with pytest.raises(BadModelOutput) as caught:
        READERS[reader](text)
    assert caught.value.reason == reason


def test_one_fence_is_tolerated_for_the_executor_and_said() -> None:
    """A Markdown fence around a legal contract is read with a warning."""
    found = read_executor_output(f"```json\n{json.dumps(executor_output())}\n```")
    assert found.warnings == (FENCE_WARNING,)


@pytest.mark.spec("S09")
def test_a_fence_or_prose_is_refused_for_the_verifier() -> None:
    """The Verifier's reply must be the bare object."""
    legal = json.dumps(verdict(check("c1"), check("c2")))
    for text in (f"```json\n{legal}\n```", f"以下是结果：{legal}", f"{legal}\n希望有帮助"):
        with pytest.raises(BadModelOutput):
            read_verifier_reply(text, CLAIMS)


@pytest.mark.spec("S07", "S08", "S09")
def test_a_legal_verifier_reply_is_read() -> None:
    """Verdict, score, count, checks and rationale come out; texts come from the claims, not the model."""
    source = verdict(check("c1") | {"claim_text": "别的话"}, check("c2", "unsupported"))
    found = read_verifier_reply(json.dumps(source), CLAIMS)
    assert (found.verdict, found.groundedness_score, found.critical_fact_count) == ("PASS", 1.0, 1)
    assert [(item.claim_text, item.claim_type) for item in found.claim_checks] == [
        ("CPU 92%", "symptom"),
        ("慢", "impact"),
    ]


@pytest.mark.spec("S08", "S09", "S60", "S61")
@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": "MAYBE"},
        {"verdict": None},
        {"groundedness_score": 1.2},
        {"groundedness_score": -0.1},
        {"groundedness_score": True},
        {"groundedness_score": "0.5"},
        {"critical_fact_count": None},
        {"critical_fact_count": 1.5},
        {"rationale": None},
        {"claim_checks": None},
        {"claim_checks": {}},
        {"claim_checks": [check("c1")]},
        {"claim_checks": [check("c1"), check("c1")]},
        {"claim_checks": [check("c1"), check("c2"), check("c3")]},
        {"claim_checks": [check("c1"), check("c2", "mostly_true")]},
        {"claim_checks": [check("c1"), {**check("c2"), "detail": None}]},
        {"claim_checks": [check("c1"), {**check("c2"), "evidence_refs": None}]},
        {"claim_checks": [check("c1"), {**check("c2"), "evidence_refs": ["c2"]}]},
    ],
)
def test_an_illegal_verifier_reply_is_refused(changes: dict[str, Any]) -> None:
    """A missing or mistyped field, an unknown class, or checks that do not fit the claims are invalid output."""
    source = {**verdict(check("c1"), check("c2")), **changes}
    with pytest.raises(BadModelOutput):
        read_verifier_reply(json.dumps(source), CLAIMS)


@pytest.mark.spec("S61")
def test_references_keep_what_they_were_given() -> None:
    """Trace reference, tool, invocation ids and path of a reference survive; numbers become texts."""
    ref: JsonObject = {"trace_ref": "t-1", "tool_name": "query_logs", "source_invocation_ids": [394], "note": "n"}
    refs: JsonObject = {"evidence_refs": [ref]}
    source = verdict(check("c1") | refs, check("c2"))
    (found,) = read_verifier_reply(json.dumps(source), CLAIMS).claim_checks[0].evidence_refs
    assert (found.trace_ref, found.tool_name, found.source_invocation_ids) == ("t-1", "query_logs", ("394",))


@pytest.mark.spec("S51")
@pytest.mark.parametrize(
    "changes",
    [
        {"answer_version": "executor_evidence_v1"},
        {"claims": None},
        {"claims": {}},
        {"claims": ["x"]},
        {"hypotheses": None},
        {"recommended_actions": "restart"},
        {"missing_info": None},
        {"claims": [claim() | {"claim_type": "fact"}]},
        {"claims": [claim() | {"claim_text": ""}]},
        {"claims": [claim() | {"support_level": "strong"}]},
        {"claims": [claim() | {"claim_id": None}]},
        {"claims": [claim(), claim()]},
        {"claims": [claim() | {"evidence_bindings": "inv-1"}]},
        {"claims": [claim(f"c{number}") for number in range(60)]},
    ],
)
def test_an_illegal_executor_contract_is_refused(changes: dict[str, Any]) -> None:
    """A wrong version, a missing list or a claim without its mandatory fields is invalid output."""
    with pytest.raises(BadModelOutput):
        read_executor_output(json.dumps({**executor_output(), **changes}))


@pytest.mark.spec("S45", "S46", "S65")
def test_a_legal_claim_keeps_its_bindings() -> None:
    """Bindings of any tool keep source type, tool, ids, path and excerpt."""
    (found,) = read_executor_output(json.dumps(executor_output())).claims
    (binding,) = found.evidence_bindings
    assert (binding.source_type, binding.tool_name, binding.source_invocation_id) == ("tool", "query_metrics", "inv-1")
    assert binding.raw_path == "/series/0"
    assert binding.evidence_excerpt


def test_small_liberties_are_read() -> None:
    """Numbers as ids, strings or objects as actions, and unknown extra fields are tolerated."""
    loose = executor_output(claim() | {"claim_id": 7, "confidence": 0.9}, hypotheses=["也许是网络"]) | {
        "recommended_actions": [{"action": "检查"}, "重启", 5],
        "note": "x",
    }
    found = read_executor_output(json.dumps(loose))
    assert found.claims[0].claim_id == "7"
    assert found.recommended_actions == ("检查", "重启")
    assert found.hypotheses[0].text == "也许是网络"


def test_plan_and_composition_round_trip() -> None:
    """Legal plans and compositions come out as they went in."""
    assert [step.tool for step in read_plan(json.dumps(plan()), "FULL").steps] == ["query_metrics", "query_logs"]
    assert read_composition(json.dumps(composition("结论"))).conclusion == "结论"
