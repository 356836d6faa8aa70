"""Stretches of a baseline, where some of them may reach into the window that is compared with them."""

from collections.abc import Iterable

from engine.window import TimeWindow

__all__ = ["seconds_apart"]


def seconds_apart(stretches: Iterable[TimeWindow], window: TimeWindow) -> float:
    """How many seconds the stretches cover outside the window; overlapping ones count once."""
    start, end = window.start.timestamp(), window.end.timestamp()
    total, reached = 0.0, float("-inf")
    for low, high in sorted((item.start.timestamp(), item.end.timestamp()) for item in stretches):
        low = max(low, reached)
        if high > low:
            total += (high - low) - max(0.0, min(high, end) - max(low, start))
            reached = high
    return total
