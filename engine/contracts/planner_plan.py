"""Reads `planner_plan_v1` (interfaces.md)."""

from engine.contracts.fields import choice, objects, sentences, text
from engine.contracts.json_object import read_object
from engine.errors import BadModelOutput
from engine.plan import Plan, PlanMode, PlanStep

__all__ = ["read_plan"]

_MOST_STEPS = 20
_MOST_SERVICES = 50


def read_plan(reply: str, mode: PlanMode) -> Plan:
    """Parse the Planner's text.

    Raises:
        BadModelOutput: not one JSON object, or a field that is missing or mistyped.
    """
    source, _ = read_object(reply, allow_fence=True)
    services = source.get("services")
    steps: list[PlanStep] = []
    for number, item in enumerate(objects(source, "steps", "plan", most=_MOST_STEPS)):
        place = f"steps[{number}]"
        arguments = item.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            raise BadModelOutput("wrong_type", f"{place}.arguments must be an object")
        goal = item.get("goal")
        step_id = item.get("id")
        steps.append(
            PlanStep(
                id=str(step_id)[:100] if isinstance(step_id, str | int) and step_id else f"s{number + 1}",
                goal=goal[:1000] if isinstance(goal, str) else "",
                tool=text(item, "tool", place, limit=200),
                arguments=arguments or {},
            )
        )
    intent = source.get("intent")
    scope = choice(source, "scope", "plan", ("narrow", "broad")) if "scope" in source else "broad"
    return Plan(
        intent=intent[:2000] if isinstance(intent, str) else "",
        scope="narrow" if scope == "narrow" else "broad",
        services=sentences(services if isinstance(services, list) else [])[:_MOST_SERVICES],
        steps=tuple(steps),
        mode=mode,
    )
