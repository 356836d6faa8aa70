"""The builtin model: an analyst made of rules; no network, no key, deterministic."""

from engine.models.builtin.model import BuiltinModel

__all__ = ["BuiltinModel"]
