"""`query_metrics`: statistics of time series over the window, against the baseline."""

import math
import re
from array import array
from bisect import bisect_left
from dataclasses import dataclass
from statistics import fmean

from pydantic import Field

from engine.base import JsonObject, JsonValue
from engine.invocation import Scope, ToolResult
from engine.ports import ToolContext, ToolSpec
from engine.system import SignalInfo, SystemMap
from engine.telemetry import MetricQuery, MetricSource, Series
from engine.tools.arguments import (
    SpanArguments,
    read_arguments,
    resolve_service,
    resolve_signal,
    resolve_window,
    schema,
)
from engine.tools.output import bounded, finish, six_digits, span, stamp_seconds
from engine.tools.redaction import Redactor
from engine.tools.statistics import Comparison, compare
from engine.window import TimeWindow

__all__ = ["QueryMetrics"]

_SERIES = 40
_SERIES_OF_SERVICE = 60
_POINTS = 60
_POINT_SERIES = 12
_ANOMALOUS = 3.0

_FLOORS = {
    "ratio": 0.02, "percent": 2.0, "seconds": 0.01, "milliseconds": 10.0, "bytes": 1e6, "bytes_per_second": 2e4,
    "requests_per_second": 0.5, "per_second": 0.05, "connections": 1.0, "cores": 0.02, "count": 1.0,
}  # fmt: skip
"""Departures below this are nothing, in the signal's unit."""


_THIN = 0.25
"""A series with less than this share of the samples that its baseline lets expect counts as silent."""

_FAILURES = re.compile(r"availability|success|error_ratio|error_rate|failure")


class _Arguments(SpanArguments):
    signal: str | None = Field(default=None, max_length=200, description="Name of one signal of the catalog")
    query: str | None = Field(default=None, max_length=500, description='Expert selector, such as up{service="pay"}')


@dataclass(frozen=True)
class _Measured:
    series: Series
    window: "array[float]"
    baseline: "array[float]"
    times: "array[float]"
    comparison: Comparison
    info: SignalInfo


class QueryMetrics:
    """Compares every matched series with its baseline and returns the most unusual first."""

    def __init__(self, source: MetricSource, system: SystemMap, redactor: Redactor) -> None:
        self._source = source
        self._system = system
        self._redactor = redactor
        self._signals = {signal.name: signal for signal in system.signals}
        self.spec = ToolSpec(
            name="query_metrics",
            description=(
                "Metrics of one service or of all: per series mean, min, max, last over the asked window and the "
                "baseline, change, direction, first breach and an anomaly score; most unusual first."
            ),
            parameters=schema(_Arguments),
        )

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See `Tool`."""
        given = read_arguments(_Arguments, arguments)
        service = resolve_service(given.service, self._system)
        signal = resolve_signal(given.signal, self._system)
        window = resolve_window(given, context)
        query = MetricQuery(window, context.baseline, (service,) if service else (), signal, given.query)
        answered = await self._source.series(query)
        measured = [found for series in answered.series if (found := self._measure(series, window, context.baseline))]
        measured.sort(key=lambda item: item.comparison.score, reverse=True)
        silent = len(answered.series) - len(measured)
        most = _SERIES_OF_SERVICE if service else _SERIES
        kept, anomalous = measured[:most], sum(item.comparison.score >= _ANOMALOUS for item in measured)
        summary: JsonObject = {
            "services": service or len({item.series.service for item in measured}),
            "signal": signal,
            "matched_series": len(measured),
            "anomalous_series": anomalous,
            "dropped_series": len(measured) - len(kept),
            "silent_series": silent,
            "window": span(window, context.timezone),
            "baseline": span(context.baseline, context.timezone),
            "complete": answered.complete,
        }
        output: JsonObject = {
            "summary": summary,
            "series": [_row(item, context, self._redactor) for item in kept],
            "points": {f"/series/{index}": _points(item, context) for index, item in enumerate(kept[:_POINT_SERIES])},
        }
        notes = [*answered.warnings]
        if len(measured) > len(kept):
            notes.append(f"共 {len(measured)} 条序列，只列出最异常的 {len(kept)} 条")
        if not measured:
            notes.append("时间段内没有数据或太少（基线中有）" if silent else "没有匹配的指标序列")
        elif silent:
            notes.append(f"有 {silent} 条序列基线中有数据、时间段内没有或太少")
        scope = Scope(
            services=(service,) if service else (),
            window=window,
            filtered=given.query is not None or given.signal is not None,
            complete=answered.complete,
            matched=bool(answered.series),
        )
        note = "；".join(notes) or None
        return finish(output, ("series",), context, self._redactor, scope, empty=not measured, note=note)

    def _measure(self, series: Series, window: TimeWindow, baseline: TimeWindow | None) -> _Measured | None:
        times, values = _within(series, window)
        if not values:
            return None
        _, before = _within(series, baseline) if baseline else (array("d"), array("d"))
        if baseline and len(values) < _THIN * len(before) * window.seconds / baseline.seconds:
            # because a few readable samples of many say nothing of the stretch, least of all that it was quiet
            return None
        info = self._signals.get(series.signal) or SignalInfo(name=series.signal, title=series.signal, unit="count")
        floor, relative = _FLOORS.get(info.unit, 0.0), 0.05
        if _FAILURES.search(info.name):
            # because where everything succeeds, one failed request in a hundred is news
            floor, relative = 0.005, 0.005
        comparison = compare(values, before, floor=floor, relative=relative)
        return _Measured(series, values, before, times, comparison, info)


def _within(series: Series, window: TimeWindow) -> tuple["array[float]", "array[float]"]:
    low = bisect_left(series.times, window.start.timestamp())
    high = bisect_left(series.times, window.end.timestamp())
    return series.times[low:high], series.values[low:high]


def _row(item: _Measured, context: ToolContext, redactor: Redactor) -> JsonObject:
    mean = six_digits(fmean(item.window))
    row: JsonObject = {
        "service": item.series.service,
        "signal": item.series.signal,
        "title": item.info.title,
        "unit": item.info.unit,
        "labels": {key: bounded(value, 120, redactor) for key, value in list(item.series.labels.items())[:8]},
        "worse": item.info.worse,
        "direction": {1: "up", -1: "down", 0: "flat"}[item.comparison.direction],
        "score": six_digits(item.comparison.score),
    }
    if item.baseline:
        base = six_digits(fmean(item.baseline))
        row["change"] = _change(mean, base)
    breach = item.comparison.first_breach
    row["first_breach"] = stamp_seconds(item.times[breach], context.timezone) if breach is not None else None
    row["breached"] = item.comparison.breached
    row["window"] = {
        "count": len(item.window),
        "mean": mean,
        "min": six_digits(min(item.window)),
        "max": six_digits(max(item.window)),
        "last": six_digits(item.window[-1]),
    }
    if item.baseline:
        row["baseline"] = {
            "count": len(item.baseline),
            "mean": six_digits(fmean(item.baseline)),
            "min": six_digits(min(item.baseline)),
            "max": six_digits(max(item.baseline)),
        }
    return row


def _change(mean: float, base: float) -> float | None:
    ratio = mean / base if base > 0 else math.inf
    return float(f"{ratio:.3g}") if math.isfinite(ratio) else None


def _points(item: _Measured, context: ToolContext) -> JsonValue:
    step = max(1, math.ceil(len(item.window) / _POINTS))
    return [
        [stamp_seconds(item.times[index], context.timezone), six_digits(item.window[index])]
        for index in range(0, len(item.window), step)
    ]
