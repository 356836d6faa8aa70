"""Clock times and dates of a claim against those of its evidence and its window."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from engine.verification.guard.words import APPROXIMATE_TIME
from engine.window import TimeWindow

__all__ = ["ClaimedTime", "carried", "read_times"]

_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:z|[+-]\d{2}:?\d{2})?")
_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?(?![\d:])")
_DAY = re.compile(r"(?<!\d)(?:(\d{4})-)?(\d{1,2})(?:-|月)(\d{1,2})(?:日|号|(?=\s+\d{1,2}:\d{2}))")
_NEAR = timedelta(minutes=5)


@dataclass(frozen=True)
class ClaimedTime:
    """A time as the claim states it: a minute or second of the day, or a day."""

    text: str
    minute: int | None = None
    second: int | None = None
    day: tuple[int, int] | None = None
    near: bool = False


def read_times(folded: str) -> tuple[ClaimedTime, ...]:
    """The clock times and dates of a folded text."""
    found = [
        ClaimedTime(
            match.group(),
            minute=int(match.group(1)) * 60 + int(match.group(2)),
            second=int(match.group(3)) if match.group(3) else None,
            near=bool(APPROXIMATE_TIME.match(folded, match.end())),
        )
        for match in _CLOCK.finditer(_STAMP.sub(lambda stamp: stamp.group()[10:19].strip("t "), folded))
        if int(match.group(1)) < 24 and int(match.group(2)) < 60
    ]
    found += [
        ClaimedTime(match.group(), day=(int(match.group(2)), int(match.group(3)))) for match in _DAY.finditer(folded)
    ]
    return tuple(found)


def carried(claimed: ClaimedTime, texts: Iterable[str], windows: Iterable[TimeWindow], timezone: str) -> bool:
    """Whether a time of the evidence, or an end of a window, is the claimed one at its stated precision."""
    zone = ZoneInfo(timezone)
    moments = [moment.astimezone(zone) for moment in _moments(texts, zone)]
    moments += [end.astimezone(zone) for window in windows for end in (window.start, window.end)]
    if claimed.day is not None:
        return any((moment.month, moment.day) == claimed.day for moment in moments)
    literal = any(claimed.text in text for text in texts)
    return literal or any(_same(claimed, moment) for moment in moments)


def _same(claimed: ClaimedTime, moment: datetime) -> bool:
    assert claimed.minute is not None
    minute = moment.hour * 60 + moment.minute
    if claimed.near:
        apart = abs(minute - claimed.minute)
        return timedelta(minutes=min(apart, 1440 - apart)) <= _NEAR
    return minute == claimed.minute and claimed.second in (None, moment.second)


def _moments(texts: Iterable[str], zone: ZoneInfo) -> Iterable[datetime]:
    for text in texts:
        for match in _STAMP.finditer(text):
            try:
                moment = datetime.fromisoformat(match.group().upper())
            except ValueError:
                continue
            yield moment if moment.tzinfo else moment.replace(tzinfo=zone)
