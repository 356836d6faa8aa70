"""What the evidence shows of each service: findings with a strength and the Chinese words that its line carries."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.base import JsonObject
from engine.models.builtin.payload import Ref, refs_of
from engine.models.builtin.wording import clock, count, figure, milliseconds, phrase

__all__ = ["Finding", "read_findings"]

Kind = Literal["metric", "log", "edge", "operation", "alert", "change"]


@dataclass(frozen=True)
class Finding:
    """One telling line of evidence about one service.

    Attributes:
        service: whom it speaks of.
        kind: what sort of evidence.
        strength: 0 for nothing; about 2 for clearly unusual, 6 for extreme.
        own: whether it arises in the service itself, rather than being handed up by what it calls.
        text: a Chinese sentence whose every number and name stands in the ref's text.
        ref: the line.
    """

    service: str
    kind: Kind
    strength: float
    own: bool
    text: str
    ref: Ref
    state: bool = False
    """Whether it is the state of a resource of the service's own (pool, CPU, memory)."""


_SIGNAL_WEIGHTS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"^frontend_"), 0.0),
    (re.compile(r"^client_|^node_"), 0.1),
    (re.compile(r"pool_(?:in_use|usage)|connections"), 1.8),
    (re.compile(r"error|fail|5xx|timeouts|availability"), 1.6),
    (re.compile(r"waiting|queue|lag"), 1.2),
    (re.compile(r"latency|duration"), 1.0),
    (re.compile(r"cpu"), 1.2),
    (re.compile(r"mem|heap|rss"), 0.6),
    (re.compile(r"^up$|restart"), 1.5),
    (re.compile(r"network|request|qps|rate|syscall|traffic"), 0.12),
)
_SEEN_BY_CALLER = re.compile(r"_(?:remote|client)$")
"""Names under which tracing shows a call as its caller saw it; whoever answered has a name of its own."""

_OWN_SIGNALS = re.compile(r"cpu|mem|pool_(?:in_use|usage|waiting|timeouts)|connections|restart|^up$|disk|heap")

_STATE_SIGNALS = re.compile(r"pool_(?:in_use|usage)|connections|cpu|mem|heap|disk")

_CALLEE_MISSING = re.compile(
    r"no instances available|connection refused|connect timed out|unknownhost|service unavailable|"
    r"i/o error on|read timed out|upstream|bad gateway|503|调用.{0,12}失败",
    re.IGNORECASE,
)
"""Lines that blame somebody else; the one who writes them is the victim."""

_UNUSUAL = 3.0


def read_findings(payload: JsonObject) -> tuple[Finding, ...]:
    """Every finding, strongest first; one a line."""
    seen: set[str] = set()
    found: list[Finding] = []
    waiting: set[str] = set()
    for finding in (*_edges(payload, waiting), *_others(payload, waiting)):
        if finding.strength > 0 and finding.ref.text not in seen:
            seen.add(finding.ref.text)
            found.append(finding)
    return tuple(sorted(found, key=lambda item: -item.strength))


def _others(payload: JsonObject, waiting: set[str]) -> Iterator[Finding]:
    yield from (_metric(ref) for ref in refs_of(payload, "query_metrics", "/series/"))
    yield from (_log(ref) for ref in refs_of(payload, "query_logs", "/groups/"))
    yield from (_operation(ref, waiting) for ref in refs_of(payload, "query_traces", "/operations/"))
    yield from (_alert(ref) for ref in refs_of(payload, "query_alerts", "/alerts/"))
    yield from (_change(ref) for ref in refs_of(payload, "query_changes", "/changes/"))


def _metric(ref: Ref) -> Finding:
    score, direction, worse = ref.number("score") or 0.0, ref.get("direction"), ref.get("worse")
    signal, unit = ref.get("signal"), ref.get("unit")
    weight = next((weight for pattern, weight in _SIGNAL_WEIGHTS if pattern.search(signal)), 0.4)
    if direction not in {"up", "down"} or (worse != "either" and direction != worse):
        weight = 0.0
    samples = ref.number("window.count") or 0
    if samples < 2:
        weight *= 0.25
    elif samples < 3:
        weight *= 0.6
    elif samples >= 4 and ref.number("breached") == samples:
        # because what was unusual from the first sample on began before the window, or is another baseline
        weight *= 0.5
    if _SEEN_BY_CALLER.search(ref.get("service")):
        weight *= 0.5
    mean, base = ref.number("window.mean"), ref.number("baseline.mean")
    peak = ref.number("window.max")
    text = f"{ref.get('service')} 的{ref.get('title')}（{signal}）窗口均值 {figure(mean, unit)}，基线均值 {figure(base, unit)}"
    if mean and peak and peak > 1.2 * abs(mean) and direction == "up":
        text += f"，峰值 {figure(peak, unit)}"
    return Finding(
        service=ref.get("service"),
        kind="metric",
        strength=weight * _strength(score) if score >= _UNUSUAL else 0.0,
        own=bool(_OWN_SIGNALS.search(signal)),
        text=text,
        ref=ref,
        state=bool(_STATE_SIGNALS.search(signal)),
    )


def _log(ref: Ref) -> Finding:
    score, kind, level = ref.number("score") or 0.0, ref.get("kind"), ref.get("level")
    words = phrase(ref.get("template"))
    blames = bool(_CALLEE_MISSING.search(f"{ref.get('template')} {ref.get('example')}"))
    weight = {"new": 1.2, "more": 0.7, "missing": 1.0, "fewer": 0.3}.get(kind, 0.0)
    if level in {"INFO", "DEBUG"} and kind in {"new", "more"}:
        weight *= 0.15
    elif level == "WARN":
        weight *= 0.5
    if level in {"ERROR", "FATAL", "WARN"} and kind in {"missing", "fewer"}:
        # because an error that has gone away is no fault
        weight = 0.0
    if blames:
        weight *= 0.25
    amount, expected = ref.number("count") or 0, ref.number("expected") or 0
    text = (
        f"{ref.get('service')} 的 {level} 日志「{words}」在窗口内出现 {count(amount)} 次，"
        f"按基线预期 {count(expected)} 次"
    )
    return Finding(ref.get("service"), "log", weight * _strength(score) if score >= _UNUSUAL else 0.0, True, text, ref)


def _edges(payload: JsonObject, waiting: set[str]) -> Iterator[Finding]:
    """Calls: a wait beyond the callee's own time blames the way to it, a slow callee blames the callee."""
    for ref in refs_of(payload, "query_traces", "/edges/"):
        caller, callee = ref.get("caller"), ref.get("callee")
        score, wait = ref.number("score") or 0.0, ref.number("wait_score") or 0.0
        few = 0.5 if (ref.number("count") or 0) < 5 else 1.0
        if wait >= _UNUSUAL:
            waiting.add(caller)
            text = (
                f"{caller} 调用 {callee} 时的等待时间 p50 为 {milliseconds(ref.number('wait_p50_ms'))}，"
                f"基线 {milliseconds(ref.number('baseline_wait_p50_ms'))}"
            )
            if (ref.number("wait_p50_ms") or 0) < 3 * (ref.number("baseline_wait_p50_ms") or 0):
                # because a delay of the way to a service hits most calls; a slow tail happens every day
                few *= 0.5
                text = (
                    f"{caller} 调用 {callee} 时的等待时间 p95 为 {milliseconds(ref.number('wait_p95_ms'))}，"
                    f"基线 {milliseconds(ref.number('baseline_wait_p95_ms'))}"
                )
            yield Finding(callee, "edge", few * 1.2 * _strength(wait), True, text, ref)
        elif score >= _UNUSUAL:
            text = (
                f"{caller} 调用 {callee} 的 p95 耗时为 {milliseconds(ref.number('p95_ms'))}，"
                f"基线 {milliseconds(ref.number('baseline_p95_ms'))}"
            )
            yield Finding(callee, "edge", few * 0.5 * _strength(score), False, text, ref)


def _operation(ref: Ref, waiting: set[str]) -> Finding:
    score, service = ref.number("score") or 0.0, ref.get("service")
    # because the time of a client span that waits for the network counts as the caller's own
    weight = 0.0 if service in waiting else 0.6
    if (ref.number("count") or 0) < 5:
        weight *= 0.4
    text = (
        f"{service} 的操作「{ref.get('operation')}」自身耗时 p95 为 {milliseconds(ref.number('self_p95_ms'))}，"
        f"基线 {milliseconds(ref.number('baseline_self_p95_ms'))}"
    )
    return Finding(service, "operation", weight * _strength(score) if score >= _UNUSUAL else 0.0, True, text, ref)


def _alert(ref: Ref) -> Finding:
    active = ref.get("state") == "active"
    severity = {"critical": 3.0, "page": 3.0, "warning": 2.0}.get(ref.get("severity"), 1.5)
    text = (
        f"{ref.get('service')} 的告警 {ref.get('name')} 处于 {ref.get('state')} 状态（{ref.get('severity') or '未分级'}），"
        f"开始于 {clock(ref.get('starts_at'))}"
    )
    return Finding(ref.get("service"), "alert", severity if active else severity / 2, False, text, ref)


def _change(ref: Ref) -> Finding:
    weight = {"deploy": 2.0, "config": 2.0, "scale": 1.0, "restart": 1.2}.get(ref.get("kind"), 1.0)
    text = f"{ref.get('service')} 在 {clock(ref.get('time'))} 有变更 {ref.get('kind')}：「{phrase(ref.get('summary'), 160)}」"
    return Finding(ref.get("service"), "change", weight, True, text, ref)


def _strength(score: float) -> float:
    return min(7.0, math.log2(1.0 + score))
