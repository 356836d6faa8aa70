"""Log files on disk: plain or JSON lines, rotated and gzipped, read where the asked stretch lies in them."""

import asyncio
import glob
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import IO

from engine.errors import SourceUnavailable
from engine.sources.log_grouping import Grouping
from engine.sources.log_line import ParsedLine, parse_line
from engine.sources.openmetrics import READ_ERRORS, open_bytes
from engine.telemetry import LogDigest, LogQuery

__all__ = ["LogFiles"]

_SLOT = "{service}"
_ROTATED = r"(?:[.-]\d[\w.:+-]*)?(?:\.gz)?"
"""What rotation puts behind a name: `.1`, `.2.gz`, `-20261206`, `.2026-12-06.gz`."""

_MAX_FILES = 2_000
_MAX_LINE = 1_000_000
_MESSAGE_CHARS = 8_000
_PROBE_LINES = 200
_NEAR = 1 << 16
"""A search within a file stops when it is this near to its goal, in bytes."""

_DISORDER = 60.0
"""How far lines of one file may be out of order, in seconds."""


@dataclass(frozen=True)
class _File:
    path: Path
    service: str


class LogFiles:
    """Reads the files that a pattern names.

    Args:
        pattern: an absolute or relative path with `*` and `?`, and `{service}` where a part of it names the
            service, such as `/var/log/{service}/app.log`. Rotated and gzipped files beside those are read too.
        service: whose lines they are where neither the path nor the line says so.
        zone: the zone of times that name none.
        most_bytes: how much one search may read, in bytes; what lies beyond is said to be missing.
    """

    def __init__(self, pattern: str, *, service: str = "", zone: tzinfo = UTC, most_bytes: int = 1_000_000_000) -> None:
        self._pattern = pattern
        self._service = service
        self._zone = zone
        self._most_bytes = most_bytes
        self._name = re.compile(_expression(pattern))

    def services(self) -> tuple[str, ...]:
        """The services that paths name, or the one that all lines are of."""
        return tuple(sorted({file.service for file in self._files() if file.service}))

    async def search(self, query: LogQuery) -> LogDigest:
        """See `LogSource`.

        Raises:
            SourceUnavailable: no file matches the pattern, or none of them can be read; names the place.
        """
        stop = threading.Event()
        try:
            return await asyncio.to_thread(self._search, query, stop)
        finally:
            # because a thread cannot be cancelled, only asked
            stop.set()

    def _search(self, query: LogQuery, stop: threading.Event) -> LogDigest:
        files = self._files()
        if not files:
            raise SourceUnavailable(f"{self._pattern}: no such file; check path of the source and its permissions")
        wanted = [file for file in files if not query.services or file.service in {"", *query.services}]
        reading = _Reading(query, self._zone, self._most_bytes, stop)
        for file in wanted:
            reading.read(file)
        if reading.failed and len(reading.failed) == len(wanted):
            raise SourceUnavailable(reading.failed[0])
        return reading.digest({file.service for file in files if file.service})

    def _files(self) -> list[_File]:
        """The files, oldest first, so that groups keep their first lines."""
        pattern = self._pattern.replace(_SLOT, "*")
        found: dict[Path, float] = {}
        for name in (*glob.iglob(pattern, recursive=True), *glob.iglob(f"{pattern}[.-]*", recursive=True)):
            path = Path(name)
            with suppress(OSError):
                # because a file may be rotated away while we look
                if len(found) < _MAX_FILES and path.is_file():
                    found[path] = path.stat().st_mtime
        return [self._file(path) for path in sorted(found, key=lambda path: (found[path], path)) if self._matches(path)]

    def _matches(self, path: Path) -> bool:
        return self._name.fullmatch(str(path)) is not None

    def _file(self, path: Path) -> _File:
        found = self._name.fullmatch(str(path))
        named = found.groupdict().get("service") if found else None
        return _File(path, named or self._service)


def _expression(pattern: str) -> str:
    """The pattern as a regular expression that a rotated file's name fits too."""
    parts: list[str] = []
    named = False
    for piece in re.split(r"(\{service\}|\*\*/|\*|\?)", str(Path(pattern)) if pattern else ""):
        if piece == _SLOT:
            parts.append("(?P=service)" if named else r"(?P<service>[^/]+?)")
            named = True
        else:
            parts.append({"**/": r"(?:.*/)?", "*": r"[^/]*", "?": r"[^/]"}.get(piece, re.escape(piece)))
    return "".join(parts) + _ROTATED


class _Reading:
    """One search over many files; keeps what could not be read."""

    def __init__(self, query: LogQuery, zone: tzinfo, most_bytes: int, stop: threading.Event) -> None:
        stretches = (query.window, *query.baselines)
        self._query = query
        self._zone = zone
        self._from = min(item.start for item in stretches).timestamp() - _DISORDER
        self._to = max(item.end for item in stretches).timestamp() + _DISORDER
        self._left = most_bytes
        self._stop = stop
        self._grouping = Grouping(query)
        self._timeless: list[str] = []
        self.failed: list[str] = []

    def read(self, file: _File) -> None:
        """Count the file's lines of the stretch."""
        try:
            changed = file.path.stat().st_mtime
            if changed < self._from or self._left <= 0 or self._stop.is_set():
                # because a file that was last written before the stretch holds no line of it
                return
            with open_bytes(file.path) as handle:
                latest = datetime.fromtimestamp(changed, UTC)
                if file.path.suffix != ".gz":
                    handle.seek(self._beginning(handle, file.path.stat().st_size, latest))
                self._count(file, self._lines(handle, latest))
        except READ_ERRORS as error:
            self.failed.append(f"{file.path}: cannot be read: {error}")

    def digest(self, services: set[str]) -> LogDigest:
        """What was found, and what is missing from it."""
        warnings = [f"{len(self.failed)} 个日志文件无法读取"] if self.failed else []
        if self._timeless:
            warnings.append(f"{len(self._timeless)} 个日志文件的行没有可识别的时间（如 {self._timeless[0]}），未计入")
        if self._left <= 0:
            warnings.append("日志超出单次读取上限，只读了一部分")
        return self._grouping.digest(
            self._query, services | self._grouping.services, warnings=warnings, complete=not warnings
        )

    def _count(self, file: _File, lines: Iterator[ParsedLine | bytes]) -> None:
        held: ParsedLine | None = None
        loose = 0
        for line in lines:
            if isinstance(line, bytes):
                loose += 1
                if held is not None and len(held.message) < _MESSAGE_CHARS:
                    more = line.decode("utf-8", errors="replace").rstrip("\r\n")
                    held = ParsedLine(held.moment, held.service, held.severity, f"{held.message}\n{more}")
                continue
            self._take(file, held)
            held = line
        self._take(file, held)
        if held is None and loose:
            self._timeless.append(str(file.path))

    def _take(self, file: _File, line: ParsedLine | None) -> None:
        if line is not None:
            self._grouping.take(
                line.service or file.service or file.path.name, line.severity, line.message, line.moment
            )

    def _lines(self, handle: IO[bytes], latest: datetime) -> Iterator[ParsedLine | bytes]:
        """Lines up to the stretch's end: parsed, or as bytes where they go on with the line before."""
        for number, raw in enumerate(iter(lambda: handle.readline(_MAX_LINE), b"")):
            self._left -= len(raw)
            if self._left <= 0 or (number % 1024 == 0 and self._stop.is_set()):
                return
            if raw.isspace():
                continue
            line = parse_line(raw, self._zone, latest)
            if line is not None and line.moment > self._to:
                return
            yield raw if line is None else line

    def _beginning(self, handle: IO[bytes], size: int, latest: datetime) -> int:
        """Where in a file to begin, so that a file of many days costs a few looks: its lines rise in time."""
        low, high = 0, size
        while high - low > _NEAR:
            middle = (low + high) // 2
            moment = self._moment_behind(handle, middle, latest)
            if moment is not None and moment < self._from:
                low = middle
            else:
                high = middle
        if low == 0:
            return 0
        handle.seek(low)
        return low + len(handle.readline(_MAX_LINE))

    def _moment_behind(self, handle: IO[bytes], place: int, latest: datetime) -> float | None:
        handle.seek(place)
        handle.readline(_MAX_LINE)
        for _ in range(_PROBE_LINES):
            raw = handle.readline(_MAX_LINE)
            if not raw:
                return None
            line = parse_line(raw, self._zone, latest)
            if line is not None:
                return line.moment
        return None
