"""Ranks services along the topology: an anomaly that a callee explains counts less than one of its own."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.models.builtin.finding import Finding

__all__ = ["SuspectService", "rank", "suspicions"]

_THRESHOLD = 2.9
"""Suspicion of the first suspect below which everything is ordinary noise."""

_ALSO = 1.5
"""Suspicion from which others are named beside a first suspect."""

_SEEN_BY_CALLER = re.compile(r"_(?:remote|client)$|\.elb\.")
"""Names under which tracing shows a call as its caller saw it; whoever answered has a name of its own."""

_SEEN = 0.4
_EXPLAINED = 0.75
_EXPLAINS = 0.3
"""What a service gains by explaining what is seen where requests enter."""

_FOLLOWERS = 0.1
"""What further findings of one kind add to the strongest."""


@dataclass(frozen=True)
class SuspectService:
    """One service with how suspect it is and why, its strongest findings first."""

    service: str
    score: float
    findings: tuple[Finding, ...]


def rank(findings: Iterable[Finding], callees: Mapping[str, Iterable[str]]) -> tuple[SuspectService, ...]:
    """Suspects, most suspect first, ties by name; none where even the first does not rise above the noise."""
    found = suspicions(findings, callees)
    return tuple(item for item in found if item.score >= _ALSO) if found and found[0].score >= _THRESHOLD else ()


def suspicions(findings: Iterable[Finding], callees: Mapping[str, Iterable[str]]) -> tuple[SuspectService, ...]:
    """Every service with a finding, most suspect first."""
    by_service: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.service:
            by_service[finding.service].append(finding)
    handed = {name: _weight(items, own=False) for name, items in by_service.items()}
    own = {name: _weight(items, own=True) for name, items in by_service.items()}
    symptoms = {name: handed[name] + own[name] for name in by_service}
    reachable = {name: _reachable(name, callees) for name in by_service}
    called = {callee for targets in callees.values() for callee in targets}
    entries = [name for name in by_service if name not in called]
    found: list[SuspectService] = []
    for name, items in by_service.items():
        worst = max((symptoms.get(callee, 0.0) for callee in reachable[name]), default=0.0)
        explained = min(handed[name], worst) * _EXPLAINED
        above = max((handed[entry] for entry in entries if name in reachable[entry]), default=0.0)
        score = own[name] + handed[name] - explained + _EXPLAINS * min(above, symptoms[name])
        if _SEEN_BY_CALLER.search(name):
            score *= _SEEN
        evidence = [item for item in items if item.kind not in {"change", "alert"}]
        if not evidence:
            # because a change or an alert alone says that something happened, not that this is the cause
            score *= 0.4
        found.append(SuspectService(name, score, tuple(sorted(items, key=lambda item: -item.strength))))
    return tuple(sorted(found, key=lambda item: (-item.score, item.service)))


def _weight(items: Iterable[Finding], *, own: bool) -> float:
    """The strongest of each kind, and a little of the others of that kind."""
    kinds: dict[str, list[float]] = defaultdict(list)
    for item in items:
        if item.own == own:
            kinds[item.kind].append(item.strength)
    total = 0.0
    for strengths in kinds.values():
        first, *rest = sorted(strengths, reverse=True)
        total += first + _FOLLOWERS * sum(rest[:3])
    return total


def _reachable(name: str, callees: Mapping[str, Iterable[str]]) -> set[str]:
    """Everything that a service calls, directly or through others, without itself."""
    seen: set[str] = set()
    queue = list(callees.get(name, ()))
    while queue:
        callee = queue.pop()
        if callee not in seen and callee != name:
            seen.add(callee)
            queue += callees.get(callee, ())
    return seen
