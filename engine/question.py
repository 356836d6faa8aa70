"""What was asked, by whom, and over which stretch of time."""

from typing import Literal

from pydantic import Field

from engine.base import AwareDatetime, Frozen
from engine.window import TimeWindow

__all__ = ["Question"]


class Question(Frozen):
    """One question, as intake hands it to the engine."""

    text: str = Field(min_length=1, max_length=4000)
    asked_at: AwareDatetime
    """When it was asked; "now" for relative times. For a recorded incident, the end of its window."""
    timezone: str = "Asia/Shanghai"
    """IANA name of the zone in which times of the question are read and times of the answer are shown."""
    window: TimeWindow | None = None
    """The stretch asked about, where the asker gave one outside the text (`--since`, a modal field)."""
    session_id: str | None = None
    """The conversation this follows up on; None starts a new one."""
    origin: Literal["person", "alert"] = "person"
    asked_by: str | None = None
    known_facts: tuple[str, ...] = ()
    """Confirmed sentences of the session's earlier runs; context for a follow-up, never evidence."""
