"""What an executor is shown when its model's room does not take all the evidence."""

import json

from bot.audit_text import audit_text
from engine.base import JsonObject
from engine.invocation import Scope, ToolCall
from engine.ports import ModelReply, Role
from tests.fakes import FixedTool, ScriptedModel
from tests.scenario.story import LOG, Story, evaluation, executor_output, logs_tool, passing, plan

ROOM = 6000


class _Small(ScriptedModel):
    """A scripted model whose executor takes few bytes."""

    def room(self, role: Role) -> int | None:
        return ROOM if role == "executor" else None


def _noisy() -> FixedTool:
    """`query_metrics` over two hundred series, of which one is what the question is about."""
    series = [
        {"service": f"service-{number}", "signal": "disk_free", "unit": "ratio", "window": {"mean": 0.5}}
        for number in range(200)
    ]
    series[137] = {"service": "payment-service", "signal": "error_ratio", "unit": "ratio", "window": {"mean": 0.31}}
    output: JsonObject = json.loads(json.dumps({"summary": {"matched_series": 200}, "series": series}))
    pointers = ("/summary", *(f"/series/{number}" for number in range(200)))
    return FixedTool("query_metrics", output, pointers, scope=Scope(services=("payment-service",)))


def _told_small(**script: object) -> tuple[Story, _Small]:
    model = _Small(passing(**script))  # type: ignore[arg-type]
    story = Story(passing(), tools=(_noisy(), logs_tool()))
    story.replace_model(model)
    return story, model


async def test_evidence_is_reduced_to_the_models_room_by_relevance() -> None:
    """The message keeps within the room, holds the telling line, and says how much was left out."""
    story, model = _told_small()
    record = await story.told()
    (request,) = model.calls("executor")
    assert len(request.payload.encode()) <= ROOM
    metrics, logs = json.loads(request.payload)["invocations"]
    assert "/series/137" in [ref["raw_path"] for ref in metrics["evidence_refs"]]
    assert metrics["left_out"]["evidence_refs"] == 201 - len(metrics["evidence_refs"])
    assert "left_out" not in logs
    (kept,) = evaluation(record)["reductions"]  # type: ignore[misc]
    assert kept["of"] == 201  # type: ignore[index, call-overload]
    assert "行中的" in audit_text(record)
    assert len(record.invocations[0].evidence_refs) == 201


async def test_tool_rounds_keep_within_the_room_too() -> None:
    """The first message and all rounds together stay below the room, and each reduced result says so."""
    ask = ToolCall(tool="query_metrics", arguments={"service": "a"}, call_id="x")
    again = ToolCall(tool="query_metrics", arguments={"service": "b"}, call_id="y")
    story, model = _told_small(
        planner=[plan("query_logs")],
        executor=[ModelReply(tool_calls=(ask,)), ModelReply(tool_calls=(again,)), executor_output()],
    )
    await story.told()
    last = model.calls("executor")[-1]
    results = [result for turn in last.turns for result in turn.results]
    assert len(results) == 2
    assert len(last.payload.encode()) + sum(len(result.encode()) for result in results) <= ROOM
    assert all("left_out" in json.loads(result) for result in results)


async def test_where_all_fits_nothing_is_left_out() -> None:
    """A room that takes everything changes nothing."""
    story, model = _told_small()
    story.tools = (logs_tool(),)
    record = await story.told()
    (request,) = model.calls("executor")
    refs = [ref for view in json.loads(request.payload)["invocations"] for ref in view["evidence_refs"]]
    assert LOG in [ref["text"] for ref in refs]
    assert "reductions" not in evaluation(record)
