"""A clock that moves only by being read."""

from datetime import UTC, datetime, timedelta


class SteppingClock:
    """Starts at a fixed moment and moves on by `step` at each reading."""

    def __init__(self, start: datetime | None = None, step: timedelta = timedelta(milliseconds=1)) -> None:
        self.moment = start or datetime(2026, 11, 30, 6, 30, tzinfo=UTC)
        self.step = step

    def now(self) -> datetime:
        self.moment += self.step
        return self.moment

    def pass_time(self, seconds: float) -> None:
        """Let time go by."""
        self.moment += timedelta(seconds=seconds)
