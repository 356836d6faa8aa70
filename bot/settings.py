"""Configuration: `verdict.toml` and the environment; the only file that reads the latter."""

import difflib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from engine.budget import Budget
from engine.errors import ConfigError
from engine.gate import Severity

__all__ = ["ServiceSettings", "Settings", "SourceSettings", "load_settings", "process_environment"]

_FILE = "verdict.toml"
_SECRETS = ("OPENAI_API_KEY", "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_CLIENT_SECRET")
_LATER_SOURCES = ("prometheus", "alertmanager", "loki", "elasticsearch", "victorialogs", "kubernetes", "mcp")
_SECRET_WORDS = ("password", "secret", "token", "api_key", "apikey", "signing")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class DatabaseSettings(_Section):
    """Where runs are kept."""

    url: str = "sqlite+aiosqlite:///verdict.db"


class RoleSettings(_Section):
    """A model for one role."""

    name: str | None = None


class RolesSettings(_Section):
    """A model of its own for some roles."""

    planner: RoleSettings = RoleSettings()
    executor: RoleSettings = RoleSettings()
    verifier: RoleSettings = RoleSettings()
    composer: RoleSettings = RoleSettings()


class ModelSettings(_Section):
    """Which model plays the roles."""

    provider: Literal["builtin", "openai"] = "builtin"
    name: str | None = None
    base_url: str | None = None
    profile: str | None = None
    fallback: Literal["builtin", "none"] = "none"
    roles: RolesSettings = RolesSettings()


class SourceSettings(_Section):
    """One source of evidence."""

    kind: Literal["recorded", "runbooks"]
    path: Path
    name: str | None = None


class ServiceSettings(_Section):
    """What the owner knows of a service."""

    aliases: tuple[str, ...] = ()
    selector: dict[str, str] = Field(default_factory=dict)
    depends_on: tuple[str, ...] = ()


class SignalSettings(_Section):
    """A signal of the owner's own."""

    title: str
    unit: str = "count"
    query: str = ""
    worse: Literal["up", "down", "either"] = "either"


class RuleSettings(_Section):
    """The Gatekeeper's catalog: metadata only."""

    disabled: tuple[str, ...] = ()
    severities: dict[str, Severity] = Field(default_factory=dict)


class SlackSettings(_Section):
    """Who may ask where."""

    channels: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    alert_channels: tuple[str, ...] = ()
    language: str = "zh"


class ServerSettings(_Section):
    """Where HTTP is served."""

    host: str = "127.0.0.1"
    port: int = Field(default=3000, ge=1, le=65535)


class Settings(_Section):
    """The whole configuration, with the embedded defaults."""

    database: DatabaseSettings = DatabaseSettings()
    model: ModelSettings = ModelSettings()
    budget: Budget = Budget()
    sources: tuple[SourceSettings, ...] = ()
    services: dict[str, ServiceSettings] = Field(default_factory=dict)
    signals: dict[str, SignalSettings] = Field(default_factory=dict)
    rules: RuleSettings = RuleSettings()
    slack: SlackSettings = SlackSettings()
    server: ServerSettings = ServerSettings()
    secrets: dict[str, SecretStr] = Field(default_factory=dict, exclude=True)
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
    _refuse_later(raw, place)
    _override(raw, environ)
    try:
        settings = Settings.model_validate(
            {**raw, "secrets": _secrets(environ), "debug": bool(environ.get("VERDICT_DEBUG"))}
        )
    except ValidationError as error:
        raise ConfigError(_explain(error, raw, place)) from error
    if settings.model.provider == "openai":
        raise ConfigError(f"{place}: model.provider = 'openai' comes with a later release; use 'builtin'")
    return settings


def _read(path: Path, *, required: bool) -> dict[str, Any]:
    if not path.is_file():
        if required:
            raise ConfigError(f"{path}: no such file; give an existing configuration or none")
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _override(raw: dict[str, Any], environ: Mapping[str, str]) -> None:
    given = {name: value for name, value in environ.items() if name.startswith("VERDICT_") and "__" in name}
    if environ.get("VERDICT_MODEL_FALLBACK"):
        given["VERDICT_MODEL__FALLBACK"] = environ["VERDICT_MODEL_FALLBACK"]
    for name, value in sorted(given.items()):
        *sections, key = name.removeprefix("VERDICT_").lower().split("__")
        table: Any = raw
        for section in sections:
            table = cast("dict[str, Any]", table).setdefault(section, {})
            if not isinstance(table, dict):
                raise ConfigError(f"{name}: {section} is no table; remove the variable or the key of that name")
        parsed: Any = value.split(",") if key in {"disabled", "channels", "groups", "alert_channels"} else value
        cast("dict[str, Any]", table)[key] = parsed


def _secrets(environ: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _SECRETS:
        file = environ.get(f"{name}_FILE")
        if file:
            try:
                found[name] = Path(file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"{name}_FILE: the file cannot be read: {type(error).__name__}") from error
        elif environ.get(name):
            found[name] = environ[name]
    return found


def _refuse_secrets(raw: Mapping[str, Any], place: str, trail: str = "") -> None:
    for key, value in raw.items():
        here = f"{trail}{key}"
        if any(word in key.lower() for word in _SECRET_WORDS) and key.lower() != "tokens":
            raise ConfigError(
                f"{place}: {here}: a secret belongs in the environment (such as OPENAI_API_KEY or …_FILE)"
            )
        if isinstance(value, dict):
            _refuse_secrets(cast("dict[str, Any]", value), place, f"{here}.")


def _refuse_later(raw: Mapping[str, Any], place: str) -> None:
    sources = raw.get("sources", [])
    for number, source in enumerate(cast("list[Any]", sources) if isinstance(sources, list) else []):
        kind = cast("dict[str, Any]", source).get("kind") if isinstance(source, dict) else None
        if kind in _LATER_SOURCES:
            raise ConfigError(
                f"{place}: sources[{number}].kind = {kind!r} comes with a later release; there are: recorded, runbooks"
            )


def _explain(error: ValidationError, raw: Mapping[str, Any], place: str) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    trail = ".".join(map(str, first["loc"]))
    if first["type"] != "extra_forbidden":
        return f"{place}: {trail}: {first['msg']}"
    known = _known_keys(first["loc"][:-1])
    near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1, cutoff=0.0)
    return f"{place}: unknown key {trail!r}; the nearest known one is {near[0] if near else 'none'!r}"


def _known_keys(trail: tuple[int | str, ...]) -> list[str]:
    model: Any = Settings
    for step in trail:
        fields: dict[str, Any] = getattr(model, "model_fields", {})
        if isinstance(step, int) or step not in fields:
            continue
        model = next(iter(_models(fields[step].annotation)), model)
    return [name for name in getattr(model, "model_fields", {}) if name not in {"secrets", "debug"}]


def _models(annotation: object) -> list[Any]:
    if isinstance(annotation, type):
        return [annotation] if issubclass(annotation, BaseModel) else []
    return [model for part in get_args(annotation) for model in _models(part)]
