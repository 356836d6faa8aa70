"""The border to the database: its errors as one clear line, without SQL, values or passwords."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.errors import StoreError

__all__ = ["store_errors"]

_SQLITE = {
    "SQLITE_ERROR": "its tables are not as this version of verdict makes them",
    "SQLITE_FULL": "the disk is full: free space and try again",
    "SQLITE_BUSY": "it is locked by another process: wait, or end the process that holds it",
    "SQLITE_LOCKED": "it is locked by another process: wait, or end the process that holds it",
    "SQLITE_READONLY": "it is read-only: give this user the right to write the file and its folder",
    "SQLITE_PERM": "it is read-only: give this user the right to write the file and its folder",
    "SQLITE_CANTOPEN": "the file cannot be opened: its folder must exist and be writable",
    "SQLITE_CORRUPT": "the file is damaged: restore it from a backup",
    "SQLITE_NOTADB": "the file is no SQLite database: name another file or restore it from a backup",
    "SQLITE_IOERR": "the disk failed to read or write",
    "SQLITE_TOOBIG": "a value is too large",
    "SQLITE_CONSTRAINT": "the rows contradict each other",
}
"""By primary result code (sqlite.org/rescode.html)."""

_POSTGRES = {
    "53100": "the disk is full: free space and try again",
    "53300": "it has too many connections: raise max_connections or run fewer processes",
    "25006": "it is read-only: connect to the primary server",
    "55P03": "it is locked by another process: try again",
    "57014": "it took too long and was cancelled",
    "40P01": "two writers waited for each other: try again",
    "40001": "two writers met: try again",
    "28P01": "it refused the user or password",
    "28000": "it refused the user or password",
    "3D000": "that database does not exist: create it",
    "42501": "the user lacks a right on the tables or the schema",
    "42P01": "its tables are not as this version of verdict makes them",
    "42703": "its tables are not as this version of verdict makes them",
    "22001": "a value is too long",
    "XX001": "its data is damaged: restore it from a backup",
    "XX002": "an index is damaged: reindex it",
}
"""By SQLSTATE (PostgreSQL manual, appendix A)."""

_POSTGRES_CLASSES = {
    "08": "the connection was lost: is the server running?",
    "22": "a value cannot be kept",
    "23": "the rows contradict each other",
    "57": "the server is starting or stopping: try again",
    "58": "the server's disk failed",
}


@contextmanager
def store_errors(place: str) -> Generator[None]:
    """Translate whatever the database raises into StoreError.

    Args:
        place: the database by a name that may be shown, such as its file or host.

    Raises:
        StoreError: `database PLACE: what is wrong and the remedy`.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise StoreError(f"database {place}: {_describe(error)}") from error


def _describe(error: Exception) -> str:
    if isinstance(error, PoolTimeout):
        return "all connections are in use: try again"
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    name = getattr(cause, "sqlite_errorname", None)
    if isinstance(name, str):
        primary = "_".join(name.split("_")[:2])
        return _SQLITE.get(primary, f"it failed ({primary})")
    state = getattr(cause, "sqlstate", None)
    if isinstance(state, str):
        return _POSTGRES.get(state) or _POSTGRES_CLASSES.get(state[:2]) or f"it failed (SQLSTATE {state})"
    if isinstance(error, DBAPIError) and type(cause).__name__ == "OperationalError":
        return "it cannot be reached: is the server running, and are host, user and password right?"
    return f"it failed ({type(cause).__name__})"
