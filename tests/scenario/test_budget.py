"""A run that meets a bound ends in Fallback with what is known by then."""

import asyncio

import pytest

from engine.base import JsonObject
from engine.budget import Budget, Usage
from engine.invocation import ToolResult
from engine.ports import ModelReply, ModelRequest, Role, ToolContext
from tests.fakes import FixedTool, SteppingClock
from tests.scenario.story import Story, evaluation, metrics_tool, passing, plan


class SlowTool(FixedTool):
    """Answers only after a time that no test waits for."""

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        await asyncio.sleep(3600)
        return await super().call(arguments, context)


async def test_a_slow_source_costs_its_own_gap() -> None:
    """A call that takes longer than it may fails as a call; the others' evidence still carries the answer."""
    story = Story(passing(), tools=(metrics_tool(), SlowTool("query_logs")), budget=Budget(tool_seconds=0.05))
    record = await story.told()
    assert record.outcome == "PASS"
    assert [item.status for item in record.invocations] == ["ok", "failed"]
    assert record.invocations[1].error_kind == "source_unavailable"


async def test_too_many_planned_calls_end_in_fallback_with_what_came() -> None:
    """The calls within the bound are made and shown as data; nothing is concluded from half of the plan."""
    story = Story(passing(), budget=Budget(tool_calls=1))
    record = await story.told()
    assert (record.outcome, record.fallback_reason) == ("FALLBACK", "budget.tool_calls")
    assert [item.status for item in record.invocations] == ["ok"]
    assert record.answer is not None
    assert "window.mean=0.92" in record.answer.text


async def test_output_beyond_the_bound_ends_in_fallback() -> None:
    """Stored output of the whole run is bounded in bytes."""
    record = await Story(passing(), budget=Budget(output_bytes=50)).told()
    assert record.fallback_reason == "budget.output_bytes"
    assert record.invocations


async def test_tokens_beyond_the_bound_end_in_fallback() -> None:
    """A model that used up its tokens is not asked again."""
    greedy = ModelReply(text="not used", usage=Usage(model_calls=1, input_tokens=900, output_tokens=200))
    story = Story(passing(executor=[greedy]), budget=Budget(tokens=1000))
    record = await story.told()
    assert record.outcome == "FALLBACK"
    assert story.model.calls("verifier") == []


async def test_model_calls_are_bounded() -> None:
    """With all model calls used, the next node that needs one does not begin."""
    story = Story(passing(), budget=Budget(model_calls=2))
    record = await story.told()
    assert record.fallback_reason == "budget.model_calls"
    assert len(story.model.requests) == 2
    assert "effective_verdict" not in evaluation(record)


async def test_time_is_bounded() -> None:
    """When the time is over before the Verifier, the run ends in Fallback with the evidence gathered."""
    clock = SteppingClock()

    def slow(request: ModelRequest) -> str:
        clock.pass_time(500)
        return "not used"

    story = Story(passing(planner=[plan(), plan()], executor=[slow]), clock=clock)
    record = await story.told()
    assert record.outcome == "FALLBACK"
    assert record.invocations


async def test_a_model_that_never_answers_is_given_up() -> None:
    """A hanging model costs the run's time at most, and the answer says that nobody answered."""

    class Hanging:
        """Never replies."""

        name = "hanging"
        prompts = Story(passing()).model.prompts

        def room(self, role: Role) -> int | None:
            return None

        async def complete(self, request: ModelRequest) -> ModelReply:
            await asyncio.sleep(3600)
            raise AssertionError(request.role)

    story = Story(passing(), budget=Budget(seconds=0.2))
    story.replace_model(Hanging())
    record = await story.told()
    assert record.outcome == "FALLBACK"
    assert record.fallback_reason in {"planner.unavailable", "budget.seconds"}


@pytest.mark.parametrize("name", ["seconds", "model_calls", "tool_calls", "tokens", "output_bytes"])
def test_each_bound_is_named(name: str) -> None:
    """The first bound that is met is named; below all of them none is."""
    budget = Budget()
    spent = {"model_calls": 16, "tool_calls": 40, "tokens": 200_000, "output_bytes": 4_000_000}
    assert budget.exceeded_by(Usage(), 0.0) is None
    if name == "seconds":
        assert budget.exceeded_by(Usage(), 120.0) == "budget.seconds"
    else:
        field = "input_tokens" if name == "tokens" else name
        assert budget.exceeded_by(Usage.model_validate({field: spent[name]}), 0.0) == f"budget.{name}"


async def test_a_plain_run_takes_four_model_calls() -> None:
    """Without a retry or an extra tool round a run makes one call per role, one after the other."""
    story = Story(passing())
    record = await story.told()
    assert [request.role for request in story.model.requests] == ["planner", "executor", "verifier", "composer"]
    assert record.usage.model_calls == 4
    spent = {event.node: event.usage.model_calls for event in record.events}
    assert spent == {"planner": 1, "executor": 1, "gatekeeper": 0, "verifier": 1, "composer": 1}
