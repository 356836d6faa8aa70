"""What an Executor is shown when its model has not room for everything."""

import json
import time
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonObject
from engine.composition.reduction import fit
from engine.dialogue import serialize
from engine.invocation import RetrievalDetails, ToolInvocation
from engine.nodes.executor import evidence_view
from tests.incident_folder import CONTEXT, WINDOW, pay_incident

POOL = "service=payment-service signal=db_pool_usage_ratio title=连接池使用率 unit=ratio direction=up score=40 first_breach=2026-12-01T13:01:59+08:00 window.mean=0.738 baseline.mean=0.004"
CHANGE = 'time=2026-12-01T13:01:51+08:00 service=payment-service kind=deploy summary="payment-service v1.4.2 → v1.5.0"'


def view(number: int, tool: str, *texts: str, summary: str | None = None) -> JsonObject:
    """One invocation as the Executor is shown it."""
    refs: list[Any] = [{"raw_path": "/summary", "text": summary}] if summary is not None else []
    refs += [{"raw_path": f"/rows/{at}", "text": text} for at, text in enumerate(texts)]
    return {
        "invocation_id": f"inv-{number}",
        "tool_name": tool,
        "arguments": {},
        "status": "ok",
        "note": None,
        "error": None,
        "error_kind": None,
        "evidence_refs": refs,
    }


def size(views: Any) -> int:
    """Bytes of the views in a payload."""
    return len(serialize(list(views)).encode())


def texts_of(shown: JsonObject) -> list[str]:
    """The texts of a view's refs."""
    return [ref["text"] for ref in cast("list[dict[str, str]]", shown["evidence_refs"])]


def flat(service: str, number: int) -> str:
    """A line on which nothing is wrong."""
    return f"service={service} signal=gauge_{number} unit=count direction=flat score=0 window.mean={number} baseline.mean={number}"


_TEXTS = st.text(max_size=80) | st.sampled_from([POOL, CHANGE, flat("order-service", 3)])


@st.composite
def _views(draw: st.DrawFn) -> list[JsonObject]:
    tools = st.sampled_from(["query_metrics", "query_logs", "query_changes", "mcp__x__y"])
    return [
        view(at, draw(tools), *draw(st.lists(_TEXTS, max_size=8)), summary=draw(st.none() | _TEXTS))
        for at in range(draw(st.integers(0, 5)))
    ]


_WANTED = st.text(max_size=40) | st.just("payment-service 为什么报错？连接池")


def _bare(shown: JsonObject, room: int) -> JsonObject:
    """The least that may be said of a view: itself, or without its refs, whichever is shorter."""
    count = len(texts_of(shown))
    if not count:
        return shown
    (found,), _ = fit([shown], "", -1)
    because = (
        cast("dict[str, str]", found["left_out"])["because"].replace("-1", str(room)) if "left_out" in found else ""
    )
    bare: JsonObject = {
        **shown,
        "evidence_refs": [],
        "left_out": {"evidence_refs": count, "of": count, "because": because},
    }
    return min(shown, bare, key=lambda item: size([item])) if because else shown


@given(_views(), _WANTED, st.integers(0, 4000))
def test_what_is_shown_fits_and_is_true(views: list[JsonObject], wanted: str, room: int) -> None:
    """The views fit the room or are bare; refs are whole and in order; what is missing is counted, the same each time."""
    shown, reductions = fit(views, wanted, room)
    assert (shown, reductions) == fit(views, wanted, room)
    assert size(shown) <= max(room, size([_bare(item, room) for item in views]))
    assert len(shown) == len(views)
    lost: list[tuple[object, int, int]] = []
    for before, after in zip(views, shown, strict=True):
        had, has = cast("list[Any]", before["evidence_refs"]), cast("list[Any]", after["evidence_refs"])
        left = iter(had)
        assert all(ref in left for ref in has)
        assert {**after, "evidence_refs": had} | {"left_out": None} == {**before, "left_out": None}
        assert ("left_out" in after) == (len(has) < len(had))
        if len(has) < len(had):
            told = cast("dict[str, Any]", after["left_out"])
            assert (told["evidence_refs"], told["of"]) == (len(had) - len(has), len(had))
            assert str(room) in told["because"]
            lost.append((after["invocation_id"], len(has), len(had)))
    assert lost == [(item.invocation_id, item.kept, item.of) for item in reductions]
    assert all(item.room == room for item in reductions)


@given(_views(), _WANTED)
def test_what_fits_is_left_alone(views: list[JsonObject], wanted: str) -> None:
    """Nothing is left out where all has room, to the byte."""
    assert fit(views, wanted, size(views)) == (tuple(views), ())


@given(st.lists(st.integers(1, 30), min_size=1, max_size=5), st.integers(0, 6000))
def test_each_invocation_keeps_one_ref_while_there_is_room(counts: list[int], room: int) -> None:
    """Where the shortest refs of all have room together, no invocation is left without one."""
    views = [
        view(at, "query_metrics", *(f"{POOL} row={row}{'x' * (row * 7 % 40)}" for row in range(count)))
        for at, count in enumerate(counts)
    ]
    least = [
        {**item, "evidence_refs": [min(cast("list[Any]", item["evidence_refs"]), key=lambda ref: len(ref["text"]))]}
        for item in views
    ]
    said = sum(size([_bare(item, room)]) - size([{**item, "evidence_refs": []}]) for item in views)
    shown, _ = fit(views, "连接池", room)
    if size(least) + said <= room:
        assert all(item["evidence_refs"] for item in shown)


def _fitted(views: list[JsonObject], wanted: str, share: float) -> list[str]:
    shown, reductions = fit(views, wanted, int(size(views) * share))
    assert reductions
    return [text for item in shown for text in texts_of(item)]


@pytest.mark.parametrize(
    "wanted",
    [
        "为什么连接池满了",
        "payment-service 连接池使用率",
        "db_pool_usage_ratio of payment-service",
        "why is the pool exhausted",
    ],
)
def test_the_line_that_was_asked_for_survives(wanted: str) -> None:
    """Among many lines that are like it, the one that holds the asked words stays, in either language."""
    noise = [POOL.replace("db_pool_usage_ratio", f"gauge_{at}").replace("连接池使用率", "线程数") for at in range(60)]
    for at in (0, 31, 60):
        lines = [*noise[:at], POOL, *noise[at:]]
        assert POOL in _fitted([view(1, "query_metrics", *lines)], wanted, 0.1)


def test_anomalies_and_changes_survive_a_question_without_words() -> None:
    """What says itself that it is wrong, or that something was changed, outlives calm lines."""
    error = 'service=payment-service level=ERROR kind=new count=412 template="PoolTimeout" score=400'
    calm = [flat("order-service", at) for at in range(80)]
    changes = [CHANGE.replace("deploy", "note").replace("v1.5.0", f"v0.{at}") for at in range(10)]
    views = [
        view(1, "query_metrics", *calm, POOL),
        view(
            2, "query_logs", *(f'service=order-service level=INFO count={at} template="ok"' for at in range(40)), error
        ),
        view(3, "mcp__git__log", *changes, CHANGE),
    ]
    assert {POOL, error, CHANGE} <= set(_fitted(views, "？", 0.25))


def test_a_time_in_the_question_is_no_word() -> None:
    """Numbers of the question do not draw lines that merely hold the same digits."""
    noise = [f'service=order-service level=INFO template="handler 17:11 step {at} of 14"' for at in range(60)]
    calm = 'service=payment-service level=INFO template="paid"'
    wanted = "17:11 到 17:14 payment-service 有问题吗"
    assert calm in _fitted([view(1, "query_logs", *noise, calm)], wanted, 0.1)


def test_an_identifier_in_the_question_is_a_word() -> None:
    """A long number is an order or a trace, and its line is found."""
    noise = [f'service=order-service level=INFO template="order 2026{at:06}"' for at in range(60)]
    asked = 'service=order-service level=INFO template="order 9981237712"'
    assert asked in _fitted([view(1, "query_logs", *noise, asked)], "订单 9981237712 怎么了", 0.1)


def test_a_line_given_twice_makes_way() -> None:
    """Where two calls overlap, what both gave stays once before a weaker line of its own goes."""
    twice = [f"{POOL} row={at}" for at in range(6)]
    once = flat("payment-service", 7).replace("direction=flat", "direction=up")
    kept = _fitted([view(1, "query_metrics", *twice), view(2, "query_metrics", *twice, once)], "连接池", 0.75)
    assert once in kept
    assert set(twice) <= set(kept)


def test_hostile_lines_cost_little_time() -> None:
    """Lines made to be slow to read are ranked all the same, and the line that was asked for stays."""
    hostile = ["a" * 50_000, "=" * 50_000, '"' * 50_000, "a-" * 25_000, "\\" * 50_000, "服" * 50_000] * 4
    started = time.process_time()
    shown, _ = fit([view(1, "query_logs", *hostile, POOL)], "连接池 " + "a-b " * 2000, 5000)
    assert texts_of(shown[0]) == [POOL]
    assert time.process_time() - started < 2


def test_the_summary_survives() -> None:
    """What was searched, with what result, outlives lines that only their own signs speak for: it carries absence."""
    summary = f"services=payment-service total=0 firing=0 complete=true note={'searched-' * 30}"
    rows = [POOL.replace("0.738", f"0.{at}") for at in range(40)]
    assert summary in _fitted([view(1, "query_metrics", *rows, summary=summary)], "？", 0.2)


def test_the_earlier_of_two_like_lines_stays() -> None:
    """Ties go to the order that the tool gave, most telling first, and to the call that was made first."""
    rows = [f"{POOL} row={at}" for at in range(10, 40)]
    kept = _fitted([view(1, "query_metrics", *rows)], "连接池", 0.5)
    assert kept == rows[: len(kept)]
    views = [view(number, "query_metrics", *(f"{POOL} row={number}{at}" for at in range(10, 30))) for number in (1, 2)]
    counts = [[len(texts_of(item)) for item in fit(views, "连接池", room)[0]] for room in range(2000, 6000, 100)]
    assert all(first - second in {0, 1} for first, second in counts)
    assert any(first > second for first, second in counts)


@pytest.mark.parametrize("share", [0.55, 0.7, 0.9])
async def test_the_cause_survives_in_real_tool_results(tmp_path: Path, share: float) -> None:
    """Of a whole incident as the tools tell it, the asked service's worst lines stay within a part of the room."""
    tools = pay_incident(tmp_path).tools()
    views: list[JsonObject] = []
    for number, (name, tool) in enumerate(tools.items(), start=1):
        given_: JsonObject = {"query": "连接池"} if name == "lookup_knowledge" else {}
        result = await tool.call(given_, CONTEXT)
        invocation = ToolInvocation(
            id=f"inv-{number}",
            run_id="run-1",
            tool_name=name,
            arguments=given_,
            status=result.status,
            started_at=WINDOW.start,
            ended_at=WINDOW.end,
            output=result.output,
            retrieval_details=RetrievalDetails(evidence_refs=result.evidence_refs),
        )
        views.append(evidence_view(invocation))
    shown, reductions = fit(views, "payment-service 为什么报错？", int(size(views) * share))
    assert size(shown) <= size(views) * share
    assert reductions
    assert all(item["evidence_refs"] for item, before in zip(shown, views, strict=True) if before["evidence_refs"])
    logs = [text for item in shown if item["tool_name"] == "query_logs" for text in texts_of(item)]
    assert any("level=ERROR" in text for text in logs), json.dumps(logs, ensure_ascii=False)
