"""What both lab services share: HTTP, metrics, JSON logs, spans and a switch for faults."""

import json
import logging
import threading
import time
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, generate_latest

REQUESTS = Counter("http_requests", "Requests served", ["route", "status"])
DURATIONS = Histogram(
    "http_request_duration_seconds",
    "Time to serve a request",
    ["route"],
    buckets=(0.001, 0.002, 0.003, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.1, 2.5, 3, 5, 10),
)
BUILD = Gauge("build_info", "The running version", ["version"])


@dataclass(frozen=True)
class Span:
    """One unit of work; durations in milliseconds."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    service: str
    operation: str
    started: float


@dataclass(frozen=True)
class Request:
    """One request as a route's function gets it."""

    body: dict[str, Any]
    span: Span


class Failed(Exception):
    """A request that ends with a status of 500 and above."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Route = Callable[[Request], dict[str, Any]]


class ServiceLog(logging.Handler):
    """Brings what a library logs, such as the pool's failed connects, into the service's own log."""

    def __init__(self, service: "LabService") -> None:
        super().__init__(logging.WARNING)
        self._service = service

    def emit(self, record: logging.LogRecord) -> None:
        severity = "ERROR" if record.levelno >= logging.ERROR else "WARN"
        self._service.log(severity, record.getMessage(), logger=record.name)


class LabService:
    """One service process.

    Args:
        name: its name in logs, spans and metrics.
        version: the version that it says it runs.
        logs, traces: files that its lines are appended to.
    """

    def __init__(self, name: str, version: str, logs: Path, traces: Path) -> None:
        self.name = name
        self.version = version
        self.fault = "none"
        self.routes: dict[tuple[str, str], Route] = {("GET", "/healthz"): lambda request: {"healthy": True}}
        self._logs = logs.open("a", encoding="utf-8", buffering=1)
        self._traces = traces.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()
        BUILD.labels(version).set(1)

    def route(self, method: str, path: str, function: Route) -> None:
        """Serve a path, with its counters there from the start so that a rate of 0 is a rate."""
        self.routes[method, path] = function
        for status in ("200", "402", "500", "503"):
            REQUESTS.labels(path, status)

    def log(self, severity: str, body: str, **attributes: str) -> None:
        """Write one line in the incident folder's form."""
        self._write(
            self._logs,
            {
                "timestamp": _now(),
                "service": self.name,
                "severity": severity,
                "body": body,
                "attributes": attributes,
            },
        )

    def begin(
        self, operation: str, parent: Span | None, trace_id: str | None = None, service: str | None = None
    ) -> Span:
        """Start a span."""
        trace = trace_id or (parent.trace_id if parent else uuid.uuid4().hex)
        parent_id = parent.span_id if parent else None
        return Span(trace, uuid.uuid4().hex[:16], parent_id, service or self.name, operation, time.time())

    def end(self, span: Span, status: str = "ok") -> None:
        """Write the span."""
        self._write(
            self._traces,
            {
                "timestamp": datetime.fromtimestamp(span.started, UTC).isoformat().replace("+00:00", "Z"),
                "trace_id": span.trace_id,
                "span_id": span.span_id,
                "parent_span_id": span.parent_span_id,
                "service": span.service,
                "operation": span.operation,
                "duration_ms": round((time.time() - span.started) * 1000, 3),
                "status": status,
            },
        )

    def deploy(self, version: str) -> None:
        """Run another version's code path from now on, in the same process."""
        self.log("INFO", f"deploy: {self.name} {self.version} -> {version}")
        BUILD.clear()
        BUILD.labels(version).set(1)
        self.version = version

    def serve(self, port: int) -> None:
        """Answer on the loopback address until the process ends."""
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                service._answer(self, "GET")

            def do_POST(self) -> None:
                service._answer(self, "POST")

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing: the service writes its own log."""

        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        server.daemon_threads = True
        self.log("INFO", f"{self.name} {self.version} listening on port {port}")
        server.serve_forever()

    def _answer(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        path = handler.path.split("?")[0]
        length = int(handler.headers.get("Content-Length") or 0)
        body = json.loads(handler.rfile.read(min(length, 100_000)) or b"{}")
        if path == "/metrics":
            _reply(handler, 200, generate_latest(REGISTRY), "text/plain")
            return
        if path == "/admin/fault":
            self._switch(body)
            _reply(handler, 200, b"{}")
            return
        function = self.routes.get((method, path))
        if function is None:
            _reply(handler, 404, b"{}")
            return
        parent_id, trace = handler.headers.get("X-Parent-Span"), handler.headers.get("X-Trace-Id")
        parent = Span(trace, parent_id, None, "", "", 0.0) if trace and parent_id else None
        span = self.begin(f"{method} {path}", parent, trace)
        status, answer = self._run(function, Request(body, span), path)
        self.end(span, "error" if status >= 500 else "ok")
        if path != "/healthz":
            REQUESTS.labels(path, str(status)).inc()
            DURATIONS.labels(path).observe(time.time() - span.started)
        try:
            _reply(handler, status, json.dumps(answer).encode())
        except ConnectionError:
            self.log("WARN", f"{path}: the client left before its answer", trace_id=span.trace_id)
            handler.close_connection = True

    def _run(self, function: Route, request: Request, path: str) -> tuple[int, dict[str, Any]]:
        try:
            answer = function(request)
        except Failed as error:
            self.log("ERROR", f"{path} failed with {error.status}: {error}", trace_id=request.span.trace_id)
            return error.status, {"error": str(error)}
        except Exception as error:  # noqa: BLE001  # because a server answers 500 whatever its handler did
            last = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{path} failed with 500: {type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
            self.log("ERROR", text, trace_id=request.span.trace_id)
            return 500, {"error": type(error).__name__}
        return int(answer.pop("status", 200)), answer

    def _switch(self, body: dict[str, Any]) -> None:
        if "version" in body:
            self.deploy(str(body["version"]))
        self.fault = str(body.get("fault", self.fault))

    def _write(self, file: Any, record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            file.write(line + "\n")


def _reply(handler: BaseHTTPRequestHandler, status: int, body: bytes, kind: str = "application/json") -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
