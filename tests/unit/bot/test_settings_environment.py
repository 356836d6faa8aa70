"""Every value as a variable, and secrets from files that variables name."""

from pathlib import Path

import pytest

from bot.settings import Settings, load_settings
from engine.errors import ConfigError


def _load(folder: Path, text: str = "", **environ: str) -> Settings:
    path = folder / "verdict.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, environ)


@pytest.mark.parametrize("written", ["支付, pay", '["支付", "pay"]'])
def test_a_list_is_written_with_commas_or_as_json(tmp_path: Path, written: str) -> None:
    """Both forms of a list give the same aliases."""
    found = _load(tmp_path, VERDICT_SERVICES__PAYMENT__ALIASES=written)
    assert found.services["payment"].aliases == ("支付", "pay")


def test_a_table_is_written_as_json(tmp_path: Path) -> None:
    """A selector comes as a JSON object."""
    found = _load(tmp_path, VERDICT_SERVICES__PAYMENT__SELECTOR='{"job": "payment"}')
    assert found.services["payment"].selector == {"job": "payment"}


def test_a_service_of_the_file_is_found_by_its_name(tmp_path: Path) -> None:
    """A name with a dash is written with an underscore, and no second service appears."""
    found = _load(
        tmp_path,
        '[services.payment-service]\naliases = ["a"]\n',
        VERDICT_SERVICES__PAYMENT_SERVICE__DEPENDS_ON="order-db",
    )
    assert list(found.services) == ["payment-service"]
    assert found.services["payment-service"].depends_on == ("order-db",)
    assert found.services["payment-service"].aliases == ("a",)


def test_sources_are_numbered(tmp_path: Path) -> None:
    """Entries of a list go by number: a new one is added, one of the file is changed."""
    found = _load(
        tmp_path,
        '[[sources]]\nkind = "recorded"\npath = "old"\n',
        VERDICT_SOURCES__0__PATH="new",
        VERDICT_SOURCES__1__KIND="runbooks",
        VERDICT_SOURCES__1__PATH="guides",
    )
    assert [(source.kind, str(source.path)) for source in found.sources] == [
        ("recorded", "new"),
        ("runbooks", "guides"),
    ]


def test_a_rules_severity_and_the_models_fallback_have_variables(tmp_path: Path) -> None:
    """Keys below owner-named tables, and the short name of the model's fallback."""
    found = _load(tmp_path, VERDICT_MODEL_FALLBACK="builtin", VERDICT_SLACK__CHANNELS="C1,C2")
    assert found.model.fallback == "builtin"
    assert found.slack.channels == ("C1", "C2")


def test_a_value_may_stand_in_a_file(tmp_path: Path) -> None:
    """A database's URL with its password comes from a file and is not shown."""
    (tmp_path / "url").write_text("postgresql+psycopg://u:hunter2@db/verdict\n")
    found = _load(tmp_path, VERDICT_DATABASE__URL_FILE=str(tmp_path / "url"))
    assert found.database.url == "postgresql+psycopg://u:hunter2@db/verdict"
    assert "hunter2" not in repr(found)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("VERDICT_BUDGET__SECONDS", "many", "budget.seconds: must be a number"),
        ("VERDICT_BUGDET__SECONDS", "3", "'budget'"),
        ("VERDICT_BUDGET__SECOND", "3", "'seconds'"),
        ("VERDICT_DATABASE__URL__X", "3", "no table"),
        ("VERDICT_SOURCES__7__PATH", "x", "from 0"),
        ("VERDICT_SOURCES__ONE__PATH", "x", "from 0"),
        ("VERDICT___SECONDS", "3", "empty"),
        ("VERDICT_SERVICES__PAY__SELECTOR", "{job", "JSON"),
        ("VERDICT_SERVICES__PAY__SELECTOR", "job", "must be a table"),
        ("VERDICT_SOURCES__0__KIND", "magic", "must be one of"),
        ("VERDICT_MODEL__PROVIDER", "opnai", "must be one of"),
        ("VERDICT_DATABASE__URL_FILE", "/nonexistent/url", "cannot be read"),
    ],
)
def test_a_wrong_variable_is_named(tmp_path: Path, name: str, value: str, words: str) -> None:
    """One line names the variable, not the file that has nothing to do with it."""
    text = '[database]\nurl = "sqlite+aiosqlite:///x.db"\n'
    with pytest.raises(ConfigError) as caught:
        _load(tmp_path, text, **{name: value})
    message = str(caught.value)
    assert message.startswith(f"{name}: ")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * 70_000], ids=["no text", "too long"])
def test_an_unusable_secret_file_is_named_without_its_content(tmp_path: Path, content: bytes) -> None:
    """Bytes that are no text, and a file that can be no secret, name the variable only."""
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(ConfigError, match="OPENAI_API_KEY_FILE") as caught:
        _load(tmp_path, OPENAI_API_KEY_FILE=str(tmp_path / "key"))
    assert "xxx" not in str(caught.value)
