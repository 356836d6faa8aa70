"""A folder as a set of sources, and the system map that it shows."""

from datetime import timedelta
from pathlib import Path

import pytest

from engine.errors import IncidentError
from engine.sources.recorded import open_recorded
from engine.system import ServiceInfo
from tests.incident_folder import BASELINE, WINDOW, IncidentFolder, call, change, log, pay_incident


def test_only_what_has_files_can_be_asked(tmp_path: Path) -> None:
    """A folder without files offers no source and no kind."""
    source = IncidentFolder(tmp_path).open()
    assert source.system().kinds == ()
    assert (source.metrics, source.logs, source.alerts) == (None, None, None)
    assert (source.changes, source.traces, source.knowledge) == (None, None, None)


def test_the_map_joins_files_topology_and_configuration(tmp_path: Path) -> None:
    """Services of every file stand once, with the configured aliases and the edges that the topology shows."""
    configured = ServiceInfo(name="payment-service", aliases=("支付",), depends_on=("order-db",))
    folder = pay_incident(tmp_path).topology(("order-service", "payment-service"), ("payment-service", "cache"))
    system = folder.open().system((configured,))
    assert [service.name for service in system.services] == ["cache", "order-service", "payment-service"]
    pay = system.services[-1]
    assert (pay.aliases, pay.depends_on) == (("支付",), ("order-db", "cache"))
    assert system.edges[0] == ("order-service", "payment-service")
    assert system.kinds == ("metrics", "logs", "alerts", "changes", "traces", "knowledge")
    assert [signal.name for signal in system.signals] == ["http_error_ratio", "http_request_rate"]


@pytest.mark.parametrize("packed", [False, True])
def test_services_are_known_from_any_single_file(tmp_path: Path, packed: bool) -> None:
    """A folder that holds logs or traces alone still knows its services; lines that are none are passed over."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "traces").mkdir()
    logs = IncidentFolder(tmp_path / "logs").logs(["garbage", log(1, "pay", "x")], packed=packed)
    traces = IncidentFolder(tmp_path / "traces").traces(["[" * 100_000, *call(1, 1, "order", "pay")], packed=packed)
    assert [service.name for service in logs.open().system().services] == ["pay"]
    assert [service.name for service in traces.open().system().services] == ["order", "pay"]


def test_unreadable_logs_do_not_keep_the_rest_from_answering(tmp_path: Path) -> None:
    """Logs that cannot be unpacked are a gap for whoever asks them, not an end to everything."""
    folder = IncidentFolder(tmp_path).changes([change(1, "pay", "v1")])
    (tmp_path / "logs.jsonl.gz").write_bytes(b"no gzip")
    assert [service.name for service in folder.open().system().services] == ["pay"]


def test_time_stands_still_in_a_recorded_incident(tmp_path: Path) -> None:
    """Now is the window's end, and window and baseline are the folder's (interfaces.md)."""
    frame = IncidentFolder(tmp_path).open().frame
    assert (frame.now, frame.window, frame.baseline) == (WINDOW.end, WINDOW, BASELINE)
    assert WINDOW.seconds == timedelta(minutes=30).total_seconds()


def test_a_missing_folder_of_runbooks_is_named(tmp_path: Path) -> None:
    """Configured runbooks that are not there are an error."""
    IncidentFolder(tmp_path)
    with pytest.raises(IncidentError, match="nowhere"):
        open_recorded(tmp_path, (tmp_path / "nowhere",))
