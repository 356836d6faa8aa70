"""Findings from traces."""

from engine.base import JsonObject
from engine.models.builtin.finding import Finding
from engine.models.builtin.traces import read_traces
from tests.unit.models.builtin.evidence import call, edge, executor_payload


def _findings(*edges: JsonObject, operations: tuple[JsonObject, ...] = ()) -> list[Finding]:
    return list(read_traces(executor_payload(call("query_traces", edges=edges, operations=operations))))


def test_a_wait_beyond_the_callees_own_time_blames_the_way_to_the_callee() -> None:
    """The median wait is told, and the finding is the callee's own."""
    found = _findings(edge("order", "pay", wait=(1003, 2), wait_score=117))
    assert [(item.service, item.own, item.text) for item in found] == [
        ("pay", True, "order 调用 pay 时的等待时间 p50 为 1 秒，基线 2 ms")
    ]


def test_a_wait_in_the_tail_only_tells_less() -> None:
    """A slow tail happens every day; a delay of the way hits most calls."""
    whole = edge("order", "pay", wait=(900, 3), wait_score=40)
    tail = {**edge("order", "pay", wait=(4, 3), wait_score=40), "wait_p95_ms": 900, "baseline_wait_p95_ms": 5}
    (median,), (slow,) = _findings(whole), _findings(tail)
    assert slow.strength < 0.5 * median.strength
    assert "p95 为 900 ms，基线 5 ms" in slow.text


def test_a_wait_that_other_edges_know_from_the_baseline_tells_less() -> None:
    """Where some calls waited as long before, a wait of that length is no news."""
    waits = edge("order", "pay", wait=(223, 2), wait_score=10)
    usual = {**edge("order", "stock"), "baseline_wait_p95_ms": 225}
    (alone,), (among,) = _findings(waits), _findings(waits, usual)
    assert among.strength < 0.5 * alone.strength


def test_few_calls_tell_less() -> None:
    """Quantiles over three calls say little."""
    many = edge("order", "pay", wait=(1003, 2), wait_score=117)
    (sure,), (unsure,) = _findings(many), _findings({**many, "count": 3})
    assert unsure.strength < sure.strength


def test_a_slow_callee_is_handed_up() -> None:
    """The callee's own span got longer: its fault or that of whom it calls."""
    slow = {**edge("order", "pay"), "score": 12, "p95_ms": 1234, "baseline_p95_ms": 12}
    assert [(item.service, item.own, item.text) for item in _findings(slow)] == [
        ("pay", False, "order 调用 pay 的 p95 耗时为 1.23 秒，基线 12 ms")
    ]


def test_failing_calls_are_told() -> None:
    """A share of failures that is no chance stands beside the durations; two failures of forty do not."""
    failing = {**edge("order", "pay"), "errors": 20}
    assert [item.text for item in _findings(failing)] == ["order 调用 pay 共 40 次，失败 20 次"]
    assert _findings({**failing, "errors": 2}) == []


def test_who_waits_for_the_network_is_not_slow_itself() -> None:
    """A client span that waits counts as its service's own time, and is not held against it."""
    operation: JsonObject = {
        "service": "order", "operation": "HTTP GET", "count": 75, "self_p95_ms": 1002, "baseline_self_p95_ms": 4,
        "score": 35,
    }  # fmt: skip
    assert [item.service for item in _findings(operations=(operation,))] == ["order"]
    waiting = _findings(edge("order", "pay", wait=(1003, 2), wait_score=117), operations=(operation,))
    assert [item.service for item in waiting] == ["pay"]
