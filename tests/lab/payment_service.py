"""payment-service: takes payments and keeps them in PostgreSQL through a pool of ten connections.

Faults: `leak` (its deploy's code keeps the connection of a declined card), `cpu` (one handler burns).
"""

import argparse
import logging
import random
import time
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
from prometheus_client import REGISTRY, Counter, Gauge, Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from psycopg_pool import ConnectionPool, PoolTimeout

from tests.lab.service import Failed, LabService, Request, ServiceLog, Span

POOL_SIZE = 10
ACQUIRE_SECONDS = 2.0
BURN_SECONDS = 0.08
TIMEOUTS = Counter("db_pool_timeouts", "Requests that got no connection in time")
WAITING = Gauge("db_pool_waiting", "Requests that wait for a connection")
# because the pool's own `requests_waiting` also counts those that gave up until a connection comes back

Pool = ConnectionPool[psycopg.Connection[tuple[Any, ...]]]


class PoolCollector(Collector):
    """The pool's own statistics at each scrape."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def collect(self) -> Iterable[Metric]:
        stats = self._pool.get_stats()
        size, idle = stats.get("pool_size", 0), stats.get("pool_available", 0)
        yield GaugeMetricFamily("db_pool_size", "Connections the pool may hold", value=POOL_SIZE)
        yield GaugeMetricFamily("db_pool_in_use", "Connections handed out", value=size - idle)


class Payments:
    """The service's routes."""

    def __init__(self, service: LabService, pool: Pool) -> None:
        self._service = service
        self._pool = pool
        self._random = random.Random(7)

    def pay(self, request: Request) -> dict[str, Any]:
        """Book a payment; one card in twenty is declined."""
        if self._service.fault == "cpu":
            _burn(BURN_SECONDS)
        order, amount = str(request.body.get("order", "")), int(request.body.get("amount", 0))
        declined = self._random.random() < 0.05
        if declined and self._service.fault == "leak":
            # because this is the bug of v1.5.0: the early return forgets the connection
            connection = self._acquire(request.span)
            self._query(connection, request.span, "SELECT count(*) FROM payment WHERE order_id = %s", (order,))
            self._service.log("WARN", f"card declined for order {order}", trace_id=request.span.trace_id)
            return {"status": 402, "result": "declined"}
        with self._connection(request.span) as connection:
            if declined:
                self._query(connection, request.span, "SELECT count(*) FROM payment WHERE order_id = %s", (order,))
                self._service.log("WARN", f"card declined for order {order}", trace_id=request.span.trace_id)
                return {"status": 402, "result": "declined"}
            self._query(
                connection, request.span, "INSERT INTO payment (order_id, amount) VALUES (%s, %s)", (order, amount)
            )
        self._service.log("INFO", f"payment accepted order={order} amount={amount}", trace_id=request.span.trace_id)
        return {"result": "accepted"}

    def payments(self, request: Request) -> dict[str, Any]:
        """How many payments there are."""
        with self._connection(request.span) as connection:
            rows = self._query(connection, request.span, "SELECT count(*) FROM payment", ())
        return {"payments": rows[0][0]}

    @contextmanager
    def _connection(self, span: Span) -> Generator[psycopg.Connection[tuple[Any, ...]]]:
        connection = self._acquire(span)
        try:
            yield connection
            connection.commit()
        finally:
            self._pool.putconn(connection)

    def _acquire(self, span: Span) -> psycopg.Connection[tuple[Any, ...]]:
        waiting = self._service.begin("pool.acquire", span)
        try:
            with WAITING.track_inprogress():
                connection = self._pool.getconn(timeout=ACQUIRE_SECONDS)
        except PoolTimeout as error:
            TIMEOUTS.inc()
            self._service.end(waiting, "error")
            raise Failed(503, f"PoolTimeout: {error}") from error
        self._service.end(waiting)
        return connection

    def _query(
        self, connection: psycopg.Connection[tuple[Any, ...]], span: Span, statement: str, values: tuple[Any, ...]
    ) -> list[tuple[Any, ...]]:
        # because PostgreSQL writes no spans, order-db's span is what the client measured around its statement
        client = self._service.begin("db.query", span)
        server = self._service.begin(statement.split(" (")[0][:60], client, service="order-db")
        status = "error"
        try:
            cursor = connection.execute(statement.encode(), values)
            rows = cursor.fetchall() if cursor.description else []
            status = "ok"
        finally:
            self._service.end(server, status)
            self._service.end(client, status)
        return rows


def _burn(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(range(2000))


def _open(dsn: str) -> AbstractContextManager[Pool]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS payment (id serial PRIMARY KEY, order_id text, amount int)")
    return Pool(dsn, min_size=2, max_size=POOL_SIZE, timeout=ACQUIRE_SECONDS, open=True)


def main() -> None:
    """Run the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--dsn", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--version", default="v1.4.2")
    given = parser.parse_args()
    service = LabService(
        "payment-service", given.version, given.folder / "payment.logs.jsonl", given.folder / "payment.traces.jsonl"
    )
    logging.getLogger("psycopg.pool").addHandler(ServiceLog(service))
    with _open(given.dsn) as pool:
        REGISTRY.register(PoolCollector(pool))
        payments = Payments(service, pool)
        service.route("POST", "/pay", payments.pay)
        service.route("GET", "/payments", payments.payments)
        service.serve(given.port)


if __name__ == "__main__":
    main()
