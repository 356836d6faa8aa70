"""The rule-based evidence score."""

from datetime import timedelta
from typing import Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.evaluation import EvaluationService
from engine.invocation import InvocationStatus, RetrievalDetails, Scope, ToolInvocation
from engine.plan import Plan
from engine.store.memory import MemoryStore
from engine.window import TimeWindow
from tests.unit.store.runs import WINDOW, a_call, a_run

SERVICE = EvaluationService(MemoryStore())

TOOLS = st.sampled_from(["query_metrics", "query_logs", "query_alerts", "lookup_knowledge"])


def _call(
    status: InvocationStatus = "ok",
    tool: str = "query_logs",
    window: TimeWindow | None = WINDOW,
    evidence: bool = True,
) -> ToolInvocation:
    details = a_call().retrieval_details if evidence else RetrievalDetails()
    kind = "source_unavailable" if status == "failed" else None
    changes = {
        "status": status,
        "scope": Scope(window=window),
        "retrieval_details": details,
        "error_kind": kind,
    }
    return a_call(tool=tool).model_copy(update=changes)


def _evaluated(*calls: ToolInvocation, scope: Literal["narrow", "broad"] = "broad") -> dict[str, object]:
    run = a_run().evolve(invocations=calls, plan=Plan(intent="", scope=scope))
    return cast("dict[str, object]", SERVICE.evaluate(run))


def _score(*calls: ToolInvocation, scope: Literal["narrow", "broad"] = "broad") -> float:
    return cast("float", _evaluated(*calls, scope=scope)["score"])


def _parts(*calls: ToolInvocation) -> dict[str, float | None]:
    return cast("dict[str, float | None]", _evaluated(*calls)["parts"])


CALLS = st.lists(
    st.builds(
        _call,
        status=st.sampled_from(["ok", "empty", "failed", "deduped"]),
        tool=TOOLS,
        window=st.none() | st.integers(-90, 60).map(lambda shift: _shifted(shift)),
        evidence=st.booleans(),
    ),
    max_size=8,
)


def _shifted(minutes: int) -> TimeWindow:
    shift = timedelta(minutes=minutes)
    return TimeWindow(start=WINDOW.start + shift, end=WINDOW.end + shift)


def test_a_run_without_calls_scores_nothing() -> None:
    """Without any call the score is 0, and what cannot be known is null."""
    evaluated = _evaluated()
    assert evaluated["score"] == 0.0
    assert evaluated["parts"] == {
        "evidence": 0.0,
        "coverage": 0.0,
        "hits": None,
        "reliability": None,
        "freshness": None,
    }


def test_three_sources_over_the_whole_window_score_fully() -> None:
    """Evidence of three sources over the asked window, with no failure, scores 1."""
    assert _score(_call(), _call(tool="query_metrics"), _call(tool="query_alerts")) == 1.0


def test_a_narrow_question_needs_one_source() -> None:
    """One good call is whole evidence for a narrow question, and not for a broad one."""
    assert _score(_call(), scope="narrow") == 1.0
    assert _score(_call(), scope="broad") == pytest.approx(0.1 + 0.125 + 0.45)


def test_guidance_is_no_evidence() -> None:
    """A runbook alone scores 0 and is counted apart."""
    evaluated = _evaluated(_call(tool="lookup_knowledge"))
    assert evaluated["score"] == 0.0
    assert cast("dict[str, int]", evaluated["counts"])["guidance"] == 1


def test_a_repeated_retrieval_is_no_new_evidence() -> None:
    """A deduplicated result bears no evidence, whatever references it repeats."""
    assert _score(_call("deduped")) == 0.0


def test_an_empty_result_that_can_be_cited_bears_evidence_but_is_no_hit() -> None:
    """A citable absence counts as evidence, while the share of hits falls."""
    assert _score(_call("empty")) > 0
    assert _parts(_call("empty"), _call())["hits"] == 0.5


def test_counts_and_failures_are_named() -> None:
    """The evaluation lists the sources asked and covered, and each failed call."""
    evaluated = _evaluated(_call(), _call("failed", "query_metrics", evidence=False), _call("empty", evidence=False))
    assert evaluated["sources"] == {"asked": ["query_logs", "query_metrics"], "covered": ["query_logs"]}
    assert evaluated["failures"] == [
        {"invocation_id": "inv-1", "tool_name": "query_metrics", "error_kind": "source_unavailable"}
    ]
    assert evaluated["counts"] == {
        "calls": 3,
        "evidence_bearing": 1,
        "evidence_refs": 1,
        "empty": 1,
        "failed": 1,
        "deduped": 0,
        "guidance": 0,
    }


@pytest.mark.parametrize(
    ("windows", "freshness"),
    [
        ([WINDOW], 1.0),
        ([_shifted(15)], 0.5),
        ([_shifted(-15), _shifted(15)], 1.0),
        ([_shifted(15), _shifted(15)], 0.5),
        ([_shifted(600)], 0.0),
        ([None], None),
        ([None, _shifted(-15)], 0.5),
    ],
)
def test_freshness_is_the_share_of_the_window_that_evidence_covers(
    windows: list[TimeWindow | None], freshness: float | None
) -> None:
    """Overlaps count once, other times not at all, and a call without a window says nothing."""
    assert _parts(*(_call(window=window) for window in windows))["freshness"] == freshness


@given(CALLS)
def test_the_score_is_bounded_and_needs_evidence(calls: list[ToolInvocation]) -> None:
    """The score and its parts lie between 0 and 1, and no evidence means 0."""
    evaluated = _evaluated(*calls)
    assert 0.0 <= cast("float", evaluated["score"]) <= 1.0
    assert all(part is None or 0.0 <= part <= 1.0 for part in _parts(*calls).values())
    if cast("dict[str, int]", evaluated["counts"])["evidence_bearing"] == 0:
        assert evaluated["score"] == 0.0


@given(CALLS, TOOLS)
def test_a_failure_never_raises_the_score(calls: list[ToolInvocation], tool: str) -> None:
    """One more failed call leaves the score the same or lower."""
    assert _score(*calls, _call("failed", tool, evidence=False)) <= _score(*calls)


@pytest.mark.spec("S27")
@pytest.mark.parametrize(("origin", "channel"), [("person", "rule_evaluation"), ("alert", "aiops_rule_evaluation")])
async def test_the_score_is_written_beside_the_verifiers_evaluation(
    origin: Literal["person", "alert"], channel: str
) -> None:
    """The score goes to the channel of the run's origin, and the Verifier's evaluation stays."""
    store = MemoryStore()
    service = EvaluationService(store)
    run = a_run(origin=origin).evolve(invocations=(_call(),))
    await store.begin(run)
    await store.merge_evaluation("run-1", "verifier_evaluation", {"verdict": "PASS"})
    await service.record(run)
    expected = {"verifier_evaluation": {"verdict": "PASS"}, channel: service.evaluate(run)}
    assert (await store.load("run-1")).self_evaluation == expected
    assert await store.session_evaluation("session-1") == expected


def test_guidance_tools_can_be_named() -> None:
    """Which tools only guide is the caller's to say."""
    service = EvaluationService(MemoryStore(), guidance_tools=frozenset({"query_logs"}))
    assert service.evaluate(a_run().evolve(invocations=(_call(),)))["score"] == 0.0
