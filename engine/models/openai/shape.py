"""How a request is put to one endpoint, and what it refused before, so that it is not asked again."""

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.models.openai.profile import Mode, OutputField
from engine.models.openai.seat import Seat

__all__ = ["Refusals", "Shape", "first_shape", "lowered"]

Extra = Literal["temperature", "tool_choice", "thinking", "format_beside_tools"]

_REFUSING = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses with which servers say that they do not know a field; llama.cpp's answers 500."""

_FORMAT = re.compile(r"response_format|json_schema|json_object|structured.?output|guided|mime.?type|grammar", re.I)
_TOOLS = re.compile(r"\btools?\b|function.?call", re.I)
_UNKNOWN = re.compile(
    r"unsupported|not supported|unknown|unrecogni[sz]ed|not permitted|extra|instead|invalid param", re.I
)
_MESSAGE_CHARS = 4000


@dataclass(frozen=True)
class Shape:
    """What is sent beside the messages."""

    mode: Mode
    output_field: OutputField
    extras: frozenset[Extra]
    """The optional parts that are sent."""


def first_shape(seat: Seat) -> Shape:
    """As the profile and the configuration have it."""
    profile = seat.profile
    extras: set[Extra] = {"format_beside_tools"}
    if profile.takes_temperature and seat.temperature is not None:
        extras.add("temperature")
    if profile.takes_tool_choice:
        extras.add("tool_choice")
    if profile.without_thinking and not seat.thinking:
        extras.add("thinking")
    return Shape(mode=profile.modes[0], output_field=profile.output_field, extras=frozenset(extras))


def lowered(shape: Shape, seat: Seat, status: int, message: str, *, tools: bool) -> Shape | None:
    """The next thing to try after a refusal; None where the refusal is about something else.

    Args:
        shape: what was refused.
        seat: who refused it.
        status: the response's status.
        message: the response's text; only looked through, never shown.
        tools: whether the request offered tools.
    """
    if status not in _REFUSING:
        return None
    text = message[:_MESSAGE_CHARS]
    extra = _named_extra(shape, text)
    if extra is not None:
        return replace(shape, extras=shape.extras - {extra})
    if re.search(r"max_(completion_)?tokens", text) and _UNKNOWN.search(text):
        other: OutputField = "max_tokens" if shape.output_field == "max_completion_tokens" else "max_completion_tokens"
        return replace(shape, output_field=other) if shape.output_field == seat.profile.output_field else None
    if not _FORMAT.search(text) or shape.mode == "prompt":
        return None
    if tools and "format_beside_tools" in shape.extras and _TOOLS.search(text):
        return replace(shape, extras=shape.extras - {"format_beside_tools"})
    modes = seat.profile.modes
    return replace(shape, mode=modes[modes.index(shape.mode) + 1])


def _named_extra(shape: Shape, text: str) -> Extra | None:
    if "temperature" in shape.extras and "temperature" in text:
        return "temperature"
    if "tool_choice" in shape.extras and "tool_choice" in text:
        return "tool_choice"
    # because a complaint about reasoning_content speaks of thinking too, and is about something else
    if "thinking" in shape.extras and "thinking" in text and "reasoning_content" not in text:
        return "thinking"
    return None


@dataclass
class _Refused:
    mode: Mode
    """The best way to ask for a contract that is left."""
    output_field: OutputField
    extras: frozenset[Extra] = frozenset()


@dataclass
class Refusals:
    """What each endpoint refused of each model; one for the process, so that nothing is probed twice."""

    _known: dict[tuple[str, str], _Refused] = field(default_factory=dict[tuple[str, str], _Refused])

    def shape(self, seat: Seat) -> Shape:
        """What to send, as far as is known; what the profile or the configuration leaves out stays out."""
        first, known = first_shape(seat), self._known.get((seat.base_url, seat.name))
        if known is None:
            return first
        modes = seat.profile.modes
        mode = known.mode if known.mode in modes else first.mode
        return Shape(mode=mode, output_field=known.output_field, extras=first.extras - known.extras)

    def remember(self, seat: Seat, refused: Shape, left: Shape) -> None:
        """Keep what a refusal told: what was sent, and what is left to send."""
        place = (seat.base_url, seat.name)
        before = self._known.get(place)
        extras = (before.extras if before else frozenset[Extra]()) | (refused.extras - left.extras)
        self._known[place] = _Refused(mode=left.mode, output_field=left.output_field, extras=extras)
