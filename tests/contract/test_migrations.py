"""The schema's history, on both databases."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, make_url
from sqlalchemy.ext.asyncio import create_async_engine

from engine.errors import ConfigError, StoreError
from engine.store import open_store
from engine.store.migration import scripts
from engine.store.schema import HEAD, VERSION_TABLE
from engine.store.tables import Base
from tests.unit.store.runs import a_run

ROOT = Path(__file__).resolve().parents[2]

T = TypeVar("T")


async def _inside(url: str, act: Callable[[Connection], T]) -> T:
    engine = create_async_engine(url)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(act)
    finally:
        await engine.dispose()


async def _run(url: str, statement: str) -> None:
    await _inside(url, lambda connection: connection.exec_driver_sql(statement) and None)


async def _number(url: str, query: str) -> object:
    return await _inside(url, lambda connection: connection.exec_driver_sql(query).scalar_one())


def _tables(connection: Connection) -> list[str]:
    return inspect(connection).get_table_names()


def _differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return list(compare_metadata(context, Base.metadata))


def _downgrade(connection: Connection) -> list[str]:
    config = Config()
    config.set_main_option("script_location", scripts().dir.replace("%", "%%"))
    config.attributes["connection"] = connection
    command.downgrade(config, "base")
    return _tables(connection)


def test_the_newest_migration_is_the_version_we_ask_for() -> None:
    """The constant that start-up compares with is the only head of the migrations."""
    assert scripts().get_heads() == [HEAD]


async def test_an_empty_database_becomes_what_the_tables_say(database_url: str) -> None:
    """After the migrations, Alembic finds no difference between the database and the tables."""
    async with open_store(database_url):
        pass
    assert await _inside(database_url, _differences) == []


async def test_a_missing_column_would_be_found(database_url: str) -> None:
    """The comparison reports a column that the database lacks, so that the test above can fail."""
    async with open_store(database_url):
        pass
    await _run(database_url, "ALTER TABLE tool_invocation DROP COLUMN note")
    assert len(await _inside(database_url, _differences)) == 1


async def test_the_migrations_can_be_undone(database_url: str) -> None:
    """Going down to nothing leaves the version table alone."""
    async with open_store(database_url):
        pass
    assert await _inside(database_url, _downgrade) == [VERSION_TABLE]


async def test_stores_that_open_at_once_share_one_migration(database_url: str) -> None:
    """Several connections that find the database empty at the same moment migrate it once."""

    async def open_and_begin(number: int) -> None:
        async with open_store(database_url) as store:
            await store.begin(a_run(f"run-{number}"))

    await asyncio.gather(*map(open_and_begin, range(4)))
    async with open_store(database_url) as store:
        assert len(await store.recent(9)) == 4


def test_processes_that_start_at_once_share_one_migration(database_url: str) -> None:
    """Several processes that find the database empty at the same moment all succeed."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.unit.store.worker", "begin", database_url, f"run-{number}"],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    assert [(worker.communicate()[1], worker.returncode) for worker in workers] == [("", 0)] * 3
    assert asyncio.run(_number(database_url, "SELECT count(*) FROM diagnosis_run")) == 3


async def test_opening_again_changes_nothing(database_url: str) -> None:
    """A database that is opened a second time still holds its runs."""
    async with open_store(database_url) as store:
        await store.begin(a_run())
    async with open_store(database_url) as store:
        assert (await store.load("run-1")).run_id == "run-1"


async def test_a_newer_database_is_refused(database_url: str) -> None:
    """A schema version that we do not know is a configuration error that names the version and the remedy."""
    async with open_store(database_url):
        pass
    await _run(database_url, "UPDATE verdict_schema SET version_num = '9999'")
    with pytest.raises(ConfigError, match=r"'9999'.*upgrade verdict"):
        async with open_store(database_url):
            pass


async def test_tables_of_another_program_are_not_touched(database_url: str) -> None:
    """A database that holds a table of ours without our version is an error, and is left as it was."""
    await _run(database_url, "CREATE TABLE worker (mine INTEGER)")
    with pytest.raises(ConfigError, match="table 'worker' of another program"):
        async with open_store(database_url):
            pass
    assert await _inside(database_url, _tables) == ["worker"]


async def test_a_row_of_another_make_is_named(database_url: str) -> None:
    """A row that is not as we write it is an error that names the run and the field, not its contents."""
    async with open_store(database_url) as store:
        await store.begin(a_run())
        forged = 'UPDATE diagnosis_run SET usage = \'{"model_calls": "secret"}\''
        await _run(database_url, forged)
        with pytest.raises(StoreError, match=r"run-1 cannot be read: RunRecord\.usage\.model_calls") as caught:
            await store.load("run-1")
    assert "secret" not in str(caught.value)


async def test_feedback_goes_with_its_run(database_url: str) -> None:
    """Deleting a run by retention deletes what readers said of it."""
    kept = "SELECT count(*) FROM feedback"
    given = (
        "INSERT INTO feedback (run_id, claim_id, given_by, rating, given_at) "
        "VALUES ('run-1', 'c1', 'U1', 'wrong', '2026-11-30 12:00:00+00')"
    )
    async with open_store(database_url):
        pass
    async with open_store(database_url) as store:
        run = a_run()
        await store.begin(run)
        await _run(database_url, given)
        assert await _number(database_url, kept) == 1
        later = run.started_at + timedelta(days=90)
        assert await store.prune(timedelta(days=90), later) == 0
        assert await store.prune(timedelta(days=89), later) == 1
        assert await _number(database_url, kept) == 0


async def test_a_missing_database_or_server_is_one_clear_line(database_url: str) -> None:
    """A database that cannot be opened says where and why, and never shows the password."""
    url = make_url(database_url)
    wrong = url.set(database="/nowhere/verdict.db" if url.get_backend_name() == "sqlite" else "nowhere")
    with pytest.raises(StoreError, match="nowhere") as caught:
        async with open_store(wrong.render_as_string(hide_password=False)):
            pass
    assert "\n" not in str(caught.value)
    unreachable = "postgresql://verdict:geheim@127.0.0.1:1/nowhere"
    with pytest.raises(StoreError, match=r"127\.0\.0\.1:1/nowhere: it cannot be reached") as caught:
        async with open_store(unreachable):
            pass
    assert "geheim" not in str(caught.value)
