"""Fakes of the engine's ports; each keeps the port's contract."""

from tests.fakes.clock import SteppingClock
from tests.fakes.ids import CountingIds
from tests.fakes.model import ScriptedModel
from tests.fakes.observer import RecordingObserver
from tests.fakes.tool import FixedTool

__all__ = ["CountingIds", "FixedTool", "RecordingObserver", "ScriptedModel", "SteppingClock"]
