"""Findings from log groups: own exceptions, lines that blame a callee, and lines that should be there and are not."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from engine.base import JsonObject
from engine.models.builtin.finding import UNUSUAL, Finding, strength_of
from engine.models.builtin.payload import Ref, objects, refs_of
from engine.models.builtin.wording import count, phrase

__all__ = ["LogLines", "lines_lost", "read_groups", "read_logs"]

_BLAMES = re.compile(
    r"no instances? available|connection refused|connect(?:ion)? timed out|unknownhost|service unavailable|i/o error on|"
    r"read timed out|upstream|bad gateway|gateway timeout|httpservererror|resourceaccess|feignexception|"
    r"circuit.?breaker|deadline exceeded|\b50[234]\b|500 internal server error|调用.{0,12}(?:失败|超时)",
    re.IGNORECASE,
)
"""Lines that blame somebody else; the one who writes them is the victim."""

_OWN_RESOURCE = re.compile(
    r"\bpool|连接池|get a connection|too many connections|out ?of ?memory|no space left|disk full|deadlock|"
    r"too many open files|panic|segfault|stack ?overflow|nullpointer|assertion",
    re.IGNORECASE,
)
_REFUSALS = re.compile(
    r"status wrong|not allowed|permission denied|unauthori[sz]ed|forbidden|invalid (?:param|argument|request|input)|"
    r"参数错误|状态不|无权限|validation",
    re.IGNORECASE,
)
"""Lines that refuse a request for what it asks: the caller's data, rarely a fault of the service."""

_QUIET = frozenset({"DEBUG", "INFO"})
_LOUD = frozenset({"ERROR", "FATAL"})
_AWAY = frozenset({"missing", "fewer"})

_KINDS = {"new": 1.2, "more": 0.7}
_ORDINARY = 0.15
_WARNING = 0.5
_BLAMING = 0.25
_BLAMED = 0.35
_REFUSING = 0.6
_RESOURCE = 1.3

_DUE = 6.0
"""Lines that must have been due before their absence means anything."""

_LEFT = 0.4
"""Share of the due lines above which none is called lost."""

_ALIKE = 1.34
_LOST_SCALE = 1.1
_LOST_MOST = 6.0
_TOGETHER = 0.35
_ALONE = 0.55
_FOLLOWING = 0.8
"""Share of the due lines that failing calls must explain."""


@dataclass(frozen=True)
class LogLines:
    """One group of log lines, read from its ref."""

    ref: Ref
    service: str
    level: str
    kind: str
    count: float
    expected: float
    before: float

    @cached_property
    def words(self) -> str:
        """Template and example, in which to look for what the lines say."""
        return f"{self.ref.get('template')} {self.ref.get('example')}"

    @cached_property
    def blames(self) -> bool:
        """Whether the lines report that somebody else does not answer."""
        return bool(_BLAMES.search(self.words)) and not _OWN_RESOURCE.search(self.words)


def read_groups(payload: JsonObject) -> list[LogLines]:
    """Every group once, however many calls returned it."""
    found: dict[tuple[str, str, str], LogLines] = {}
    for ref in refs_of(payload, "query_logs", "/groups/"):
        if ref.arguments.get("contains") or ref.arguments.get("level"):
            continue
        key = ref.get("service"), ref.get("level"), ref.get("template")
        found.setdefault(
            key,
            LogLines(
                ref=ref,
                service=key[0],
                level=key[1],
                kind=ref.get("kind"),
                count=ref.number("count") or 0.0,
                expected=ref.number("expected") or 0.0,
                before=ref.number("baseline_count") or 0.0,
            ),
        )
    return list(found.values())


def read_logs(payload: JsonObject, groups: Sequence[LogLines]) -> Iterator[Finding]:
    """A finding for every group that is new, more or lost."""
    by_service: dict[str, list[LogLines]] = defaultdict(list)
    for group in groups:
        by_service[group.service].append(group)
    known = [str(item.get("name")) for item in objects(payload, "services")]
    blame_is_usual = any(group.before and group.level not in _QUIET and group.blames for group in groups)
    for group in groups:
        if group.level in _QUIET and group.kind in _AWAY:
            strength = _lost(group, by_service[group.service]) * _elsewhere(group, groups)
        else:
            strength = _appeared(group)
        if strength > 0:
            yield Finding(group.service, "log", strength, not group.blames, _text(group), group.ref, _hint(group))
            if group.blames and not blame_is_usual:
                for name in _named(group, known):
                    yield Finding(
                        name, "log", strength * _BLAMED / _BLAMING, False, _text(group), group.ref, "被上游报告不可用"
                    )


def lines_lost(groups: Iterable[LogLines]) -> Iterator[LogLines]:
    """The groups of ordinary lines that may be missing, most expected first: worth a look at the whole service."""
    candidates = (group for group in groups if group.level in _QUIET and group.kind in _AWAY)
    yield from sorted((group for group in candidates if group.expected >= _DUE), key=lambda group: -group.expected)


def _appeared(group: LogLines) -> float:
    score = group.ref.number("score") or 0.0
    weight = _KINDS.get(group.kind, 0.0)
    if score < UNUSUAL or not weight:
        return 0.0
    if group.level in _QUIET:
        weight *= _ORDINARY
    elif group.level not in _LOUD:
        weight *= _WARNING
    words = group.words
    if _OWN_RESOURCE.search(words):
        weight *= _RESOURCE
    elif _BLAMES.search(words):
        weight *= _BLAMING
    elif _REFUSALS.search(words):
        weight *= _REFUSING
    return weight * strength_of(score)


def _lost(group: LogLines, peers: Sequence[LogLines]) -> float:
    """How telling it is that these lines stay away while those that usually come with them do not."""
    quiet = [peer for peer in peers if peer is not group and peer.level in _QUIET and peer.expected >= 2]
    alike = [peer for peer in quiet if group.before <= peer.before * _ALIKE and peer.before <= group.before * _ALIKE]
    alive = [peer for peer in alike if peer.kind not in _AWAY or peer.count > _LEFT * peer.expected]
    around = alive or [peer for peer in quiet if peer not in alike and peer.count]
    if not around:
        return 0.0
    due = group.expected * min(3.0, median(peer.count / peer.expected for peer in around))
    if due < _DUE or group.count > _LEFT * due:
        return 0.0
    failing = sum(peer.count for peer in peers if peer.level in _LOUD and peer.blames)
    if failing >= _FOLLOWING * (due - group.count):
        # because what follows a failed call is not written either
        return 0.0
    strength = min(_LOST_MOST, _LOST_SCALE * math.sqrt(due - group.count))
    together = sum(peer.count <= _LEFT * due for peer in alike if peer not in alive)
    if together >= 2:
        # because lines that stay away together are a kind of request that nobody sent
        return strength * _TOGETHER
    return strength if alive else strength * _ALONE


def _elsewhere(group: LogLines, groups: Sequence[LogLines]) -> float:
    """Less than 1 where another service lost as many lines: then nobody sent that kind of request."""
    for other in groups:
        gone = other.kind == "missing" and other.level in _QUIET and other.service != group.service
        if gone and group.before <= other.before * _ALIKE and other.before <= group.before * _ALIKE:
            return _TOGETHER
    return 1.0


def _hint(group: LogLines) -> str:
    if group.level in _QUIET:
        return "有日志不再出现，像是代码提前返回或抛出异常" if group.kind in _AWAY else "日志有变化"
    return "报告下游不可用" if group.blames else "报错增多"


def _named(group: LogLines, known: Sequence[str]) -> list[str]:
    words = group.words
    return [name for name in known if name != group.service and len(name) >= 3 and name in words][:2]


def _text(group: LogLines) -> str:
    return (
        f"{group.service} 的 {group.level} 日志「{phrase(group.ref.get('template'))}」在窗口内出现 "
        f"{count(group.count)} 次，按基线预期 {count(group.expected)} 次"
    )
