"""The systemd journal, read through `journalctl`."""

import json
from collections.abc import Sequence
from typing import Any, cast

from engine.sources.log_grouping import Grouping
from engine.sources.program import run_program
from engine.telemetry import LogDigest, LogQuery

__all__ = ["Journal"]

_FIELDS = "MESSAGE,PRIORITY,_SYSTEMD_UNIT,SYSLOG_IDENTIFIER,_COMM"
_SEVERITIES = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
"""By syslog's PRIORITY, 0 to 7."""


class Journal:
    """Answers log queries from the journal of this machine; a unit's name without `.service` is the service.

    Args:
        units: the units that are read; none means all.
        command: the program and its first arguments, such as `journalctl --file=…`.
        seconds: how long one search may take.
        most_bytes: how much one search may read, in bytes; what lies beyond is said to be missing.
    """

    def __init__(
        self,
        units: Sequence[str] = (),
        *,
        command: Sequence[str] = ("journalctl",),
        seconds: float = 20.0,
        most_bytes: int = 500_000_000,
    ) -> None:
        self._units = tuple(units)
        self._command = tuple(command)
        self._seconds = seconds
        self._most_bytes = most_bytes

    def services(self) -> tuple[str, ...]:
        """The configured units; the journal itself is not asked."""
        return tuple(sorted(unit.removesuffix(".service") for unit in self._units))

    async def search(self, query: LogQuery) -> LogDigest:
        """See `LogSource`.

        Raises:
            SourceUnavailable: `journalctl` is missing, failed or took too long.
        """
        stretches = (query.window, *query.baselines)
        begin = int(min(item.start for item in stretches).timestamp())
        end = int(max(item.end for item in stretches).timestamp()) + 1
        arguments = ["--output=json", f"--output-fields={_FIELDS}", "--no-pager", "--quiet", "--all"]
        arguments += [f"--since=@{begin}", f"--until=@{end}", *(f"--unit={unit}" for unit in self._units)]
        grouping = Grouping(query)
        remedy = "name the units to read"
        async with run_program(
            [*self._command, *arguments], seconds=self._seconds, most_bytes=self._most_bytes, remedy=remedy
        ) as output:
            async for line in output:
                _take(grouping, line)
        warnings = () if output.whole else ("系统日志超出单次读取上限，只读了一部分",)
        return grouping.digest(
            query, grouping.services | set(self.services()), warnings=warnings, complete=output.whole
        )


def _take(grouping: Grouping, raw: bytes) -> None:
    try:
        decoded: object = json.loads(raw)
        entry = cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {}
        moment = int(entry["__REALTIME_TIMESTAMP"]) / 1e6
    except (ValueError, KeyError, TypeError, RecursionError):
        # because a line that is no entry, such as a blank one, says nothing
        return
    unit = str(entry.get("_SYSTEMD_UNIT") or "").removesuffix(".service")
    service = unit or str(entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM") or "journal")
    priority = str(entry.get("PRIORITY", ""))
    severity = _SEVERITIES[int(priority)] if priority in {*"01234567"} else "INFO"
    grouping.take(service[:200], severity, _text(entry.get("MESSAGE")), moment)


def _text(message: object) -> str:
    """A message; the journal writes one that is no UTF-8 as a list of its bytes."""
    if isinstance(message, str):
        return message
    if isinstance(message, list):
        codes = cast("list[object]", message)
        return bytes(code for code in codes if isinstance(code, int) and 0 <= code < 256).decode(errors="replace")
    return ""
