"""How unusual groups of log lines are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.telemetry import LogGroup
from engine.tools.log_scores import ScoredGroup, score_groups

SHARE = 0.5
"""The window is half as long as the baseline."""

UNUSUAL = 3.0


def _lines(template: str, count: int, before: int, *, service: str = "pay", level: str = "INFO") -> LogGroup:
    return LogGroup(service, level, template, count=count, baseline_count=before)


def _scores(*groups: LogGroup, share: float = SHARE) -> dict[str, ScoredGroup]:
    return {item.group.template: item for item in score_groups(groups, share)}


def _steady(count: int = 50, before: int = 100, service: str = "pay") -> list[LogGroup]:
    """Four lines that every request of a service writes."""
    return [_lines(f"{service} step {step}", count, before + step, service=service) for step in range(4)]


def test_steady_lines_are_usual() -> None:
    """Lines as many as the baseline lets expect are usual and score nothing."""
    assert {(item.kind, item.score) for item in score_groups(_steady(), SHARE)} == {("usual", 0.0)}


@pytest.mark.parametrize(("count", "before"), [(50, 100), (62, 100), (40, 100), (3, 2), (1, 6)])
def test_ordinary_variation_is_no_finding(count: int, before: int) -> None:
    """Counts vary more than a Poisson process; that much is no finding, not even for errors."""
    found = _scores(*_steady(), _lines("x", count, before, level="ERROR"))["x"]
    assert found.score < UNUSUAL


def test_new_errors_weigh_more_than_new_ordinary_lines() -> None:
    """A new ERROR is telling; as many new INFO lines are a kind of request that was not seen before."""
    found = _scores(*_steady(), _lines("boom", 8, 0, level="ERROR"), _lines("hello", 8, 0))
    assert found["boom"].kind == found["hello"].kind == "new"
    assert found["boom"].score >= 10
    assert found["hello"].score < UNUSUAL


def test_the_most_telling_comes_first() -> None:
    """Groups are ordered by score, then by count."""
    ordered = score_groups([*_steady(), _lines("boom", 8, 0, level="ERROR"), _lines("w", 8, 0, level="WARN")], SHARE)
    assert [item.group.template for item in ordered[:2]] == ["boom", "w"]


def test_expected_is_the_baseline_scaled_to_the_window() -> None:
    """Expectation is what the baseline says, not what companions say."""
    assert _scores(_lines("x", 0, 30))["x"].expected == 15


def test_a_line_missing_beside_its_companions_is_telling() -> None:
    """One line of a request stays away while the others of that request are written."""
    found = _scores(*_steady(), _lines("lost", 0, 100))["lost"]
    assert found.kind == "missing"
    assert found.score >= UNUSUAL


def test_a_line_missing_in_a_busier_window_is_judged_by_its_companions() -> None:
    """Companions that grew say that more lines were due."""
    usual = _scores(*_steady(), _lines("lost", 0, 100))["lost"]
    busy = _scores(*_steady(count=120), _lines("lost", 0, 100))["lost"]
    assert busy.score > usual.score


def test_a_quiet_service_is_not_full_of_missing_lines() -> None:
    """Where all lines of a service become few, none of them is telling."""
    found = score_groups([*_steady(count=2), _lines("x", 0, 30), _lines("y", 0, 100)], SHARE)
    assert all(item.score < UNUSUAL for item in found)


def test_lines_that_stay_away_together_were_not_asked_for() -> None:
    """A kind of request that nobody sent takes all its lines along, in one service or in several."""
    alone = _scores(*_steady(), _lines("lost", 0, 100))["lost"].score
    together = _scores(*_steady(), _lines("lost", 0, 100), _lines("also", 0, 100))["lost"].score
    elsewhere = _scores(
        *_steady(), *_steady(service="db"), _lines("lost", 0, 100), _lines("also", 0, 100, service="db")
    )["lost"].score
    assert together < UNUSUAL
    assert elsewhere < UNUSUAL <= alone


def test_lines_behind_a_failure_are_explained_by_it() -> None:
    """What follows a failing step is not written either; the failure is what tells."""
    found = _scores(*_steady(), _lines("after", 0, 100), _lines("failed", 48, 0, level="ERROR"))
    assert found["after"].score < UNUSUAL < found["failed"].score


@pytest.mark.parametrize("level", ["WARN", "ERROR", "FATAL"])
def test_an_error_that_went_away_is_no_fault(level: str) -> None:
    """A missing warning or error scores little."""
    found = _scores(*_steady(), _lines("old trouble", 0, 100, level=level))["old trouble"]
    assert found.kind == "missing"
    assert found.score < UNUSUAL


@pytest.mark.parametrize("before", [0, 1, 5, 15])
def test_rare_lines_are_not_missed(before: int) -> None:
    """A line due only now and then may stay away."""
    assert all(
        item.kind == "usual" for item in score_groups([*_steady(), _lines("rare", 0, before)], SHARE) if item.score
    )


def test_without_a_baseline_nothing_is_new() -> None:
    """Nothing to compare with: everything is usual, errors come first."""
    found = score_groups([_lines("a", 900, 0), _lines("b", 2, 0, level="ERROR")], 0.0)
    assert [(item.group.template, item.kind) for item in found] == [("b", "usual"), ("a", "usual")]
    assert found[1].score == 0


@given(
    st.lists(
        st.builds(
            LogGroup,
            service=st.sampled_from(["a", "b"]),
            level=st.sampled_from(["DEBUG", "INFO", "WARN", "ERROR", "FATAL"]),
            template=st.text(max_size=3),
            count=st.integers(0, 10**9),
            baseline_count=st.integers(0, 10**9),
        ),
        max_size=12,
    ),
    st.sampled_from([0.0, 1e-6, 0.5, 1.0, 1e6]),
)
def test_scores_are_bounded_and_no_group_is_lost(groups: list[LogGroup], share: float) -> None:
    """Any counts give scores from 0 to 1000, one for each group."""
    found = score_groups(groups, share)
    assert len(found) == len(groups)
    assert all(0 <= item.score <= 1000 for item in found)
