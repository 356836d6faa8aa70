"""Stretches of a baseline beside a window."""

from datetime import timedelta

import pytest

from engine.sources.stretches import seconds_apart
from engine.window import TimeWindow
from tests.incident_folder import START, WINDOW


def _stretch(start: float, end: float) -> TimeWindow:
    return TimeWindow(start=START + timedelta(minutes=start), end=START + timedelta(minutes=end))


@pytest.mark.parametrize(
    ("stretches", "minutes"),
    [
        ([], 0),
        ([(-10, 0)], 10),
        ([(-10, 5)], 10),
        ([(25, 40)], 10),
        ([(-10, 40)], 20),
        ([(5, 10)], 0),
        ([(-10, -5), (-8, -2)], 8),
        ([(-10, 5), (2, 40)], 20),
        ([(-3, -2), (-10, -9)], 2),
    ],
)
def test_only_time_outside_the_window_counts_and_counts_once(
    stretches: list[tuple[float, float]], minutes: float
) -> None:
    """Overlap with the window or with another stretch is left out."""
    assert seconds_apart([_stretch(*item) for item in stretches], WINDOW) == minutes * 60
