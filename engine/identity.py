"""Identifiers of runs, sessions and invocations."""

import secrets
from datetime import UTC, datetime

__all__ = ["RandomIds", "SystemClock"]


class RandomIds:
    """Runs and sessions sort by time; invocation ids cannot be guessed by text that the run reads."""

    def run_id(self, now: datetime) -> str:
        """Such as `run-20261201T024512-ab12cd`."""
        return f"run-{_stamp(now)}-{secrets.token_hex(3)}"

    def session_id(self, now: datetime) -> str:
        """Such as `session-20261201T024512-ab12cd`."""
        return f"session-{_stamp(now)}-{secrets.token_hex(3)}"

    def invocation_id(self, ordinal: int) -> str:
        """Such as `inv-3-9f2c`."""
        return f"inv-{ordinal}-{secrets.token_hex(2)}"

    def nonce(self) -> str:
        """Sixteen hexadecimal digits that cannot be guessed."""
        return secrets.token_hex(8)


class SystemClock:
    """The machine's time, aware."""

    def now(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)


def _stamp(now: datetime) -> str:
    return now.astimezone(UTC).strftime("%Y%m%dT%H%M%S")
