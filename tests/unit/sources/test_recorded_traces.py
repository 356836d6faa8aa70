"""Traces of an incident folder, as statistics."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.base import JsonObject
from engine.errors import SourceUnavailable
from engine.sources.recorded_traces import RecordedTraces
from engine.telemetry import EdgeStats, TraceDigest, TraceQuery
from tests.incident_folder import BASELINE, WINDOW, IncidentFolder, at, call

ALL = TraceQuery(WINDOW, (BASELINE,))


def _source(path: Path, *spans: JsonObject | str) -> RecordedTraces:
    IncidentFolder(path).traces(spans)
    return RecordedTraces(path / "traces.jsonl")


def _edge(digest: TraceDigest) -> EdgeStats:
    (edge,) = digest.edges
    return edge


def _calls() -> list[JsonObject]:
    before = [call(-30 + number, number, "order", "pay", served_ms=20, wait_ms=2) for number in range(5)]
    during = [call(5 + number, 50 + number, "order", "pay", served_ms=30, wait_ms=900) for number in range(3)]
    return [span for spans in (*before, *during) for span in spans]


async def test_an_edge_tells_the_callees_time_from_the_wait(tmp_path: Path) -> None:
    """The callee's span is its duration; what the caller's client span takes longer is the wait."""
    edge = _edge(await _source(tmp_path, *_calls()).search(ALL))
    assert (edge.caller, edge.callee) == ("order", "pay")
    assert [list(part) for part in edge.durations] == [[30] * 3, [20] * 5]
    assert [list(part) for part in edge.waits] == [[900] * 3, [2] * 5]


async def test_parents_may_come_after_their_children(tmp_path: Path) -> None:
    """The order of lines does not matter."""
    spans = _calls()
    forward = await _source(tmp_path, *spans).search(ALL)
    backward = await _source(tmp_path, *reversed(spans)).search(ALL)
    assert sorted(_edge(forward).waits[0]) == sorted(_edge(backward).waits[0])
    assert forward.spans == backward.spans == 9


async def test_own_time_leaves_out_children_and_waiting(tmp_path: Path) -> None:
    """An operation's own time is what its children do not take; a client span waits, it does not work."""
    digest = await _source(tmp_path, *_calls()).search(ALL)
    own = {(item.service, item.operation): list(item.own[0]) for item in digest.operations}
    assert own == {("order", "order/request"): [5, 5, 5], ("pay", "pay/server"): [30, 30, 30]}


async def test_errors_of_the_window_are_counted_once_a_span(tmp_path: Path) -> None:
    """A failed span counts for its edge and its operation, whatever the spelling; those of the baseline do not."""
    spans = _calls()
    for span in spans:
        if span["service"] == "pay":
            span["status"] = "Error"
    digest = await _source(tmp_path, *spans).search(ALL)
    assert _edge(digest).errors == 3
    assert sum(item.errors for item in digest.operations) == 3


async def test_a_failed_client_span_is_not_lost(tmp_path: Path) -> None:
    """A client span's own time is left out, its failure is not."""
    spans = call(5, 1, "order", "pay")
    spans[1]["status"] = "ERROR"
    digest = await _source(tmp_path, *spans).search(ALL)
    assert sum(item.errors for item in digest.operations) == 1


async def test_a_filter_counts_what_it_matched(tmp_path: Path) -> None:
    """Spans and traces are those of the asked service or operation; an edge belongs to both its ends."""
    source = _source(tmp_path, *_calls())
    digest = await source.search(TraceQuery(WINDOW, (BASELINE,), services=("pay",)))
    assert (digest.spans, digest.traces, digest.baseline_spans, len(digest.edges)) == (3, 3, 5, 1)
    digest = await source.search(TraceQuery(WINDOW, (BASELINE,), services=("nobody",)))
    assert (digest.spans, digest.traces, digest.edges, digest.operations) == (0, 0, (), ())
    digest = await source.search(TraceQuery(WINDOW, (BASELINE,), operation="pay/server"))
    assert [item.operation for item in digest.operations] == ["pay/server"]


async def test_the_slowest_roots_come_first_and_are_few(tmp_path: Path) -> None:
    """Slow traces are root spans of the window, slowest first."""
    spans = [span for number in range(9) for span in call(1 + number, number, "order", "pay", served_ms=number)]
    digest = await _source(tmp_path, *spans).search(ALL)
    assert [item.duration_ms for item in digest.slowest] == [15, 14, 13, 12, 11]


async def test_many_spans_are_sampled_by_whole_traces(tmp_path: Path) -> None:
    """Beyond the bound whole traces are left out evenly, whatever the order of lines; that is said."""
    spans = [span for number in range(100) for span in call(1, number, "order", "pay", served_ms=number)]
    IncidentFolder(tmp_path).traces(spans)
    digest = await RecordedTraces(tmp_path / "traces.jsonl", room=60).search(ALL)
    IncidentFolder(tmp_path).traces(spans[::-1])
    backward = await RecordedTraces(tmp_path / "traces.jsonl", room=60).search(ALL)
    assert digest.spans == 300
    assert not digest.complete
    assert digest.warnings
    edge = _edge(digest)
    assert 5 <= len(edge.durations[0]) <= 20
    assert len(edge.waits[0]) == len(edge.durations[0])
    assert sorted(edge.durations[0]) == sorted(_edge(backward).durations[0])


@pytest.mark.parametrize(
    "line",
    [
        '{"timestamp":"2026-12-01T06:01:00","trace_id":"t","span_id":"s","service":"a"}',
        '{"timestamp":"2026-12-01T06:01:00Z","trace_id":"t","span_id":"s","service":"a","duration_ms":-1}',
        '{"timestamp":"2026-12-01T06:01:00Z","trace_id":"t","span_id":"s","service":"a","duration_ms":1e300}',
        '{"timestamp":"2026-12-01T06:01:00Z","trace_id":"t","span_id":"s","service":"a","x":' + "[" * 5000,
        '{"timestamp":"2026-12-01T06:01:00Z","trace_id":"t","span_id":"s","service":"a","x":'
        + "[" * 5000
        + "]" * 5000
        + "}",
        "null",
    ],
)
async def test_lines_that_are_no_spans_are_counted_and_named(tmp_path: Path, line: str) -> None:
    """What cannot be a span is passed over and said; a file of nothing else is an error that names its line."""
    digest = await _source(tmp_path, *call(1, 1, "order", "pay"), line).search(ALL)
    assert digest.spans == 3
    assert not digest.complete
    assert "第 4 行" in digest.warnings[0]
    with pytest.raises(SourceUnavailable, match=r"traces\.jsonl:1"):
        await _source(tmp_path, line).search(ALL)


async def test_a_span_that_is_its_own_ancestor_is_read(tmp_path: Path) -> None:
    """Circles of parents do no harm."""
    spans = call(1, 1, "order", "pay")
    spans[0]["parent_span_id"] = spans[2]["span_id"]
    alone = {**spans[1], "trace_id": "x", "parent_span_id": spans[1]["span_id"]}
    assert (await _source(tmp_path, *spans, alone).search(ALL)).spans == 4


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=60), min_size=1, max_size=8))
async def test_garbage_is_an_answer_or_an_error_of_ours(tmp_path: Path, lines: list[bytes]) -> None:
    """Whatever bytes a file holds, the search ends with a digest or SourceUnavailable."""
    path = tmp_path / "traces.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        digest = await RecordedTraces(path).search(ALL)
    except SourceUnavailable:
        return
    assert digest.spans == 0


async def test_times_outside_window_and_baseline_do_not_count(tmp_path: Path) -> None:
    """Spans of other times are left out; a child whose parent lies outside is a root."""
    late = call(31, 1, "order", "pay")
    edge = call(29, 2, "order", "pay")
    edge[0]["timestamp"] = at(30)
    digest = await _source(tmp_path, *late, *edge).search(ALL)
    assert digest.spans == 2
    assert [item.operation for item in digest.slowest] == ["order/client"]
