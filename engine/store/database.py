"""Opening a database by its URL: drivers, migration and closing."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from engine.errors import ConfigError
from engine.store.errors import store_errors
from engine.store.schema import bring_to_head
from engine.store.sql import SqlStore
from engine.store.sqlite import BUSY_SECONDS, prepare_sqlite, use_write_ahead_log

__all__ = ["open_store"]

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}


@asynccontextmanager
async def open_store(url: str) -> AsyncGenerator[SqlStore]:
    """Open the database, migrate it where it is older than this version, and close it afterwards.

    Args:
        url: `sqlite+aiosqlite:///FILE`, `sqlite+aiosqlite://` (in memory) or `postgresql+psycopg://…`.

    Raises:
        ConfigError: the URL cannot be used, or a newer version wrote the database.
        StoreError: the database cannot be opened.
    """
    address = _address(url)
    place = _place(address)
    engine = _sqlite(address) if address.get_backend_name() == "sqlite" else _postgres(address)
    try:
        with store_errors(place):
            if engine.dialect.name == "sqlite":
                await use_write_ahead_log(engine)
            await bring_to_head(engine)
        yield SqlStore(engine, place)
    finally:
        await engine.dispose()


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise ConfigError(
            "[database] url cannot be read: write sqlite+aiosqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
        ) from error
    driver = _DRIVERS.get(address.drivername)
    if driver is None:
        raise ConfigError(
            f"[database] url names {address.drivername[:40]!r}: use sqlite+aiosqlite or postgresql+psycopg"
        )
    return address.set(drivername=driver)


def _place(address: URL) -> str:
    """The database by a name that may be shown."""
    if address.get_backend_name() == "sqlite":
        return address.database or ":memory:"
    host = address.host or address.query.get("host") or "localhost"
    return f"{host}:{address.port or 5432}/{address.database or ''}"


_dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


def _postgres(address: URL) -> AsyncEngine:
    options: dict[str, Any] = {} if "connect_timeout" in address.query else {"connect_timeout": 10}
    return create_async_engine(
        address, connect_args=options, pool_pre_ping=True, hide_parameters=True, json_serializer=_dumps
    )


def _sqlite(address: URL) -> AsyncEngine:
    in_memory = address.database in (None, "", ":memory:")
    # One connection holds a database in memory, so its transactions take turns.
    limits = {"pool_size": 1, "max_overflow": 0} if in_memory else {}
    engine = create_async_engine(
        address,
        connect_args={} if "timeout" in address.query else {"timeout": BUSY_SECONDS},
        poolclass=AsyncAdaptedQueuePool,
        hide_parameters=True,
        json_serializer=_dumps,
        **limits,
    )
    prepare_sqlite(engine)
    return engine
