"""`query_logs`: log lines grouped by template, window against baseline, with lines of the telling groups."""

from typing import Literal

from pydantic import Field

from engine.base import JsonObject
from engine.errors import BadArguments
from engine.invocation import Scope, ToolResult
from engine.ports import ToolContext, ToolSpec
from engine.system import SystemMap
from engine.telemetry import LogDigest, LogGroup, LogQuery, LogSource
from engine.tools.arguments import SpanArguments, read_arguments, resolve_service, resolve_window, schema
from engine.tools.log_scores import ScoredGroup, score_groups
from engine.tools.output import bounded, finish, six_digits, span, stamp_seconds
from engine.tools.redaction import Redactor
from engine.window import TimeWindow

__all__ = ["QueryLogs"]

_LEVELS = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")
_GROUPS = 60
_LINES = 20
_LINES_PER_GROUP = 2
_MESSAGE = 600
_TEMPLATE = 240


class _Arguments(SpanArguments):
    contains: str | None = Field(default=None, min_length=1, max_length=200, description="Substring, case-insensitive")
    level: Literal["DEBUG", "INFO", "WARN", "ERROR", "FATAL"] | None = Field(
        default=None, description="Lowest level that counts"
    )


class QueryLogs:
    """Groups every matched line and returns the groups that changed most.

    Args:
        source: answers with groups.
        system: names of services.
        redactor: applied to all text.
        baselines: the stretches to compare with; None means the context's baseline.
    """

    def __init__(
        self, source: LogSource, system: SystemMap, redactor: Redactor, baselines: tuple[TimeWindow, ...] | None = None
    ) -> None:
        self._source = source
        self._system = system
        self._redactor = redactor
        self._baselines = baselines
        self.spec = ToolSpec(
            name="query_logs",
            description=(
                "Logs of one service or of all, grouped by template: count in the window, count expected from the "
                "baseline, first and last time, and real lines of the most telling groups. Says what is new, more, "
                "fewer or missing."
            ),
            parameters=schema(_Arguments),
        )

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See `Tool`."""
        given = read_arguments(_Arguments, _upper(arguments))
        service = resolve_service(given.service, self._system)
        window = resolve_window(given, context)
        baselines = self._baselines
        if baselines is None:
            baselines = (context.baseline,) if context.baseline else ()
        query = LogQuery(
            window=window,
            baselines=baselines,
            services=(service,) if service else (),
            levels=_LEVELS[_LEVELS.index(given.level) :] if given.level else (),
            contains=given.contains,
        )
        digest = await self._source.search(query)
        rows = _rows(digest, window, context, self._redactor)
        summary: JsonObject = {
            "services": service or len({group.service for group in digest.groups}),
            "level": given.level,
            "contains": given.contains,
            "total": digest.total,
            "baseline_total": digest.baseline_total,
            "errors": digest.errors,
            "baseline_errors": digest.baseline_errors,
            "matched_streams": digest.matched_streams,
            "templates": len(digest.groups),
            "window": span(window, context.timezone),
            "baseline": span(context.baseline, context.timezone),
            "baseline_seconds": six_digits(digest.baseline_seconds),
            "complete": digest.complete,
        }
        output: JsonObject = {
            "summary": summary,
            "groups": [row for row, _ in rows[:_GROUPS]],
            "lines": [
                *[line for _, group in rows[:_GROUPS] for line in _lines(group, window, context, self._redactor)][
                    :_LINES
                ]
            ],
        }
        notes = [*digest.warnings]
        if not digest.total:
            notes.append("时间段内没有匹配的日志" if digest.matched_streams else "没有匹配到任何日志流")
        scope = Scope(
            services=(service,) if service else (),
            window=window,
            filtered=given.contains is not None,
            complete=digest.complete,
            matched=digest.matched_streams,
        )
        note = "；".join(notes) or None
        empty = not digest.total and not any(row["kind"] == "missing" for row, _ in rows)
        return finish(output, ("groups", "lines"), context, self._redactor, scope, empty=empty, note=note)


def _upper(arguments: JsonObject) -> JsonObject:
    level = arguments.get("level")
    if not isinstance(level, str):
        return arguments
    known = {"WARNING": "WARN", "CRITICAL": "FATAL"}.get(level.upper(), level.upper())
    if known not in _LEVELS:
        raise BadArguments(f"level: {level[:40]!r} is none; there are: {', '.join(_LEVELS)}")
    return {**arguments, "level": known}


def _rows(
    digest: LogDigest, window: TimeWindow, context: ToolContext, redactor: Redactor
) -> list[tuple[JsonObject, LogGroup]]:
    share = window.seconds / digest.baseline_seconds if digest.baseline_seconds else 0.0
    scored = score_groups(digest.groups, share)
    return [(_row(item, context, redactor), item.group) for item in scored]


def _row(item: ScoredGroup, context: ToolContext, redactor: Redactor) -> JsonObject:
    group = item.group
    row: JsonObject = {
        "service": group.service,
        "level": group.level,
        "kind": item.kind,
        "count": group.count,
        "expected": six_digits(item.expected),
        "baseline_count": group.baseline_count,
        "score": six_digits(item.score),
        "template": group.template,
    }
    if group.first is not None and group.last is not None:
        row["first"] = stamp_seconds(group.first, context.timezone)
        row["last"] = stamp_seconds(group.last, context.timezone)
    if group.examples:
        message = group.examples[0].message
        row["example"] = bounded(message, _MESSAGE, redactor)
        if redactor.redact(message) != message:
            # because masking may have cut a secret in two, and half a secret no longer looks like one
            row["template"] = bounded(message, _TEMPLATE, redactor)
    return row


def _lines(group: LogGroup, window: TimeWindow, context: ToolContext, redactor: Redactor) -> list[JsonObject]:
    if group.level not in {"WARN", "ERROR", "FATAL"}:
        return []
    start, end = window.start.timestamp(), window.end.timestamp()
    return [
        {
            "time": stamp_seconds(line.time, context.timezone, millis=True),
            "service": line.service,
            "level": line.level,
            "message": bounded(line.message, _MESSAGE, redactor),
        }
        for line in group.examples[:_LINES_PER_GROUP]
        if start <= line.time < end
    ]
