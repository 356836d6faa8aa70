"""A stretch of time, always timezone-aware."""

from datetime import datetime, timedelta
from typing import Self
from zoneinfo import ZoneInfo

from pydantic import AliasChoices, ConfigDict, Field, model_validator

from engine.base import AwareDatetime, Frozen

__all__ = ["TimeFrame", "TimeWindow"]


class TimeWindow(Frozen):
    """From `start` (inclusive) to `end` (exclusive). JSON names the ends `from` and `to` (interfaces.md)."""

    model_config = ConfigDict(frozen=True, extra="forbid", serialize_by_alias=True)

    start: AwareDatetime = Field(validation_alias=AliasChoices("start", "from"), serialization_alias="from")
    end: AwareDatetime = Field(validation_alias=AliasChoices("end", "to"), serialization_alias="to")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.start >= self.end:
            raise ValueError(f"the window must end after it starts: {self.start} .. {self.end}")
        return self

    @property
    def seconds(self) -> float:
        """Length in seconds, always above zero."""
        return (self.end - self.start).total_seconds()

    def contains(self, moment: datetime) -> bool:
        """Whether an aware moment lies inside."""
        return self.start <= moment < self.end

    def covers(self, other: "TimeWindow") -> bool:
        """Whether the other window lies wholly inside this one."""
        return self.start <= other.start and other.end <= self.end

    def before(self, length: timedelta) -> "TimeWindow":
        """The stretch of the given length that ends where this one starts."""
        return TimeWindow(start=self.start - length, end=self.start)

    def label(self, timezone: str) -> str:
        """Show the window in the given IANA zone, as people read it: `12-01 14:00–14:30`."""
        zone = ZoneInfo(timezone)
        start, end = self.start.astimezone(zone), self.end.astimezone(zone)
        same_day = start.date() == end.date()
        return f"{start:%m-%d %H:%M}–{end:%H:%M}" if same_day else f"{start:%m-%d %H:%M}–{end:%m-%d %H:%M}"


class TimeFrame(Frozen):
    """What time means where nobody says: fixed by a recorded incident, moving for live sources.

    `now` None means the clock's; `window` None means the last `default_seconds`; `baseline` None means the
    time before the window.
    """

    now: AwareDatetime | None = None
    window: TimeWindow | None = None
    baseline: TimeWindow | None = None
    timezone: str = "Asia/Shanghai"
    default_seconds: float = Field(default=1800.0, gt=0)
