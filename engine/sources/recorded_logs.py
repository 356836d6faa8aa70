"""Logs of an incident folder: one streaming pass gives every group of a window and its baseline."""

import asyncio
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import SourceUnavailable
from engine.sources.line_services import services_of
from engine.sources.log_grouping import Grouping
from engine.sources.log_templates import text_of
from engine.sources.openmetrics import READ_ERRORS, open_bytes
from engine.telemetry import LogDigest, LogQuery

__all__ = ["RecordedLogs"]

_MAX_LINE = 1_000_000
_CACHED_PASSES = 8
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

    def __init__(self, grouping: Grouping) -> None:
        self.grouping = grouping
        self.bad_lines = 0
        self.first_bad = 0
        self.lines = 0


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
        whole = found if query.contains is None else await self._pass(query, None)
        bad = f"有 {found.bad_lines} 行无法解析（首行为第 {found.first_bad} 行），未计入"
        return found.grouping.digest(
            query,
            whole.grouping.services,
            warnings=(bad,) if found.bad_lines else (),
            complete=not found.bad_lines,
        )

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
        raw_needle = _prefilter(contains.lower() if contains else None)
        decode = msgspec.json.Decoder(_Line).decode
        found = _Pass(Grouping(replace(query, contains=contains)))
        take = found.grouping.take
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
            take(line.service, line.severity, line.body if isinstance(line.body, str) else text_of(line.body), moment)
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
