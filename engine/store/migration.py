"""Alembic, run over our packaged migrations on an open connection."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from engine.errors import ConfigError
from engine.store.tables import Base

__all__ = ["scripts", "upgrade"]

_FOLDER = Path(__file__).parent / "migrations"


def scripts() -> ScriptDirectory:
    """The migrations that this version ships."""
    return ScriptDirectory.from_config(_config())


def upgrade(connection: Connection, version: str | None) -> None:
    """Bring the database from `version` to our newest, within the connection's transaction.

    Raises:
        ConfigError: `version` is none of ours, because a newer program wrote the database; or there is no
            version, and tables of our names are another program's.
    """
    if version is None:
        _refuse_foreign_tables(connection)
    elif version not in {script.revision for script in scripts().walk_revisions()}:
        raise ConfigError(
            f"the database has schema version {version[:40]!r}, which this version of verdict does not know: "
            "upgrade verdict, or set [database] url to another database"
        )
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _refuse_foreign_tables(connection: Connection) -> None:
    taken = sorted(Base.metadata.tables.keys() & set(inspect(connection).get_table_names()))
    if taken:
        raise ConfigError(
            f"the database holds the table {taken[0]!r} of another program: set [database] url to another one"
        )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config
