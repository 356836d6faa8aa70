"""The lab fails as it says, and what it records is what an incident folder must be."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from engine.sources.incident import load_incident
from engine.sources.openmetrics import open_text, read_metrics
from engine.sources.recorded import open_recorded
from tests.lab.load import WORKERS, Load
from tests.lab.monitoring import missing_servers
from tests.lab.record import record
from tests.lab.world import World, pool_in_use, pool_waiting
from tests.postgres import ROOT, PostgresUnavailable

SAMPLES = ROOT / "engine" / "samples"


@pytest.fixture
def world(tmp_path: Path) -> Generator[World]:
    """The running lab; without PostgreSQL its tests are skipped, except in CI, where they fail."""
    try:
        with World(tmp_path / "files") as running:
            yield running
    except PostgresUnavailable as error:
        _absent(f"PostgreSQL does not start: {error}")


def _absent(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def _order(world: World, number: int) -> int:
    body = json.dumps({"order": f"T{number}", "amount": 5}).encode()
    try:
        with urllib.request.urlopen(f"{world.orders}/orders", data=body, timeout=10) as answer:  # noqa: S310  # because it is the lab's own
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_the_leak_uses_the_pool_up_and_orders_fail(world: World) -> None:
    """After the deploy, declined cards keep their connections until nobody gets one."""
    assert _order(world, 0) == 200
    assert pool_in_use(world.payments) == 0
    world.switch("leak")
    with ThreadPoolExecutor(4) as workers:
        for batch in range(200):
            # because once the pool is used up, each further order waits its two seconds
            list(workers.map(partial(_order, world), range(batch * 4, batch * 4 + 4)))
            if pool_in_use(world.payments) == 10:
                break
        assert list(workers.map(partial(_order, world), range(4))) == [503] * 4
    assert pool_waiting(world.payments) == 0, "who gave up waits no more"
    assert world.changes[0]["kind"] == "deploy"
    assert "PoolTimeout" in (world.folder / "payment.logs.jsonl").read_text()


def test_a_refusing_database_fails_orders(world: World) -> None:
    """A database that takes no connections makes payment-service fail, with its own error in the log."""
    assert _order(world, 0) == 200
    world.switch("db-refuse")
    assert _until(lambda: _order(world, 1) == 503, 8)
    log = world.folder / "payment.logs.jsonl"
    assert _until(lambda: "is not currently accepting connections" in log.read_text(), 8)
    assert '"severity":"ERROR"' in log.read_text()


@pytest.mark.parametrize(
    ("address", "per_second"),
    [
        ("http://127.0.0.1:1", 0),
        ("http://127.0.0.1:1", 51),
        ("http://192.0.2.1:1", 10),
        ("http://127.0.0.1.example", 10),
    ],
)
def test_the_load_is_bounded(address: str, per_second: float) -> None:
    """A rate beyond the bounds, or an address that is not on loopback, is refused before anything is sent."""
    with pytest.raises(ValueError, match=r"at most|not on"):
        Load(address, "http://127.0.0.1:1", per_second)


def test_a_recording_is_an_incident_folder(tmp_path: Path) -> None:
    """A short run under a real Prometheus and Alertmanager leaves a folder that loads, and that promtool takes."""
    missing = missing_servers()
    if missing:
        _absent(f"not installed: {', '.join(missing)}")
    out = tmp_path / "incident"
    try:
        record("none", out, baseline_seconds=8, incident_seconds=8, scrape_seconds=1)
    except PostgresUnavailable as error:
        _absent(f"PostgreSQL does not start: {error}")
    source = open_recorded(out)
    assert {"order-service", "payment-service"} <= {service.name for service in source.system().services}
    assert json.loads((out / "alerts.json").read_text()) == []
    plain = tmp_path / "metrics.om"
    with open_text(out / "metrics.om.gz") as file:
        plain.write_text(file.read())
    blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", str(plain), str(tmp_path / "blocks")]
    done = subprocess.run(blocks, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_the_shipped_samples_are_small_and_whole() -> None:
    """Both samples load, hold every kind of evidence, and take two megabytes together at most."""
    assert sum(path.stat().st_size for path in SAMPLES.rglob("*") if path.is_file()) <= 2_000_000
    for name, healthy in (("payment-pool-leak", False), ("payment-healthy", True)):
        incident = load_incident(SAMPLES / name)
        source = open_recorded(SAMPLES / name)
        assert incident.truth is not None
        assert incident.truth.healthy == healthy
        assert len(incident.questions) >= 3
        assert source.system().kinds == ("metrics", "logs", "alerts", "changes", "traces", "knowledge")


@pytest.mark.parametrize("name", ["payment-pool-leak", "payment-healthy"])
def test_window_and_baseline_lie_inside_the_data(name: str) -> None:
    """Metrics, logs and spans reach from the start of a sample's baseline to the end of its window."""
    incident = load_incident(SAMPLES / name)
    assert incident.baseline is not None
    begin, end = incident.baseline.start.timestamp(), incident.window.end.timestamp()
    assert incident.baseline.end == incident.window.start
    kept = read_metrics(incident.files["metrics.om"]).series
    assert min(series.times[0] for series in kept) <= begin + 10
    assert max(series.times[-1] for series in kept) >= end - 10
    for file in ("logs.jsonl", "traces.jsonl"):
        times = [_seconds(record["timestamp"]) for record in _records(incident.files[file])]
        assert begin - 1 <= times[0] <= begin + 10
        assert end - 10 <= times[-1] <= end + 1


def test_the_leak_shows_in_its_sample_and_not_in_the_healthy_one() -> None:
    """The pool fills, requests fail and alerts fire after the deploy; the same load without it stays clean."""
    leak, healthy = SAMPLES / "payment-pool-leak", SAMPLES / "payment-healthy"
    (change,) = _records(leak / "changes.jsonl")
    deployed = _seconds(change["timestamp"])
    before = {name: [v for t, v in points if t < deployed] for name, points in _payment(leak).items()}
    after = {name: [v for t, v in points if t > deployed] for name, points in _payment(leak).items()}
    assert max(before["db_pool_in_use"]) < max(after["db_pool_in_use"]) == after["db_pool_size"][-1]
    assert max(before["http_error_ratio"]) == 0 < after["http_error_ratio"][-1]
    assert 0 < max(after["db_pool_waiting"]) <= WORKERS, "no more wait than the load can send"
    alerts = json.loads((leak / "alerts.json").read_text())
    assert {"DBPoolSaturated", "HighErrorRate"} <= {alert["labels"]["alertname"] for alert in alerts}
    assert all(_seconds(alert["startsAt"]) > deployed for alert in alerts)
    assert max(value for _, value in _payment(healthy)["http_error_ratio"]) == 0
    assert json.loads((healthy / "alerts.json").read_text()) == []
    assert not [record for record in _records(healthy / "logs.jsonl.gz") if record["severity"] == "ERROR"]


def _payment(folder: Path) -> dict[str, list[tuple[float, float]]]:
    kept = [item for item in read_metrics(folder / "metrics.om.gz").series if item.service == "payment-service"]
    return {item.signal: list(zip(item.times, item.values, strict=True)) for item in kept}


def _records(path: Path) -> list[dict[str, str]]:
    with open_text(path) as file:
        return [json.loads(line) for line in file]


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()
