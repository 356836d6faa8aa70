"""How far a window departs from its baseline."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tools.statistics import compare, quantile, surprise

NOISY = [random.Random(index).gauss(0.5, 0.03) for index in range(60)]
FLOATS = st.floats(min_value=-1e100, max_value=1e100, allow_nan=False)


def test_a_lasting_shift_is_unusual_and_dated() -> None:
    """A shift well beyond the noise scores, with its direction, onset and the number of samples beyond."""
    found = compare([*NOISY[:10], *[1.5] * 10], NOISY)
    assert found.score > 10
    assert (found.direction, found.first_breach, found.breached) == (1, 10, 10)


def test_a_fall_points_down() -> None:
    """The same downwards."""
    found = compare([*NOISY[:5], *[0.01] * 10], NOISY)
    assert (found.direction, found.first_breach) == (-1, 5)


def test_more_of_the_same_is_nothing() -> None:
    """A window like its baseline scores near zero and has neither direction nor onset."""
    found = compare([random.Random(1000 + index).gauss(0.5, 0.03) for index in range(30)], NOISY)
    assert found.score < 3
    assert (found.direction, found.first_breach) == (0, None)


def test_a_single_spike_counts_less_than_the_same_for_long() -> None:
    """One sample beyond the range is a spike, not a change."""
    spike = compare([*NOISY[:10], 1.5, *NOISY[10:19]], NOISY)
    lasting = compare([*NOISY[:10], *[1.5] * 10], NOISY)
    assert spike.score < lasting.score / 3


def test_the_onset_is_where_it_stays() -> None:
    """An early spike is not when a later, lasting departure began."""
    window = [*NOISY[:3], 1.5, *NOISY[3:9], *[1.5] * 8]
    assert compare(window, NOISY).first_breach == 10


def test_a_wiggle_of_a_still_series_is_nothing() -> None:
    """Where the baseline is constant, the floors decide: a small absolute or relative change is none."""
    assert compare([0.011] * 10, [0.01] * 60, floor=0.02).score == 0
    assert compare([102.0] * 10, [100.0] * 60).score == 0
    assert compare([0.4] * 10, [0.01] * 60, floor=0.02).score > 10


def test_three_samples_are_enough() -> None:
    """Short windows and baselines of twenty samples are compared."""
    assert compare([2.0, 2.1, 1.9], [1.0, 1.1, 0.9, 1.0] * 5).direction == 1


@pytest.mark.parametrize(("window", "baseline"), [([], [1.0] * 9), ([9.0] * 9, []), ([9.0] * 9, [1.0, 1.0])])
def test_without_a_baseline_nothing_is_unusual(window: list[float], baseline: list[float]) -> None:
    """There is no score where there is nothing to compare."""
    assert compare(window, baseline).score == 0


@given(st.lists(FLOATS, max_size=30), st.lists(FLOATS, max_size=30))
def test_any_samples_give_a_bounded_score(window: list[float], baseline: list[float]) -> None:
    """Whatever the samples, the score lies on its scale and the onset within the window."""
    found = compare(window, baseline)
    assert 0 <= found.score <= 1000
    assert found.first_breach is None or 0 <= found.first_breach < len(window)


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_surprise_has_the_sign_of_the_departure(count: float, expected: float) -> None:
    """More is positive, fewer is negative, both bounded."""
    found = surprise(count, expected)
    assert -1000 <= found <= 1000
    assert found == 0 or (found > 0) == (count > expected)


def test_surprise_grows_with_the_counts() -> None:
    """Twice as many is nothing for two lines and much for two hundred."""
    assert surprise(2, 1) < 1 < 4 < surprise(200, 100)


@given(st.lists(FLOATS, min_size=1, max_size=30), st.floats(0, 1))
def test_a_quantile_lies_among_its_values(values: list[float], share: float) -> None:
    """Between the least and the greatest, and these at the ends."""
    slack = 1e-9 * max(map(abs, values))
    assert min(values) - slack <= quantile(values, share) <= max(values) + slack
    assert quantile(values, 0) == min(values)
    assert quantile([], share) == 0.0
