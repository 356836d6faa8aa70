"""The check that shares nothing with the guard catches what a broken guard would let through."""

import ast
from pathlib import Path
from typing import Any

import pytest

import engine.evals.independent_check as checked_module
from engine.answer import CitedEvidence, ConfirmedFact
from engine.evals.independent_check import unsupported_facts
from engine.record import RecordedAnswer, RunRecord
from tests.scenario.story import CPU, Story, passing


async def _record(**changes: Any) -> RunRecord:
    """A real record whose first confirmed fact is changed."""
    record = await Story(passing()).told()
    assert record.answer is not None
    fact = record.answer.confirmed[0]
    place = fact.evidence[0].model_copy(update=changes.pop("place", {}))
    fact = fact.model_copy(update={"evidence": (place,), **changes})
    return record.model_copy(update={"answer": record.answer.model_copy(update={"confirmed": (fact,)})})


async def test_an_honest_record_has_nothing_unsupported() -> None:
    """What the pipeline confirmed is found to be carried."""
    assert unsupported_facts(await _record()) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "payment-service 的 CPU 使用率均值 97%"},
        {"text": "order-db-2 的 CPU 使用率均值 92%"},
        {"evidence": ()},
        {"place": {"invocation_id": "inv-9"}},
        {"place": {"tool_name": "query_logs"}},
        {"place": {"raw_path": "/series/9"}},
        {"place": {"excerpt": CPU.replace("0.92", "0.93")}},
    ],
    ids=["number", "name", "no evidence", "invocation", "tool", "path", "excerpt"],
)
async def test_each_kind_of_tampering_is_caught(changes: dict[str, Any]) -> None:
    """A changed number, name, invocation, tool, path or excerpt makes the fact unsupported."""
    place = dict(changes.get("place", {}))
    given = {**changes, "place": place}
    record = await _record(**given)
    if changes.get("evidence") == ():
        assert record.answer is not None
        bare = record.answer.confirmed[0].model_copy(update={"evidence": ()})
        record = record.model_copy(update={"answer": record.answer.model_copy(update={"confirmed": (bare,)})})
    assert unsupported_facts(record) == ("c1",)


def test_it_shares_no_code_with_what_it_checks() -> None:
    """The module imports neither verification, nor gatekeeper, nor composition."""
    tree = ast.parse(Path(str(checked_module.__file__)).read_text(encoding="utf-8"))
    imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [
        name for name in imported if any(part in name for part in ("verification", "gatekeeper", "composition"))
    ]


async def test_a_record_without_an_answer_confirms_nothing() -> None:
    """No answer, no facts, nothing to object to."""
    record = await _record()
    assert unsupported_facts(record.model_copy(update={"answer": None})) == ()
    assert isinstance(record.answer, RecordedAnswer)
    assert isinstance(record.answer.confirmed[0], ConfirmedFact)
    assert isinstance(record.answer.confirmed[0].evidence[0], CitedEvidence)
