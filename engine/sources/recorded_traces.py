"""Traces of an incident folder, as statistics per edge and operation."""

import asyncio
from array import array
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from sys import intern
from typing import Self
from zlib import crc32

import msgspec

from engine.errors import SourceUnavailable
from engine.sources.line_services import services_of
from engine.sources.openmetrics import READ_ERRORS, open_bytes
from engine.sources.stretches import seconds_apart
from engine.telemetry import EdgeStats, OperationStats, SlowTrace, TraceDigest, TraceQuery
from engine.window import TimeWindow

__all__ = ["RecordedTraces"]

_MAX_SPANS = 150_000
"""Spans kept of the window, and as many of the baseline; beyond that, whole traces are left out evenly."""

_MAX_LINE = 200_000
_MAX_DURATION_MS = 1e12
_NAME_CHARS = 300
_FINEST = 0xFFFF
_SLOWEST = 5
_FAILED = frozenset({"error", "status_code_error", "failed"})


class _Span(msgspec.Struct, gc=False):
    timestamp: datetime
    trace_id: str
    span_id: str
    service: str
    operation: str = ""
    duration_ms: float = 0.0
    parent_span_id: str | None = None
    status: str | None = "unset"


class _Part:
    """The spans of the window or of the baseline, by trace and id; a fair share of the traces where there are many."""

    def __init__(self, room: int) -> None:
        self._room = room
        self.kept: dict[tuple[str, str], _Span] = {}
        self.seen = 0
        self.mask = 0

    def add(self, span: _Span) -> None:
        self.seen += 1
        if crc32(span.trace_id.encode()) & self.mask:
            return
        self.kept[span.trace_id, span.span_id] = span
        while len(self.kept) > self._room and self.mask < _FINEST:
            self.mask = self.mask * 2 + 1
            self.kept = {key: value for key, value in self.kept.items() if not crc32(key[0].encode()) & self.mask}


class _Spans:
    """The spans of one window and its baseline, with their children."""

    def __init__(self, room: int) -> None:
        self.window, self.baseline = _Part(room), _Part(room)
        self.children: dict[tuple[str, str], list[_Span]] = defaultdict(list)
        self.good = 0
        self.bad = 0
        self.first_bad = 0

    @property
    def complete(self) -> bool:
        return not (self.bad or self.window.mask or self.baseline.mask)

    def warnings(self) -> tuple[str, ...]:
        """Chinese sentences on what was left out."""
        found: list[str] = []
        if self.bad:
            found.append(f"有 {self.bad} 行无法解析（首行为第 {self.first_bad} 行），未计入")
        if self.window.mask or self.baseline.mask:
            found.append("调用片段过多，耗时统计取自均匀抽样的调用链")
        return tuple(found)

    def find(self, trace: str, span_id: str | None) -> _Span | None:
        key = (trace, span_id or "")
        return self.window.kept.get(key) or self.baseline.kept.get(key)

    def link(self) -> Self:
        for part in (self.window, self.baseline):
            for span in part.kept.values():
                if span.parent_span_id:
                    self.children[span.trace_id, span.parent_span_id].append(span)
        return self

    def is_client_side(self, span: _Span) -> bool:
        """Whether a span is the caller's side of a call, so that its own time is waiting, not work."""
        children = self.children.get((span.trace_id, span.span_id), [])
        parent = self.find(span.trace_id, span.parent_span_id)
        return (
            len(children) == 1
            and children[0].service != span.service
            and parent is not None
            and parent.service == span.service
        )


class RecordedTraces:
    """Reads `traces.jsonl` as a stream; spans of a window are kept for queries of other services.

    Args:
        path: the file, plain or gzipped.
        room: how many spans to keep of the window, and as many of the baseline.
    """

    def __init__(self, path: Path, room: int = _MAX_SPANS) -> None:
        self._path = path
        self._room = room
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
        found = _Spans(self._room)
        start, end = window.start.timestamp(), window.end.timestamp()
        stretches = [(item.start.timestamp(), item.end.timestamp()) for item in baselines]
        decode = msgspec.json.Decoder(_Span).decode
        try:
            with open_bytes(self._path) as file:
                for number, raw in enumerate(iter(lambda: file.readline(_MAX_LINE), b""), start=1):
                    span = _decoded(raw, decode)
                    if span is None:
                        if not raw.isspace():
                            found.bad += 1
                            found.first_bad = found.first_bad or number
                        continue
                    found.good += 1
                    moment = span.timestamp.timestamp()
                    if start <= moment < end:
                        found.window.add(span)
                    elif any(low <= moment < high for low, high in stretches):
                        found.baseline.add(span)
        except READ_ERRORS as error:
            raise SourceUnavailable(f"{self._path}: cannot be read: {error}") from error
        if found.bad and not found.good:
            raise SourceUnavailable(f"{self._path}:{found.first_bad}: no line is a span as interfaces.md describes")
        return found.link()


def _decoded(raw: bytes, decode: Callable[[bytes], _Span]) -> _Span | None:
    """The span of a line, with names shared between spans; None for a line that is none."""
    try:
        span = decode(raw)
        span.service, span.operation = intern(span.service[:_NAME_CHARS]), intern(span.operation[:_NAME_CHARS])
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        return None
    sane = 0 <= span.duration_ms <= _MAX_DURATION_MS and span.timestamp.tzinfo is not None
    return span if sane else None


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
    matched = [0, 0]
    for part, spans_of_part in enumerate((spans.window.kept, spans.baseline.kept)):
        inside = part == 0
        for span in spans_of_part.values():
            failed = inside and (span.status or "").lower() in _FAILED
            wanted = _wanted(span.service, query) and query.operation in {None, span.operation}
            if wanted:
                matched[part] += 1
                if inside:
                    traces.add(span.trace_id)
                _add_operation(operations[span.service, span.operation], spans, span, part, failed=failed)
            caller = spans.find(span.trace_id, span.parent_span_id)
            if caller is None:
                if inside and wanted:
                    roots.append(span)
            elif caller.service != span.service and (_wanted(caller.service, query) or _wanted(span.service, query)):
                _add_call(edges[caller.service, span.service], spans, caller, span, part, failed=failed)
    roots.sort(key=lambda span: span.duration_ms, reverse=True)
    if not query.services and not query.operation:
        matched = [spans.window.seen, spans.baseline.seen]
    return TraceDigest(
        edges=tuple(EdgeStats(*key, pair.errors, pair.first, pair.second) for key, pair in edges.items()),
        operations=tuple(
            OperationStats(*key, pair.errors, pair.first)
            for key, pair in operations.items()
            if pair.errors or any(pair.first)
        ),
        slowest=tuple(
            SlowTrace(
                span.trace_id,
                span.service,
                span.operation,
                span.duration_ms,
                span.status or "unset",
                span.timestamp.timestamp(),
            )
            for span in roots[:_SLOWEST]
        ),
        spans=matched[0],
        traces=len(traces),
        baseline_spans=matched[1],
        baseline_seconds=seconds_apart(query.baselines, query.window),
        complete=spans.complete,
        warnings=spans.warnings(),
    )


def _add_operation(pair: _Pair, spans: _Spans, span: _Span, part: int, *, failed: bool) -> None:
    pair.errors += failed
    if spans.is_client_side(span):
        return
    children = spans.children.get((span.trace_id, span.span_id), [])
    pair.first[part].append(max(0.0, span.duration_ms - sum(child.duration_ms for child in children)))


def _add_call(pair: _Pair, spans: _Spans, caller: _Span, span: _Span, part: int, *, failed: bool) -> None:
    pair.errors += failed
    pair.first[part].append(span.duration_ms)
    if len(spans.children.get((span.trace_id, caller.span_id), [])) == 1:
        # because a caller's span with one child is the client side of just this call
        pair.second[part].append(max(0.0, caller.duration_ms - span.duration_ms))


def _wanted(service: str, query: TraceQuery) -> bool:
    return not query.services or service in query.services
