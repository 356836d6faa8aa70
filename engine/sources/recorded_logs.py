"""Logs of an incident folder: one streaming pass gives every group of a window and its baseline."""

import asyncio
import re
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import SourceUnavailable
from engine.sources.line_services import services_of
from engine.sources.log_templates import Templates, normalise_level, text_of
from engine.sources.openmetrics import READ_ERRORS, open_bytes
from engine.sources.stretches import seconds_apart
from engine.telemetry import LogDigest, LogGroup, LogLine, LogQuery

__all__ = ["RecordedLogs"]

_MAX_GROUPS = 5000
_MAX_ALIKE = 500
"""Templates of one service and level; further ones are `(other)`, so that one chatty service leaves room for all."""

_MAX_SERVICES = 2000
_EXAMPLES = 3
_MAX_LINE = 1_000_000
_MESSAGE_CHARS = 2000
_CACHED_PASSES = 8
_OTHER = "(other)"
_BOM = b"\xef\xbb\xbf"

_PLAIN = re.compile(rb"[a-z0-9 _.-]+")
"""Characters that no JSON writer escapes."""


class _Line(msgspec.Struct):
    timestamp: datetime
    service: str = ""
    severity: Any = "INFO"
    body: Any = ""


class _Pass:
    """What one pass over the file found, over all services and levels."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str, str], LogGroup] = {}
        self.sizes: dict[tuple[str, str], int] = {}
        self.services: set[str] = set()
        self.bad_lines = 0
        self.first_bad = 0
        self.lines = 0
        self.overflowed = False


class _Running:
    """A pass under way, stopped when nobody waits for it any more."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.waiting = 0
        self.task: asyncio.Task[_Pass] | None = None


class RecordedLogs:
    """Reads `logs.jsonl` as a stream; passes are kept by window and filter, so that services share one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._passes: dict[tuple[object, ...], _Running] = {}

    def services(self) -> tuple[str, ...]:
        """The services that the file's beginning names."""
        return services_of(self._path)

    async def search(self, query: LogQuery) -> LogDigest:
        """See `LogSource`.

        Raises:
            SourceUnavailable: the file cannot be read, or no line of it is a log record; names the line.
        """
        found = await self._pass(query, query.contains)
        # because whether a service has logs at all does not depend on what they contain
        services = found.services if query.contains is None else (await self._pass(query, None)).services
        return _digest(found, services, query)

    async def _pass(self, query: LogQuery, contains: str | None) -> _Pass:
        key = (query.window, query.baselines, contains)
        running = self._passes.get(key)
        if running is None or running.task is None or _lost(running.task):
            while len(self._passes) >= _CACHED_PASSES:
                self._passes.pop(next(iter(self._passes)))
            running = _Running()
            running.task = asyncio.ensure_future(asyncio.to_thread(self._scan, query, contains, running.stop))
            running.task.add_done_callback(_noticed)
            self._passes[key] = running
        running.waiting += 1
        try:
            return await asyncio.shield(running.task)
        finally:
            running.waiting -= 1
            if not running.waiting and not running.task.done():
                running.stop.set()
                self._passes.pop(key, None)

    def _scan(self, query: LogQuery, contains: str | None, stop: threading.Event) -> _Pass:
        spans = [(span.start.timestamp(), span.end.timestamp()) for span in query.baselines]
        start, end = query.window.start.timestamp(), query.window.end.timestamp()
        needle = contains.lower() if contains else None
        raw_needle = _prefilter(needle)
        decode = msgspec.json.Decoder(_Line).decode
        template_of = Templates().of
        found = _Pass()
        services = found.services
        for number, raw in _lines(self._path):
            found.lines += 1
            if number % 4096 == 0 and stop.is_set():
                break
            if raw_needle is not None and raw_needle not in raw.lower():
                continue
            try:
                line = decode(raw)
                moment = line.timestamp.timestamp() if line.timestamp.tzinfo else None
            except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
                moment, line = None, None
            if line is None or moment is None:
                found.bad_lines += 1
                found.first_bad = found.first_bad or number
                continue
            if line.service not in services and len(services) < _MAX_SERVICES:
                services.add(line.service)
            inside = start <= moment < end
            if not inside and not any(low <= moment < high for low, high in spans):
                continue
            message = line.body if isinstance(line.body, str) else text_of(line.body)
            if needle is not None and needle not in message.lower():
                continue
            _count(found, line, template_of(message), message, moment, inside=inside)
        if found.lines and found.bad_lines == found.lines:
            raise SourceUnavailable(
                f"{self._path}:{found.first_bad}: no line is a log record as interfaces.md describes"
            )
        return found


def _prefilter(needle: str | None) -> bytes | None:
    """The longest stretch of the needle that stands in a JSON text as it is."""
    runs: list[bytes] = _PLAIN.findall(needle.encode()) if needle else []
    return max(runs, key=len, default=None)


def _lost(task: asyncio.Task[_Pass]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _noticed(task: asyncio.Task[_Pass]) -> None:
    # because a failure that nobody waits for any more is nobody's
    if not task.cancelled():
        task.exception()


def _count(found: _Pass, line: _Line, template: str, message: str, moment: float, *, inside: bool) -> None:
    level = normalise_level(line.severity)
    key = (line.service, level, template)
    group = found.groups.get(key) or _new_group(found, key)
    if not inside:
        group.baseline_count += 1
        if not group.examples:
            group.examples.append(LogLine(moment, line.service, level, message[:_MESSAGE_CHARS]))
        return
    group.count += 1
    if group.first is None or moment < group.first:
        group.first = moment
    if group.last is None or moment > group.last:
        group.last = moment
    if group.count == 1:
        # because a line of the window tells more than one of the baseline
        group.examples.clear()
    if len(group.examples) < _EXAMPLES:
        group.examples.append(LogLine(moment, line.service, level, message[:_MESSAGE_CHARS]))


def _new_group(found: _Pass, key: tuple[str, str, str]) -> LogGroup:
    """A group for a template not seen before, or the one that takes in what has no room."""
    service, level, _ = key
    size = found.sizes.get((service, level), 0)
    if size >= _MAX_ALIKE or len(found.groups) >= _MAX_GROUPS:
        found.overflowed = True
        if service not in found.services:
            service = _OTHER
        key = (service, level, _OTHER)
        known = found.groups.get(key)
        if known is not None:
            return known
    found.sizes[service, level] = size + 1
    group = LogGroup(*key)
    found.groups[key] = group
    return group


def _digest(found: _Pass, services: set[str], query: LogQuery) -> LogDigest:
    groups = tuple(
        group
        for group in found.groups.values()
        if (not query.services or group.service in query.services) and (not query.levels or group.level in query.levels)
    )
    errors = [group for group in groups if group.level in {"ERROR", "FATAL"}]
    warnings: list[str] = []
    if found.bad_lines:
        warnings.append(f"有 {found.bad_lines} 行无法解析（首行为第 {found.first_bad} 行），未计入")
    if found.overflowed:
        warnings.append(f"日志模板过多（每个服务与级别至多 {_MAX_ALIKE} 种），其余并入 {_OTHER}")
    return LogDigest(
        groups=groups,
        total=sum(group.count for group in groups),
        baseline_total=sum(group.baseline_count for group in groups),
        errors=sum(group.count for group in errors),
        baseline_errors=sum(group.baseline_count for group in errors),
        baseline_seconds=seconds_apart(query.baselines, query.window),
        matched_streams=not query.services or bool(services.intersection(query.services)),
        complete=not found.bad_lines,
        warnings=tuple(warnings),
    )


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers."""
    try:
        with open_bytes(path) as file:
            number, line = 1, file.readline(_MAX_LINE).removeprefix(_BOM)
            while line:
                if not line.isspace():
                    yield number, line
                number, line = number + 1, file.readline(_MAX_LINE)
    except READ_ERRORS as error:
        raise SourceUnavailable(f"{path}: cannot be read: {error}") from error
