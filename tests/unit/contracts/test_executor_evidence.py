"""The edges of `executor_evidence_v2`: what is tolerated, what is refused, and that nothing is cut in silence."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.claim import ExecutorOutput
from engine.contracts.executor_evidence import read_executor_output
from engine.errors import BadModelOutput
from tests.scenario.story import binding, claim, executor_output


def read(*claims: Any, **changes: Any) -> ExecutorOutput:
    """What is read of a contract with these claims and changes."""
    return read_executor_output(json.dumps({**executor_output(*claims), **changes}))


def bound(**changes: Any) -> dict[str, Any]:
    """A claim with one binding that is changed."""
    return {**claim(), "evidence_bindings": [{**binding(), **changes}]}


@pytest.mark.spec("S53")
@pytest.mark.parametrize("field", ["diagnosis_summary", "user_facing_answer"])
def test_a_removed_field_is_read_and_remembered(field: str) -> None:
    """A removed field does not spoil the contract, is named for the Gatekeeper, and its words are not kept."""
    found = read(**{field: "根因是数据库"})
    assert found.removed_fields == (field,)
    assert "根因是数据库" not in repr(found)


@pytest.mark.spec("S54")
@pytest.mark.parametrize("bindings", [[], None], ids=["empty", "null"])
def test_a_claim_without_bindings_is_read(bindings: object) -> None:
    """A claim without evidence is legal to parse; judging it is the Gatekeeper's."""
    assert read({**claim(), "evidence_bindings": bindings}).claims[0].evidence_bindings == ()


@pytest.mark.spec("S66")
def test_ids_may_be_numbers_and_plural() -> None:
    """Whole numbers become texts, in the singular and the legacy plural form."""
    (found,) = read(bound(source_invocation_id=394, source_invocation_ids=[394, "inv-2", None, " "])).claims
    assert found.evidence_bindings[0].source_invocation_id == "394"
    assert found.evidence_bindings[0].source_invocation_ids == ("394", "inv-2")


@pytest.mark.parametrize("absent", [None, "", "  "])
def test_an_absent_invocation_id_is_none(absent: object) -> None:
    """Null and blank ids count as omitted."""
    assert read(bound(source_invocation_id=absent)).claims[0].evidence_bindings[0].source_invocation_id is None


@pytest.mark.parametrize(
    "changes",
    [
        {"source_invocation_id": 394.5},
        {"source_invocation_id": True},
        {"source_invocation_id": ["inv-9"]},
        {"source_invocation_id": {"id": "inv-9"}},
        {"source_invocation_id": "x" * 300},
        {"source_invocation_ids": "inv-1"},
        {"source_invocation_ids": [{"id": "inv-9"}]},
        {"source_invocation_ids": [True]},
        {"source_invocation_ids": ["inv-1"] * 60},
        {"tool_name": "x" * 5000},
    ],
)
def test_a_mistyped_id_is_no_absent_one(changes: dict[str, Any]) -> None:
    """An id that is no id is refused, because an absent one may be filled in."""
    with pytest.raises(BadModelOutput):
        read(bound(**changes))


@pytest.mark.parametrize("item", ["inv-1", 5, None, [], {}])
def test_a_binding_that_says_nothing_is_still_a_binding(item: object) -> None:
    """What is no object becomes an empty binding, which the Gatekeeper fails."""
    (found,) = read({**claim(), "evidence_bindings": [item]}).claims
    assert found.evidence_bindings[0].model_dump(exclude_defaults=True) == {}


def test_nothing_is_cut_in_silence() -> None:
    """Too many bindings, claims or items and too long a claim are refused, because what is cut is never checked."""
    assert len(read({**claim(), "evidence_bindings": [binding()] * 20}).claims[0].evidence_bindings) == 20
    for claims, changes in (
        ([{**claim(), "evidence_bindings": [binding()] * 21}], {}),
        ([claim(f"c{number}") for number in range(51)], {}),
        ([{**claim(), "claim_text": "长" * 2001}], {}),
        ([claim()], {"missing_info": ["x"] * 51}),
    ):
        with pytest.raises(BadModelOutput) as caught:
            read(*claims, **changes)
        assert caught.value.reason == "too_large"


@pytest.mark.parametrize(
    "changes",
    [
        {"claim_type": "SECRET-TYPE"},
        {"support_level": "SECRET-LEVEL"},
        {"claim_id": ["SECRET-ID"]},
        {"claim_text": {"SECRET": 1}},
    ],
)
@pytest.mark.spec("S51")
def test_a_refusal_repeats_nothing_of_the_reply(changes: dict[str, Any]) -> None:
    """The error names the place and what is allowed, and none of the model's words, because errors are kept."""
    with pytest.raises(BadModelOutput) as caught:
        read({**claim(), **changes})
    assert "claims[0]" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_hypotheses_may_be_words_or_objects() -> None:
    """A hypothesis is a text or an object that holds one; scores are numbers of a sane size or absent."""
    given_ones: list[Any] = [
        "也许是网络",
        {"hypothesis_id": "h9", "text": "连接池", "based_on": ["c1", 2, None], "service": "pay", "score": 0.4},
        {"hypothesis": "磁盘", "score": 10**300, "service": ["a"]},
        {"score": True, "summary": "缓存"},
        {"based_on": ["c1"]},
        "  ",
        7,
    ]
    found = read(hypotheses=given_ones).hypotheses
    assert [(item.hypothesis_id, item.text) for item in found] == [
        ("h1", "也许是网络"),
        ("h9", "连接池"),
        ("h3", "磁盘"),
        ("h4", "缓存"),
    ]
    assert (found[1].based_on, found[1].service, found[1].score) == (("c1", "2"), "pay", 0.4)
    assert (found[2].score, found[2].service, found[3].score) == (None, None, None)


hostile: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from(sorted(claim())), hostile, max_size=3),
    st.dictionaries(st.sampled_from([*sorted(binding()), "source_invocation_id", "source_id"]), hostile, max_size=3),
    st.lists(hostile, max_size=3),
)
def test_a_nearly_legal_contract_is_read_or_refused(
    in_claim: dict[str, Any], in_binding: dict[str, Any], hypotheses: list[Any]
) -> None:
    """Any value in any field of an otherwise legal contract gives a contract or BadModelOutput."""
    made = {**claim(), "evidence_bindings": [{**binding(), **in_binding}], **in_claim}
    try:
        found = read(made, hypotheses=hypotheses)
    except BadModelOutput:
        return
    assert ExecutorOutput.model_validate_json(found.model_dump_json())
