"""Traces of an incident folder, as statistics per edge and operation."""

import asyncio
from array import array
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import SourceUnavailable
from engine.sources.line_services import services_of
from engine.sources.openmetrics import READ_ERRORS, open_bytes
from engine.telemetry import EdgeStats, OperationStats, SlowTrace, TraceDigest, TraceQuery
from engine.window import TimeWindow

__all__ = ["RecordedTraces"]

_MAX_SPANS = 500_000
_SLOWEST = 5
_FAILED = frozenset({"error", "status_code_error", "failed"})


class _Span(msgspec.Struct):
    timestamp: datetime
    trace_id: str
    span_id: str
    service: str
    operation: str = ""
    duration_ms: float = 0.0
    parent_span_id: str | None = None
    status: str = "unset"


class _Spans:
    """The spans of one window and baseline, with their children."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], tuple[_Span, bool]] = {}
        self.children: dict[tuple[str, str], list[_Span]] = defaultdict(list)
        self.complete = True


class RecordedTraces:
    """Reads `traces.jsonl` as a stream; spans of a window are kept for queries of other services."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[tuple[object, ...], _Spans] = {}

    def services(self) -> tuple[str, ...]:
        """The services that the file's beginning names."""
        return services_of(self._path)

    async def search(self, query: TraceQuery) -> TraceDigest:
        """See `TraceSource`."""
        key = (query.window, query.baselines)
        if key not in self._kept:
            self._kept = {key: await asyncio.to_thread(self._read, query.window, query.baselines)}
        return await asyncio.to_thread(_digest, self._kept[key], query)

    def _read(self, window: TimeWindow, baselines: tuple[TimeWindow, ...]) -> _Spans:
        found = _Spans()
        decode = msgspec.json.Decoder(_Span).decode
        good = bad = 0
        try:
            with open_bytes(self._path) as file:
                for raw in file:
                    try:
                        span = decode(raw)
                        inside = window.contains(span.timestamp)
                        before = any(stretch.contains(span.timestamp) for stretch in baselines)
                    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):
                        bad += not raw.isspace()
                        continue
                    good += 1
                    if not inside and not before:
                        continue
                    if len(found.kept) >= _MAX_SPANS:
                        found.complete = False
                        break
                    found.kept[span.trace_id, span.span_id] = (span, inside)
                    if span.parent_span_id:
                        found.children[span.trace_id, span.parent_span_id].append(span)
        except READ_ERRORS as error:
            raise SourceUnavailable(f"{self._path}: cannot be read: {error}") from error
        if bad and not good:
            raise SourceUnavailable(f"{self._path}: no line is a span as interfaces.md describes")
        found.complete = found.complete and not bad
        return found


class _Pair:
    """Durations of window and baseline."""

    def __init__(self) -> None:
        self.errors = 0
        self.first = (array("d"), array("d"))
        self.second = (array("d"), array("d"))


def _digest(spans: _Spans, query: TraceQuery) -> TraceDigest:
    edges: dict[tuple[str, str], _Pair] = defaultdict(_Pair)
    operations: dict[tuple[str, str], _Pair] = defaultdict(_Pair)
    roots: list[_Span] = []
    traces: set[str] = set()
    inside_count = before_count = 0
    for (trace, span_id), (span, inside) in spans.kept.items():
        inside_count, before_count = inside_count + inside, before_count + (not inside)
        if inside:
            traces.add(trace)
        part = 0 if inside else 1
        children = spans.children.get((trace, span_id), [])
        failed = inside and span.status.lower() in _FAILED
        if _wanted(span.service, query) and (not query.operation or query.operation == span.operation):
            own = max(0.0, span.duration_ms - sum(child.duration_ms for child in children))
            pair = operations[span.service, span.operation]
            pair.first[part].append(own)
            pair.errors += failed
        parent = spans.kept.get((trace, span.parent_span_id or ""))
        if parent is None:
            if inside:
                roots.append(span)
            continue
        caller = parent[0]
        if caller.service == span.service or not (_wanted(caller.service, query) or _wanted(span.service, query)):
            continue
        pair = edges[caller.service, span.service]
        pair.first[part].append(span.duration_ms)
        pair.errors += failed
        if len(spans.children.get((trace, caller.span_id), [])) == 1:
            # because a caller's span with one child is the client side of just this call
            pair.second[part].append(max(0.0, caller.duration_ms - span.duration_ms))
    roots.sort(key=lambda span: span.duration_ms, reverse=True)
    shown = [span for span in roots if _wanted(span.service, query)][:_SLOWEST]
    return TraceDigest(
        edges=tuple(EdgeStats(*key, pair.errors, pair.first, pair.second) for key, pair in edges.items()),
        operations=tuple(OperationStats(*key, pair.errors, pair.first) for key, pair in operations.items()),
        slowest=tuple(
            SlowTrace(
                span.trace_id, span.service, span.operation, span.duration_ms, span.status, span.timestamp.timestamp()
            )
            for span in shown
        ),
        spans=inside_count,
        traces=len(traces),
        baseline_spans=before_count,
        baseline_seconds=sum(stretch.seconds for stretch in query.baselines),
        complete=spans.complete,
    )


def _wanted(service: str, query: TraceQuery) -> bool:
    return not query.services or service in query.services
