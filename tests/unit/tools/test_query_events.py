"""`query_alerts` and `query_changes`."""

from pathlib import Path
from typing import cast

from engine.base import JsonObject
from engine.invocation import ToolResult
from tests.incident_folder import CONTEXT, IncidentFolder, alert, at, change


async def _ask(folder: IncidentFolder, tool: str, **arguments: str) -> ToolResult:
    return await folder.tools()[tool].call({**arguments}, CONTEXT)


def _items(result: ToolResult, name: str) -> list[JsonObject]:
    assert isinstance(result.output, dict)
    return cast("list[JsonObject]", result.output[name])


async def test_alerts_come_most_urgent_first(tmp_path: Path) -> None:
    """By severity, then by start; unknown severities last; the summary counts what is firing."""
    resolved = {**alert("Gone", "pay", 1, severity="warning"), "status": {"state": "suppressed"}}
    folder = IncidentFolder(tmp_path).alerts(
        [
            alert("Odd", "pay", 1, severity="sev-9"),
            resolved,
            alert("Late", "pay", 9),
            alert("Early", "order", 2, summary="下单失败"),
        ]
    )
    result = await _ask(folder, "query_alerts")
    assert [item["name"] for item in _items(result, "alerts")] == ["Early", "Late", "Gone", "Odd"]
    assert _items(result, "alerts")[0] == {
        "name": "Early",
        "service": "order",
        "severity": "critical",
        "state": "active",
        "starts_at": "2026-12-01T14:02:00+08:00",
        "ends_at": None,
        "summary": "下单失败",
        "labels": {},
    }
    assert result.evidence_refs[0].text.startswith(
        "services=all total=4 firing=3 window.from=2026-12-01T14:00:00+08:00"
    )


async def test_changes_are_looked_for_two_hours_back(tmp_path: Path) -> None:
    """What was changed shortly before counts, newest first; a call's own `from` is taken at its word."""
    folder = IncidentFolder(tmp_path).changes(
        [change(-130, "pay", "too old"), change(-110, "pay", "v1"), change(3, "order", "scaled", "scale", "王")]
    )
    result = await _ask(folder, "query_changes")
    assert [item["summary"] for item in _items(result, "changes")] == ["scaled", "v1"]
    assert _items(result, "changes")[0] == {
        "time": "2026-12-01T14:03:00+08:00",
        "service": "order",
        "kind": "scale",
        "summary": "scaled",
        "by": "王",
    }
    assert result.scope.window is not None
    assert result.scope.window.start.isoformat() == at(-120)
    narrow = await _ask(folder, "query_changes", **{"from": at(0)})
    assert [item["summary"] for item in _items(narrow, "changes")] == ["scaled"]


async def test_absence_names_the_stretch_that_was_searched(tmp_path: Path) -> None:
    """Only a search that looked back says that it did."""
    folder = IncidentFolder(tmp_path).changes([]).alerts([])
    assert (await _ask(folder, "query_changes")).note == "时间段内（含之前两小时）没有变更记录"
    assert (await _ask(folder, "query_changes", **{"from": at(0)})).note == "时间段内没有变更记录"
    assert (await _ask(folder, "query_alerts")).note == "时间段内没有告警"


async def test_more_than_a_hundred_are_cut_and_said(tmp_path: Path) -> None:
    """The most urgent alerts and the latest changes stay; the result is not complete."""
    many = [alert(f"W{number}", "pay", 1, severity="warning") for number in range(120)]
    folder = IncidentFolder(tmp_path).alerts([*many, alert("Worst", "pay", 9)])
    folder.changes([change(number / 10, "pay", f"v{number}") for number in range(120)])
    alerts, changes = await _ask(folder, "query_alerts"), await _ask(folder, "query_changes")
    assert _items(alerts, "alerts")[0]["name"] == "Worst"
    assert _items(changes, "changes")[0]["summary"] == "v119"
    assert (alerts.note, changes.note) == ("共 121 条告警，只列出最严重的 100 条", "共 120 条变更，只列出最近的 100 条")
    assert not alerts.scope.complete
    assert not changes.scope.complete


async def test_long_texts_are_bounded(tmp_path: Path) -> None:
    """Summaries, labels and names of people do not fill an output."""
    folder = IncidentFolder(tmp_path).alerts([alert("High", "pay", summary="长" * 5000, note="x" * 5000)])
    folder.changes([change(1, "pay", "长" * 5000, by="y" * 5000)])
    for tool in ("query_alerts", "query_changes"):
        assert all(len(ref.text) < 1200 for ref in (await _ask(folder, tool)).evidence_refs)
