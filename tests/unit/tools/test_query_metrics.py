"""`query_metrics`: series against their baseline."""

import random
from pathlib import Path
from typing import cast

import pytest

from engine.base import JsonObject
from engine.errors import BadArguments
from engine.invocation import ToolResult
from tests.incident_folder import CONTEXT, IncidentFolder, at

QUIET = [random.Random(index).gauss(0.1, 0.002) for index in range(60)]


async def _query(folder: IncidentFolder, **arguments: str) -> ToolResult:
    return await folder.tools()["query_metrics"].call({**arguments}, CONTEXT)


def _rows(result: ToolResult) -> list[JsonObject]:
    assert isinstance(result.output, dict)
    return cast("list[JsonObject]", result.output["series"])


def _summary(result: ToolResult) -> JsonObject:
    assert isinstance(result.output, dict)
    return cast("JsonObject", result.output["summary"])


async def test_the_most_unusual_series_comes_first(tmp_path: Path) -> None:
    """Sorted by score, with the statistics, direction, change and onset that the samples have."""
    folder = (
        IncidentFolder(tmp_path)
        .series("cpu_usage_ratio", 'service="order",pod="o-1"', QUIET, QUIET[:30])
        .series("cpu_usage_ratio", 'service="pay",pod="p-1"', [0.2] * 60, [0.2] * 15 + [0.9] * 15)
    )
    result = await _query(folder)
    first, second = _rows(result)
    assert (first["service"], first["labels"], first["title"], first["unit"]) == (
        "pay",
        {"pod": "p-1"},
        "CPU 使用率",
        "ratio",
    )
    assert (first["direction"], first["worse"], first["change"]) == ("up", "up", 2.75)
    assert first["first_breach"] == "2026-12-01T14:15:00+08:00"
    assert first["window"] == {"count": 30, "mean": 0.55, "min": 0.2, "max": 0.9, "last": 0.9}
    assert first["baseline"] == {"count": 60, "mean": 0.2, "min": 0.2, "max": 0.2}
    assert (second["direction"], second["first_breach"]) == ("flat", None)
    assert cast("float", second["score"]) < 3 < cast("float", first["score"])
    assert (_summary(result)["matched_series"], _summary(result)["anomalous_series"]) == (2, 1)


async def test_no_change_ratio_over_nothing(tmp_path: Path) -> None:
    """A baseline of zero has no ratio; a failure share that rises from zero is unusual all the same."""
    folder = IncidentFolder(tmp_path).series("http_error_ratio", 'service="pay"', [0.0] * 60, [0.05] * 30)
    (row,) = _rows(await _query(folder))
    assert (row["change"], row["direction"]) == (None, "up")


async def test_a_series_with_hardly_a_sample_counts_as_silent(tmp_path: Path) -> None:
    """One readable sample in a stretch that should hold thirty is no quiet stretch."""
    folder = IncidentFolder(tmp_path).series("cpu_usage_ratio", 'service="pay"', QUIET, [0.2] + [float("nan")] * 29)
    result = await _query(folder)
    assert (result.status, _summary(result)["silent_series"]) == ("empty", 1)


async def test_a_series_that_stopped_is_told(tmp_path: Path) -> None:
    """Series with samples in the baseline alone are counted, because silence is news."""
    folder = (
        IncidentFolder(tmp_path)
        .series("cpu_usage_ratio", 'service="pay"', QUIET, [])
        .series("cpu_usage_ratio", 'service="order"', QUIET, QUIET[:30])
    )
    every = await _query(folder)
    assert (_summary(every)["silent_series"], len(_rows(every))) == (1, 1)
    assert every.note is not None
    assert "有 1 条序列" in every.note
    stopped = await _query(folder, service="pay")
    assert stopped.status == "empty"
    assert stopped.note == "时间段内没有数据或太少（基线中有）"
    assert stopped.scope.matched


async def test_without_a_baseline_nothing_is_judged(tmp_path: Path) -> None:
    """Statistics of the window, no comparison."""
    folder = IncidentFolder(tmp_path).series("cpu_usage_ratio", 'service="pay"', [], [0.9] * 10)
    (row,) = _rows(await _query(folder))
    assert (row["score"], row["direction"]) == (0, "flat")
    assert "baseline" not in row


async def test_a_window_inside_the_baseline_is_measured_once(tmp_path: Path) -> None:
    """A call's own window may lie in the baseline; no sample counts twice."""
    folder = IncidentFolder(tmp_path).series("cpu_usage_ratio", 'service="pay"', QUIET, QUIET[:30])
    (row,) = _rows(await _query(folder, **{"from": at(-30), "to": at(-20)}))
    assert cast("JsonObject", row["window"])["count"] == 10
    assert cast("JsonObject", row["baseline"])["count"] == 60


async def test_filters_narrow_and_say_so(tmp_path: Path) -> None:
    """By signal name, by title and by selector; the scope is marked as filtered."""
    folder = (
        IncidentFolder(tmp_path)
        .series("cpu_usage_ratio", 'service="pay"', QUIET, QUIET[:30])
        .series("http_error_ratio", 'service="pay"', QUIET, QUIET[:30])
    )
    for arguments in (
        {"signal": "http_error_ratio"},
        {"signal": "错误率"},
        {"query": 'http_error_ratio{service="pay"}'},
    ):
        result = await _query(folder, **arguments)
        assert [row["signal"] for row in _rows(result)] == ["http_error_ratio"]
        assert result.scope.filtered
    with pytest.raises(BadArguments, match=r"did you mean 'http_error_ratio'.*cpu_usage_ratio"):
        await _query(folder, signal="http_errors_ratio")
    assert not (await _query(folder)).scope.filtered


async def test_many_series_are_bounded_and_said(tmp_path: Path) -> None:
    """Forty series at most over all services, the most unusual ones, and how many are left out."""
    folder = IncidentFolder(tmp_path)
    for number in range(50):
        folder.series("cpu_usage_ratio", f'service="s{number}"', QUIET[:20], QUIET[:10])
    folder.series("cpu_usage_ratio", 'service="hot"', QUIET[:20], [0.9] * 10)
    result = await _query(folder)
    assert (len(_rows(result)), _summary(result)["dropped_series"]) == (40, 11)
    assert _rows(result)[0]["service"] == "hot"
    assert result.note is not None
    assert "共 51 条序列" in result.note


async def test_points_are_at_most_sixty_and_no_references(tmp_path: Path) -> None:
    """Points draw the series, thinned evenly; what may be cited is the statistics."""
    folder = IncidentFolder(tmp_path).series("cpu_usage_ratio", 'service="pay"', QUIET, QUIET + QUIET[:59])
    result = await _query(folder)
    assert isinstance(result.output, dict)
    points = cast("dict[str, list[list[object]]]", result.output["points"])["/series/0"]
    assert 30 <= len(points) <= 60
    assert points[0][0] == "2026-12-01T14:00:00+08:00"
    assert [ref.raw_path for ref in result.evidence_refs] == ["/summary", "/series/0"]


async def test_hostile_numbers_and_labels_are_bounded(tmp_path: Path) -> None:
    """The least and the greatest numbers and endless labels neither break a call nor fill its output."""
    folder = (
        IncidentFolder(tmp_path)
        .series("cpu_usage_ratio", f'service="pay",note="{"x" * 5000}"', [5e-324] * 60, [1e100] * 30)
        .series("cpu_usage_ratio", 'service="order"', [-1e100, 1e100] * 30, [1e100, -1e100] * 15)
    )
    result = await _query(folder)
    assert all(len(ref.text) < 1000 for ref in result.evidence_refs)
    assert all(row["change"] is None for row in _rows(result))
