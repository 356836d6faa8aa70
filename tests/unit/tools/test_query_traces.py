"""`query_traces`."""

from pathlib import Path
from typing import cast

import pytest

from engine.base import JsonObject
from engine.invocation import ToolResult
from tests.incident_folder import CONTEXT, IncidentFolder, call

UNUSUAL = 3.0


def _rows(result: ToolResult, name: str) -> list[JsonObject]:
    return cast("list[JsonObject]", cast("JsonObject", result.output)[name])


def _folder(path: Path, *, wait_ms: float = 2, served_ms: float = 20) -> IncidentFolder:
    """Forty calls to pay before and twenty in the window with the given times; calls to stock do not change."""
    spans: list[JsonObject] = []
    for number in range(60):
        during = number >= 40
        spans += call(
            number - 45 if not during else number - 40,
            number,
            "shop",
            "pay",
            wait_ms=wait_ms if during else 2 + number % 3,
            served_ms=served_ms if during else 20 + number % 5,
        )
        spans += call(
            number - 45 if not during else number - 40, 1000 + number, "shop", "stock", wait_ms=2 + number % 3
        )
    return IncidentFolder(path).traces(spans)


async def _ask(folder: IncidentFolder, **arguments: str) -> ToolResult:
    return await folder.tools()["query_traces"].call(cast("JsonObject", arguments), CONTEXT)


async def test_a_delayed_way_shows_as_wait_on_its_edge_alone(tmp_path: Path) -> None:
    """A network delay scores on the edge into the service, and on nobody's own time."""
    result = await _ask(_folder(tmp_path, wait_ms=1500))
    first, second = _rows(result, "edges")
    assert (first["caller"], first["callee"]) == ("shop", "pay")
    assert cast("float", first["wait_score"]) > 10
    assert (first["wait_p50_ms"], first["baseline_wait_p50_ms"], first["p50_ms"]) == (1500, 3, 20)
    assert (second["callee"], second["score"]) == ("stock", 0)
    assert all(cast("float", row["score"]) < UNUSUAL for row in _rows(result, "operations"))


async def test_a_slow_callee_shows_as_its_own_time(tmp_path: Path) -> None:
    """Time spent in the callee is its own, not waiting."""
    result = await _ask(_folder(tmp_path, served_ms=900))
    (first, *_) = _rows(result, "edges")
    assert first["wait_score"] == 0
    assert cast("float", first["score"]) > UNUSUAL
    (operation, *_) = _rows(result, "operations")
    assert (operation["service"], operation["self_p50_ms"]) == ("pay", 900)
    assert cast("float", operation["score"]) > 10


async def test_nothing_changed_scores_nothing(tmp_path: Path) -> None:
    """Small variation is ordinary."""
    result = await _ask(_folder(tmp_path, wait_ms=4, served_ms=24))
    assert all(cast("float", row["score"]) < 1 for row in (*_rows(result, "edges"), *_rows(result, "operations")))


async def test_slow_traces_are_named(tmp_path: Path) -> None:
    """The slowest traces carry id, service, duration and start."""
    (first, *rest) = _rows(await _ask(_folder(tmp_path, served_ms=900)), "slowest")
    assert (first["service"], first["operation"], first["duration_ms"]) == ("shop", "shop/request", 907)
    assert cast("str", first["trace_id"]).startswith("trace")
    assert cast("str", first["start"]).endswith("+08:00")
    assert len(rest) == 4


async def test_a_service_without_spans_is_empty_with_its_scope(tmp_path: Path) -> None:
    """A service that only calls before the window has streams, and nothing in the window."""
    folder = IncidentFolder(tmp_path).traces([*call(-5, 1, "old", "pay"), *call(5, 2, "shop", "pay")])
    result = await _ask(folder, service="old")
    assert result.status == "empty"
    assert result.scope.matched
    assert "services=old spans=0" in result.evidence_refs[0].text
    assert result.note == "时间段内没有匹配的调用链"


async def test_a_filter_by_operation_is_said(tmp_path: Path) -> None:
    """An operation narrows the result, so that absence elsewhere cannot rest on it."""
    result = await _ask(_folder(tmp_path), operation="pay/server")
    assert result.scope.filtered
    assert [row["operation"] for row in _rows(result, "operations")] == ["pay/server"]


@pytest.mark.parametrize("line", ["{", "[]"])
async def test_unreadable_spans_are_said(tmp_path: Path, line: str) -> None:
    """A result over a damaged file is not complete and says so."""
    result = await _ask(IncidentFolder(tmp_path).traces([*call(5, 2, "shop", "pay"), line]))
    assert not result.scope.complete
    assert "第 4 行" in (result.note or "")
