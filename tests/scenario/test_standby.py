"""What happens when the model fails before a verdict and a standby is there."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.bootstrap import open_engine
from bot.progress import NoProgress
from bot.settings import Settings
from engine.budget import Budget, Usage
from engine.diagnose import diagnose
from engine.errors import BadModelOutput, ModelUnavailable
from engine.invocation import ToolCall
from engine.models.builtin import BuiltinModel
from engine.ports import ModelReply, ModelRequest, Role
from engine.question import Question
from engine.store.memory import MemoryStore
from tests.fakes import ScriptedModel
from tests.scenario.story import Story, evaluation, passing, plan

SAMPLE = Path(__file__).parents[2] / "engine" / "samples" / "payment-pool-leak"

DOWN = ModelUnavailable("connection refused", retryable=True)


def _saying(**lines: object) -> Story:
    """A story whose model says the given lines and whose standby says what passes."""
    story = Story(passing(**lines))  # type: ignore[arg-type]
    story.standby = ScriptedModel(passing())
    return story


def _asked(story: Story) -> list[Role]:
    assert isinstance(story.standby, ScriptedModel)
    return [request.role for request in story.standby.requests]


@pytest.mark.parametrize(
    ("role", "lines", "reason", "asked"),
    [
        ("planner", [DOWN], "planner.unavailable", ["planner", "executor", "verifier", "composer"]),
        ("planner", ["no json"], "planner.not_json", ["planner", "executor", "verifier", "composer"]),
        ("executor", [DOWN], "executor.unavailable", ["executor", "verifier", "composer"]),
        ("executor", ["{}"], "executor.invalid_output.", ["executor", "verifier", "composer"]),
        ("verifier", [DOWN, DOWN], "verifier.failed: unavailable", ["verifier", "composer"]),
        ("verifier", ["?", "?"], "verifier.failed: not_json; not_json", ["verifier", "composer"]),
    ],
)
async def test_the_standby_finishes_from_the_node_that_failed(
    role: str, lines: list[object], reason: str, asked: list[str]
) -> None:
    """A model that fails in a node hands the run to the standby there and for the rest, and the answer says so."""
    story = _saying(**{role: lines})
    record = await story.told()
    assert record.outcome == "PASS"
    assert _asked(story) == asked
    stand_in = evaluation(record)["stand_in"]
    assert isinstance(stand_in, dict)
    assert stand_in["node"] == role
    assert str(stand_in["reason"]).startswith(reason)
    assert isinstance(stand_in["prompt_audit"], dict)
    assert record.answer is not None
    assert "内置分析器接手" in record.answer.notes[0]
    assert record.answer.notes[0] in record.answer.text


async def test_a_model_that_works_is_never_relieved() -> None:
    """With a model that answers, the standby is not asked and nothing is said of it."""
    story = _saying()
    record = await story.told()
    assert _asked(story) == []
    assert "stand_in" not in evaluation(record)
    assert record.answer is not None
    assert record.answer.notes == ()


async def test_without_a_standby_a_failing_model_ends_in_fallback() -> None:
    """No standby, no verdict."""
    record = await Story(passing(verifier=[DOWN, DOWN])).told()
    assert record.outcome == "FALLBACK"


async def test_a_standby_that_fails_too_ends_in_fallback() -> None:
    """When both fail, the answer is the Fallback with the evidence, and the last failure is its reason."""
    story = Story(passing(executor=[DOWN]))
    story.standby = ScriptedModel(passing(executor=[BadModelOutput("blank", "nothing")]))
    record = await story.told()
    assert record.outcome == "FALLBACK"
    assert record.fallback_reason == "executor.invalid_output.blank"
    assert len(record.invocations) == 2


async def test_the_standby_sees_all_evidence_and_no_turns_of_the_other() -> None:
    """What the model gathered in its tool rounds is in the standby's payload; no call is made twice."""
    more = ModelReply(tool_calls=(ToolCall(tool="query_logs", arguments={"severity": "ERROR"}, call_id="a"),))
    story = _saying(planner=[plan("query_metrics")], executor=[more, "garbage"])
    record = await story.told()
    assert isinstance(story.standby, ScriptedModel)
    (request,) = story.standby.calls("executor")
    assert request.turns == ()
    assert all(invocation.id in request.payload for invocation in record.invocations)
    assert len(record.invocations) == 2


async def test_endless_tool_rounds_are_relieved() -> None:
    """A model that only ever asks for more data is relieved as one that says nothing."""
    calls = [
        ModelReply(tool_calls=(ToolCall(tool="query_logs", arguments={"severity": f"E{number}"}, call_id="a"),))
        for number in range(9)
    ]
    record = await _saying(executor=calls).told()
    assert record.outcome == "PASS"


async def test_what_the_failed_tries_took_is_counted() -> None:
    """Tokens of replies that could not be used stand in the run's usage."""
    bad = BadModelOutput("blank", "nothing")
    bad.usage = Usage(model_calls=2, input_tokens=100, output_tokens=7)
    down = ModelUnavailable("429", retryable=True)
    down.usage = Usage(model_calls=3)
    record = await _saying(planner=[bad], verifier=[down, down]).told()
    assert record.usage.input_tokens == 100
    assert record.usage.model_calls == 2 + 4


async def test_a_bound_of_the_budget_is_not_relieved() -> None:
    """A run that met its bound ends in Fallback, standby or not."""
    story = _saying()
    story.budget = Budget(tool_calls=1)
    record = await story.told()
    assert record.fallback_reason == "budget.tool_calls"
    assert _asked(story) == []


async def test_a_stalling_model_leaves_the_standby_its_time() -> None:
    """A provider that never answers is given up early enough for the standby to finish within the budget."""

    class Stalling(ScriptedModel):
        async def complete(self, request: ModelRequest) -> ModelReply:
            await asyncio.sleep(3600)
            raise AssertionError

    story = _saying()
    story.budget = Budget(seconds=1.0)
    story.replace_model(Stalling({}))
    record = await story.told()
    assert record.outcome == "PASS"
    assert "内置分析器接手" in (record.answer.text if record.answer else "")


class _FailingAt:
    """The builtin model, but down in one role."""

    name = "failing"

    def __init__(self, role: Role) -> None:
        self._role, self._model = role, BuiltinModel()
        self.prompts = self._model.prompts

    def room(self, role: Role) -> int | None:
        return None

    async def complete(self, request: ModelRequest) -> ModelReply:
        if request.role == self._role:
            raise DOWN
        return await self._model.complete(request)


@pytest.mark.parametrize("role", ["planner", "executor", "verifier"])
async def test_the_builtin_model_takes_over_anywhere(role: Role) -> None:
    """On a recorded incident the real standby ends where the builtin model alone ends."""
    async with open_engine(Settings(), NoProgress(), SAMPLE, MemoryStore()) as (deps, frame):
        question = Question(text="payment-service 为什么报错？", asked_at=datetime(2026, 11, 30, tzinfo=UTC))
        alone = await diagnose(question, deps, frame)
        relieved = await diagnose(question, replace(deps, model=_FailingAt(role), standby=BuiltinModel()), frame)
    assert alone.answer is not None
    assert relieved.answer is not None
    assert relieved.outcome == alone.outcome == "PASS"
    assert [fact.text for fact in relieved.answer.confirmed] == [fact.text for fact in alone.answer.confirmed]
    stand_in = evaluation(relieved)["stand_in"]
    assert isinstance(stand_in, dict)
    assert stand_in["model"] == "builtin"


async def test_every_call_of_a_run_carries_the_runs_nonce() -> None:
    """One nonce for all calls of a run, and it stands in no payload and no stored record."""
    story = Story(passing())
    record = await story.told()
    nonces = {request.nonce for request in story.model.requests}
    assert len(nonces) == 1
    (nonce,) = nonces
    assert nonce
    assert all(nonce not in request.payload for request in story.model.requests)
    assert nonce not in record.model_dump_json()
