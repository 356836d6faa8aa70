"""Which sources answer, and what they show of the system."""

from pathlib import Path

import pytest

from bot.settings import Settings
from bot.sources import open_sources, read_incident
from engine.errors import ConfigError, IncidentError
from engine.tools.redaction import Redactor
from tests.incident_folder import IncidentFolder, pay_incident


def _settings(*sources: tuple[str, Path], **sections: object) -> Settings:
    return Settings.model_validate({"sources": [{"kind": kind, "path": path} for kind, path in sources], **sections})


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    """A folder with every kind of telemetry."""
    (tmp_path / "incident").mkdir()
    return pay_incident(tmp_path / "incident").path


@pytest.fixture
def guides(tmp_path: Path) -> Path:
    """A folder of runbooks."""
    (tmp_path / "guides").mkdir()
    (tmp_path / "guides" / "disk.md").write_text("# 磁盘写满\n清理日志。\n", encoding="utf-8")
    return tmp_path / "guides"


def test_nothing_configured_gives_no_tools() -> None:
    """Without sources nothing can be asked."""
    assert open_sources(Settings()).tools(Redactor()) == {}


def test_runbooks_alone_answer(guides: Path) -> None:
    """A configuration that holds runbooks only gives the one tool that reads them."""
    found = open_sources(_settings(("runbooks", guides)))
    assert list(found.tools(Redactor())) == ["lookup_knowledge"]
    assert found.system.kinds == ("knowledge",)


def test_runbooks_join_a_recorded_source(incident: Path, guides: Path) -> None:
    """The configured folder's guides are found beside the incident's own."""
    found = open_sources(_settings(("recorded", incident), ("runbooks", guides)))
    assert len(found.tools(Redactor())) == 6
    assert found.knowledge is not None
    assert found.knowledge.files == 2


def test_an_incident_folder_is_the_only_source(incident: Path, guides: Path) -> None:
    """`--incident` stands in for all that is configured, missing folders included."""
    found = open_sources(_settings(("recorded", Path("/nonexistent")), ("runbooks", guides)), incident)
    assert found.knowledge is not None
    assert found.knowledge.files == 1


def test_what_the_owner_says_is_joined(incident: Path) -> None:
    """Aliases, callees and a signal's title come from the configuration; what it leaves out is kept."""
    settings = _settings(
        ("recorded", incident),
        services={"payment-service": {"aliases": ["支付"], "depends_on": ["order-db"]}},
        signals={"http_error_ratio": {"title": "失败占比"}},
    )
    system = open_sources(settings).system
    (service,) = [item for item in system.services if item.name == "payment-service"]
    assert (service.aliases, service.depends_on) == (("支付",), ("order-db",))
    (signal,) = [item for item in system.signals if item.name == "http_error_ratio"]
    assert (signal.title, signal.unit, signal.worse) == ("失败占比", "ratio", "up")


def test_two_recorded_sources_are_one_too_many(incident: Path) -> None:
    """Only one incident can answer."""
    with pytest.raises(ConfigError, match="keep one"):
        open_sources(_settings(("recorded", incident), ("recorded", incident)))


def test_a_missing_folder_of_runbooks_is_named() -> None:
    """The folder and the key to mend are said."""
    with pytest.raises(ConfigError, match=r"/nonexistent: no such folder of runbooks; mend \[\[sources\]\] path"):
        open_sources(_settings(("runbooks", Path("/nonexistent"))))


def test_an_unreadable_folder_is_the_owners_to_mend(tmp_path: Path) -> None:
    """What the system refuses is said as a configuration error with the folder."""
    path = tmp_path / ("x" * 300)
    with pytest.raises(IncidentError, match="cannot be read"):
        read_incident(path)


def test_an_incident_tells_its_questions(tmp_path: Path) -> None:
    """The folder's own questions are read without its bulk files."""
    folder = IncidentFolder(tmp_path, '[[questions]]\ntext = "为什么报错？"\n').metrics("not read")
    assert read_incident(folder.path).questions == ("为什么报错？",)
