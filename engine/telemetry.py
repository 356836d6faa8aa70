"""What sources return: series, logs, alerts, changes, traces and knowledge; and the protocols they keep.

Bulk values are slotted dataclasses instead of pydantic models, because a window may hold millions of points.
"""

from array import array
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from engine.window import TimeWindow

__all__ = [
    "Alert",
    "AlertSource",
    "Change",
    "ChangeSource",
    "Chunk",
    "EdgeStats",
    "KnowledgeSource",
    "LogDigest",
    "LogGroup",
    "LogLine",
    "LogQuery",
    "LogSource",
    "MetricQuery",
    "MetricSource",
    "OperationStats",
    "Series",
    "SeriesSet",
    "SlowTrace",
    "TraceDigest",
    "TraceQuery",
    "TraceSource",
]


@dataclass(frozen=True, slots=True)
class Series:
    """One time series: `times` in epoch seconds, rising, beside `values`; NaN samples are left out."""

    signal: str
    service: str
    labels: dict[str, str]
    times: "array[float]"
    values: "array[float]"


@dataclass(frozen=True, slots=True)
class MetricQuery:
    """Which series over which stretches. `selector` is an expert's `name{label="v"}`."""

    window: TimeWindow
    baseline: TimeWindow | None
    services: tuple[str, ...] = ()
    signal: str | None = None
    selector: str | None = None


@dataclass(frozen=True, slots=True)
class SeriesSet:
    """The series that a query matched, with all their samples in window and baseline."""

    series: tuple[Series, ...]
    warnings: tuple[str, ...] = ()
    complete: bool = True


class MetricSource(Protocol):
    """Answers metric queries. Raises BadArguments for a selector it cannot read, SourceUnavailable else."""

    async def series(self, query: MetricQuery) -> SeriesSet: ...


@dataclass(frozen=True, slots=True)
class LogQuery:
    """Which log lines. `levels` empty means all; `contains` is a case-insensitive substring."""

    window: TimeWindow
    baselines: tuple[TimeWindow, ...]
    services: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    contains: str | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line as its service wrote it."""

    time: float
    service: str
    level: str
    message: str


@dataclass(slots=True)
class LogGroup:
    """The lines of one template: how many in the window and in the baseline, and a few of them."""

    service: str
    level: str
    template: str
    count: int = 0
    baseline_count: int = 0
    first: float | None = None
    last: float | None = None
    examples: list[LogLine] = field(default_factory=list[LogLine])


@dataclass(frozen=True, slots=True)
class LogDigest:
    """Every group that a query matched; `baseline_seconds` counts only stretches that have logs."""

    groups: tuple[LogGroup, ...]
    total: int
    baseline_total: int
    errors: int
    baseline_errors: int
    baseline_seconds: float
    matched_streams: bool
    complete: bool = True
    warnings: tuple[str, ...] = ()


class LogSource(Protocol):
    """Answers log queries with groups, so that a million lines need not travel."""

    async def search(self, query: LogQuery) -> LogDigest: ...


@dataclass(frozen=True, slots=True)
class Alert:
    """One alert as its manager tells it."""

    name: str
    service: str
    severity: str
    state: str
    starts_at: datetime
    ends_at: datetime | None
    summary: str
    labels: dict[str, str]


class AlertSource(Protocol):
    """Answers with the alerts that were active during a window."""

    async def alerts(self, window: TimeWindow, services: tuple[str, ...]) -> tuple[Alert, ...]: ...


@dataclass(frozen=True, slots=True)
class Change:
    """One deploy, configuration change, scaling or restart."""

    time: datetime
    service: str
    kind: str
    summary: str
    by: str


class ChangeSource(Protocol):
    """Answers with the changes made during a window, oldest first."""

    async def changes(self, window: TimeWindow, services: tuple[str, ...]) -> tuple[Change, ...]: ...


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """Which spans."""

    window: TimeWindow
    baselines: tuple[TimeWindow, ...]
    services: tuple[str, ...] = ()
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class EdgeStats:
    """Calls from one service to another; durations in milliseconds, one entry a call."""

    caller: str
    callee: str
    errors: int
    durations: tuple["array[float]", "array[float]"]
    """The callee's server spans: window, baseline."""
    waits: tuple["array[float]", "array[float]"]
    """The caller's client span less the callee's span: window, baseline."""


@dataclass(frozen=True, slots=True)
class OperationStats:
    """One operation of one service; own time without its children, in milliseconds, one entry a span."""

    service: str
    operation: str
    errors: int
    own: tuple["array[float]", "array[float]"]


@dataclass(frozen=True, slots=True)
class SlowTrace:
    """One of the slowest root spans of the window."""

    trace_id: str
    service: str
    operation: str
    duration_ms: float
    status: str
    start: float


@dataclass(frozen=True, slots=True)
class TraceDigest:
    """Statistics over every span that a query matched."""

    edges: tuple[EdgeStats, ...]
    operations: tuple[OperationStats, ...]
    slowest: tuple[SlowTrace, ...]
    spans: int
    traces: int
    baseline_spans: int
    baseline_seconds: float
    complete: bool = True
    warnings: tuple[str, ...] = ()


class TraceSource(Protocol):
    """Answers trace queries with statistics per edge and operation."""

    async def search(self, query: TraceQuery) -> TraceDigest: ...


@dataclass(frozen=True, slots=True)
class Chunk:
    """One section of a runbook."""

    chunk_id: str
    file: str
    heading: str
    line: int
    text: str


class KnowledgeSource(Protocol):
    """Answers with the sections that fit a text best, best first."""

    @property
    def files(self) -> int:
        """How many files are searched."""
        ...

    async def lookup(self, text: str, service: str | None, limit: int) -> tuple[Chunk, ...]: ...
