"""Logs of an incident folder: one streaming pass gives every group of a window and its baseline."""

import asyncio
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import SourceUnavailable
from engine.sources.log_templates import normalise_level, template_of
from engine.sources.openmetrics import open_bytes
from engine.telemetry import LogDigest, LogGroup, LogLine, LogQuery

__all__ = ["RecordedLogs"]

_MAX_GROUPS = 5000
_EXAMPLES = 3
_MAX_LINE = 1_000_000
_MESSAGE_CHARS = 2000
_CACHED_PASSES = 8
_OTHER = "(other)"


class _Line(msgspec.Struct):
    timestamp: datetime
    service: str = ""
    severity: str = "INFO"
    body: Any = ""


class _Pass:
    """What one pass over the file found, over all services and levels."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, str, str], LogGroup] = {}
        self.services: set[str] = set()
        self.bad_lines = 0
        self.first_bad = 0
        self.lines = 0
        self.overflowed = False


class RecordedLogs:
    """Reads `logs.jsonl` as a stream; passes are kept by window and filter, so that services share one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._passes: dict[tuple[object, ...], asyncio.Task[_Pass]] = {}

    async def search(self, query: LogQuery) -> LogDigest:
        """See `LogSource`."""
        key = (query.window, query.baselines, query.contains)
        task = self._passes.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            while len(self._passes) >= _CACHED_PASSES:
                self._passes.pop(next(iter(self._passes)))
            task = asyncio.ensure_future(asyncio.to_thread(self._scan, query))
            self._passes[key] = task
        return _digest(await asyncio.shield(task), query)

    def _scan(self, query: LogQuery) -> _Pass:
        spans = [(span.start.timestamp(), span.end.timestamp()) for span in query.baselines]
        start, end = query.window.start.timestamp(), query.window.end.timestamp()
        needle = query.contains.lower() if query.contains else None
        decode = msgspec.json.Decoder(_Line).decode
        found = _Pass()
        templates: dict[str, str] = {}
        for number, raw in enumerate(_lines(self._path), start=1):
            found.lines = number
            if needle is not None and needle.isascii() and needle.encode() not in raw.lower():
                continue
            try:
                line = decode(raw)
                moment = line.timestamp.timestamp() if line.timestamp.tzinfo else None
            except (msgspec.MsgspecError, ValueError, OverflowError):
                moment, line = None, None
            if line is None or moment is None:
                found.bad_lines += 1
                found.first_bad = found.first_bad or number
                continue
            found.services.add(line.service)
            inside = start <= moment < end
            if not inside and not any(low <= moment < high for low, high in spans):
                continue
            message = line.body if isinstance(line.body, str) else str(line.body)
            if needle is not None and needle not in message.lower():
                continue
            template = templates.get(message)
            if template is None:
                template = template_of(message)
                if len(templates) < _MAX_GROUPS:
                    templates[message] = template
            _count(found, line, template, message, moment, inside=inside)
        if found.lines and found.bad_lines == found.lines:
            raise SourceUnavailable(
                f"{self._path}:{found.first_bad}: no line is a log record as interfaces.md describes"
            )
        return found


def _count(found: _Pass, line: _Line, template: str, message: str, moment: float, *, inside: bool) -> None:
    level = normalise_level(line.severity)
    key = (line.service, level, template)
    group = found.groups.get(key)
    if group is None:
        if len(found.groups) >= _MAX_GROUPS:
            found.overflowed = True
            key = (line.service, level, _OTHER)
            group = found.groups.get(key)
        if group is None:
            group = LogGroup(*key)
            found.groups[key] = group
    if not inside:
        group.baseline_count += 1
        if not group.examples:
            group.examples.append(LogLine(moment, line.service, level, message[:_MESSAGE_CHARS]))
        return
    group.count += 1
    group.first = moment if group.first is None else min(group.first, moment)
    group.last = moment if group.last is None else max(group.last, moment)
    if group.count == 1:
        # because a line of the window tells more than one of the baseline
        group.examples.clear()
    if len(group.examples) < _EXAMPLES:
        group.examples.append(LogLine(moment, line.service, level, message[:_MESSAGE_CHARS]))


def _digest(found: _Pass, query: LogQuery) -> LogDigest:
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
        warnings.append(f"日志模板超过 {_MAX_GROUPS} 种，其余并入 {_OTHER}")
    return LogDigest(
        groups=groups,
        total=sum(group.count for group in groups),
        baseline_total=sum(group.baseline_count for group in groups),
        errors=sum(group.count for group in errors),
        baseline_errors=sum(group.baseline_count for group in errors),
        baseline_seconds=sum(span.seconds for span in query.baselines),
        matched_streams=not query.services or bool(found.services.intersection(query.services)),
        complete=not found.bad_lines,
        warnings=tuple(warnings),
    )


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with open_bytes(path) as file:
            while line := file.readline(_MAX_LINE):
                if not line.isspace():
                    yield line
    except (OSError, EOFError) as error:
        raise SourceUnavailable(f"{path}: cannot be read: {error}") from error
