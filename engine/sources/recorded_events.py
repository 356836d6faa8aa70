"""Alerts and changes of an incident folder."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from engine.errors import IncidentError, SourceUnavailable
from engine.sources.openmetrics import READ_ERRORS, open_text
from engine.telemetry import Alert, Change
from engine.window import TimeWindow

__all__ = ["RecordedAlerts", "RecordedChanges"]

_MAX_CHARS = 20_000_000
_NEVER = datetime(2, 1, 1, tzinfo=UTC)
"""Alertmanager writes the year 1 for "no end"."""


class RecordedAlerts:
    """Reads `alerts.json`: the array that Alertmanager's /api/v2/alerts returned."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def services(self) -> tuple[str, ...]:
        """The services that alerts name."""
        return tuple(sorted({alert.service for alert in self._all() if alert.service}))

    async def alerts(self, window: TimeWindow, services: tuple[str, ...]) -> tuple[Alert, ...]:
        """See `AlertSource`."""
        try:
            held = self._all()
        except IncidentError as error:
            raise SourceUnavailable(str(error)) from error
        return tuple(
            alert
            for alert in held
            if alert.starts_at < window.end
            and (alert.ends_at is None or alert.ends_at > window.start)
            and (not services or alert.service in services)
        )

    def _all(self) -> list[Alert]:
        try:
            with open_text(self._path) as file:
                text = file.read(_MAX_CHARS + 1)
            if len(text) > _MAX_CHARS:
                raise IncidentError(f"{self._path}: longer than {_MAX_CHARS} characters")
            raw: object = json.loads(text)
            if not isinstance(raw, list):
                raise IncidentError(f"{self._path}: must be the array of Alertmanager's /api/v2/alerts")
            return [_alert(item, f"{self._path}[{number}]") for number, item in enumerate(cast("list[object]", raw))]
        except (*READ_ERRORS, ValueError, RecursionError) as error:
            raise IncidentError(f"{self._path}: {str(error)[:200]}") from error


class RecordedChanges:
    """Reads `changes.jsonl`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def services(self) -> tuple[str, ...]:
        """The services that changes name."""
        return tuple(sorted({change.service for change in self._all() if change.service}))

    async def changes(self, window: TimeWindow, services: tuple[str, ...]) -> tuple[Change, ...]:
        """See `ChangeSource`."""
        try:
            held = [change for change in self._all() if window.contains(change.time)]
        except IncidentError as error:
            raise SourceUnavailable(str(error)) from error
        kept = (change for change in held if not services or change.service in services)
        return tuple(sorted(kept, key=lambda change: change.time))

    def _all(self) -> Iterator[Change]:
        try:
            with open_text(self._path) as file:
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield _change(line, f"{self._path}:{number}")
        except READ_ERRORS as error:
            raise IncidentError(f"{self._path}: cannot be read: {error}") from error


def _alert(item: object, place: str) -> Alert:
    table = _table(item, place)
    labels = {key: str(value) for key, value in _table(table.get("labels") or {}, f"{place}.labels").items()}
    notes = _table(table.get("annotations") or {}, f"{place}.annotations")
    status = _table(table.get("status") or {}, f"{place}.status")
    ends = _moment(table["endsAt"], f"{place}.endsAt") if table.get("endsAt") else None
    service = labels.get("service") or labels.get("job") or labels.get("app") or ""
    known = {"alertname", "severity", "service"}
    return Alert(
        name=labels.get("alertname", ""),
        service=service,
        severity=labels.get("severity", ""),
        state=str(status.get("state") or "active"),
        starts_at=_moment(table.get("startsAt"), f"{place}.startsAt"),
        ends_at=None if ends is None or ends < _NEVER else ends,
        summary=str(notes.get("summary") or notes.get("description") or ""),
        labels={key: value for key, value in labels.items() if key not in known},
    )


def _change(line: str, place: str) -> Change:
    try:
        table = _table(json.loads(line), place)
    except (ValueError, RecursionError) as error:
        raise IncidentError(f"{place}: no JSON object: {str(error)[:120]}") from error
    return Change(
        time=_moment(table.get("timestamp"), f"{place} timestamp"),
        service=str(table.get("service") or ""),
        kind=str(table.get("kind") or ""),
        summary=str(table.get("summary") or ""),
        by=str(table.get("by") or ""),
    )


def _table(value: object, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise IncidentError(f"{place}: must be an object")
    return cast("dict[str, object]", value)


def _moment(value: object, place: str) -> datetime:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise IncidentError(f"{place}: {str(value)[:40]!r} is no RFC 3339 time") from error
    if moment.tzinfo is None:
        raise IncidentError(f"{place}: needs an offset, such as Z or +08:00")
    return moment
