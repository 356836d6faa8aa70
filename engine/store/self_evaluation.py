"""The container `self_evaluation`: one JSON object with one channel per evaluator (spec S27-S29)."""

from engine.base import JsonObject
from engine.ports import Channel
from engine.store.text import storable

__all__ = ["merge_channel"]


def merge_channel(container: JsonObject | None, channel: Channel, value: JsonObject) -> JsonObject:
    """The container with one channel written and every other kept; None is initialised (spec S29)."""
    return {**(container or {}), channel: storable(value)}
