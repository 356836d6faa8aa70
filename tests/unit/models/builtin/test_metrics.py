"""Findings from series."""

from engine.base import JsonObject
from engine.models.builtin.finding import Finding
from engine.models.builtin.metrics import read_metrics
from tests.unit.models.builtin.evidence import call, executor_payload, series

LATENCY: JsonObject = series("pay", "http_latency_p95_seconds", 1.2, 0.03, unit="seconds", title="延迟 P95")
FAILURES: JsonObject = series(
    "pay", "availability_ratio", 0.95, 1.0, title="可用性", direction="down", worse="down", score=20
)
ANOTHER_DAY: JsonObject = {"from": "2026-11-20T05:00:00Z", "to": "2026-11-20T06:00:00Z"}


def _findings(
    *rows: JsonObject, question: str = "哪里有问题", baseline: JsonObject | None = None
) -> tuple[Finding, ...]:
    return tuple(read_metrics(executor_payload(call("query_metrics", *rows), question=question, baseline=baseline)))


def _strength(row: JsonObject, question: str = "哪里有问题", baseline: JsonObject | None = None) -> float:
    return sum(finding.strength for finding in _findings(row, question=question, baseline=baseline))


def test_the_words_give_window_and_baseline_in_their_units() -> None:
    """Ratios read as percent and seconds as milliseconds below one, with the peak or the lowest where it tells."""
    assert [finding.text for finding in _findings(FAILURES, LATENCY)] == [
        "pay 的可用性（availability_ratio）窗口均值 95%，基线均值 100%，最低 100%",
        "pay 的延迟 P95（http_latency_p95_seconds）窗口均值 1.2 秒，基线均值 30 ms",
    ]


def test_getting_better_is_no_finding() -> None:
    """Latency that falls and availability that rises accuse nobody."""
    assert _findings({**LATENCY, "direction": "down"}, {**FAILURES, "direction": "up"}) == ()


def test_below_the_unusual_nothing_is_found() -> None:
    """A score under three is an ordinary day."""
    assert _findings({**LATENCY, "score": 2.9}) == ()


def test_what_the_question_speaks_of_weighs_more() -> None:
    """Who asks about failures is told of failures first, who asks about slowness of slowness."""
    assert _strength(FAILURES, "为什么报错") > _strength(FAILURES) > _strength(FAILURES, "为什么变慢")
    assert _strength(LATENCY, "为什么变慢") > _strength(LATENCY) > _strength(LATENCY, "为什么报错")


def test_a_shift_of_every_sample_against_another_day_is_doubted() -> None:
    """Against a baseline of another day a shift from the first sample on may be that day; against the hour before not."""
    shifted = {**LATENCY, "breached": 30}
    assert _strength(shifted, baseline=ANOTHER_DAY) < 0.5 * _strength(shifted)
    assert _strength(LATENCY, baseline=ANOTHER_DAY) == _strength(LATENCY)


def test_one_sample_beyond_the_range_tells_less() -> None:
    """A single spike of latency is doubted; one sample in all is hardly evidence."""
    assert _strength({**LATENCY, "breached": 1}) < _strength(LATENCY)
    alone = series("pay", "http_latency_p95_seconds", 1.2, 0.03, unit="seconds", samples=1, breached=1)
    assert _strength(alone) <= 0.5 * _strength({**LATENCY, "breached": 1})


def test_a_resource_of_the_service_is_its_own_and_a_request_is_handed_up() -> None:
    """CPU arises in the service; its latency may come from what it calls; traffic accuses hardly anybody."""
    cpu = series("pay", "process_cpu_usage_ratio", 0.9, 0.1, title="CPU 使用率")
    traffic = series("pay", "http_request_rate", 90, 30, unit="requests_per_second", worse="either")
    own, handed, busy = _findings(cpu, LATENCY, traffic)
    assert (own.own, own.state, handed.own) == (True, True, False)
    assert busy.strength < 0.2 * handed.strength
