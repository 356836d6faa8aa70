"""Findings from traces: a wait beyond the callee's own time blames the way to it, a slow callee blames the callee."""

from collections.abc import Iterator

from engine.base import JsonObject
from engine.models.builtin.finding import UNUSUAL, Finding, strength_of
from engine.models.builtin.payload import Ref, refs_of
from engine.models.builtin.wording import count, milliseconds

__all__ = ["read_traces"]

_FEW = 5
"""Calls below which quantiles say little."""

_WAIT = 1.2
_TAIL_ONLY = 0.3
_JITTER = 0.35
_SLOW = 0.5
_OPERATION = 0.6
_FAILED = 0.6
_FAILED_LEAST = 5
_FAILED_SHARE = 0.05


def read_traces(payload: JsonObject) -> Iterator[Finding]:
    """A finding for every edge and operation that slowed down or fails."""
    edges = list(refs_of(payload, "query_traces", "/edges/"))
    jitter = max((edge.number("baseline_wait_p95_ms") or 0.0 for edge in edges), default=0.0)
    waiting = {edge.get("caller") for edge in edges if (edge.number("wait_score") or 0.0) >= UNUSUAL}
    for edge in edges:
        yield from _edge(edge, jitter)
    for ref in refs_of(payload, "query_traces", "/operations/"):
        found = _operation(ref, waiting)
        if found is not None:
            yield found


def _edge(ref: Ref, jitter: float) -> Iterator[Finding]:
    caller, callee, calls = ref.get("caller"), ref.get("callee"), ref.number("count") or 0
    score, wait = ref.number("score") or 0.0, ref.number("wait_score") or 0.0
    trust = 0.5 if calls < _FEW else 1.0
    if wait >= UNUSUAL:
        weight, text = _wait(ref, jitter)
        yield Finding(callee, "edge", trust * weight * strength_of(wait), True, text, ref, "到它的网络或排队变慢")
    elif score >= UNUSUAL:
        text = (
            f"{caller} 调用 {callee} 的 p95 耗时为 {milliseconds(ref.number('p95_ms'))}，"
            f"基线 {milliseconds(ref.number('baseline_p95_ms'))}"
        )
        yield Finding(callee, "edge", trust * _SLOW * strength_of(score), False, text, ref, "被调用时变慢")
    errors = ref.number("errors") or 0
    if errors >= _FAILED_LEAST and errors >= _FAILED_SHARE * calls:
        text = f"{caller} 调用 {callee} 共 {count(calls)} 次，失败 {count(errors)} 次"
        yield Finding(callee, "edge", _FAILED * strength_of(errors), False, text, ref, "被调用时失败")


def _wait(ref: Ref, jitter: float) -> tuple[float, str]:
    """Weight and words of a wait; one in the tail only, or as other edges show it in the baseline, is little news."""
    now, before = ref.number("wait_p50_ms") or 0.0, ref.number("baseline_wait_p50_ms") or 0.0
    typical = now >= 3 * before and now - before >= 20
    share = "p50" if typical else "p95"
    shown = ref.number(f"wait_{share}_ms") or 0.0
    weight = _WAIT if typical else _WAIT * _TAIL_ONLY
    if shown <= 1.3 * jitter:
        weight *= _JITTER
    text = (
        f"{ref.get('caller')} 调用 {ref.get('callee')} 时的等待时间 {share} 为 {milliseconds(shown)}，"
        f"基线 {milliseconds(ref.number(f'baseline_wait_{share}_ms'))}"
    )
    return weight, text


def _operation(ref: Ref, waiting: set[str]) -> Finding | None:
    score, service = ref.number("score") or 0.0, ref.get("service")
    # because the time of a client span that waits for the network counts as the caller's own
    if score < UNUSUAL or service in waiting:
        return None
    trust = 0.4 if (ref.number("count") or 0) < _FEW else 1.0
    text = (
        f"{service} 的操作「{ref.get('operation')}」自身耗时 p95 为 {milliseconds(ref.number('self_p95_ms'))}，"
        f"基线 {milliseconds(ref.number('baseline_self_p95_ms'))}"
    )
    return Finding(service, "operation", trust * _OPERATION * strength_of(score), True, text, ref, "自身处理变慢")
