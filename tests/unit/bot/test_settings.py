"""Configuration from file and environment."""

from pathlib import Path

import pytest

from bot.settings import load_settings
from engine.errors import ConfigError
from tests.postgres import ROOT


def _file(folder: Path, text: str) -> Path:
    path = folder / "verdict.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_need_nothing(tmp_path: Path) -> None:
    """Without file and variables everything has its embedded default."""
    found = load_settings(_file(tmp_path, ""), {})
    assert found.database.url == "sqlite+aiosqlite:///verdict.db"
    assert found.model.provider == "builtin"
    assert found.budget.seconds == 120


def test_a_file_is_read_and_variables_win(tmp_path: Path) -> None:
    """Every value can come from the file, and a variable overrides it."""
    path = _file(
        tmp_path,
        '[budget]\nseconds = 30\n[services.payment-service]\naliases = ["支付"]\ndepends_on = ["order-db"]\n'
        '[[sources]]\nkind = "recorded"\npath = "x"\n[rules]\ndisabled = ["evidence.raw_path"]\n',
    )
    found = load_settings(path, {"VERDICT_BUDGET__SECONDS": "45", "VERDICT_MODEL__ROLES__VERIFIER__NAME": "m"})
    assert found.budget.seconds == 45
    assert found.services["payment-service"].aliases == ("支付",)
    assert found.sources[0].kind == "recorded"
    assert found.rules.disabled == ("evidence.raw_path",)
    assert found.model.roles.verifier.name == "m"


def test_the_file_may_be_named_by_a_variable(tmp_path: Path) -> None:
    """VERDICT_CONFIG names the file; one that is not there is an error."""
    path = _file(tmp_path, "[budget]\ntool_calls = 7\n")
    assert load_settings(None, {"VERDICT_CONFIG": str(path)}).budget.tool_calls == 7
    with pytest.raises(ConfigError, match="no such file"):
        load_settings(None, {"VERDICT_CONFIG": str(tmp_path / "none.toml")})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[budgte]\n", "'budget'"),
        ("[budget]\nsecond = 3\n", "'seconds'"),
        ('[model]\nprovidr = "builtin"\n', "'provider'"),
        ("[budget]\nseconds = 'many'\n", "budget.seconds"),
        ("[budget]\nseconds = -1\n", "budget.seconds"),
        ('[[sources]]\nkind = "prometheus"\nurl = "x"\n', "later release"),
        ('[[sources]]\nkind = "magic"\npath = "x"\n', "sources"),
        ('[model]\nprofile = "openia"\n', "'openai'"),
        ('[model]\nbase_url = "localhost:8000"\n', "model.base_url"),
        ("[model]\nmax_output_tokens = 3\n", "model.max_output_tokens"),
        ('[model.prices."gpt-5"]\ninput = 1\n', "model.prices.gpt-5.output: is missing"),
        ("[model.roles.verifier]\nprice = 1\n", "model.roles.verifier.price"),
        ('[slack]\nbot_token = "xoxb-1"\n', "environment"),
        ('[model]\napi_key = "sk-1"\n', "environment"),
        ("not toml", "verdict.toml"),
        ("[server]\nport = 99999\n", "server.port"),
    ],
)
def test_each_mistake_is_named_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    """One line names the file, the key, and what to do; a secret's value is never repeated."""
    with pytest.raises(ConfigError) as caught:
        load_settings(_file(tmp_path, text), {})
    message = str(caught.value)
    assert words in message
    assert "verdict.toml" in message
    assert "\n" not in message
    assert "xoxb-1" not in message
    assert "sk-1" not in message


def test_secrets_come_from_the_environment_or_a_file_and_are_masked(tmp_path: Path) -> None:
    """A secret is read, from a variable or the file that one names, and never shown."""
    secret = tmp_path / "key"
    secret.write_text("sk-from-file\n")
    found = load_settings(_file(tmp_path, ""), {"OPENAI_API_KEY_FILE": str(secret), "SLACK_BOT_TOKEN": "xoxb-from-env"})
    assert found.secrets["OPENAI_API_KEY"].get_secret_value() == "sk-from-file"
    assert "xoxb-from-env" not in repr(found)
    assert "sk-from-file" not in found.model_dump_json()


def test_a_secret_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The variable is named, not the system's message."""
    with pytest.raises(ConfigError, match="OPENAI_API_KEY_FILE"):
        load_settings(_file(tmp_path, ""), {"OPENAI_API_KEY_FILE": str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ('[model]\napi_key = "sk-1"\n', "OPENAI_API_KEY"),
        ('[slack]\nbot_token = "xoxb-1"\n', "SLACK_BOT_TOKEN"),
        ('[slack]\nsigning_secret = "x"\n', "SLACK_SIGNING_SECRET"),
        ('[database]\npassword = "x"\n', "VERDICT_DATABASE__URL"),
        ('[[sources]]\nkind = "recorded"\npath = "x"\npassword = "x"\n', "…_FILE"),
        ('[secrets]\nOPENAI_API_KEY = "sk-1"\n', "environment"),
    ],
)
def test_a_secret_in_the_file_is_told_its_variable(tmp_path: Path, text: str, variable: str) -> None:
    """A key that looks like a secret's is refused wherever it stands, with the variable to use instead."""
    with pytest.raises(ConfigError, match="secret belongs in the environment") as caught:
        load_settings(_file(tmp_path, text), {})
    assert variable in str(caught.value)


def test_a_service_may_be_called_like_a_secret(tmp_path: Path) -> None:
    """Names that the owner gives, and labels, are no settings."""
    found = load_settings(
        _file(
            tmp_path,
            '[services.token-service]\nselector = {secret = "x"}\n[signals.token_errors]\ntitle = "令牌错误"\n',
        ),
        {},
    )
    assert list(found.services) == ["token-service"]
    assert list(found.signals) == ["token_errors"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("debug = true\n", "unknown key 'debug'"),
        ("sources = 3\n", "must be a list"),
        ('database = "x"\n', "must be a table"),
        ("[slack]\nlanguage = 3\n", "must be text"),
        ('[[sources]]\nkind = "recorded"\n', "sources[0].path: is missing"),
        ('[[sources]]\nkind = "recorded"\npath = "x"\nnmae = "y"\n', "'name'"),
        ("[services.pay]\nalias = []\n", "'aliases'"),
        ("[model.roles.verifer]\n", "'verifier'"),
        ("x = " + "[" * 3000, "nested"),
    ],
    ids=str,
)
def test_each_wrong_type_says_what_to_write(tmp_path: Path, text: str, words: str) -> None:
    """The remedy is in plain words, with the place and the file."""
    with pytest.raises(ConfigError) as caught:
        load_settings(_file(tmp_path, text), {})
    message = str(caught.value)
    assert words in message
    assert "verdict.toml" in message
    assert "\n" not in message
    assert "Input should" not in message


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    """A file as some editors save it is read."""
    assert load_settings(_file(tmp_path, "\ufeff[budget]\nseconds = 3\n"), {}).budget.seconds == 3


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    """A folder in the file's place is named as such."""
    with pytest.raises(ConfigError, match="is no file"):
        load_settings(tmp_path, {})


def test_the_readme_example_is_a_configuration(tmp_path: Path) -> None:
    """What README shows can be pasted."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = [part for part in text.split("```toml\n")[1:] if part.startswith("[database]")]
    found = load_settings(_file(tmp_path, example.partition("```")[0]), {})
    assert [source.kind for source in found.sources] == ["recorded", "runbooks"]
