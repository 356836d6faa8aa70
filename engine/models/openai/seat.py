"""Who plays one role: a model at an endpoint, with its bounds and its price."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from engine.base import Frozen
from engine.budget import Usage
from engine.models.openai.profile import Profile

__all__ = ["Price", "Seat"]

_MILLION = 1_000_000


class Price(Frozen):
    """Money per million tokens, in the price table's currency."""

    input: float
    output: float
    cached: float | None = None
    """For input tokens that the provider had cached; None where they cost as others do."""

    def of(self, usage: Usage) -> float:
        """What the tokens cost."""
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input_tokens - usage.cached_tokens
        return (fresh * self.input + usage.cached_tokens * cached + usage.output_tokens * self.output) / _MILLION


@dataclass(frozen=True)
class Seat:
    """One role's model."""

    name: str
    """As the endpoint knows it."""
    profile: Profile
    base_url: str
    max_output_tokens: int
    context_tokens: int
    key: str | None = field(default=None, repr=False)
    """Never shown; None for an endpoint that asks for none."""
    key_variable: str = "OPENAI_API_KEY"
    """The variable that the key comes from, for messages."""
    temperature: float | None = None
    """None leaves it to the provider."""
    thinking: bool = False
    """Whether the provider's own habit of thinking is left on."""
    price: Price | None = None

    @property
    def host(self) -> str:
        """The endpoint as messages name it: without a user, a password or a path."""
        parts = urlsplit(self.base_url)
        host = parts.hostname or "?"
        return f"{host}:{parts.port}" if parts.port else host
