"""Times in a question's text, read by code, because models do no time arithmetic."""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from engine.errors import ConfigError
from engine.window import TimeWindow

__all__ = ["read_duration", "read_instant", "read_window"]

_AROUND = timedelta(minutes=15)
_JUST_NOW = timedelta(minutes=15)
_LONGEST = timedelta(days=400)

_SECONDS = {
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "秒": 1, "秒钟": 1,
    "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "分钟": 60, "分": 60,
    "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "小时": 3600, "个小时": 3600, "个钟头": 3600,
    "d": 86400, "day": 86400, "days": 86400, "天": 86400, "日": 86400, "w": 604800, "week": 604800, "weeks": 604800,
    "周": 604800, "个星期": 604800,
}  # fmt: skip
_NUMERALS = {"半": 0.5, "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
             "十": 10, "十五": 15, "二十": 20, "三十": 30, "四十": 40, "几": 3}  # fmt: skip

_UNIT = "|".join(sorted(_SECONDS, key=len, reverse=True))
_AMOUNT = r"\d{1,5}(?:\.\d+)?|二十|三十|四十|十五|[半一两二三四五六七八九十几]"
_LAST = re.compile(
    rf"(?:过去|最近|近|前|这|last|past|previous)\s*(?:的)?\s*(?P<amount>{_AMOUNT})?\s*(?P<half>个半)?\s*(?P<unit>{_UNIT})(?![a-z])"
)
_AGO = re.compile(rf"(?P<amount>{_AMOUNT})\s*(?P<unit>{_UNIT})\s*(?:之?前|ago)(?P<since>开始|起|到现在|以来)?")
_AGO_TAIL = re.compile(r"\s*(?:之?前|ago)$")
_NOW_WORDS = re.compile(r"刚才|刚刚|just now|刚开始")
_ISO = r"\d{4}-\d{2}-\d{2}[t ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:\s?z|[+-]\d{2}:?\d{2})?"
_DAY_WORDS = (
    r"今天|今日|昨天|昨日|前天|today|yesterday|[今昨](?=[早晚夜晨])|昨|"
    r"(?:上|这|本)?(?:周|星期|礼拜)[一二三四五六日天](?![志次])"
)
_DAY = (
    rf"(?:(?P<{{p}}word>{_DAY_WORDS})|"
    r"(?:(?P<{p}year>\d{{4}})[-年/])?(?P<{p}month>\d{{1,2}})[-月/](?P<{p}day>\d{{1,2}})[日号]?)"
)
_PART_WORDS = "凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|早|晨|晚|夜"
_PART = rf"(?P<{{p}}part>{_PART_WORDS})"
_HOUR = r"(?P<{p}hour>\d{{1,2}})(?::(?P<{p}minute>\d{{2}})(?::(?P<{p}second>\d{{2}}))?(?!\d)|\s*点(?:\s*(?P<{p}zh>\d{{1,2}})\s*分?|(?P<{p}half>半))?|\s*时(?:\s*(?P<{p}zhh>\d{{1,2}})\s*分)?)\s*(?P<{p}ampm>am|pm)?"
_POINT = rf"(?:{_DAY})?\s*(?:的)?\s*(?:{_PART})?\s*(?:at\s+)?{_HOUR}"
_TO = r"\s*(?:-|–|—|~|～|到|至|to|and|until|直到|[和与](?=[^，。,.]{0,16}之间))\s*"
_RANGE = re.compile(rf"(?P<aiso>{_ISO}){_TO}(?P<biso>{_ISO})|{_POINT.format(p='a')}{_TO}{_POINT.format(p='b')}")
_SINGLE = re.compile(
    rf"(?P<lead>since|after|从|自)?\s*(?:(?P<aiso>{_ISO})|{_POINT.format(p='a')})\s*(?P<tail>之?后|以来|以后|开始|起|前后|左右|许|附近)?"
)
_WHOLE = re.compile(
    rf"(?:(?P<aword>{_DAY_WORDS})|(?:(?P<ayear>\d{{4}})[-年/])?(?P<amonth>\d{{1,2}})(?:月(?P<aday>\d{{1,2}})[日号]|"
    rf"(?<=\d{{4}}-\d\d)-(?P<adash>\d\d)))\s*(?:的)?\s*(?P<part>{_PART_WORDS})?"
)
_PARTS: dict[str, tuple[int, int]] = {
    "凌晨": (0, 6), "清晨": (5, 8), "早上": (6, 10), "早晨": (6, 10), "上午": (6, 12), "中午": (11, 14),
    "下午": (12, 18), "傍晚": (17, 20), "晚上": (18, 24), "夜里": (20, 24), "晚": (18, 24), "夜": (20, 24),
    "早": (6, 10), "晨": (5, 8),
}  # fmt: skip
_LATE = frozenset({"下午", "傍晚", "晚上", "夜里", "晚", "夜"})
_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_DURATION = re.compile(rf"(\d{{1,6}}(?:\.\d+)?|{_AMOUNT})\s*({_UNIT})")


def read_window(text: str, now: datetime, timezone: str) -> TimeWindow | None:
    """The stretch that a question speaks of; None when it names none. Never ends after `now`. Total.

    Args:
        text: the question.
        now: an aware moment that relative times count from.
        timezone: IANA zone in which clock times of the text are read.
    """
    folded = unicodedata.normalize("NFKC", text[:4000]).lower()
    zone = ZoneInfo(timezone)
    local = now.astimezone(zone)
    readers: tuple[Callable[[str, datetime], tuple[datetime, datetime] | None], ...] = (
        _read_range, _read_last, _read_single, _read_just_now, _read_whole,
    )  # fmt: skip
    for reader in readers:
        try:
            found = reader(folded, local)
        except (ValueError, OverflowError):
            continue
        if found is not None:
            window = _clipped(*found, local)
            if window is not None:
                return window
    return None


def read_duration(text: str) -> timedelta:
    """A length such as `90d`, `1h30m` or `30分钟`.

    Raises:
        ConfigError: it is none; the message shows the form.
    """
    folded = unicodedata.normalize("NFKC", text).strip().lower()
    parts = _DURATION.findall(folded)
    if not parts or _DURATION.sub("", folded).strip():
        raise ConfigError(f"{text[:40]!r} is no duration; write it as 30m, 1h30m or 90d")
    seconds = sum(_amount(amount) * _SECONDS[unit] for amount, unit in parts)
    if not 0 < seconds <= _LONGEST.total_seconds() * 10:
        raise ConfigError(f"{text[:40]!r} must lie between one second and ten years")
    return timedelta(seconds=seconds)


def read_instant(text: str, now: datetime, timezone: str) -> datetime:
    """A moment: RFC 3339, `14:00`, `昨天 14:00`, `now`, or a length before now such as `1h` or `2 小时前`.

    Raises:
        ConfigError: it is none; the message shows the forms.
    """
    folded = unicodedata.normalize("NFKC", text).strip().lower()
    local = now.astimezone(ZoneInfo(timezone))
    try:
        if folded in {"now", "现在"}:
            return local
        match = _SINGLE.fullmatch(folded)
        if match:
            return _point(match, "a", local)
        return _before(local, read_duration(_AGO_TAIL.sub("", folded)).total_seconds())
    except (ConfigError, ValueError, OverflowError) as error:
        raise ConfigError(
            f"{text[:40]!r} is no time; write it as 2026-12-01T14:00:00+08:00, 14:00, 昨天 14:00 or 1h (ago)"
        ) from error


def _read_range(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _RANGE.search(text)
    if not match:
        return None
    start = _point(match, "a", now)
    end = _point(match, "b", now, after=start)
    if not match.group("biso") and match.group("bsecond") is None:
        # because "to 17:14" means through that minute
        end += timedelta(minutes=1)
    return start, end


def _read_last(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _LAST.search(text)
    if match and (match.group("amount") or match.group("unit") in {"hour", "day", "week", "minute", "小时"}):
        amount = _amount(match.group("amount") or "1") + (0.5 if match.group("half") else 0)
        return _before(now, amount * _SECONDS[match.group("unit")]), now
    ago = _AGO.search(text)
    if ago:
        start = _before(now, _amount(ago.group("amount")) * _SECONDS[ago.group("unit")])
        return (start, now) if ago.group("since") else (start - _AROUND, start + _AROUND)
    return None


def _read_single(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    for match in _SINGLE.finditer(text):
        try:
            point = _point(match, "a", now)
        except ValueError:
            continue
        tail, lead = match.group("tail") or "", match.group("lead") or ""
        if tail in {"后", "之后", "以来", "以后", "开始", "起"} or lead in {"since", "after", "从", "自"}:
            return point, now
        return point - _AROUND, point + _AROUND
    return None


def _read_just_now(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    return (now - _JUST_NOW, now) if _NOW_WORDS.search(text) else None


def _read_whole(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _WHOLE.search(text)
    if not match:
        return None
    groups = match.groupdict()
    day = _day({**groups, "aday": groups["aday"] or groups["adash"]}, "a", now)
    if day is None:
        return None
    first, last = _PARTS.get(groups["part"] or "", (0, 24))
    return day + timedelta(hours=first), day + timedelta(hours=last)


def _point(match: re.Match[str], prefix: str, now: datetime, after: datetime | None = None) -> datetime:
    groups = match.groupdict()
    iso = groups.get(f"{prefix}iso")
    if iso:
        moment = datetime.fromisoformat(iso.replace(" z", "z").upper().replace(" ", "T", 1))
        return moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    hour, minute, second = _clock(groups, prefix)
    day = _day(groups, prefix, now)
    if day is None:
        base = after or now
        point = datetime.combine(base.date(), time(hour, minute, second), base.tzinfo)
        if after is not None:
            if point < after and point + timedelta(hours=12) >= after and hour < 12:
                # because 「晚上8点到10点」 says the half of the day once
                return point + timedelta(hours=12)
            return point if point >= after else point + timedelta(days=1)
        return point if point <= now else point - timedelta(days=1)
    return datetime.combine(day.date(), time(hour, minute, second), now.tzinfo)


def _clock(groups: dict[str, str | None], prefix: str) -> tuple[int, int, int]:
    hour = int(groups[f"{prefix}hour"] or 0)
    said = groups[f"{prefix}minute"] or groups[f"{prefix}zh"] or groups[f"{prefix}zhh"]
    minute = 30 if groups[f"{prefix}half"] else int(said or 0)
    part = groups[f"{prefix}part"] or ""
    late = part in _LATE or groups[f"{prefix}ampm"] == "pm"
    if late and hour < 12:
        hour += 12
    if hour == 24 and minute == 0:
        hour, minute = 23, 59
    return hour, minute, int(groups[f"{prefix}second"] or 0)


def _day(groups: dict[str, str | None], prefix: str, now: datetime) -> datetime | None:
    word = groups[f"{prefix}word"]
    if word:
        return _midnight(now, _days_back(word, now))
    month, day, year = groups[f"{prefix}month"], groups[f"{prefix}day"], groups[f"{prefix}year"]
    if not month or not day:
        return None
    found = datetime(int(year) if year else now.year, int(month), int(day), tzinfo=now.tzinfo)
    if year is None and found > now:
        found = found.replace(year=now.year - 1)
    return found


def _days_back(word: str, now: datetime) -> int:
    weekday = _WEEKDAYS.get(word[-1]) if word[-2:-1] in {"周", "期", "拜"} else None
    if weekday is None:
        return {"昨天": 1, "昨日": 1, "昨": 1, "yesterday": 1, "前天": 2}.get(word, 0)
    since = now.weekday() - weekday
    if word.startswith("上"):
        return since + 7
    return since if since >= 0 else since + 7


def _before(now: datetime, seconds: float) -> datetime:
    """So many seconds earlier, whatever summer time did in between."""
    return (now.astimezone(UTC) - timedelta(seconds=seconds)).astimezone(now.tzinfo)


def _midnight(now: datetime, days_back: int) -> datetime:
    return datetime.combine((now - timedelta(days=days_back)).date(), time(0), now.tzinfo)


def _amount(text: str) -> float:
    return _NUMERALS[text] if text in _NUMERALS else float(text)


def _clipped(start: datetime, end: datetime, now: datetime) -> TimeWindow | None:
    """In UTC, because lengths across a change of summer time are wrong in a zone's own hours."""
    start, end = start.astimezone(UTC), min(end.astimezone(UTC), now.astimezone(UTC))
    if start >= end or end - start > _LONGEST:
        return None
    return TimeWindow(start=start, end=end)
