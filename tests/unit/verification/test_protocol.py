"""The edges of `verifier_v2` (spec S08, S09, S36, S60, S61; reading.md 9)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.check import VerifierReply
from engine.claim import Claim
from engine.errors import BadModelOutput
from engine.verification.protocol import read_verifier_reply
from tests.scenario.story import check, verdict

CLAIMS = tuple(
    Claim(claim_id=name, claim_type="symptom", claim_text=name, support_level="direct") for name in ("c1", "c2")
)


def read(*checks: Any, **changes: Any) -> VerifierReply:
    """What is read of a reply with these checks and changes."""
    source = {**verdict(*(checks or (check("c1"), check("c2")))), **changes}
    return read_verifier_reply(json.dumps(source), CLAIMS)


def referring(**ref: Any) -> dict[str, Any]:
    """A check of c1 with one reference."""
    return {**check("c1"), "evidence_refs": [ref]}


def test_checks_come_in_the_order_of_the_claims() -> None:
    """The order in which the model answers does not reach what is persisted."""
    assert [item.claim_id for item in read(check("c2"), check("c1")).claim_checks] == ["c1", "c2"]


@pytest.mark.spec("S07")
@pytest.mark.parametrize("facts", [None, [], [{"fact": "根因是磁盘", "is_critical": True}], "x"])
def test_facts_of_the_model_are_not_needed_and_not_kept(facts: object) -> None:
    """`facts_checked` may be absent, empty or old: claim checks are what counts."""
    assert "磁盘" not in repr(read(facts_checked=facts))


@pytest.mark.spec("S36")
def test_every_id_of_a_reference_is_kept() -> None:
    """Singular and plural ids are all kept, so that each can be held against what was verified."""
    made = read(referring(source_invocation_id="inv-9", source_invocation_ids=["inv-1", 394]), check("c2"))
    assert made.claim_checks[0].evidence_refs[0].source_invocation_ids == ("inv-1", "394", "inv-9")


@pytest.mark.spec("S09", "S61")
@pytest.mark.parametrize(
    "ref",
    [
        {"source_invocation_ids": "inv-1"},
        {"source_invocation_ids": [True]},
        {"source_invocation_ids": [{"id": 1}]},
        {"source_invocation_ids": ["i"] * 21},
        {"source_invocation_id": 1.5},
        {"raw_path": 5},
        {"claim_id": ["c1"]},
        {"tool_name": {"name": "query_logs"}},
        {"trace_ref": "t" * 300},
    ],
)
def test_a_mistyped_reference_is_refused(ref: dict[str, Any]) -> None:
    """A part that is given but is no id, name or path makes the reply invalid, for it could not be held to account."""
    with pytest.raises(BadModelOutput):
        read(referring(**ref), check("c2"))


@pytest.mark.spec("S60")
@pytest.mark.parametrize(
    "checks",
    ["x", {}, ["h1"], [{"hypothesis_id": "h1"}], [{"hypothesis_id": "h1", "verification": "maybe"}]],
)
def test_mistyped_hypothesis_checks_are_refused(checks: object) -> None:
    """Hypothesis checks are legal or absent, because one that is lost would let its hypothesis be shown."""
    with pytest.raises(BadModelOutput):
        read(hypothesis_checks=checks)
    assert read(hypothesis_checks=None).hypothesis_checks == ()


@pytest.mark.spec("S60")
def test_hypothesis_checks_use_the_same_classes() -> None:
    """A legal hypothesis check comes out with its class."""
    (found,) = read(hypothesis_checks=[{"hypothesis_id": 1, "verification": "unsupported"}]).hypothesis_checks
    assert (found.hypothesis_id, found.verification, found.detail) == ("1", "unsupported", "")


def test_no_claims_need_no_checks() -> None:
    """With nothing projected only a reply without checks is legal."""
    source = verdict(verdict="LOW_CONFID", score=0.0) | {"claim_checks": []}
    assert read_verifier_reply(json.dumps(source), ()).claim_checks == ()
    with pytest.raises(BadModelOutput):
        read_verifier_reply(json.dumps(verdict(check("c1"))), ())


hostile: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from(sorted(verdict(check("c1")))), hostile, max_size=2),
    st.dictionaries(st.sampled_from(sorted(check("c1"))), hostile, max_size=2),
    st.dictionaries(
        st.sampled_from(["claim_id", "trace_ref", "tool_name", "source_invocation_ids", "raw_path", "note"]),
        hostile,
        max_size=3,
    ),
)
def test_a_nearly_legal_reply_is_read_or_refused(
    in_reply: dict[str, Any], in_check: dict[str, Any], in_ref: dict[str, Any]
) -> None:
    """Any value in any field of an otherwise legal reply gives one check per claim, or BadModelOutput."""
    try:
        found = read({**referring(**in_ref), **in_check}, check("c2"), **in_reply)
    except BadModelOutput:
        return
    assert [item.claim_id for item in found.claim_checks] == ["c1", "c2"]
    assert 0.0 <= found.groundedness_score <= 1.0
