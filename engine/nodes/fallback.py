"""Fallback: what was asked, what was gathered, what failed, what to do next; no verdict (reading.md 18)."""

from engine.answer import Answer
from engine.composition.fallback import fallback_answer
from engine.ports import Deps
from engine.run import Run

__all__ = ["fall_back"]


async def fall_back(run: Run, deps: Deps) -> Answer:
    """Build the answer of last resort. It uses no model and no tool, and must not raise."""
    return fallback_answer(run)
