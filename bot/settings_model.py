"""The `[model]` table: who plays the roles, where, within which bounds and at what price."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from bot.settings_section import Section
from engine.models.openai.profile import ProfileName

__all__ = ["ModelSettings", "PriceSettings", "RoleSettings"]

_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")]
_Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s@/]+[^\s@]*$")]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class RoleSettings(Section):
    """A model for one role; what is not given is as for all roles."""

    name: _Name | None = None
    base_url: _Url | None = None
    profile: ProfileName | None = None
    key_variable: _Variable | None = None
    """The variable that holds the endpoint's key, or with `_FILE` after it the file that does."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_output_tokens: int | None = Field(default=None, ge=256)
    context_tokens: int | None = Field(default=None, ge=4096)
    thinking: bool | None = None
    """Whether a model that thinks by habit may; off by default, where it can be switched."""


class RolesSettings(Section):
    """A model of its own for some roles."""

    planner: RoleSettings = RoleSettings()
    executor: RoleSettings = RoleSettings()
    verifier: RoleSettings = RoleSettings()
    composer: RoleSettings = RoleSettings()


class PriceSettings(Section):
    """What a model costs per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


class ModelSettings(RoleSettings):
    """Which model plays the roles."""

    provider: Literal["builtin", "openai"] = "builtin"
    fallback: Literal["builtin", "none"] = "none"
    roles: RolesSettings = RolesSettings()
    prices: dict[str, PriceSettings] = Field(default_factory=dict)
    currency: str = "USD"

    @property
    def key_variables(self) -> tuple[str, ...]:
        """Every variable that is named for a key."""
        tables = (self, self.roles.planner, self.roles.executor, self.roles.verifier, self.roles.composer)
        return tuple(dict.fromkeys(table.key_variable for table in tables if table.key_variable))
