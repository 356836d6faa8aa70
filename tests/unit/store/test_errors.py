"""The border to the database."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.errors import StoreError, UnknownRun
from engine.store.errors import store_errors


def _said(error: Exception) -> str:
    with pytest.raises(StoreError) as caught, store_errors("db:5432/verdict"):
        raise error
    assert caught.value.__cause__ is error
    return str(caught.value)


class _PostgresError(Exception):
    """An error as psycopg raises it, with its SQLSTATE."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__("relation has DETAIL: Key (token)=(geheim)")
        self.sqlstate = sqlstate


def test_a_full_disk_is_one_clear_line(tmp_path: Path) -> None:
    """A database that may not grow further says that the disk is full."""
    connection = sqlite3.connect(tmp_path / "small.db")
    connection.execute("PRAGMA max_page_count=4")
    connection.execute("CREATE TABLE t (text)")
    with (
        pytest.raises(StoreError, match=r"^database small\.db: the disk is full: free space"),
        store_errors("small.db"),
    ):
        connection.execute("INSERT INTO t VALUES (?)", ("geheim" * 10_000,))
    connection.close()


@pytest.mark.parametrize(
    ("sqlstate", "message"),
    [
        ("53100", "the disk is full"),
        ("25006", "it is read-only"),
        ("28P01", "it refused the user or password"),
        ("3D000", "that database does not exist"),
        ("40P01", "try again"),
        ("XX001", "its data is damaged"),
        ("57P03", "starting or stopping"),
        ("08006", "the connection was lost"),
        ("23505", "the rows contradict each other"),
        ("0A000", "it failed (SQLSTATE 0A000)"),
    ],
)
def test_postgres_errors_are_told_by_their_state(sqlstate: str, message: str) -> None:
    """Each SQLSTATE becomes one line with the place, and without SQL, parameters or the server's detail."""
    error = DBAPIError("INSERT INTO t VALUES (%s)", ("geheim",), _PostgresError(sqlstate))
    said = _said(error)
    assert said.startswith("database db:5432/verdict: ")
    assert message in said
    assert "geheim" not in said
    assert "INSERT" not in said


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PoolTimeout("QueuePool limit of size 5"), "all connections are in use"),
        (OSError(28, "geheim"), "it failed (OSError)"),
        (OperationalError("SELECT geheim", {}, sqlite3.OperationalError("geheim")), "it cannot be reached"),
        (IntegrityError("SELECT geheim", {}, ValueError("geheim")), "it failed (ValueError)"),
    ],
)
def test_other_failures_name_their_kind_alone(error: Exception, message: str) -> None:
    """An error without a code of its database is told by its kind, never by its text."""
    said = _said(error)
    assert message in said
    assert "geheim" not in said


def test_errors_of_the_engine_pass() -> None:
    """An error of ours goes through the border unchanged."""
    with pytest.raises(UnknownRun, match=r"^nobody$"), store_errors("db"):
        raise UnknownRun("nobody")
