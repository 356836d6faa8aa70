"""SQLite under many writers: write-ahead logging, foreign keys, and transactions that lock first."""

import asyncio
import sqlite3

from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import ConnectionPoolEntry

__all__ = ["BUSY_SECONDS", "prepare_sqlite", "use_write_ahead_log"]

BUSY_SECONDS = 10
"""How long a writer waits for another, unless the URL says `?timeout=SECONDS`."""

_RETRY_SECONDS = 0.02


def prepare_sqlite(engine: AsyncEngine) -> None:
    """Set every new connection up, and begin every transaction, as our concurrency needs it."""
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)


async def use_write_ahead_log(engine: AsyncEngine) -> None:
    """Turn the file's write-ahead log on, once and for all its later users.

    Retried here, because SQLite fails at once, without its usual wait, when two turn it on together.
    """
    deadline = asyncio.get_running_loop().time() + BUSY_SECONDS
    while True:
        try:
            async with engine.connect() as connection:
                return await connection.run_sync(_switch)
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or asyncio.get_running_loop().time() > deadline:
                raise
            await asyncio.sleep(_RETRY_SECONDS)


def _switch(connection: Connection) -> None:
    # On the driver's own cursor, because the mode cannot change within a transaction.
    cursor = connection.connection.cursor()
    cursor.execute("PRAGMA journal_mode")
    if cursor.fetchone() != ("wal",):
        cursor.execute("PRAGMA journal_mode=WAL")
    cursor.close()


def _prepare(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # because the driver would else begin transactions by itself, and late
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    # A writer locks before it reads, because a lock taken after reading can fail at once.
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
