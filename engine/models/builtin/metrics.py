"""Findings from series: how far each departs from its baseline, and how much that tells of its service."""

import re
from collections.abc import Iterator
from datetime import datetime

from engine.base import JsonObject
from engine.models.builtin.finding import UNUSUAL, Finding, strength_of
from engine.models.builtin.payload import Ref, refs_of
from engine.models.builtin.topics import Emphasis, emphasis_of
from engine.models.builtin.wording import figure

__all__ = ["read_metrics"]

_FAILURES = re.compile(r"error|fail|5xx|timeouts|availability|success|rejected")
_LATENCY = re.compile(r"latency|duration|response_time")

_WEIGHTS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"^frontend_"), 0.0),
    (re.compile(r"^client_|^node_"), 0.1),
    (re.compile(r"pool_(?:in_use|usage)|connections"), 1.8),
    (_FAILURES, 1.6),
    (re.compile(r"waiting|queue|lag"), 1.2),
    (_LATENCY, 1.0),
    (re.compile(r"cpu"), 1.2),
    (re.compile(r"mem|heap|rss"), 0.6),
    (re.compile(r"^up$|restart"), 1.5),
    (re.compile(r"network|request|qps|rate|syscall|traffic"), 0.12),
)
"""How much a departure of a signal says of its own service; the first that fits counts."""

_OWN = re.compile(r"cpu|mem|pool_(?:in_use|usage|waiting|timeouts)|connections|restart|^up$|disk|heap")
_STATE = re.compile(r"pool_(?:in_use|usage)|connections|cpu|mem|heap|disk")

_HINTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"pool|connections"), "连接池吃紧"),
    (_FAILURES, "请求失败变多"),
    (re.compile(r"cpu"), "CPU 争用"),
    (re.compile(r"mem|heap|rss"), "内存吃紧"),
    (re.compile(r"waiting|queue|lag"), "排队变长"),
    (_LATENCY, "响应变慢"),
    (re.compile(r"^up$|restart"), "实例不稳"),
)

_EMPHASIS: dict[Emphasis, tuple[float, float]] = {"any": (1.0, 1.0), "errors": (1.25, 0.8), "latency": (0.9, 1.1)}
"""Weights of failures and of slowness, by what the question speaks of."""

_SPIKE = 0.5
_DRIFT = 0.35


def read_metrics(payload: JsonObject) -> Iterator[Finding]:
    """A finding for every unusual series."""
    emphasis = _EMPHASIS[emphasis_of(str(payload.get("question", "")))]
    apart = _baseline_is_apart(payload)
    for ref in refs_of(payload, "query_metrics", "/series/"):
        weight = _weight(ref, emphasis)
        score = ref.number("score") or 0.0
        if weight and score >= UNUSUAL:
            weight *= _doubt(ref, apart=apart)
            yield Finding(
                service=ref.get("service"),
                kind="metric",
                strength=weight * strength_of(score),
                own=bool(_OWN.search(ref.get("signal"))),
                text=_text(ref),
                ref=ref,
                hint=next((hint for pattern, hint in _HINTS if pattern.search(ref.get("signal"))), "指标偏离基线"),
                state=bool(_STATE.search(ref.get("signal"))),
            )


def _weight(ref: Ref, emphasis: tuple[float, float]) -> float:
    signal, direction, worse = ref.get("signal"), ref.get("direction"), ref.get("worse")
    if direction not in {"up", "down"} or (worse != "either" and direction != worse):
        return 0.0
    weight = next((weight for pattern, weight in _WEIGHTS if pattern.search(signal)), 0.4)
    if _FAILURES.search(signal):
        return weight * emphasis[0]
    return weight * emphasis[1] if _LATENCY.search(signal) else weight


def _doubt(ref: Ref, *, apart: bool) -> float:
    """How far to trust a departure: few samples and single spikes tell less, and so does a baseline of another day."""
    samples = int(ref.number("window.count") or 0)
    if samples < 2:
        return 0.25
    doubt = 0.6 if samples < 3 else 1.0
    breached = ref.number("breached")
    if breached is not None and breached <= 1 and not _OWN.search(ref.get("signal")):
        doubt *= _SPIKE
    if apart and samples >= 4 and breached == samples:
        # because what differs from the first sample on, against a baseline of another day, may be that day
        doubt *= _DRIFT
    return doubt


def _text(ref: Ref) -> str:
    unit = ref.get("unit")
    mean, base = ref.number("window.mean"), ref.number("baseline.mean")
    text = (
        f"{ref.get('service')} 的{ref.get('title')}（{ref.get('signal')}）"
        f"窗口均值 {figure(mean, unit)}，基线均值 {figure(base, unit)}"
    )
    peak, low = ref.number("window.max"), ref.number("window.min")
    if ref.get("direction") == "up" and mean and peak and peak > 1.2 * abs(mean):
        return f"{text}，峰值 {figure(peak, unit)}"
    if (
        ref.get("direction") == "down"
        and mean is not None
        and low is not None
        and figure(low, unit) != figure(mean, unit)
    ):
        return f"{text}，最低 {figure(low, unit)}"
    return text


def _baseline_is_apart(payload: JsonObject) -> bool:
    """Whether the baseline lies further from the window than the window is long."""
    window, baseline = payload.get("window"), payload.get("baseline")
    if not isinstance(window, dict) or not isinstance(baseline, dict):
        return False
    try:
        start, end = (datetime.fromisoformat(str(window[key])) for key in ("from", "to"))
        first, last = (datetime.fromisoformat(str(baseline[key])) for key in ("from", "to"))
    except (KeyError, ValueError):
        return False
    return max(start - last, first - end) > end - start
