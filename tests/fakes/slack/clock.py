"""Time that passes only when it is told to."""

import asyncio
import time

__all__ = ["ManualClock"]


class ManualClock:
    """Seconds since 1970 that stand still until somebody passes time or sleeps."""

    def __init__(self, start: float | None = None) -> None:
        self.seconds = time.time() if start is None else start
        self.slept: list[float] = []

    def now(self) -> float:
        """The moment, in seconds."""
        return self.seconds

    def pass_time(self, seconds: float) -> None:
        """Let time go by."""
        self.seconds += seconds

    async def sleep(self, seconds: float) -> None:
        """Let time go by as a task would, giving others their turn."""
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)
