"""Alerts and changes of an incident folder."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from engine.base import JsonObject
from engine.errors import IncidentError, SourceUnavailable
from engine.sources.recorded import RecordedSource
from engine.telemetry import Alert, Change
from tests.incident_folder import START, WINDOW, IncidentFolder, alert, at, change


async def _alerts(source: RecordedSource, *services: str) -> tuple[Alert, ...]:
    assert source.alerts is not None
    return await source.alerts.alerts(WINDOW, services)


async def _changes(source: RecordedSource, *services: str) -> tuple[Change, ...]:
    assert source.changes is not None
    return await source.changes.changes(WINDOW, services)


async def test_an_alert_is_read_as_alertmanager_writes_it(tmp_path: Path) -> None:
    """Name, service, severity, state, start, summary and further labels; the year 1 means that it has no end."""
    source = IncidentFolder(tmp_path).alerts([alert("High", "pay", 5, summary="错误率高", region="cn")]).open()
    (found,) = await _alerts(source)
    assert (found.name, found.service, found.severity, found.state) == ("High", "pay", "critical", "active")
    assert found.starts_at == START + timedelta(minutes=5)
    assert found.ends_at is None
    assert (found.summary, found.labels) == ("错误率高", {"region": "cn"})


@pytest.mark.parametrize(
    ("starts", "ends", "shown"),
    [(-30, 10, True), (10, 20, True), (-30, -1, False), (-30, 0, False), (29, 90, True), (30, 90, False)],
)
async def test_an_alert_counts_where_it_was_active(tmp_path: Path, starts: float, ends: float, shown: bool) -> None:
    """An alert belongs to a window that it overlaps; ends are not part of either."""
    one = {**alert("High", "pay", starts), "endsAt": at(ends)}
    assert bool(await _alerts(IncidentFolder(tmp_path).alerts([one]).open())) is shown


@pytest.mark.parametrize("label", ["service", "job", "app"])
async def test_an_alerts_service_stands_in_one_of_three_labels(tmp_path: Path, label: str) -> None:
    """Labels service, job and app name the service, in this order."""
    one: JsonObject = {"labels": {"alertname": "High", label: "pay"}, "startsAt": at(1)}
    source = IncidentFolder(tmp_path).alerts([one]).open()
    assert [found.service for found in await _alerts(source, "pay")] == ["pay"]
    assert await _alerts(source, "order") == ()
    assert [service.name for service in source.system().services] == ["pay"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "array"),
        ("[1]", r"\[0\]: must be an object"),
        ('[{"labels": [1]}]', r"\[0\]\.labels: must be an object"),
        ('[{"labels": {}}]', r"\[0\]\.startsAt"),
        ('[{"labels": {}, "startsAt": "soon"}]', r"startsAt: 'soon'"),
        ('[{"labels": {}, "startsAt": "2026-12-01T06:00:00"}]', "startsAt: needs an offset"),
    ],
)
async def test_malformed_alerts_name_their_place(tmp_path: Path, content: str, said: str) -> None:
    """The system map refuses the file by place; a query of it is a source that does not answer."""
    source = IncidentFolder(tmp_path).alerts(json.loads(content)).open()
    with pytest.raises(IncidentError, match=said):
        source.system()
    with pytest.raises(SourceUnavailable, match=said):
        await _alerts(source)


@pytest.mark.parametrize("content", [b"{", b"[" * 100_000, b"\xff\xfe", b""])
async def test_alerts_that_are_no_json_are_told_as_such(tmp_path: Path, content: bytes) -> None:
    """Garbage in the file never raises anything else."""
    source = IncidentFolder(tmp_path).alerts([]).open()
    (tmp_path / "alerts.json").write_bytes(content)
    with pytest.raises(SourceUnavailable, match=r"alerts\.json"):
        await _alerts(source)


async def test_changes_come_oldest_first_and_by_service(tmp_path: Path) -> None:
    """Only changes within the window, of the asked services, in time order."""
    lines = [change(20, "pay", "v2"), change(10, "pay", "v1"), change(5, "order", "v9"), change(-1, "pay", "v0")]
    source = IncidentFolder(tmp_path).changes([*lines, ""]).open()
    assert [found.summary for found in await _changes(source)] == ["v9", "v1", "v2"]
    assert [found.summary for found in await _changes(source, "pay")] == ["v1", "v2"]


@pytest.mark.parametrize("line", ["{", "[]", '{"timestamp": 5}', '{"timestamp": "2026-12-01T06:00:00"}', "[" * 100_000])
async def test_a_malformed_change_names_its_line(tmp_path: Path, line: str) -> None:
    """The error says which line is none."""
    source = IncidentFolder(tmp_path).changes([change(1, "pay", "v1"), line]).open()
    with pytest.raises(SourceUnavailable, match=r"changes\.jsonl:2"):
        await _changes(source)
