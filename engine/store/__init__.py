"""Where runs are kept: in a database (SQLite, PostgreSQL) or in memory; the port is `engine.ports.Store`."""

from engine.store.database import open_store
from engine.store.memory import MemoryStore
from engine.store.sql import SqlStore

__all__ = ["MemoryStore", "SqlStore", "open_store"]
