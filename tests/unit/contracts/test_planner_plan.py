"""The edges of `planner_plan_v1`."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contracts.planner_plan import read_plan
from engine.errors import BadModelOutput
from tests.scenario.story import plan


def read(**changes: Any) -> Any:
    """What is read of a plan with these changes."""
    return read_plan(json.dumps({**plan(), **changes}), "EVIDENCE_GAP_ONLY")


def test_the_mode_is_the_callers() -> None:
    """The mode comes from the call and not from what the model says of it."""
    assert read(mode="FULL").mode == "EVIDENCE_GAP_ONLY"


def test_small_omissions_are_filled() -> None:
    """A step may leave out id, goal and arguments; scope is broad unless said."""
    source = {"steps": [{"tool": "query_logs"}, {"tool": "query_metrics", "id": "", "goal": 5, "arguments": None}]}
    found = read_plan(json.dumps(source), "FULL")
    assert [(step.id, step.goal, step.arguments) for step in found.steps] == [("s1", "", {}), ("s2", "", {})]
    assert (found.scope, found.services, found.intent) == ("broad", (), "")


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": None},
        {"steps": {}},
        {"steps": ["query_logs"]},
        {"steps": [{"id": "s1"}]},
        {"steps": [{"tool": 5}]},
        {"steps": [{"tool": "x" * 201}]},
        {"steps": [{"tool": "query_logs", "arguments": "service=pay"}]},
        {"steps": [{"tool": "query_logs"}] * 21},
        {"scope": "everything"},
        {"scope": None},
    ],
)
def test_an_illegal_plan_is_refused(changes: dict[str, Any]) -> None:
    """Steps that are none, arguments that are no object, too many steps or an unknown scope are invalid output."""
    with pytest.raises(BadModelOutput):
        read(**changes)


hostile: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["id", "goal", "tool", "arguments"]), hostile, max_size=4))
def test_any_step_is_read_or_refused(step: dict[str, Any]) -> None:
    """Any value in any field of a step gives a plan or BadModelOutput."""
    try:
        found = read(steps=[{"tool": "query_logs", **step}])
    except BadModelOutput:
        return
    assert len(found.steps) == 1
