"""How unusual each group of log lines is: more than traffic explains, or missing where its companions are not."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from engine.telemetry import LogGroup
from engine.tools.statistics import surprise

__all__ = ["Kind", "ScoredGroup", "score_groups"]

Kind = Literal["new", "more", "fewer", "missing", "usual"]

_WEIGHTS = {"DEBUG": 0.4, "INFO": 0.4, "WARN": 1.0, "ERROR": 1.5, "FATAL": 2.0}
_QUIET = frozenset({"DEBUG", "INFO"})
_LOUD = frozenset({"ERROR", "FATAL"})

_STEADY = 8.0
"""A group due at least this often that does not appear at all is missing."""

_UNUSUAL = 3.0
_UNCOMPARED = 2.0
_DISPERSION = 2.0
"""Variance over mean of ordinary traffic."""

_ALIKE = 1.34
"""Groups whose baseline counts differ by less than this factor are written by the same requests."""

_LEFT = 0.4
"""Share of the due lines above which nothing has been lost."""

_FOLLOWED = 0.5
"""Share of the lost lines that failed requests must make up to explain them."""

_EXPLAINED = 0.35
_UNACCOMPANIED = 0.6
_MOST_TRAFFIC = 3.0
_MOST = 1000.0


@dataclass(frozen=True)
class ScoredGroup:
    """A group with what its baseline lets expect.

    Attributes:
        group: the lines.
        kind: how it differs.
        expected: baseline count, scaled to the window's length.
        score: 0 normal, 3 clearly unusual, 10 and more extreme.
    """

    group: LogGroup
    kind: Kind
    expected: float
    score: float


def score_groups(groups: Sequence[LogGroup], share: float) -> list[ScoredGroup]:
    """Score every group, most telling first.

    Args:
        groups: all groups of the services that are compared, since each is judged beside its companions.
        share: the window's length over the baseline's; 0 where there is no baseline.
    """
    by_service: dict[str, list[LogGroup]] = defaultdict(list)
    for group in groups:
        by_service[group.service].append(group)
    scored = [_scored(group, by_service[group.service], share) for group in groups]
    lost = [item for item in scored if item.kind == "missing" and item.group.level in _QUIET]
    scored = [_bounded(_unless_unasked(item, lost)) for item in scored]
    return sorted(scored, key=lambda item: (-item.score, -item.group.count, item.group.service, item.group.template))


def _scored(group: LogGroup, companions: Sequence[LogGroup], share: float) -> ScoredGroup:
    expected = group.baseline_count * share
    weight = _WEIGHTS[group.level]
    if not share:
        return ScoredGroup(group, "usual", 0.0, weight * _UNCOMPARED if group.level in _LOUD else 0.0)
    if not group.baseline_count:
        score = _grown(group.count, 0.0) if group.level in _QUIET else max(float(group.count), 1.5)
        return ScoredGroup(group, "new", 0.0, weight * score)
    usual = expected * _traffic(companions, share)
    departure = surprise(group.count, usual, dispersion=_DISPERSION)
    if not group.count:
        missing = usual >= _STEADY
        return (
            ScoredGroup(group, "missing", expected, _lost(group, companions, share))
            if missing
            else _usual(group, expected)
        )
    if departure >= _UNUSUAL:
        grown = _grown(group.count, usual) if group.level in _QUIET else departure
        return ScoredGroup(group, "more", expected, weight * grown)
    if departure <= -_UNUSUAL:
        return ScoredGroup(group, "fewer", expected, 0.6 * _lost(group, companions, share))
    return _usual(group, expected)


def _bounded(item: ScoredGroup) -> ScoredGroup:
    return replace(item, score=min(_MOST, item.score))


def _usual(group: LogGroup, expected: float) -> ScoredGroup:
    return ScoredGroup(group, "usual", expected, 0.0)


def _grown(count: int, usual: float) -> float:
    """Growth of ordinary lines on the square-root scale, because a mix of requests changes more than a count."""
    return 2.0 * (math.sqrt(count + 0.375) - math.sqrt(usual + 0.375)) / math.sqrt(_DISPERSION)


def _traffic(companions: Iterable[LogGroup], share: float) -> float:
    """How a service's volume of ordinary lines changed, so that a quiet service is not full of missing lines."""
    usual = [group for group in companions if group.level in _QUIET and group.baseline_count]
    before = sum(group.baseline_count for group in usual) * share
    return min(2.0, sum(group.count for group in usual) / before) if before >= 1 else 1.0


def _due(group: LogGroup, companions: Sequence[LogGroup], share: float) -> float:
    """How many lines there would be if the group had changed as those usually written with it, or near it."""
    expected = group.baseline_count * share
    ratios = [
        other.count / (other.baseline_count * share)
        for other in _alike(group, companions)
        if other.count > _LEFT * other.baseline_count * share
    ]
    if ratios and group.level in _QUIET:
        return expected * min(_MOST_TRAFFIC, median(ratios))
    return expected * _traffic([other for other in companions if other is not group], share)


def _alike(group: LogGroup, companions: Iterable[LogGroup]) -> list[LogGroup]:
    return [
        other
        for other in companions
        if other is not group
        and other.level in _QUIET
        and other.baseline_count
        and group.baseline_count <= other.baseline_count * _ALIKE
        and other.baseline_count <= group.baseline_count * _ALIKE
    ]


def _lost(group: LogGroup, companions: Sequence[LogGroup], share: float) -> float:
    """How telling it is that lines stay away; little where that has another explanation."""
    due = _due(group, companions, share)
    score = -surprise(group.count, due, dispersion=1.0)
    if group.level not in _QUIET:
        # because a warning or an error that has gone away is no fault
        return 0.25 * max(0.0, score)
    alike = _alike(group, companions)
    together = sum(other.count <= _LEFT * due for other in alike)
    failed = sum(other.count for other in companions if other.level in _LOUD and not other.baseline_count)
    if together or failed >= _FOLLOWED * (due - group.count):
        # because lines that stay away together are requests that nobody sent, or that failed before
        score *= _EXPLAINED
    elif not alike:
        score *= _UNACCOMPANIED
    return max(0.0, score)


def _unless_unasked(item: ScoredGroup, lost: Sequence[ScoredGroup]) -> ScoredGroup:
    """Less where another service lost as many lines: then nobody sent that kind of request."""
    if item.kind != "missing" or item.group.level not in _QUIET:
        return item
    before = item.group.baseline_count
    shared = any(
        other.group.service != item.group.service
        and before <= other.group.baseline_count * _ALIKE
        and other.group.baseline_count <= before * _ALIKE
        for other in lost
    )
    return replace(item, score=item.score * _EXPLAINED) if shared else item
