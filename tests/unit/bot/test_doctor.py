"""`verdict doctor`: every part is looked at, whatever the others are like."""

from pathlib import Path

from bot.doctor import examine
from bot.settings import Settings
from tests.incident_folder import pay_incident


def _settings(database: str, *sources: tuple[str, str], **sections: object) -> Settings:
    return Settings.model_validate(
        {
            "database": {"url": database},
            "sources": [{"kind": kind, "path": path} for kind, path in sources],
            **sections,
        }
    )


async def test_a_sound_configuration_is_ok_line_by_line(tmp_path: Path) -> None:
    """Configuration, database, model and each source have a line of their own."""
    (tmp_path / "incident").mkdir()
    pay_incident(tmp_path / "incident")
    lines, sound = await examine(
        _settings(
            "sqlite+aiosqlite://",
            ("recorded", str(tmp_path / "incident")),
            ("runbooks", str(tmp_path / "incident" / "runbooks")),
        )
    )
    assert sound
    assert [line[:6] for line in lines] == ["ok    "] * 5
    assert "metrics, logs, alerts, changes, traces, knowledge" in lines[3]
    assert lines[4].endswith("1 runbooks")


async def test_each_broken_part_is_a_line(tmp_path: Path) -> None:
    """A wrong rule, an unusable database and a missing folder are all told at once, each in one line."""
    lines, sound = await examine(
        _settings(
            f"sqlite+aiosqlite:///{tmp_path}/none/x.db",
            ("recorded", "/nonexistent"),
            ("runbooks", "/nonexistent/guides"),
            rules={"disabled": ["nope"]},
        )
    )
    assert not sound
    assert [line.partition(":")[0] for line in lines] == [
        "FAIL  configuration",
        "FAIL  database",
        "ok    model",
        "FAIL  source 0 (recorded)",
        "FAIL  source 1 (runbooks)",
    ]
    assert not [line for line in lines if "\n" in line]


async def test_no_source_is_a_warning(tmp_path: Path) -> None:
    """Without sources incidents can still be asked about."""
    lines, sound = await examine(_settings("sqlite+aiosqlite://"))
    assert sound
    assert lines[-1].startswith("warn")


async def test_a_password_is_not_shown() -> None:
    """The database's line names neither user nor password."""
    lines, sound = await examine(_settings("postgresql+psycopg://u:hunter2@127.0.0.1:1/x"))
    assert not sound
    assert "hunter2" not in "\n".join(lines)
