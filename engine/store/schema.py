"""The database's schema version: read at every start, brought to ours where it is older."""

import asyncio
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

__all__ = ["HEAD", "VERSION_TABLE", "bring_to_head", "schema_version"]

HEAD = "0001"
"""The newest version in `migrations/versions`."""

VERSION_TABLE = "verdict_schema"
"""Ours alone, because a shared PostgreSQL database may hold another program's `alembic_version`."""

_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

_MIGRATION_LOCK = 0x7665726469637401
"""Key of the PostgreSQL advisory lock that only one migrating process holds."""


async def bring_to_head(engine: AsyncEngine) -> None:
    """Migrate the database unless it is at our version already; safe when several processes start at once.

    Raises:
        ConfigError: the database was written by a newer version.
    """
    async with engine.connect() as connection:
        if await connection.run_sync(schema_version) == HEAD:
            return
    async with _alembics_turn(), engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            await connection.run_sync(_migrate_sqlite)
        else:
            async with connection.begin():
                await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
                await connection.run_sync(_migrate)


def _alembics_turn() -> asyncio.Lock:
    """Alembic keeps its current migration in globals, so migrations of one event loop take turns."""
    return _TURNS.setdefault(asyncio.get_running_loop(), asyncio.Lock())


def schema_version(connection: Connection) -> str | None:
    """The version the database is at; None for an empty one."""
    if not connection.dialect.has_table(connection, VERSION_TABLE):
        return None
    return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar_one_or_none()  # noqa: S608 - because the name is a constant


def _migrate_sqlite(connection: Connection) -> None:
    """Migrate in one immediate transaction.

    Foreign keys are off meanwhile, because SQLite changes a table by building it anew, and dropping the old
    one would delete the rows that point to it.
    """
    cursor = connection.connection.cursor()
    cursor.execute("PRAGMA foreign_keys=OFF")
    try:
        with connection.execution_options(immediate=True).begin():
            _migrate(connection)
    finally:
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()


def _migrate(connection: Connection) -> None:
    version = schema_version(connection)
    if version != HEAD:
        from engine.store.migration import upgrade  # noqa: PLC0415 - because Alembic costs 0.1 s of every start

        upgrade(connection, version)
