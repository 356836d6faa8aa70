"""How far a window departs from its baseline: robust statistics on few samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

__all__ = ["Comparison", "compare", "quantile", "surprise"]

_CAP = 1000.0
_MAD_TO_SIGMA = 1.4826
_UNUSUAL = 3.0


@dataclass(frozen=True)
class Comparison:
    """A window against its baseline.

    Attributes:
        score: how unusual: 0 normal, 3 clearly unusual, 10 and more extreme; 0 without a baseline.
        direction: 1 up, -1 down, 0 flat.
        first_breach: index of the first window sample of a sustained departure; None without one.
        breached: how many window samples lie beyond the baseline's range on that side.
    """

    score: float
    direction: int
    first_breach: int | None
    breached: int = 0


def compare(
    window: Sequence[float], baseline: Sequence[float], *, floor: float = 0.0, relative: float = 0.05
) -> Comparison:
    """Compare by median and MAD, with floors, because near-constant series make any wiggle look extreme.

    Args:
        window: samples in time order.
        baseline: samples to compare with.
        floor: an absolute departure below which nothing is unusual, in the series' unit.
        relative: the same as a share of the baseline's median.
    """
    if not window or len(baseline) < 3:
        return Comparison(0.0, 0, None)
    middle = median(baseline)
    spread = _MAD_TO_SIGMA * median(abs(value - middle) for value in baseline)
    high, low = quantile(baseline, 0.98), quantile(baseline, 0.02)
    scale = max(spread, relative * abs(middle), (high - low) / 4, floor, 1e-9)
    departures = [(value - middle) / scale for value in window]
    mean = sum(departures) / len(departures)
    upper, lower = high + scale, low - scale
    breaches = [1 if value > upper else -1 if value < lower else 0 for value in window]
    sign = 1 if mean > 0 else -1
    sustained = sum(breach == sign for breach in breaches)
    if not sustained:
        return Comparison(0.0, 0, None)
    ordered = sorted(abs(item) for item, breach in zip(departures, breaches, strict=True) if breach == sign)
    strongest = fmean(ordered[-3:])
    share = sustained / len(window)
    single = 0.35 if sustained == 1 and len(window) >= 4 else 1.0
    score = min(_CAP, strongest * (0.4 + 0.6 * min(1.0, share * 2)) * single)
    if score < _UNUSUAL:
        return Comparison(score, 0, None, sustained)
    return Comparison(score, sign, _onset(breaches, sign), sustained)


def _onset(breaches: Sequence[int], sign: int) -> int:
    """Where a departure that lasts begins: the first breach that another follows at once, else the first."""
    last = len(breaches) - 1
    lasting = (
        index
        for index, breach in enumerate(breaches)
        if breach == sign and (index == last or breaches[index + 1] == sign)
    )
    return next(lasting, breaches.index(sign))


def surprise(count: float, expected: float, *, dispersion: float = 2.0) -> float:
    """Signed departure of a count from what its baseline lets expect; Poisson with overdispersion.

    `dispersion` is the variance over the mean of ordinary traffic. Positive for more, negative for fewer.
    """
    variance = dispersion * max(expected, 0.0) + (0.15 * expected) ** 2 + 1.0
    score = (count - expected) / math.sqrt(variance)
    return max(-_CAP, min(_CAP, score))


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which the given share lies; linear between samples; 0 for none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)
