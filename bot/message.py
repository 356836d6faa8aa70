"""What is said on Slack: one message or one view, as Slack takes it, before it meets Slack's limits."""

from engine.base import Frozen, JsonObject

__all__ = ["Message", "View"]


class Message(Frozen):
    """One message: blocks for those who look at it, and text for notifications and for where blocks are refused."""

    text: str
    """A real summary in Chinese; plain text, not yet escaped."""
    blocks: tuple[JsonObject, ...] = ()
    """Block Kit, newest block types allowed."""
    classic: tuple[JsonObject, ...] = ()
    """The same in section, context, divider, header and actions alone, for where `blocks` are refused."""


class View(Frozen):
    """A modal, or the Home tab."""

    callback_id: str
    title: str
    """At most 24 characters; not used for the Home tab."""
    blocks: tuple[JsonObject, ...]
    submit: str | None = None
    """The submit button's label; None for a view that is only read."""
    private_metadata: str = ""
    """Identifiers only, at most 3,000 characters."""
