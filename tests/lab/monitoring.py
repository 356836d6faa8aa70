"""A real Prometheus and a real Alertmanager over the lab's services, with real rules."""

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, cast

PROMETHEUS = "prometheus"
ALERTMANAGER = "prometheus-alertmanager"

_RULES = """
groups:
  - name: lab
    rules:
      - alert: HighErrorRate
        expr: sum by (service) (rate(http_requests_total{status=~"5.."}[30s])) / sum by (service) (rate(http_requests_total[30s])) > 0.05
        for: 15s
        labels: {severity: critical}
        annotations: {summary: "{{ $labels.service }} 的 5xx 错误率超过 5%"}
      - alert: DBPoolSaturated
        expr: max by (service) (db_pool_in_use) >= max by (service) (db_pool_size)
        for: 15s
        labels: {severity: critical}
        annotations: {summary: "{{ $labels.service }} 的数据库连接池已用满"}
      - alert: HighLatency
        expr: histogram_quantile(0.95, sum by (service, le) (rate(http_request_duration_seconds_bucket[30s]))) > 1
        for: 15s
        labels: {severity: warning}
        annotations: {summary: "{{ $labels.service }} 的 p95 延迟超过 1 秒"}
      - alert: InstanceDown
        expr: up == 0
        for: 15s
        labels: {severity: critical}
        annotations: {summary: "{{ $labels.service }} 的实例不可达"}
"""


def missing_servers() -> tuple[str, ...]:
    """The monitoring programs that are not installed."""
    return tuple(name for name in (PROMETHEUS, ALERTMANAGER, "promtool") if shutil.which(name) is None)


class Monitoring:
    """Both servers, started on entering and ended on leaving.

    Args:
        folder: for configuration and data.
        targets: service → host:port.
        ports: (Prometheus, Alertmanager).
        scrape_seconds: how often Prometheus looks.
    """

    def __init__(self, folder: Path, targets: dict[str, str], ports: tuple[int, int], scrape_seconds: int) -> None:
        self._folder = folder
        self._targets = targets
        self._ports = ports
        self._scrape = scrape_seconds
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Monitoring":
        try:
            self._open()
        except BaseException:
            # because a server that did not become ready must not leave the other behind
            self.__exit__()
            raise
        return self

    def _open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        prometheus, alertmanager = self._ports
        self._write(alertmanager)
        (self._folder / "am.yml").write_text("route: {receiver: none}\nreceivers: [{name: none}]\n")
        self._start(
            ALERTMANAGER,
            f"--config.file={self._folder / 'am.yml'}",
            f"--storage.path={self._folder / 'am'}",
            f"--web.listen-address=127.0.0.1:{alertmanager}",
            "--cluster.listen-address=",
        )
        self._start(
            PROMETHEUS,
            f"--config.file={self._folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={self._folder / 'tsdb'}",
            f"--web.listen-address=127.0.0.1:{prometheus}",
            # because alerts carry this address, which would else name the machine
            f"--web.external-url=http://127.0.0.1:{prometheus}/",
        )
        for port in self._ports:
            _wait(f"http://127.0.0.1:{port}/-/ready")

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def range(self, expression: str, start: float, end: float, step: int) -> list[dict[str, Any]]:
        """The series of an expression over a stretch, from Prometheus' API."""
        query = urllib.parse.urlencode({"query": expression, "start": start, "end": end, "step": step})
        answer = _get(f"http://127.0.0.1:{self._ports[0]}/api/v1/query_range?{query}")
        return cast("list[dict[str, Any]]", answer["data"]["result"])

    def alerts(self) -> list[dict[str, Any]]:
        """What Alertmanager's /api/v2/alerts returns now."""
        return cast("list[dict[str, Any]]", _get(f"http://127.0.0.1:{self._ports[1]}/api/v2/alerts"))

    def _write(self, alertmanager: int) -> None:
        jobs = "".join(
            f"  - job_name: {service}\n    static_configs:\n"
            f"      - {{targets: ['{address}'], labels: {{service: {service}}}}}\n"
            for service, address in self._targets.items()
        )
        (self._folder / "rules.yml").write_text(_RULES, encoding="utf-8")
        (self._folder / "prometheus.yml").write_text(
            f"global: {{scrape_interval: {self._scrape}s, evaluation_interval: {self._scrape}s}}\n"
            f"rule_files: [{self._folder / 'rules.yml'}]\n"
            f"alerting: {{alertmanagers: [{{static_configs: [{{targets: ['127.0.0.1:{alertmanager}']}}]}}]}}\n"
            f"scrape_configs:\n{jobs}"
        )

    def _start(self, *command: str) -> None:
        with (self._folder / f"{command[0]}.log").open("wb") as log:
            self._processes.append(subprocess.Popen(command, stdout=log, stderr=log))


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310  # because it is the lab's own, on loopback
        return json.load(answer)


def _wait(url: str) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310  # because it is the lab's own, on loopback
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError(f"{url} did not become ready within 30 s")
