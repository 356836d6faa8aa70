"""The edges of `composer_v1`."""

import json
from typing import Any

import pytest

from engine.contracts.composer import read_composition
from engine.errors import BadModelOutput
from tests.scenario.story import composition

LISTS = ["possible", "gaps", "next_steps"]


@pytest.mark.parametrize("name", LISTS)
def test_an_absent_list_is_empty(name: str) -> None:
    """A list may be left out or null."""
    source = {**composition("结论"), name: None}
    assert getattr(read_composition(json.dumps(source)), name) == ()
    del source[name]
    assert getattr(read_composition(json.dumps(source)), name) == ()


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("value", ["缺少日志", {"text": "缺少日志"}, ["缺少日志"] * 51], ids=["text", "object", "many"])
def test_a_mistyped_or_endless_list_is_refused(name: str, value: object) -> None:
    """What is no list, or more of one than is read, is refused, because a gap left out would mislead."""
    with pytest.raises(BadModelOutput):
        read_composition(json.dumps({**composition("结论"), name: value}))


@pytest.mark.parametrize(
    "changes",
    [
        {"conclusion": ""},
        {"conclusion": None},
        {"conclusion": "长" * 2001},
        {"confirmed": {}},
        {"confirmed": ["c1"]},
        {"confirmed": [{"claim_id": "c1"}]},
        {"confirmed": [{"text": "x"}]},
    ],
)
def test_a_composition_without_its_fields_is_refused(changes: dict[str, Any]) -> None:
    """No conclusion, or a confirmed item without id or text, is invalid output."""
    with pytest.raises(BadModelOutput):
        read_composition(json.dumps({**composition("结论"), **changes}))


def test_every_sentence_a_reader_sees_is_in_texts() -> None:
    """`texts` holds the conclusion, the confirmed sentences and all three lists."""
    source = {
        "conclusion": "一",
        "confirmed": [{"claim_id": 1, "text": "二"}],
        "possible": ["三"],
        "gaps": ["四"],
        "next_steps": [{"action": "五"}],
    }
    assert read_composition(json.dumps(source)).texts == ("一", "二", "三", "四", "五")
