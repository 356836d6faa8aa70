"""Builds small incident folders, so that tests read real files."""

import gzip
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from engine.base import JsonObject
from engine.ports import Tool, ToolContext
from engine.sources.recorded import RecordedSource, open_recorded
from engine.system import ServiceInfo
from engine.tools.catalog import build_tools
from engine.tools.redaction import Redactor
from engine.window import TimeWindow

START = datetime(2026, 12, 1, 6, 0, tzinfo=UTC)
"""Start of the window; it ends half an hour later, and the baseline is the hour before."""

WINDOW = TimeWindow(start=START, end=START + timedelta(minutes=30))
BASELINE = WINDOW.before(timedelta(hours=1))

CONTEXT = ToolContext(window=WINDOW, baseline=BASELINE, now=WINDOW.end, timezone="Asia/Shanghai")


def at(minutes: float) -> str:
    """RFC 3339 of so many minutes after the window's start; negative lies in the baseline."""
    return (START + timedelta(minutes=minutes)).isoformat()


class IncidentFolder:
    """One folder; every method writes one file of it and returns the builder.

    Args:
        path: an existing, empty folder.
        extra: text after `incident.toml`'s usual content.
    """

    def __init__(self, path: Path, extra: str = "") -> None:
        self.path = path
        path.joinpath("incident.toml").write_text(
            'title = "支付报错"\ntimezone = "Asia/Shanghai"\n'
            f"[window]\nfrom = {at(0)}\nto = {at(30)}\n[baseline]\nfrom = {at(-60)}\nto = {at(0)}\n{extra}",
            encoding="utf-8",
        )

    def metrics(self, text: str) -> Self:
        """`metrics.om` as it is given."""
        self.path.joinpath("metrics.om").write_text(text, encoding="utf-8")
        return self

    def series(self, name: str, labels: str, baseline: Sequence[float], window: Sequence[float]) -> Self:
        """Append one series to `metrics.om`: samples spread evenly over the baseline and over the window."""
        lines = [
            f"{name}{{{labels}}} {value} {span.start.timestamp() + span.seconds * index / len(values)}\n"
            for span, values in ((BASELINE, baseline), (WINDOW, window))
            for index, value in enumerate(values)
        ]
        with self.path.joinpath("metrics.om").open("a", encoding="utf-8") as file:
            file.writelines(lines)
        return self

    def logs(self, lines: Sequence[JsonObject | str], *, packed: bool = False) -> Self:
        """`logs.jsonl`; text lines are written as they are."""
        return self._lines("logs.jsonl", lines, packed=packed)

    def traces(self, spans: Sequence[JsonObject | str], *, packed: bool = False) -> Self:
        """`traces.jsonl`; text lines are written as they are."""
        return self._lines("traces.jsonl", spans, packed=packed)

    def changes(self, changes: Sequence[JsonObject | str]) -> Self:
        """`changes.jsonl`; text lines are written as they are."""
        return self._lines("changes.jsonl", changes, packed=False)

    def alerts(self, alerts: object) -> Self:
        """`alerts.json`."""
        self.path.joinpath("alerts.json").write_text(json.dumps(alerts, ensure_ascii=False), encoding="utf-8")
        return self

    def topology(self, *edges: tuple[str, str]) -> Self:
        """`topology.json` from (caller, callee) pairs."""
        listed = [{"from": caller, "to": callee} for caller, callee in edges]
        self.path.joinpath("topology.json").write_text(json.dumps({"edges": listed}), encoding="utf-8")
        return self

    def runbook(self, name: str, text: str) -> Self:
        """One Markdown file under `runbooks/`."""
        folder = self.path / "runbooks"
        folder.mkdir(exist_ok=True)
        folder.joinpath(name).write_text(text, encoding="utf-8")
        return self

    def open(self) -> RecordedSource:
        """The folder as sources."""
        return open_recorded(self.path)

    def tools(self, *services: ServiceInfo) -> dict[str, Tool]:
        """The tools that the folder can answer, wired as the composition root wires them."""
        source = self.open()
        return build_tools(
            source.system(services),
            Redactor(),
            metrics=source.metrics,
            logs=source.logs,
            alerts=source.alerts,
            changes=source.changes,
            traces=source.traces,
            knowledge=source.knowledge,
            log_baselines=source.incident.log_stretches() or None,
        )

    def _lines(self, name: str, lines: Sequence[JsonObject | str], *, packed: bool) -> Self:
        texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        content = "".join(f"{text}\n" for text in texts).encode()
        path = self.path / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(content) if packed else content)
        return self


def log(minutes: float, service: str, body: str, severity: str = "INFO") -> JsonObject:
    """One log record."""
    return {"timestamp": at(minutes), "service": service, "severity": severity, "body": body}


def alert(
    name: str, service: str, minutes: float = 5, *, severity: str = "critical", summary: str = "", **labels: str
) -> JsonObject:
    """One alert as Alertmanager lists it."""
    return {
        "labels": {"alertname": name, "service": service, "severity": severity, **labels},
        "annotations": {"summary": summary},
        "status": {"state": "active"},
        "startsAt": at(minutes),
        "endsAt": "0001-01-01T00:00:00Z",
    }


def change(minutes: float, service: str, summary: str, kind: str = "deploy", by: str = "ci") -> JsonObject:
    """One change."""
    return {"timestamp": at(minutes), "service": service, "kind": kind, "summary": summary, "by": by}


def call(
    minutes: float, number: int, caller: str, callee: str, *, served_ms: float = 20, wait_ms: float = 2
) -> list[JsonObject]:
    """One call as three spans: the caller's request, its client span, and the callee's server span."""
    trace = f"trace{number:04}"

    def span(name: str, parent: str | None, service: str, duration: float) -> JsonObject:
        return {
            "timestamp": at(minutes),
            "trace_id": trace,
            "span_id": f"{trace}-{name}",
            "parent_span_id": parent and f"{trace}-{parent}",
            "service": service,
            "operation": f"{service}/{name}",
            "duration_ms": duration,
            "status": "unset",
        }

    return [
        span("request", None, caller, served_ms + wait_ms + 5),
        span("client", "request", caller, served_ms + wait_ms),
        span("server", "client", callee, served_ms),
    ]


def pay_incident(path: Path) -> IncidentFolder:
    """payment-service fails after a deploy: every kind of telemetry tells its part, and a password leaked into each."""
    secret = "password=hunter2secret"  # because it is what redaction must find
    ordinary = [log(minute / 2, "order-service", f"created order {minute}") for minute in range(-120, 60)]
    failing = [
        log(10 + minute / 10, "payment-service", f"pool exhausted after 3000 ms, {secret}", "ERROR")
        for minute in range(40)
    ]
    before = [call(-50 + number, number, "order-service", "payment-service") for number in range(20)]
    during = [
        call(5 + number, 100 + number, "order-service", "payment-service", served_ms=3000) for number in range(20)
    ]
    return (
        IncidentFolder(path)
        .series("http_error_ratio", 'service="payment-service"', [0.0] * 60, [0.0] * 10 + [0.3] * 20)
        .series("http_request_rate", f'service="order-service",note="{secret}"', [10.0] * 60, [10.0] * 30)
        .logs([*ordinary, *failing])
        .alerts([alert("PaymentErrors", "payment-service", summary=f"错误率过高 {secret}", token="hunter2secret")])  # noqa: S106
        .changes([change(-5, "payment-service", f"release v1.5.0 {secret}")])
        .traces([span for spans in (*before, *during) for span in spans])
        .topology(("order-service", "payment-service"))
        .runbook("pool.md", f"---\ntitle: 连接池\n---\n# 连接池耗尽\n先看连接数，{secret}，再回滚。\n")
    )
