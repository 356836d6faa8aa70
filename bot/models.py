"""From settings to the model that plays the roles."""

from collections.abc import Mapping
from typing import get_args

import httpx2

from bot.settings import Settings
from bot.settings_model import ModelSettings, RoleSettings
from engine.errors import ConfigError
from engine.models.builtin import BuiltinModel
from engine.models.openai import PROFILES, OpenAIModel, Price, Profile, Seat
from engine.ports import Model, Role

__all__ = ["open_model", "open_standby", "seats"]

_KEY = "OPENAI_API_KEY"


def open_model(settings: Settings, http_client: httpx2.AsyncClient | None = None) -> Model:
    """The configured model.

    Raises:
        ConfigError: a name, an address or a key is missing; one line that says what to set.
    """
    if settings.model.provider == "builtin":
        return BuiltinModel()
    return OpenAIModel(seats(settings), http_client)


def open_standby(settings: Settings) -> Model | None:
    """Who finishes a run whose model fails, where the configuration has one."""
    has_one = settings.model.provider != "builtin" and settings.model.fallback == "builtin"
    return BuiltinModel() if has_one else None


def seats(settings: Settings) -> Mapping[Role, Seat]:
    """Who plays each role at which endpoint.

    Raises:
        ConfigError: as `open_model`.
    """
    roles: tuple[Role, ...] = get_args(Role)
    return {role: _seat(role, settings) for role in roles}


def _seat(role: Role, settings: Settings) -> Seat:
    model: ModelSettings = settings.model
    own: RoleSettings = getattr(model.roles, role)
    name = own.name or model.name
    if name is None:
        raise ConfigError(
            'model.name is missing: name the model, such as [model] name = "gpt-5", or VERDICT_MODEL__NAME'
        )
    profile = PROFILES[own.profile or model.profile or "openai"]
    elsewhere = _elsewhere(own, model)
    base_url = own.base_url or (None if elsewhere else model.base_url or settings.openai_base_url) or profile.base_url
    if base_url is None:
        raise ConfigError(f"model.base_url is missing: profile {profile.name} has no address of its own")
    variable, key = _key(own, profile, settings, elsewhere=elsewhere, role=role)
    context = _first(own.context_tokens, model.context_tokens, profile.context_tokens)
    output = _first(own.max_output_tokens, model.max_output_tokens, profile.max_output_tokens)
    if output * 2 > context:
        raise ConfigError(
            f"model.max_output_tokens ({output}) must be at most half of context_tokens ({context}) for the {role}"
        )
    price = model.prices.get(name)
    return Seat(
        name=name,
        profile=profile,
        base_url=base_url,
        max_output_tokens=output,
        context_tokens=context,
        key=key,
        key_variable=variable,
        temperature=model.temperature if own.temperature is None else own.temperature,
        thinking=bool(model.thinking if own.thinking is None else own.thinking),
        price=Price(input=price.input, output=price.output, cached=price.cached) if price else None,
    )


def _elsewhere(own: RoleSettings, model: ModelSettings) -> bool:
    """Whether the role's endpoint is another than that of all roles."""
    return own.base_url is not None or own.profile not in {None, model.profile or "openai"}


def _key(
    own: RoleSettings, profile: Profile, settings: Settings, *, elsewhere: bool, role: Role
) -> tuple[str, str | None]:
    named = own.key_variable or (None if elsewhere and not profile.needs_key else settings.model.key_variable)
    if named is None and elsewhere and not profile.needs_key:
        # because the key of one provider is no business of another server
        return _KEY, None
    variable = named or _KEY
    secret = settings.secrets.get(variable)
    if secret is None and (named is not None or profile.needs_key):
        raise ConfigError(f"no key for the {role}'s model: set {variable}, or {variable}_FILE to a file that holds it")
    return variable, secret.get_secret_value() if secret else None


def _first(*values: int | None) -> int:
    return next(value for value in values if value is not None)
