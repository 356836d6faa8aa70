"""The stores that the contract is checked against, and the databases they live in."""

import asyncio
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from engine.store import MemoryStore, SqlStore, open_store
from tests.postgres import Postgres, PostgresUnavailable, running_postgres

AnyStore = MemoryStore | SqlStore


@dataclass(frozen=True)
class Backend:
    """Where stores of one kind keep their runs; every store opened from it sees the same ones.

    Attributes:
        url: the database; None for memory.
    """

    url: str | None
    memory: MemoryStore = field(default_factory=MemoryStore)

    def open(self) -> AbstractAsyncContextManager[AnyStore]:
        """One more store with connections of its own."""
        return open_store(self.url) if self.url else self._open_memory()

    @asynccontextmanager
    async def _open_memory(self) -> AsyncGenerator[MemoryStore]:
        yield self.memory


@pytest.fixture(scope="session")
def postgres() -> Generator[Postgres]:
    """One server for the session; without one its tests are skipped, except in CI, where they fail."""
    try:
        with running_postgres() as server:
            yield server
    except PostgresUnavailable as error:
        reason = f"PostgreSQL does not start: {error}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def migrated_database(postgres: Postgres) -> str:
    """The name of a database at our schema, to copy."""
    name = postgres.create()
    asyncio.run(_migrate(postgres.url(name)))
    return name


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A SQLite file at our schema, to copy."""
    file = tmp_path_factory.mktemp("migrated") / "verdict.db"
    asyncio.run(_migrate(f"sqlite+aiosqlite:///{file}"))
    return file.read_bytes()


async def _migrate(url: str) -> None:
    async with open_store(url):
        pass


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new, empty database."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path}/verdict.db"
    server: Postgres = request.getfixturevalue("postgres")
    return server.url(server.create())


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """A new place for runs, one of each kind."""
    if request.param == "memory":
        return Backend(None)
    if request.param == "sqlite":
        (tmp_path / "verdict.db").write_bytes(request.getfixturevalue("migrated_file"))
        return Backend(f"sqlite+aiosqlite:///{tmp_path}/verdict.db")
    server: Postgres = request.getfixturevalue("postgres")
    return Backend(server.url(server.create(request.getfixturevalue("migrated_database"))))


@pytest.fixture
async def store(backend: Backend) -> AsyncGenerator[AnyStore]:
    """A store over a new place."""
    async with backend.open() as opened:
        yield opened
