"""The contract of `engine.ports.Store`, for memory, SQLite and PostgreSQL."""

from datetime import timedelta, timezone

import pytest

from engine.answer import Answer
from engine.base import JsonValue
from engine.budget import Usage
from engine.errors import StoreError, UnknownRun
from engine.ports import Store
from engine.rendering import render_line
from engine.run import NodeName
from engine.store import MemoryStore
from tests.contract.conftest import AnyStore
from tests.unit.store.runs import NOON, WINDOW, a_call, a_failure, a_run, an_answer, an_event


def test_each_store_is_the_port(store: AnyStore) -> None:
    """Every store can stand where the port is asked for."""
    port: Store = store
    assert port is store


async def test_a_begun_run_is_there_with_all_it_knows(store: AnyStore) -> None:
    """A run that has only begun loads with its question, windows and the first node as its stage."""
    run = a_run()
    await store.begin(run)
    record = await store.load("run-1")
    assert (record.question, record.window, record.baseline) == (run.question, WINDOW, run.baseline)
    assert (record.started_at, record.stage, record.session_id) == (NOON, "planner", "session-1")
    assert (record.outcome, record.answer, record.self_evaluation, record.events) == (None, None, {}, ())


async def test_beginning_again_keeps_what_is_there(store: AnyStore) -> None:
    """A run that is begun a second time keeps its stage, evidence and evaluation."""
    run = a_run().evolve(invocations=(a_call(),))
    await store.begin(run)
    await store.checkpoint(run, "executor", (an_event(),))
    await store.merge_evaluation("run-1", "rule_evaluation", {"score": 1})
    before = await store.load("run-1")
    await store.begin(run)
    assert await store.load("run-1") == before


async def test_moments_come_back_aware_and_equal(store: AnyStore) -> None:
    """A moment given in another zone comes back as the same moment, aware, to the microsecond."""
    shanghai = NOON.astimezone(timezone(timedelta(hours=8)))
    await store.begin(a_run(started_at=shanghai))
    record = await store.load("run-1")
    assert record.started_at == NOON
    assert record.started_at.utcoffset() is not None
    assert (await store.recent(1))[0].started_at.utcoffset() is not None


async def test_a_checkpoint_keeps_what_the_node_left(store: AnyStore) -> None:
    """After a checkpoint the node's events, the new tool calls and the usage load as they were written."""
    calls = (a_call("inv-9", [{"service": "pay"}]), a_call("inv-1", {"n": 1}, tool="query_metrics"))
    run = a_run().evolve(invocations=calls, usage=Usage(model_calls=2, input_tokens=300))
    await store.begin(run)
    await store.checkpoint(run, "executor", (an_event(),))
    record = await store.load("run-1")
    assert record.invocations == calls
    assert record.events == (an_event(),)
    assert record.usage == Usage(model_calls=2, input_tokens=300)


async def test_outputs_keep_the_order_of_their_keys(store: AnyStore) -> None:
    """A stored output renders to the very line that was quoted from it, numbers and key order included."""
    output: JsonValue = [{"zeta": 1e23, "a": {"y": 0.1, "x": 12345678901234567890}, "b": [True, None, "超时"]}]
    run = a_run().evolve(invocations=(a_call(output=output),))
    await store.begin(run)
    await store.checkpoint(run, "executor", ())
    loaded = (await store.load("run-1")).invocations[0].output
    assert loaded == output
    assert render_line(loaded) == render_line(output)


async def test_a_replayed_checkpoint_replaces_its_rows(store: AnyStore) -> None:
    """A node that runs again replaces its first try's calls and events, and nothing counts twice."""
    first = a_run().evolve(invocations=(a_call("inv-a"), a_call("inv-b")), usage=Usage(tool_calls=2))
    again = a_run().evolve(invocations=(a_call("inv-c"),), usage=Usage(tool_calls=1))
    await store.begin(first)
    await store.checkpoint(first, "planner", (an_event("planner"),))
    await store.checkpoint(first, "executor", (an_event(reason="not_json"), an_event(attempt=2)))
    await store.checkpoint(again, "executor", (an_event(attempt=3),))
    await store.checkpoint(again, "executor", (an_event(attempt=3),))
    record = await store.load("run-1")
    assert [call.id for call in record.invocations] == ["inv-c"]
    assert [(event.node, event.attempt) for event in record.events] == [("planner", 1), ("executor", 3)]
    assert record.usage.tool_calls == 1


async def test_a_replay_under_the_same_ids_replaces_the_contents(store: AnyStore) -> None:
    """A call that is made again under its old id is kept with what it brought the second time."""
    run = a_run()
    await store.begin(run)
    await store.checkpoint(run.evolve(invocations=(a_call(output="old"),)), "executor", ())
    await store.checkpoint(run.evolve(invocations=(a_call(output="new"),)), "executor", ())
    assert [call.output for call in (await store.load("run-1")).invocations] == ["new"]


async def test_the_second_cycle_adds_to_the_first(store: AnyStore) -> None:
    """The evidence retry's calls and events stand beside the first cycle's, and replay by themselves."""
    first = a_run().evolve(invocations=(a_call("inv-1"),))
    second = first.evolve(cycle=1, invocations=(a_call("inv-1"), a_call("inv-2", cycle=1)))
    other = first.evolve(cycle=1, invocations=(a_call("inv-1"), a_call("inv-3", cycle=1)))
    await store.begin(first)
    await store.checkpoint(first, "executor", (an_event(),))
    await store.checkpoint(second, "executor", (an_event(cycle=1),))
    await store.checkpoint(other, "executor", (an_event(cycle=1),))
    record = await store.load("run-1")
    assert [(call.id, call.cycle) for call in record.invocations] == [("inv-1", 0), ("inv-3", 1)]
    assert sorted(event.cycle for event in record.events) == [0, 1]


async def test_a_run_says_what_it_was_doing(store: AnyStore) -> None:
    """The stage is the node last entered, until the run ends."""
    run = a_run()
    await store.begin(run)
    stages: list[str] = []
    nodes: tuple[NodeName, ...] = ("planner", "executor", "gatekeeper")
    for node in nodes:
        await store.enter("run-1", node)
        stages.append((await store.load("run-1")).stage)
        await store.checkpoint(run, node, (an_event(node),))
        stages.append((await store.load("run-1")).stage)
    await store.finish(run.evolve(answer=an_answer()), 1.0)
    assert stages == ["planner", "planner", "executor", "executor", "gatekeeper", "gatekeeper"]
    assert (await store.load("run-1")).stage == "end"


async def test_a_checkpoint_may_name_what_begins_now(store: AnyStore) -> None:
    """With the following node given, the stage is that one, in the same write."""
    run = a_run()
    await store.begin(run)
    await store.checkpoint(run, "planner", (an_event("planner"),), "executor")
    record = await store.load("run-1")
    assert (record.stage, [event.node for event in record.events]) == ("executor", ["planner"])


async def test_a_finished_run_has_its_answer(store: AnyStore) -> None:
    """The end of a run keeps the outcome, the answer's parts, the suspects, the usage and the duration."""
    run = a_run().evolve(answer=an_answer(), usage=Usage(model_calls=5))
    await store.begin(run)
    await store.finish(run, 1234.5)
    record = await store.load("run-1")
    answer = an_answer()
    assert record.answer is not None
    assert record.answer.model_dump() == answer.model_dump(include=set(type(record.answer).model_fields))
    assert (record.outcome, record.hypotheses, record.fallback_reason) == ("PASS", answer.hypotheses, None)
    assert (record.usage.model_calls, record.duration_ms, record.stage) == (5, 1234.5, "end")


async def test_a_fallback_says_why(store: AnyStore) -> None:
    """A run that ended in Fallback keeps the machine-readable reason."""
    answer = Answer(outcome="FALLBACK", conclusion="未形成结论", text="未形成结论")
    run = a_run().evolve(answer=answer, failure=a_failure())
    await store.begin(run)
    await store.finish(run, 1.0)
    record = await store.load("run-1")
    assert (record.outcome, record.fallback_reason) == ("FALLBACK", "executor.invalid_output")


async def test_an_unknown_run_is_said_to_be_unknown(store: AnyStore) -> None:
    """Loading an id that no run has raises UnknownRun, whatever characters it holds."""
    for run_id in ("nobody", "", "x" * 300, "a\0b", "a\udc80b", "'; --"):
        with pytest.raises(UnknownRun, match="verdict runs"):
            await store.load(run_id)


async def test_nothing_is_written_for_an_unknown_run(store: AnyStore) -> None:
    """Every write for a run that was never begun raises UnknownRun and leaves nothing."""
    run = a_run().evolve(answer=an_answer())
    with pytest.raises(UnknownRun):
        await store.enter("run-1", "planner")
    with pytest.raises(UnknownRun):
        await store.checkpoint(run, "planner", (an_event(),))
    with pytest.raises(UnknownRun):
        await store.finish(run, 1.0)
    with pytest.raises(UnknownRun):
        await store.merge_evaluation("run-1", "rule_evaluation", {})
    assert await store.recent(10) == ()


async def test_an_impossible_identifier_is_refused(store: AnyStore) -> None:
    """An identifier that some database cannot hold is refused by every store."""
    run = a_run()
    await store.begin(run)
    for key in ("", "x" * 201, "a\0b", "a\udc80b"):
        with pytest.raises(StoreError, match="run_id must have"):
            await store.begin(a_run(key))
        with pytest.raises(StoreError, match="session_id must have"):
            await store.begin(a_run("run-2", session_id=key))
        with pytest.raises(StoreError, match="invocation id must have"):
            await store.checkpoint(run.evolve(invocations=(a_call(key),)), "executor", ())
    assert (await store.load("run-1")).invocations == ()


async def test_hostile_text_is_kept_without_what_databases_refuse(store: AnyStore) -> None:
    """NUL and lone surrogates become U+FFFD, an endless note is cut, and deep JSON survives."""
    deep: JsonValue = "bottom"
    for _ in range(200):
        deep = [deep]
    output: JsonValue = {"a\0": "b\ud800c", "deep": deep, "quote": "'\"\\; DROP TABLE", "big": 10**400}
    run = a_run().evolve(invocations=(a_call(output=output, note="长" * 100_000),))
    await store.begin(run)
    await store.checkpoint(run, "executor", (an_event(reason="x\0" * 5000),))
    await store.merge_evaluation("run-1", "rule_evaluation", {"\0": "\udfff"})
    record = await store.load("run-1")
    (call,) = record.invocations
    assert call.output == {"a\ufffd": "b\ufffdc", "deep": deep, "quote": "'\"\\; DROP TABLE", "big": 10**400}
    assert call.note is not None
    assert len(call.note) == 4000
    assert len(record.events[0].reason or "") == 4000
    assert record.self_evaluation == {"rule_evaluation": {"\ufffd": "\ufffd"}}


async def test_recent_runs_come_newest_first(store: AnyStore) -> None:
    """The list of runs is newest first, bounded, and may be one session's."""
    for minute, session in enumerate(("a", "b", "a", "b")):
        await store.begin(a_run(f"run-{minute}", session, NOON + timedelta(minutes=minute)))
    await store.finish(a_run("run-3", "b").evolve(answer=an_answer()), 7.0)
    newest = await store.recent(3)
    assert [summary.run_id for summary in newest] == ["run-3", "run-2", "run-1"]
    assert [summary.run_id for summary in await store.recent(9, session_id="a")] == ["run-2", "run-0"]
    assert (newest[0].question, newest[0].outcome, newest[0].conclusion) == (
        "支付为什么变慢？",
        "PASS",
        "支付连接池耗尽",
    )
    assert (newest[0].duration_ms, newest[1].outcome, newest[1].conclusion) == (7.0, None, None)
    assert await store.recent(0) == await store.recent(-1) == await store.recent(5, session_id="a\0") == ()


async def test_pruning_deletes_old_runs_and_the_sessions_they_leave_empty(store: AnyStore) -> None:
    """Runs that started longer ago go with all their parts, as do sessions without a run; the rest stays."""
    old, older = NOON - timedelta(days=91), NOON - timedelta(days=400)
    for number in range(205):
        await store.begin(a_run(f"old-{number}", f"gone-{number % 3}", older))
    await store.begin(a_run("old", "mixed", old))
    kept = a_run("new", "mixed", NOON - timedelta(days=89)).evolve(invocations=(a_call(run_id="new"),))
    await store.begin(kept)
    await store.checkpoint(kept, "executor", (an_event(),))
    for run_id in ("old-1", "new"):
        await store.merge_evaluation(run_id, "rule_evaluation", {"of": run_id})
    assert await store.prune(timedelta(days=90), NOON) == 206
    assert await store.prune(timedelta(days=90), NOON) == 0
    assert [summary.run_id for summary in await store.recent(10)] == ["new"]
    assert len((await store.load("new")).invocations) == 1
    assert await store.session_evaluation("mixed") == {"rule_evaluation": {"of": "new"}}
    assert await store.session_evaluation("gone-1") == {}
    with pytest.raises(UnknownRun):
        await store.load("old")


async def test_every_store_keeps_the_same_record(store: AnyStore) -> None:
    """One story gives the same record in each store as in memory."""
    memory = MemoryStore()
    for each in (store, memory):
        run = a_run().evolve(invocations=(a_call(output={"b": 1, "a": "x\0"}), a_call("inv-2")))
        await each.begin(run)
        await each.enter("run-1", "executor")
        await each.checkpoint(run, "executor", (an_event(attempt=2), an_event(attempt=1, reason="blank")))
        await each.checkpoint(run, "verifier", (an_event("verifier"),))
        await each.merge_evaluation("run-1", "verifier_evaluation", {"verdict": "PASS"})
        await each.finish(run.evolve(answer=an_answer(), failure=a_failure()), 3.25)
    assert await store.load("run-1") == await memory.load("run-1")
    assert await store.recent(5) == await memory.recent(5)
