"""That the standby model took over a run, and why."""

from pydantic import Field

from engine.base import Frozen

__all__ = ["StandIn"]


class StandIn(Frozen):
    """The standby model took over, because the model failed before a verdict was reached."""

    node: str
    """Where it happened; the nodes after it are the standby's too."""
    reason: str
    """Machine-readable, such as `planner.unavailable` or `executor.not_json`."""
    detail: str = Field(default="", max_length=300)
    """One line of what the model did wrong."""
    model: str
    """Name of the model that took over."""
