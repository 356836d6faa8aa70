"""Composer rules: the engine's own draft, word for word."""

from engine.base import JsonObject

__all__ = ["compose"]


def compose(payload: JsonObject) -> JsonObject:
    """A `composer_v1` object that is the draft of the payload."""
    draft = payload.get("draft")
    return draft if isinstance(draft, dict) else {}
