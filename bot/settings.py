"""Configuration: `verdict.toml` and the environment; the only file that reads the latter."""

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import Field, SecretStr, ValidationError

from bot.settings_environment import override, secrets_from
from bot.settings_errors import Trail, dotted, explain
from bot.settings_model import ModelSettings
from bot.settings_section import Section
from engine.budget import Budget
from engine.errors import ConfigError
from engine.gate import Severity

__all__ = ["ServiceSettings", "Settings", "SourceSettings", "load_settings", "process_environment"]

_FILE = "verdict.toml"
_SECRETS = ("OPENAI_API_KEY", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_CLIENT_SECRET")
_LATER_SOURCES = ("prometheus", "alertmanager", "loki", "elasticsearch", "victorialogs", "kubernetes", "mcp")
_SECRET_WORDS = ("password", "passwd", "secret", "token", "api_key", "apikey", "signing")
_AMOUNTS = ("_tokens",)
"""How the names of settings end that count tokens, and hold none."""
_NAMED_BY_THE_OWNER = (("services",), ("signals",), ("model", "prices"))
"""Tables whose keys are the owner's own."""


class DatabaseSettings(Section):
    """Where runs are kept."""

    url: str = Field(default="sqlite+aiosqlite:///verdict.db", repr=False)
    """Not shown, because it may hold a password."""


class SourceSettings(Section):
    """One source of evidence."""

    kind: Literal["recorded", "runbooks"]
    path: Path
    name: str | None = None


class ServiceSettings(Section):
    """What the owner knows of a service."""

    aliases: tuple[str, ...] = ()
    selector: dict[str, str] = Field(default_factory=dict)
    depends_on: tuple[str, ...] = ()


class SignalSettings(Section):
    """A signal of the owner's own."""

    title: str
    unit: str = "count"
    query: str = ""
    worse: Literal["up", "down", "either"] = "either"


class RuleSettings(Section):
    """The Gatekeeper's catalog: metadata only."""

    disabled: tuple[str, ...] = ()
    severities: dict[str, Severity] = Field(default_factory=dict)


class SlackSettings(Section):
    """Who may ask where."""

    channels: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    alert_channels: tuple[str, ...] = ()
    language: str = "zh"


class ServerSettings(Section):
    """Where HTTP is served."""

    host: str = "127.0.0.1"
    port: int = Field(default=3000, ge=1, le=65535)


class FileSettings(Section):
    """What a file may hold, with the embedded defaults."""

    database: DatabaseSettings = DatabaseSettings()
    model: ModelSettings = ModelSettings()
    budget: Budget = Budget()
    sources: tuple[SourceSettings, ...] = ()
    services: dict[str, ServiceSettings] = Field(default_factory=dict)
    signals: dict[str, SignalSettings] = Field(default_factory=dict)
    rules: RuleSettings = RuleSettings()
    slack: SlackSettings = SlackSettings()
    server: ServerSettings = ServerSettings()


class Settings(FileSettings):
    """The whole configuration: the file, the variables, and what only the environment may give."""

    secrets: dict[str, SecretStr] = Field(default_factory=dict, exclude=True)
    openai_base_url: str | None = None
    """The endpoint that `OPENAI_BASE_URL` names, for where the configuration names none."""
    debug: bool = False


def process_environment() -> Mapping[str, str]:
    """The environment of this process."""
    return os.environ


def load_settings(path: Path | None, environ: Mapping[str, str]) -> Settings:
    """Read the configuration.

    Args:
        path: a file given on the command line; it must exist. Else `VERDICT_CONFIG`, else `verdict.toml`, if there.
        environ: overrides as `VERDICT_SECTION__KEY`, and secrets.

    Raises:
        ConfigError: one line that names the place and the remedy.
    """
    file = path or (Path(environ["VERDICT_CONFIG"]) if environ.get("VERDICT_CONFIG") else None)
    place = str(file or _FILE)
    raw = _read(file or Path(_FILE), required=file is not None)
    _refuse_secrets(raw, place)
    places = override(raw, environ, FileSettings)
    _refuse_later(raw, place)
    try:
        found = FileSettings.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(explain(error, FileSettings, places, place)) from error
    secrets = {
        name: SecretStr(value) for name, value in secrets_from(environ, (*_SECRETS, *found.model.key_variables)).items()
    }
    return Settings(
        **dict(found),
        secrets=secrets,
        openai_base_url=environ.get("OPENAI_BASE_URL") or None,
        debug=bool(environ.get("VERDICT_DEBUG")),
    )


def _read(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        if path.is_file():
            return tomllib.loads(path.read_text(encoding="utf-8-sig"))
        if path.exists() and (required or path.is_dir()):
            raise ConfigError(f"{path}: is no file; give a configuration file or none")
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}") from error
    if required:
        raise ConfigError(f"{path}: no such file; give an existing configuration or none")
    return {}


def _refuse_secrets(raw: Mapping[str, Any], place: str) -> None:
    for trail in _keys(raw, ()):
        word = str(trail[-1]).lower()
        counts = word == "tokens" or word.endswith(_AMOUNTS)
        if not counts and any(part in word for part in _SECRET_WORDS):
            raise ConfigError(f"{place}: {dotted(trail)}: a secret belongs in the environment: {_variable(trail)}")


def _keys(value: Any, trail: Trail) -> Iterator[Trail]:
    """Every key that names a setting; the names of services and signals, and their labels, are the owner's own."""
    if isinstance(value, list):
        for number, item in enumerate(cast("list[Any]", value)):
            yield from _keys(item, (*trail, number))
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            here = (*trail, key)
            if key == "selector" and trail[:1] in _NAMED_BY_THE_OWNER:
                continue
            if trail not in _NAMED_BY_THE_OWNER:
                yield here
            yield from _keys(item, here)


def _variable(trail: Trail) -> str:
    """The variable that takes a secret, as near as the key tells."""
    if trail[0] == "database":
        return "set VERDICT_DATABASE__URL or VERDICT_DATABASE__URL_FILE"
    wanted = "_".join(str(step) for step in trail if isinstance(step, str)).upper()
    near = difflib.get_close_matches(wanted, _SECRETS, n=1, cutoff=0.6)
    return f"set {near[0]} or {near[0]}_FILE" if near else f"one of {', '.join(_SECRETS)}, or …_FILE"


def _refuse_later(raw: Mapping[str, Any], place: str) -> None:
    sources = raw.get("sources", [])
    for number, source in enumerate(cast("list[Any]", sources) if isinstance(sources, list) else []):
        kind = cast("dict[str, Any]", source).get("kind") if isinstance(source, dict) else None
        if kind in _LATER_SOURCES:
            raise ConfigError(
                f"{place}: sources[{number}].kind = {kind!r} comes with a later release; there are: recorded, runbooks"
            )
