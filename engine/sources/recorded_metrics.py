"""Metrics of an incident folder."""

import asyncio
import re
from array import array
from bisect import bisect_left
from functools import cached_property
from pathlib import Path

from engine.errors import BadArguments, IncidentError, SourceUnavailable
from engine.sources.openmetrics import MetricFile, rate_name, read_metrics, unescape
from engine.sources.signals import signal_info
from engine.system import SignalInfo
from engine.telemetry import MetricQuery, Series, SeriesSet
from engine.window import TimeWindow

__all__ = ["RecordedMetrics"]

_SELECTOR = re.compile(r"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{(.*)\})?\s*")
_MATCHER = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_REPEATED_GROUP = re.compile(r"\)[*+{]|[*+}][*+{]")
_OPEN_REPEAT = re.compile(r"[*+]|\{\d*,")
_MAX_PATTERN = 200
_MAX_REPEATS = 3
_MAX_MATCHED = 256
"""With at most three open repetitions, none of them of a group, the worst pattern is slow on longer values only."""


class RecordedMetrics:
    """Reads `metrics.om` once, when first asked, and answers from memory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @cached_property
    def file(self) -> MetricFile:
        """The file, read. Raises IncidentError."""
        return read_metrics(self._path)

    def signals(self) -> tuple[SignalInfo, ...]:
        """The signals that the file holds, by name."""
        names = sorted({series.signal for series in self.file.series})
        return tuple(signal_info(name, self.file.units.get(name, ""), self.file.helps.get(name, "")) for name in names)

    def services(self) -> tuple[str, ...]:
        """The services that the file holds."""
        return tuple(sorted({series.service for series in self.file.series if series.service}))

    async def series(self, query: MetricQuery) -> SeriesSet:
        """See `MetricSource`."""
        try:
            held = await asyncio.to_thread(lambda: self.file)
        except IncidentError as error:
            raise SourceUnavailable(str(error)) from error
        keep = _selector(query.selector) if query.selector else None
        if query.selector and keep and not any(keep.names(series) for series in held.series):
            names = sorted({series.signal for series in held.series})
            raise BadArguments(f"query: no series is called {keep.name[:80]!r}; there are: {', '.join(names[:30])}")
        spans = _merged([query.window, *((query.baseline,) if query.baseline else ())])
        found: list[Series] = []
        for series in held.series:
            if query.services and series.service not in query.services:
                continue
            if query.signal and series.signal != query.signal:
                continue
            if keep and not keep(series):
                continue
            cut = _cut(series, spans)
            if cut.times:
                found.append(cut)
        warnings = (f"未读取直方图类指标：{', '.join(held.skipped[:5])}",) if held.skipped else ()
        return SeriesSet(tuple(found), warnings)


def _merged(spans: list[TimeWindow]) -> list[tuple[float, float]]:
    """The stretches in epoch seconds, in order and without overlap, so that no sample is taken twice."""
    merged: list[tuple[float, float]] = []
    for start, end in sorted((span.start.timestamp(), span.end.timestamp()) for span in spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _cut(series: Series, spans: list[tuple[float, float]]) -> Series:
    times, values = array("d"), array("d")
    for start, end in spans:
        low, high = bisect_left(series.times, start), bisect_left(series.times, end)
        times.extend(series.times[low:high])
        values.extend(series.values[low:high])
    return Series(series.signal, series.service, series.labels, times, values)


class _Selector:
    """A plain selector: a name, and matchers that all must hold."""

    def __init__(self, name: str, matchers: list[tuple[str, str, str]]) -> None:
        self.name = name
        self._names = {name, rate_name(name)} if name.endswith("_total") else {name}
        self._matchers = [(label, sign, value, _compiled(sign, value)) for label, sign, value in matchers]

    def names(self, series: Series) -> bool:
        """Whether the series is called as the selector says; a counter is known by its own name, too."""
        return series.signal in self._names

    def __call__(self, series: Series) -> bool:
        if not self.names(series):
            return False
        for label, sign, value, pattern in self._matchers:
            own = series.service if label == "service" else series.labels.get(label, "")
            held = len(own) <= _MAX_MATCHED and bool(pattern.fullmatch(own)) if pattern else own == value
            if held == sign.startswith("!"):
                return False
        return True


def _compiled(sign: str, value: str) -> re.Pattern[str] | None:
    if "~" not in sign:
        return None
    if len(value) > _MAX_PATTERN or _REPEATED_GROUP.search(value) or len(_OPEN_REPEAT.findall(value)) > _MAX_REPEATS:
        # because such patterns may take for ever on text that they do not fit
        raise BadArguments(
            f"query: a pattern may have {_MAX_PATTERN} characters and {_MAX_REPEATS} repetitions, none of them of a group"
        )
    try:
        return re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        raise BadArguments(f"query: {value[:60]!r} is no regular expression: {error}") from error


def _selector(text: str) -> _Selector:
    match = _SELECTOR.fullmatch(text)
    matchers: list[tuple[str, str, str]] = []
    inner = (match.group(2) or "") if match else ""
    position = 0
    while match and position < len(inner.rstrip().rstrip(",")):
        piece = _MATCHER.match(inner, position)
        if not piece:
            match = None
            break
        matchers.append((piece.group(1), piece.group(2), unescape(piece.group(3))))
        position = piece.end()
    if not match:
        raise BadArguments(
            'query: a recorded source reads plain selectors only, such as up{service="pay",pod=~"pay-.*"}; '
            "functions and operators are not available"
        )
    return _Selector(match.group(1), matchers)
