"""Metrics of an incident folder, by service, signal and selector."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import BadArguments, SourceUnavailable
from engine.sources.recorded_metrics import RecordedMetrics
from engine.telemetry import MetricQuery, Series
from engine.window import TimeWindow


def _span(start: float, end: float) -> TimeWindow:
    return TimeWindow(start=datetime.fromtimestamp(start, UTC), end=datetime.fromtimestamp(end, UTC))


def _source(folder: Path, text: str) -> RecordedMetrics:
    path = folder / "metrics.om"
    path.write_text(text, encoding="utf-8")
    return RecordedMetrics(path)


@pytest.fixture
def source(tmp_path: Path) -> RecordedMetrics:
    """Three series with a sample every five seconds, and one counter."""
    lines = [
        f"{key} {moment} {moment}\n"
        for moment in range(0, 100, 5)
        for key in (
            'up{service="pay",pod="pay-1"}',
            'up{service="pay",pod="pay-2"}',
            'cpu{service="order",pod="order-1",path="a\\"b"}',
            'hits_total{service="order"}',
        )
    ]
    return _source(tmp_path, "".join(lines))


async def _found(source: RecordedMetrics, selector: str) -> list[Series]:
    return list((await source.series(MetricQuery(_span(50, 100), _span(0, 50), selector=selector))).series)


@pytest.mark.parametrize(
    ("window", "baseline", "expected"),
    [
        ((50, 100), (0, 50), range(0, 100, 5)),
        ((20, 40), (0, 50), range(0, 50, 5)),
        ((0, 50), (20, 100), range(0, 100, 5)),
        ((80, 90), (10, 20), (10, 15, 80, 85)),
        ((50, 60), None, (50, 55)),
    ],
)
async def test_each_sample_comes_once_and_in_order(
    source: RecordedMetrics,
    window: tuple[int, int],
    baseline: tuple[int, int] | None,
    expected: range | tuple[int, ...],
) -> None:
    """Touching, overlapping and distant stretches give their samples once; an end is not part of its stretch."""
    query = MetricQuery(_span(*window), _span(*baseline) if baseline else None, ("order",), "cpu")
    (series,) = (await source.series(query)).series
    assert list(series.times) == [float(moment) for moment in expected]


@pytest.mark.parametrize(
    ("selector", "pods"),
    [
        ("up", ["pay-1", "pay-2"]),
        ("up{}", ["pay-1", "pay-2"]),
        ('up{service="pay",pod="pay-2"}', ["pay-2"]),
        ('up{pod!="pay-2",}', ["pay-1"]),
        ('up{pod=~"pay-[12]"}', ["pay-1", "pay-2"]),
        ('up{pod=~"pay"}', []),
        ('up{pod!~".*-1"}', ["pay-2"]),
        (' cpu { path = "a\\"b" } ', ["order-1"]),
        ('up{missing=""}', ["pay-1", "pay-2"]),
    ],
)
async def test_plain_selectors(source: RecordedMetrics, selector: str, pods: list[str]) -> None:
    """Names and the four matchers mean what Prometheus means; patterns are anchored."""
    assert [series.labels["pod"] for series in await _found(source, selector)] == pods


async def test_a_counter_is_found_by_its_own_name(source: RecordedMetrics) -> None:
    """The name in the file leads to the rate that is kept of it."""
    assert [series.signal for series in await _found(source, "hits_total")] == ["hits_rate"]


@pytest.mark.parametrize(
    "selector", ["rate(up[5m])", "up[5m]", "sum(up)", "up > 0", "up{pod=pay}", 'up{pod="a"', "up offset 5m", "{}"]
)
async def test_anything_more_is_refused(source: RecordedMetrics, selector: str) -> None:
    """Functions, ranges and operators are an error that says what is possible."""
    with pytest.raises(BadArguments, match="plain selectors only"):
        await _found(source, selector)


async def test_an_unknown_name_lists_the_known_ones(source: RecordedMetrics) -> None:
    """A name without series is no silent nothing."""
    with pytest.raises(BadArguments, match=r"'nope'.*cpu, hits_rate, up"):
        await _found(source, 'nope{service="pay"}')


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|aa)*b", "a**", "a{1,}{2,}", "(", ".*.*.*.*x", "a" * 300])
async def test_patterns_that_may_never_end_are_refused(source: RecordedMetrics, pattern: str) -> None:
    """Nested or many repetitions, broken and overlong patterns are errors, before anything is matched."""
    with pytest.raises(BadArguments, match="query: "):
        await _found(source, f'up{{pod=~"{pattern}"}}')


async def test_a_malformed_file_is_a_source_that_does_not_answer(tmp_path: Path) -> None:
    """The query fails with the file's own error, which only its owner can mend."""
    with pytest.raises(SourceUnavailable, match=r"metrics\.om:1"):
        await _source(tmp_path, "garbage\n").series(MetricQuery(_span(0, 1), None))


async def test_histograms_are_said_to_be_passed_over(tmp_path: Path) -> None:
    """A warning names what the reader did not take."""
    source = _source(tmp_path, '# TYPE l histogram\nl_bucket{le="1"} 1 1\n')
    assert "l_bucket" in (await source.series(MetricQuery(_span(0, 9), None))).warnings[0]


def test_services_and_signals_are_listed(source: RecordedMetrics) -> None:
    """The file's services and signals, by name."""
    assert source.services() == ("order", "pay")
    assert [signal.name for signal in source.signals()] == ["cpu", "hits_rate", "up"]
