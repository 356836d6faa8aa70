"""Records an incident folder from the running lab: `python -m tests.lab.record [--fault leak --out DIR]`."""

import argparse
import gzip
import json
import shutil
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.lab.load import Load
from tests.lab.monitoring import Monitoring
from tests.lab.world import World, free_port
from tests.postgres import ROOT

SIGNALS: dict[str, tuple[str, str, str]] = {
    "http_request_rate": (
        "requests_per_second",
        "Requests served per second",
        "sum by (service) (rate(http_requests_total[30s]))",
    ),
    "http_error_ratio": (
        "ratio",
        "Share of requests answered with 5xx",
        'sum by (service) (rate(http_requests_total{status=~"5.."}[30s])) / sum by (service) (rate(http_requests_total[30s]))',
    ),
    "http_latency_p50_seconds": (
        "seconds",
        "Latency, P50",
        "histogram_quantile(0.5, sum by (service, le) (rate(http_request_duration_seconds_bucket[30s])))",
    ),
    "http_latency_p95_seconds": (
        "seconds",
        "Latency, P95",
        "histogram_quantile(0.95, sum by (service, le) (rate(http_request_duration_seconds_bucket[30s])))",
    ),
    "db_pool_in_use": ("connections", "Database connections handed out", "max by (service) (db_pool_in_use)"),
    "db_pool_size": ("connections", "Database connections the pool may hold", "max by (service) (db_pool_size)"),
    "db_pool_waiting": ("requests", "Requests that wait for a connection", "max by (service) (db_pool_waiting)"),
    "db_pool_usage_ratio": (
        "ratio",
        "Share of the pool handed out",
        "max by (service) (db_pool_in_use) / max by (service) (db_pool_size)",
    ),
    "db_pool_timeouts_rate": (
        "per_second",
        "Requests per second that got no connection in time",
        "sum by (service) (rate(db_pool_timeouts_total[30s]))",
    ),
    "process_cpu_usage_ratio": (
        "ratio",
        "CPU used, of one core",
        "sum by (service) (rate(process_cpu_seconds_total[30s]))",
    ),
    "process_memory_bytes": ("bytes", "Resident memory", "max by (service) (process_resident_memory_bytes)"),
    "up": ("", "Whether the instance answers its scrapes", "min by (service) (up)"),
    "build_info": ("", "The running version", "max by (service, version) (build_info)"),
}
"""Signal → (unit, help, expression over the lab's metrics)."""

_STORIES: dict[str, dict[str, Any]] = {
    "leak": {
        "title": "payment-service 发布 v1.5.0 后连接池泄漏",
        "questions": [
            "payment-service 为什么报错？",
            "下单失败变多了，根因在哪里？",
            "payment-service 的连接池使用率高吗？",
        ],
        "kind": "connection_leak",
        "must_mention": [["连接池", "连接数", "db_pool", "PoolTimeout"], ["v1.5.0", "deploy", "发布"]],
    },
    "cpu": {
        "title": "payment-service 的一个接口烧 CPU",
        "questions": ["payment-service 为什么变慢？"],
        "kind": "cpu_burn",
        "must_mention": [["CPU", "cpu"]],
    },
    "db-refuse": {
        "title": "order-db 拒绝连接",
        "questions": ["payment-service 为什么报错？"],
        "kind": "database_refuses",
        "must_mention": [["连接", "connection"]],
    },
    "none": {
        "title": "payment-service 一切正常",
        "questions": [
            "payment-service 现在正常吗，为什么有人说变慢了？",
            "下单链路有故障吗？",
            "payment-service 的错误率是多少？",
        ],
        "kind": "healthy",
        "must_mention": [],
    },
}

_STEP = 5
_TRACE_SHARE = 4
"""One trace in so many is kept, whole, so that the samples stay small."""


def record(fault: str, out: Path, baseline_seconds: int, incident_seconds: int, scrape_seconds: int = 5) -> None:
    """Run the lab through a healthy stretch, switch the fault on, and write what its monitoring saw.

    Args:
        fault: `leak`, `cpu`, `db-refuse` or `none`.
        out: the folder to write; what is there is replaced.
        baseline_seconds: the healthy stretch.
        incident_seconds: the window; the fault begins after a fifth of it.
        scrape_seconds: how often Prometheus looks.
    """
    with tempfile.TemporaryDirectory(prefix="lab-") as scratch:
        folder = Path(scratch)
        with World(folder / "files") as world:
            targets = {
                "payment-service": f"127.0.0.1:{world.payment_port}",
                "order-service": f"127.0.0.1:{world.order_port}",
            }
            ports = (free_port(), free_port())
            with (
                Monitoring(folder / "monitoring", targets, ports, scrape_seconds) as monitoring,
                Load(world.orders, world.payments, per_second=10),
            ):
                time.sleep(max(6, min(35, baseline_seconds // 3)))
                begin = time.time()
                time.sleep(baseline_seconds)
                window = time.time()
                time.sleep(incident_seconds // 5)
                at = time.time()
                if fault != "none":
                    world.switch(fault)
                time.sleep(incident_seconds - incident_seconds // 5)
                end = time.time()
                _write(out, world, monitoring, fault, (begin, window, at, end))


def _write(
    out: Path, world: World, monitoring: Monitoring, fault: str, times: tuple[float, float, float, float]
) -> None:
    begin, *_, end = times
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "incident.toml").write_text(_toml(fault, times), encoding="utf-8")
    lines = _metrics(monitoring, begin, end)
    _pack(out / "metrics.om.gz", lines)
    _pack(out / "logs.jsonl.gz", _merged(world.folder, "logs", begin, end))
    _pack(out / "traces.jsonl.gz", _merged(world.folder, "traces", begin, end))
    alerts = json.dumps(monitoring.alerts(), ensure_ascii=False, indent=1)
    (out / "alerts.json").write_text(alerts + "\n", encoding="utf-8")
    changes = "".join(json.dumps(change, ensure_ascii=False) + "\n" for change in world.changes)
    (out / "changes.jsonl").write_text(changes, encoding="utf-8")
    edges = [
        {"from": "order-service", "to": "payment-service"},
        {"from": "payment-service", "to": "order-db"},
    ]
    (out / "topology.json").write_text(json.dumps({"edges": edges}, indent=1) + "\n", encoding="utf-8")
    shutil.copytree(Path(__file__).parent / "runbooks", out / "runbooks")


def _metrics(monitoring: Monitoring, begin: float, end: float) -> list[str]:
    lines: list[str] = []
    for name, (unit, text, expression) in SIGNALS.items():
        lines.append(f"# TYPE {name} gauge")
        if unit and name.endswith(unit):
            lines.append(f"# UNIT {name} {unit}")
        lines.append(f"# HELP {name} {text}")
        for series in monitoring.range(expression, begin, end, _STEP):
            labels = ",".join(
                f'{key}="{value}"' for key, value in sorted(series["metric"].items()) if key != "__name__"
            )
            lines += [f"{name}{{{labels}}} {value} {stamp}" for stamp, value in series["values"] if value != "NaN"]
    return [*lines, "# EOF"]


def _merged(folder: Path, kind: str, begin: float, end: float) -> list[str]:
    records: list[dict[str, Any]] = []
    for path in sorted(folder.glob(f"*.{kind}.jsonl")):
        records += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [item for item in records if begin <= _seconds(item["timestamp"]) < end]
    if kind == "traces":
        kept = [item for item in kept if int(item["trace_id"], 16) % _TRACE_SHARE == 0]
    kept.sort(key=lambda item: str(item["timestamp"]))
    return [json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in kept]


def _seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()


def _toml(fault: str, times: tuple[float, float, float, float]) -> str:
    begin, window, at, end = (datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for moment in times)
    story = _STORIES[fault]
    questions = "".join(f'[[questions]]\ntext = "{text}"\n\n' for text in story["questions"])
    healthy = fault == "none"
    truth = [f"healthy = {str(healthy).lower()}"]
    if not healthy:
        cause = "order-db" if fault == "db-refuse" else "payment-service"
        truth += [f'root_cause = ["{cause}"]', f"at = {at}"]
    truth += [
        f'kind = "{story["kind"]}"',
        f"must_mention = {json.dumps(story['must_mention'], ensure_ascii=False)}",
        'must_not_claim = ["磁盘.{0,6}满", "网络.{0,6}中断"]',
        f"verdicts = {json.dumps(['PASS'] if healthy else ['PASS', 'LOW_CONFID'])}",
    ]
    return (
        f'title = "{story["title"]}"\ntimezone = "Asia/Shanghai"\n\n'
        f"[window]\nfrom = {window}\nto = {end}\n\n[baseline]\nfrom = {begin}\nto = {window}\n\n"
        f"{questions}[truth]\n" + "\n".join(truth) + "\n"
    )


def _pack(path: Path, lines: list[str]) -> None:
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())


def main() -> None:
    """Record one incident, or without arguments both shipped samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=sorted(_STORIES))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--baseline-seconds", type=int, default=240)
    parser.add_argument("--incident-seconds", type=int, default=210)
    given = parser.parse_args()
    samples = ROOT / "engine" / "samples"
    plans = [("leak", samples / "payment-pool-leak"), ("none", samples / "payment-healthy")]
    if given.fault:
        if given.out is None:
            parser.error("--fault needs --out")
        plans = [(given.fault, given.out)]
    for fault, out in plans:
        sys.stderr.write(f"recording {fault} into {out}\n")
        record(fault, out, given.baseline_seconds, given.incident_seconds)


if __name__ == "__main__":
    main()
