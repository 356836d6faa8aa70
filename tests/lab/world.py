"""The whole lab: PostgreSQL, both services and a load, started and ended together."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.postgres import ROOT, Postgres, running_postgres


class World:
    """The running system.

    Args:
        folder: where services write their logs and spans.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.payment_port, self.order_port = free_port(), free_port()
        self._stack = ExitStack()
        self._postgres: Postgres | None = None
        self._database = ""
        self.changes: list[dict[str, str]] = []

    @property
    def payments(self) -> str:
        """The address of payment-service."""
        return f"http://127.0.0.1:{self.payment_port}"

    @property
    def orders(self) -> str:
        """The address of order-service."""
        return f"http://127.0.0.1:{self.order_port}"

    def __enter__(self) -> "World":
        try:
            self._open()
        except BaseException:
            # because a lab that did not start must not leave processes behind
            self._stack.close()
            raise
        return self

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._postgres = self._stack.enter_context(running_postgres())
        self._database = self._postgres.create()
        dsn = self._postgres.url(self._database).replace("postgresql+psycopg", "postgresql")
        self._start("tests.lab.payment_service", "--port", str(self.payment_port), "--dsn", dsn)
        self._start("tests.lab.order_service", "--port", str(self.order_port), "--payment", self.payments)
        for address in (self.payments, self.orders):
            _wait(f"{address}/healthz")

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def switch(self, fault: str) -> None:
        """Switch a fault on: `leak` (by a deploy), `cpu`, `db-refuse`, or `none`."""
        if fault == "leak":
            summary = "payment-service v1.4.2 → v1.5.0: decline cards before booking"
            self._changed("deploy", summary)
            self._post({"fault": "leak", "version": "v1.5.0"})
        elif fault == "db-refuse":
            self._refuse()
        else:
            self._post({"fault": fault})

    def _changed(self, kind: str, summary: str) -> None:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        change = {
            "timestamp": stamp,
            "service": "payment-service",
            "kind": kind,
            "summary": summary,
            "by": "deploy-bot",
        }
        self.changes.append(change)

    def _post(self, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        with urllib.request.urlopen(f"{self.payments}/admin/fault", data=data, timeout=5) as answer:  # noqa: S310  # because it is the lab's own
            answer.read()

    def _refuse(self) -> None:
        """Make the database refuse connections, and end those that there are."""
        assert self._postgres is not None
        self._postgres.run(f"ALTER DATABASE {self._database} ALLOW_CONNECTIONS false")
        self._postgres.run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self._database}'"  # noqa: S608  # because the name is our own
        )

    def _start(self, module: str, *arguments: str) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments, "--folder", str(self.folder)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self._stack.callback(_end, process)


def free_port() -> int:
    """A port of the loopback address that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def pool_in_use(payments: str) -> float:
    """How many connections payment-service has handed out."""
    return _gauge(payments, "db_pool_in_use")


def pool_waiting(payments: str) -> float:
    """How many requests wait for a connection in payment-service."""
    return _gauge(payments, "db_pool_waiting")


def _gauge(payments: str, name: str) -> float:
    with urllib.request.urlopen(f"{payments}/metrics", timeout=5) as answer:  # noqa: S310  # because it is the lab's own
        text = answer.read().decode()
    return float(next(line.split()[-1] for line in text.splitlines() if line.startswith(f"{name} ")))


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(timeout=10)


def _wait(url: str) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310  # because it is the lab's own, on loopback
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{url} did not answer within 20 s")


__all__ = ["World", "free_port", "pool_in_use", "pool_waiting"]
