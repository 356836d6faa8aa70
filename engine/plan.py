"""What the planner decided: the tool calls to make and why (`planner_plan_v1`)."""

from typing import Literal

from pydantic import Field

from engine.base import Frozen, JsonObject
from engine.budget import Usage
from engine.stand_in import StandIn

__all__ = ["EvidenceGapRequest", "Plan", "PlanMode", "PlanStep", "RetryContext"]

PlanMode = Literal["FULL", "EVIDENCE_GAP_ONLY"]


class PlanStep(Frozen):
    """One planned tool call."""

    id: str = Field(max_length=100)
    goal: str = Field(max_length=1000)
    tool: str = Field(max_length=200)
    arguments: JsonObject = Field(default_factory=dict)


class Plan(Frozen):
    """The planner's answer."""

    intent: str = Field(max_length=2000)
    scope: Literal["narrow", "broad"]
    """`narrow`: confirm one service, alert or symptom (spec S79); `broad`: find out what is wrong."""
    services: tuple[str, ...] = ()
    steps: tuple[PlanStep, ...] = ()
    mode: PlanMode = "FULL"
    usage: Usage = Usage()
    stand_in: StandIn | None = None


class EvidenceGapRequest(Frozen):
    """One critical claim that the verifier found not carried."""

    claim_id: str
    claim_type: str
    claim_text: str
    verification: str
    detail: str


class RetryContext(Frozen):
    """What an evidence retry is to fill (reading.md 11); the only thing its planner call sees."""

    gaps: tuple[EvidenceGapRequest, ...]
    tools_used: tuple[str, ...] = ()
