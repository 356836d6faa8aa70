"""`query_alerts` and `query_changes`: what was firing, and what was changed."""

from datetime import datetime, timedelta

from engine.base import JsonObject
from engine.invocation import Scope, ToolResult
from engine.ports import ToolContext, ToolSpec
from engine.system import SystemMap
from engine.telemetry import Alert, AlertSource, Change, ChangeSource
from engine.tools.arguments import SpanArguments, read_arguments, resolve_service, resolve_window, schema
from engine.tools.output import bounded, finish, span, stamp
from engine.tools.redaction import Redactor
from engine.window import TimeWindow

__all__ = ["QueryAlerts", "QueryChanges"]

_MOST = 100
_SUMMARY = 300
_SEVERITIES = ("emergency", "critical", "page", "error", "warning", "info", "none")
_LOOK_BACK = timedelta(hours=2)
"""How long before the window a change may still explain what happens in it."""


class QueryAlerts:
    """The alerts that were active during the window."""

    def __init__(self, source: AlertSource, system: SystemMap, redactor: Redactor) -> None:
        self._source = source
        self._system = system
        self._redactor = redactor
        self.spec = ToolSpec(
            name="query_alerts",
            description="Alerts active during the window, with severity, state, start, end and summary.",
            parameters=schema(SpanArguments),
        )

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See `Tool`."""
        given = read_arguments(SpanArguments, arguments)
        service = resolve_service(given.service, self._system)
        window = resolve_window(given, context)
        found = sorted(await self._source.alerts(window, (service,) if service else ()), key=_urgency)
        firing = sum(alert.state == "active" for alert in found)
        output: JsonObject = {
            "summary": {
                "services": service or "all",
                "total": len(found),
                "firing": firing,
                "window": span(window, context.timezone),
                "complete": len(found) <= _MOST,
            },
            "alerts": [_alert(alert, context, self._redactor) for alert in found[:_MOST]],
        }
        scope = _scope(service, window, complete=len(found) <= _MOST)
        note = _note(len(found), "告警", "只列出最严重的", "时间段内没有告警")
        return finish(output, ("alerts",), context, self._redactor, scope, empty=not found, note=note)


class QueryChanges:
    """The changes made during the window and shortly before it."""

    def __init__(self, source: ChangeSource, system: SystemMap, redactor: Redactor) -> None:
        self._source = source
        self._system = system
        self._redactor = redactor
        self.spec = ToolSpec(
            name="query_changes",
            description="Deploys, configuration changes, scalings and restarts in the window and two hours before it.",
            parameters=schema(SpanArguments),
        )

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See `Tool`."""
        given = read_arguments(SpanArguments, arguments)
        service = resolve_service(given.service, self._system)
        asked = resolve_window(given, context)
        window = asked if given.start else TimeWindow(start=asked.start - _LOOK_BACK, end=asked.end)
        found = await self._source.changes(window, (service,) if service else ())
        latest = found[-_MOST:]
        output: JsonObject = {
            "summary": {
                "services": service or "all",
                "total": len(found),
                "window": span(window, context.timezone),
                "complete": len(found) <= _MOST,
            },
            "changes": [_change(change, context, self._redactor) for change in reversed(latest)],
        }
        scope = _scope(service, window, complete=len(found) <= _MOST)
        before = "" if given.start else "（含之前两小时）"
        note = _note(len(found), "变更", "只列出最近的", f"时间段内{before}没有变更记录")
        return finish(output, ("changes",), context, self._redactor, scope, empty=not found, note=note)


def _scope(service: str | None, window: TimeWindow, *, complete: bool) -> Scope:
    return Scope(services=(service,) if service else (), window=window, complete=complete)


def _note(total: int, what: str, kept: str, none: str) -> str | None:
    if not total:
        return none
    return f"共 {total} 条{what}，{kept} {_MOST} 条" if total > _MOST else None


def _urgency(alert: Alert) -> tuple[int, datetime]:
    severity = alert.severity.casefold()
    return (_SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES), alert.starts_at)


def _alert(alert: Alert, context: ToolContext, redactor: Redactor) -> JsonObject:
    return {
        "name": alert.name,
        "service": alert.service,
        "severity": alert.severity,
        "state": alert.state,
        "starts_at": stamp(alert.starts_at, context.timezone),
        "ends_at": stamp(alert.ends_at, context.timezone) if alert.ends_at else None,
        "summary": bounded(alert.summary, _SUMMARY, redactor),
        "labels": {key: bounded(value, 120, redactor) for key, value in list(alert.labels.items())[:12]},
    }


def _change(change: Change, context: ToolContext, redactor: Redactor) -> JsonObject:
    return {
        "time": stamp(change.time, context.timezone),
        "service": change.service,
        "kind": change.kind,
        "summary": bounded(change.summary, _SUMMARY, redactor),
        "by": bounded(change.by, 120, redactor),
    }
