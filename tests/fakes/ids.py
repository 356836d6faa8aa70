"""Identifiers that a test can foretell."""

from datetime import datetime


class CountingIds:
    """`run-1`, `session-1`, `inv-1` … in the order of asking."""

    def __init__(self) -> None:
        self.runs = 0
        self.sessions = 0

    def run_id(self, now: datetime) -> str:
        self.runs += 1
        return f"run-{self.runs}"

    def session_id(self, now: datetime) -> str:
        self.sessions += 1
        return f"session-{self.sessions}"

    def invocation_id(self, ordinal: int) -> str:
        return f"inv-{ordinal}"

    def nonce(self) -> str:
        return f"nonce-{self.runs}"
