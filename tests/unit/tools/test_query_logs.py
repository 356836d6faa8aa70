"""`query_logs`."""

from pathlib import Path
from typing import cast

import pytest

from engine.base import JsonObject
from engine.errors import BadArguments
from engine.invocation import ToolResult
from tests.incident_folder import CONTEXT, IncidentFolder, at, log


def _rows(result: ToolResult, name: str) -> list[JsonObject]:
    return cast("list[JsonObject]", cast("JsonObject", result.output)[name])


def _summary(result: ToolResult) -> JsonObject:
    return cast("JsonObject", cast("JsonObject", result.output)["summary"])


async def _ask(folder: IncidentFolder, **arguments: str) -> ToolResult:
    return await folder.tools()["query_logs"].call(cast("JsonObject", arguments), CONTEXT)


def _shop(path: Path) -> IncidentFolder:
    """A shop whose payment loses one of three lines of each request and reports a full pool instead."""
    lines = [
        log(minute, service, f"{text} {minute + 60}")
        for minute in range(-60, 30)
        for service, text in (("pay", "received order"), ("pay", "answered order"), ("shop", "sold order"))
    ]
    lines += [log(minute, "pay", f"charged order {minute + 60}") for minute in range(-60, 0)]
    lines += [log(10 + number, "pay", f"pool exhausted after {number} ms", "error") for number in range(6)]
    lines += [log(-30, "shop", "slow page", "WARNING"), log(3, "shop", "slow page", "WARNING")]
    return IncidentFolder(path).logs(lines)


async def test_what_changed_comes_first_with_its_numbers(tmp_path: Path) -> None:
    """The new error leads, the line that is missing beside its companions follows."""
    first, second, *rest = _rows(await _ask(_shop(tmp_path)), "groups")
    assert (first["service"], first["level"], first["kind"], first["count"]) == ("pay", "ERROR", "new", 6)
    assert first["first"] == "2026-12-01T14:10:00+08:00"
    assert first["last"] == "2026-12-01T14:15:00+08:00"
    assert (second["template"], second["kind"], second["count"]) == ("charged order <*>", "missing", 0)
    assert (second["expected"], second["baseline_count"]) == (30, 60)
    assert "first" not in second
    assert cast("str", second["example"]).startswith("charged order")
    assert all(row["kind"] == "usual" for row in rest)


async def test_lines_shown_are_of_the_window_and_at_least_warnings(tmp_path: Path) -> None:
    """Single lines carry milliseconds and come from the asked time, the most telling group's first."""
    lines = _rows(await _ask(_shop(tmp_path)), "lines")
    assert lines[0] == {
        "time": "2026-12-01T14:10:00.000+08:00",
        "service": "pay",
        "level": "ERROR",
        "message": "pool exhausted after 0 ms",
    }
    assert [line["time"] for line in lines if line["level"] == "WARN"] == ["2026-12-01T14:03:00.000+08:00"]


async def test_the_summary_counts_all_that_matched(tmp_path: Path) -> None:
    """Totals are of every line, whatever is shown."""
    summary = _summary(await _ask(_shop(tmp_path)))
    assert (summary["total"], summary["baseline_total"]) == (97, 241)
    assert (summary["errors"], summary["baseline_errors"]) == (6, 0)
    assert (summary["services"], summary["templates"], summary["baseline_seconds"]) == (2, 6, 3600)


@pytest.mark.parametrize(
    ("level", "total"), [("warning", 7), ("Warn", 7), ("error", 6), ("CRITICAL", 0), ("debug", 97)]
)
async def test_a_level_means_itself_and_what_is_worse(tmp_path: Path, level: str, total: int) -> None:
    """Spellings of a level are known; the result counts that level and those above."""
    assert _summary(await _ask(_shop(tmp_path), level=level))["total"] == total


async def test_an_unknown_level_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    """The error lists the levels."""
    with pytest.raises(BadArguments, match=r"loud.*DEBUG, INFO, WARN, ERROR, FATAL"):
        await _ask(_shop(tmp_path), level="loud")


async def test_absence_can_be_cited_with_its_scope(tmp_path: Path) -> None:
    """Nothing found is empty, complete, and its summary says what was searched."""
    result = await _ask(_shop(tmp_path), service="pay", contains="deadlock")
    assert result.status == "empty"
    assert (result.scope.services, result.scope.filtered, result.scope.complete) == (("pay",), True, True)
    assert "contains=deadlock" in result.evidence_refs[0].text
    assert "total=0" in result.evidence_refs[0].text
    assert "matched_streams=true" in result.evidence_refs[0].text
    assert result.note == "时间段内没有匹配的日志"


async def test_a_window_of_its_own_is_compared_with_the_same_baseline(tmp_path: Path) -> None:
    """`from` and `to` replace the window, and expectations shrink with it."""
    result = await _ask(_shop(tmp_path), **{"from": at(0), "to": at(6), "service": "shop"})
    (row, *_) = [row for row in _rows(result, "groups") if row["level"] == "INFO"]
    assert (row["count"], row["expected"], row["kind"]) == (6, 6, "usual")


async def test_unreadable_lines_are_said_and_end_completeness(tmp_path: Path) -> None:
    """A result over a damaged file is not complete, so that no absence rests on it."""
    folder = IncidentFolder(tmp_path).logs([log(1, "pay", "x"), "{broken"])
    result = await _ask(folder)
    assert not result.scope.complete
    assert _summary(result)["complete"] is False
    assert "第 2 行" in (result.note or "")


async def test_many_groups_are_bounded(tmp_path: Path) -> None:
    """At most 60 groups and 20 lines are shown, however many there are."""
    lines = [log(1, "pay", f"trouble {chr(0x4E00 + number)}", "ERROR") for number in range(200)]
    result = await _ask(IncidentFolder(tmp_path).logs(lines))
    assert (len(_rows(result, "groups")), len(_rows(result, "lines"))) == (60, 20)
    assert _summary(result)["total"] == 200
