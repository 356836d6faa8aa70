"""One line of a log file: when it was written, how severe it is and what it says. Plain text or a JSON object."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any, cast

import msgspec

from engine.sources.log_templates import text_of

__all__ = ["ParsedLine", "moment_of", "parse_line"]

_HEAD = 120
"""Characters in which a line says when it was written and how severe it is."""

_TIMES = ("timestamp", "@timestamp", "time", "ts", "datetime", "date", "t", "asctime", "eventTime")
_LEVELS = ("severity", "level", "lvl", "levelname", "severity_text", "log.level", "loglevel", "@l", "priority")
_MESSAGES = ("message", "msg", "body", "log", "MESSAGE", "event", "@m", "text", "short_message")
_SERVICES = ("service", "service.name", "service_name", "serviceName", "app", "application", "dd.service")

_ISO = re.compile(
    r"(?P<date>\d{4}[-/]\d\d[-/]\d\d)[T ](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{1,9}))?"
    r" ?(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?(?!\d)"
)
_ACCESS = re.compile(r"\[(\d\d)/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\]")
_SYSLOG = re.compile(r"^(?:<\d{1,3}>)?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)")
_KLOG = re.compile(r"^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(?:\.\d+)?")
_EPOCH = re.compile(r"^\d{10}(?:\d{3}){0,3}(?:\.\d{1,9})?(?=\s|$)")
_MONTHS = {
    name: number
    for number, name in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], 1
    )
}
_LEVEL = re.compile(
    r"(?<![A-Za-z0-9_])(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRIT(?:ICAL)?|SEVERE|PANIC|EMERG|ALERT)"
    r"(?![A-Za-z0-9_])"
)
_LEVEL_MARKED = re.compile(
    r"(?:\[|\blevel=\"?|\blvl=)(trace|debug|info|notice|warn(?:ing)?|error|err|fatal|crit(?:ical)?|panic|emerg|alert)\b"
)
_KLOG_LEVELS = {"I": "INFO", "W": "WARN", "E": "ERROR", "F": "FATAL"}


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """What a line says of itself; `service` is empty where it names none."""

    moment: float
    service: str
    severity: object
    message: str


def parse_line(raw: bytes, zone: tzinfo, latest: datetime) -> ParsedLine | None:
    """Read one line.

    Args:
        raw: the line's bytes; what is no UTF-8 is replaced.
        zone: the zone of times that name none.
        latest: no line is younger; settles the year of times that name none.

    Returns:
        None where the line does not say when it was written: it goes on with the line before it.
    """
    if raw.lstrip()[:1] == b"{":
        found = _structured(raw, zone, latest)
        if found is not None:
            return found
    text = raw.decode("utf-8", errors="replace").rstrip("\r\n")
    head = text[:_HEAD]
    moment = _plain_moment(head, zone, latest)
    return None if moment is None else ParsedLine(moment, "", _severity(head), text)


def moment_of(value: object, zone: tzinfo) -> float | None:
    """Epoch seconds of a time in text or as a number of seconds, milliseconds, microseconds or nanoseconds."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _seconds(float(value))
    if not isinstance(value, str) or len(value) > _HEAD:
        return None
    found = _ISO.match(value.strip())
    if found:
        return _iso(found, zone)
    try:
        return _seconds(float(value))
    except ValueError:
        return None


def _structured(raw: bytes, zone: tzinfo, latest: datetime) -> ParsedLine | None:
    try:
        decoded: object = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    if not isinstance(decoded, dict):
        return None
    fields = cast("dict[str, Any]", decoded)
    moment = next((at for at in (moment_of(_get(fields, key), zone) for key in _TIMES) if at is not None), None)
    if moment is None:
        return None
    said = _first(fields, _MESSAGES)
    message = text_of(said if said is not None else fields).rstrip("\n")
    severity = _first(fields, _LEVELS)
    service = _first(fields, _SERVICES)
    return ParsedLine(
        moment=moment,
        service=service[:200] if isinstance(service, str) else "",
        severity=severity if severity is not None else _severity(message[:_HEAD]),
        message=message,
    )


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value for value in (_get(fields, name) for name in names) if value not in (None, "")), None)


def _get(fields: Mapping[str, Any], name: str) -> Any:
    """A field by its name, or by its path where the name has dots; an object in its place counts as none."""
    value: Any = fields.get(name)
    if value is None and "." in name:
        outer, _, inner = name.partition(".")
        table: Any = fields.get(outer)
        value = cast("dict[str, Any]", table).get(inner) if isinstance(table, dict) else None
    return value if name in _MESSAGES or not isinstance(value, dict | list) else None


def _plain_moment(head: str, zone: tzinfo, latest: datetime) -> float | None:
    try:
        if found := _ISO.search(head):
            return _iso(found, zone)
        if found := _ACCESS.search(head):
            day, month, year, hour, minute, second, offset = found.groups()
            text = f"{year}-{_MONTHS[month]:02}-{day}T{hour}:{minute}:{second}{offset}"
            return datetime.fromisoformat(text).timestamp()
        if found := _SYSLOG.match(head):
            month, day, hour, minute, second = found.groups()
            return _without_year(_MONTHS[month], int(day), (int(hour), int(minute), int(second)), zone, latest)
        if found := _KLOG.match(head):
            _, month, day, hour, minute, second = found.groups()
            return _without_year(int(month), int(day), (int(hour), int(minute), int(second)), zone, latest)
        if found := _EPOCH.match(head):
            return _seconds(float(found.group()))
    except (ValueError, KeyError, OverflowError):
        # because what looks like a time and is none, such as 2026-13-45, says nothing
        return None
    return None


def _iso(found: re.Match[str], zone: tzinfo) -> float | None:
    offset = found["zone"] or ""
    text = f"{found['date'].replace('/', '-')}T{found['time']}.{(found['part'] or '0')[:6]:0<6}"
    try:
        moment = datetime.fromisoformat(text + ("+00:00" if offset in {"Z", "UTC"} else offset))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()


def _without_year(month: int, day: int, clock: tuple[int, int, int], zone: tzinfo, latest: datetime) -> float:
    """The youngest such time that is not younger than `latest`, a day for skewed clocks apart."""
    local = latest.astimezone(zone)
    bound = latest + timedelta(days=1)
    for year in (local.year + 1, local.year, local.year - 1, local.year - 2, local.year - 3, local.year - 4):
        try:
            moment = datetime(year, month, day, *clock, tzinfo=zone)
        except ValueError:
            # because 29 February is a day of some years only
            continue
        if moment <= bound:
            return moment.timestamp()
    raise ValueError("no such day")


def _seconds(value: float) -> float | None:
    """A number of seconds, milliseconds, microseconds or nanoseconds since 1970 as seconds; told apart by size."""
    for scale in (1.0, 1e3, 1e6, 1e9):
        if 1e8 <= value / scale < 1e10:
            return value / scale
    return None


def _severity(head: str) -> str:
    if found := _KLOG.match(head):
        return _KLOG_LEVELS[found.group(1)]
    found = _LEVEL.search(head) or _LEVEL_MARKED.search(head)
    return found.group(1) if found else "INFO"
