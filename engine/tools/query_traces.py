"""`query_traces`: who calls whom, how long it takes, and how that changed."""

from array import array

from pydantic import Field

from engine.base import JsonObject
from engine.invocation import Scope, ToolResult
from engine.ports import ToolContext, ToolSpec
from engine.system import SystemMap
from engine.telemetry import EdgeStats, OperationStats, SlowTrace, TraceQuery, TraceSource
from engine.tools.arguments import SpanArguments, read_arguments, resolve_service, resolve_window, schema
from engine.tools.output import finish, six_digits, span, stamp_seconds
from engine.tools.redaction import Redactor
from engine.tools.statistics import quantile
from engine.window import TimeWindow

__all__ = ["QueryTraces"]

_MOST = 40
_FLOOR_MS = 20.0
"""A change of durations below this is nothing, in milliseconds."""


class _Arguments(SpanArguments):
    operation: str | None = Field(default=None, max_length=300, description="Exact name of one operation")


class QueryTraces:
    """Compares every edge and operation with its baseline and returns those that changed most."""

    def __init__(
        self,
        source: TraceSource,
        system: SystemMap,
        redactor: Redactor,
        baselines: tuple[TimeWindow, ...] | None = None,
    ) -> None:
        self._source = source
        self._system = system
        self._redactor = redactor
        self._baselines = baselines
        self.spec = ToolSpec(
            name="query_traces",
            description=(
                "Spans as statistics: per call from service to service the callee's duration and the caller's wait "
                "beyond it (network, queue), per operation its own time, each against the baseline; slowest traces."
            ),
            parameters=schema(_Arguments),
        )

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See `Tool`."""
        given = read_arguments(_Arguments, arguments)
        service = resolve_service(given.service, self._system)
        window = resolve_window(given, context)
        baselines = self._baselines
        if baselines is None:
            baselines = (context.baseline,) if context.baseline else ()
        query = TraceQuery(window, baselines, (service,) if service else (), given.operation)
        digest = await self._source.search(query)
        edges = sorted((_edge(edge) for edge in digest.edges), key=_by_score)
        operations = sorted((_operation(item) for item in digest.operations), key=_by_score)
        output: JsonObject = {
            "summary": {
                "services": service or len({edge.callee for edge in digest.edges}),
                "spans": digest.spans,
                "traces": digest.traces,
                "baseline_spans": digest.baseline_spans,
                "errors": sum(item.errors for item in digest.operations),
                "window": span(window, context.timezone),
                "baseline": span(context.baseline, context.timezone),
                "baseline_seconds": six_digits(digest.baseline_seconds),
                "complete": digest.complete,
            },
            "edges": [*edges[:_MOST]],
            "operations": [*operations[:_MOST]],
            "slowest": [_slow(trace, context) for trace in digest.slowest],
        }
        scope = Scope(
            services=(service,) if service else (),
            window=window,
            filtered=given.operation is not None,
            complete=digest.complete,
            matched=bool(digest.spans or digest.baseline_spans),
        )
        notes = [*digest.warnings, *([] if digest.spans else ["时间段内没有匹配的调用链"])]
        note = "；".join(notes) or None
        lists = ("edges", "operations", "slowest")
        return finish(output, lists, context, self._redactor, scope, empty=not digest.spans, note=note)


def _by_score(row: JsonObject) -> float:
    score = row["score"]
    return -score if isinstance(score, int | float) else 0.0


def _edge(edge: EdgeStats) -> JsonObject:
    now, then = edge.durations
    waits_now, waits_then = edge.waits
    row: JsonObject = {
        "caller": edge.caller,
        "callee": edge.callee,
        "count": len(now),
        "baseline_count": len(then),
        "errors": edge.errors,
    }
    row |= _figures("p50_ms", now, then, 0.5) | _figures("p95_ms", now, then, 0.95)
    row |= _figures("wait_p50_ms", waits_now, waits_then, 0.5) | _figures("wait_p95_ms", waits_now, waits_then, 0.95)
    row["score"] = six_digits(max(_slower(waits_now, waits_then), 0.5 * _slower(now, then)))
    row["wait_score"] = six_digits(_slower(waits_now, waits_then))
    return row


def _operation(item: OperationStats) -> JsonObject:
    now, then = item.own
    row: JsonObject = {
        "service": item.service,
        "operation": item.operation[:200],
        "count": len(now),
        "baseline_count": len(then),
        "errors": item.errors,
    }
    row |= _figures("self_p50_ms", now, then, 0.5) | _figures("self_p95_ms", now, then, 0.95)
    row["score"] = six_digits(_slower(now, then))
    return row


def _figures(name: str, now: "array[float]", then: "array[float]", share: float) -> JsonObject:
    return {
        name: six_digits(quantile(now, share)) if now else None,
        f"baseline_{name}": six_digits(quantile(then, share)) if then else None,
    }


def _slower(now: "array[float]", then: "array[float]") -> float:
    """How much slower the window is: growth of median or tail over the baseline's own spread."""
    if len(now) < 3 or len(then) < 5:
        return 0.0
    scores: list[float] = []
    for share, weight in ((0.5, 1.0), (0.9, 0.7)):
        base = quantile(then, share)
        scale = max(_FLOOR_MS, 0.25 * base, quantile(then, min(1.0, share + 0.25)) - quantile(then, share - 0.25))
        scores.append(weight * (quantile(now, share) - base) / scale)
    return max(0.0, min(1000.0, max(scores)))


def _slow(trace: SlowTrace, context: ToolContext) -> JsonObject:
    return {
        "trace_id": trace.trace_id[:64],
        "service": trace.service,
        "operation": trace.operation[:200],
        "duration_ms": six_digits(trace.duration_ms),
        "status": trace.status,
        "start": stamp_seconds(trace.start, context.timezone, millis=True),
    }
