"""What goes wrong with Slack when a test says so."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Fault", "Faults", "Refused"]


class Refused(Exception):
    """A method answers with an error.

    Args:
        error: Slack's name for it.
        fields: more fields of the answer.
    """

    def __init__(self, error: str, **fields: Any) -> None:
        super().__init__(error)
        self.answer: dict[str, Any] = {"ok": False, "error": error, **fields}


@dataclass
class Fault:
    """One thing that goes wrong, `times` times (None: always), for calls that `when` picks."""

    method: str
    error: str | None = None
    status: int = 200
    retry_after: float | None = None
    drop: bool = False
    after: bool = False
    gate: asyncio.Event | None = None
    times: int | None = 1
    when: Callable[[dict[str, Any]], bool] = lambda args: True


class Faults:
    """Switches by method name; `*` is every method, `response_url` and `upload` the two that are no method."""

    def __init__(self) -> None:
        self.armed: list[Fault] = []

    def add(self, fault: Fault) -> Fault:
        """Arm one."""
        self.armed.append(fault)
        return fault

    def fail(self, method: str, error: str, *, times: int | None = 1, **more: Any) -> Fault:
        """The method answers with an error."""
        return self.add(Fault(method, error=error, times=times, **more))

    def rate_limit(self, method: str, retry_after: float, *, times: int | None = 1) -> Fault:
        """The method answers 429 with `Retry-After`."""
        return self.add(Fault(method, error="ratelimited", status=429, retry_after=retry_after, times=times))

    def break_server(self, method: str, status: int = 503, *, after: bool = False, times: int | None = 1) -> Fault:
        """The method answers with a server's error and a page of HTML, before or after it did its work."""
        return self.add(Fault(method, status=status, after=after, times=times))

    def drop(self, method: str, *, after: bool = False, times: int | None = 1) -> Fault:
        """The connection breaks without an answer, before or after the method did its work."""
        return self.add(Fault(method, drop=True, after=after, times=times))

    def hold(self, method: str, times: int | None = 1) -> asyncio.Event:
        """The method waits until the event is set."""
        gate = asyncio.Event()
        self.add(Fault(method, gate=gate, times=times))
        return gate

    def of(self, method: str, args: dict[str, Any], moment: Literal["before", "after"]) -> Fault | None:
        """The next fault armed for a call, used up by one."""
        for fault in self.armed:
            if fault.method in {method, "*"} and fault.after is (moment == "after") and fault.when(args):
                if fault.times is not None:
                    fault.times -= 1
                    if not fault.times:
                        self.armed.remove(fault)
                return fault
        return None

    def clear(self) -> None:
        """Disarm all."""
        self.armed.clear()
