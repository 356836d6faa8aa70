"""Opening a database."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import ConfigError, StoreError
from engine.store import open_store
from tests.unit.store.runs import a_run

ROOT = Path(__file__).resolve().parents[3]

_OPEN = """
import asyncio, sys
from engine.store import open_store
async def main():
    async with open_store(sys.argv[1]) as store:
        await store.recent(1)
asyncio.run(main())
sys.stdout.write(str("alembic" in sys.modules))
"""


def _start(url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _OPEN, url],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("form", ["sqlite:///{}", "sqlite+aiosqlite:///{}"])
async def test_a_file_is_made_and_kept(tmp_path: Path, form: str) -> None:
    """A SQLite file is made when it is not there, in write-ahead mode, and its runs outlive the store."""
    file = tmp_path / "100%.db"
    async with open_store(form.format(file)) as store:
        await store.begin(a_run())
    async with open_store(form.format(file)) as store:
        assert len(await store.recent(5)) == 1
    with sqlite3.connect(file) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


async def test_a_database_in_memory_serves_many_at_once() -> None:
    """A store in memory keeps what concurrent writers write."""
    async with open_store("sqlite+aiosqlite://") as store:
        await asyncio.gather(*(store.begin(a_run(f"run-{number}")) for number in range(10)))
        assert len(await store.recent(50)) == 10


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("verdict.db", "cannot be read"),
        ("", "cannot be read"),
        ("mysql://root:geheim@db/verdict", "'mysql'"),
        ("postgresql+asyncpg://u:geheim@db/verdict", r"'postgresql\+asyncpg'"),
    ],
)
async def test_a_url_of_another_kind_is_refused(url: str, message: str) -> None:
    """A URL that cannot be used is a configuration error that says what to write, without the password."""
    with pytest.raises(ConfigError, match=message) as caught:
        async with open_store(url):
            pass
    assert "postgresql+psycopg" in str(caught.value)
    assert "geheim" not in str(caught.value)


async def test_databases_that_open_at_once_are_each_migrated() -> None:
    """Several empty databases opened at the same moment in one process all get their tables."""

    async def open_and_begin(number: int) -> int:
        async with open_store("sqlite+aiosqlite://") as store:
            await store.begin(a_run(f"run-{number}"))
            return len(await store.recent(9))

    assert await asyncio.gather(*map(open_and_begin, range(6))) == [1] * 6


async def test_an_up_to_date_database_is_opened_without_alembic(tmp_path: Path) -> None:
    """Only a database that needs a migration makes a process load Alembic."""
    url = f"sqlite:///{tmp_path}/verdict.db"
    loaded = [_start(url).communicate()[0] for _ in range(2)]
    assert loaded == ["True", "False"]


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    """A file of another kind is an error that names the file."""
    (tmp_path / "notes.txt").write_text("not a database at all\n" * 100)
    with pytest.raises(StoreError, match=r"notes\.txt: the file is no SQLite database"):
        async with open_store(f"sqlite:///{tmp_path}/notes.txt"):
            pass


async def test_a_damaged_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    """Pages of rubbish in the file are an error that says so."""
    file = tmp_path / "verdict.db"
    async with open_store(f"sqlite:///{file}") as store:
        for number in range(200):
            await store.begin(a_run(f"run-{number}"))
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError, match="the file is damaged"):
        async with open_store(f"sqlite:///{file}") as store:
            await store.recent(500)


async def test_a_read_only_file_can_be_read_and_says_why_it_cannot_be_written(tmp_path: Path) -> None:
    """A write to a read-only database is an error that names the right that is missing."""
    file = tmp_path / "verdict.db"
    async with open_store(f"sqlite:///{file}") as store:
        await store.begin(a_run())
    async with open_store(f"sqlite:///file:{file}?mode=ro&uri=true") as store:
        assert len(await store.recent(5)) == 1
        with pytest.raises(StoreError, match="it is read-only"):
            await store.enter("run-1", "executor")


async def test_a_locked_file_is_an_error_after_the_wait(tmp_path: Path) -> None:
    """A writer that waits for another longer than it may gets an error that says so; readers go on."""
    file = tmp_path / "verdict.db"
    async with open_store(f"sqlite:///{file}?timeout=0.05") as store:
        await store.begin(a_run())
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="it is locked by another process"):
            await store.enter("run-1", "executor")
        assert (await store.load("run-1")).stage == "planner"
        other.execute("ROLLBACK")
        other.close()
        await store.enter("run-1", "executor")
        assert (await store.load("run-1")).stage == "executor"
