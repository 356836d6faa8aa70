"""What a run may spend, and what it has spent."""

from pydantic import Field

from engine.base import Frozen

__all__ = ["Budget", "Usage"]


class Usage(Frozen):
    """What was spent; adds up with `+`."""

    model_calls: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    cached_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    tool_calls: int = Field(default=0, ge=0)
    output_bytes: int = Field(default=0, ge=0)
    cost: float = Field(default=0.0, ge=0)
    """Money, in the price table's currency; 0 where no price is set."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            tool_calls=self.tool_calls + other.tool_calls,
            output_bytes=self.output_bytes + other.output_bytes,
            cost=self.cost + other.cost,
        )


class Budget(Frozen):
    """The bounds of one run.

    A run that meets one ends in Fallback with what is known by then.
    """

    seconds: float = Field(default=120.0, gt=0)
    """Wall time of the whole run, in seconds."""
    model_calls: int = Field(default=16, ge=1)
    tool_calls: int = Field(default=40, ge=1)
    tokens: int = Field(default=200_000, ge=1)
    """Input and output tokens of all model calls together."""
    tool_seconds: float = Field(default=20.0, gt=0)
    """Wall time of one tool call, in seconds."""
    tool_rounds: int = Field(default=3, ge=0)
    """Rounds of further tool calls that the executor may ask for after the prefetch."""
    output_bytes: int = Field(default=4_000_000, ge=1)
    """Stored tool output of the whole run, in bytes of JSON."""
    call_output_bytes: int = Field(default=256_000, ge=1024)
    """Stored output of one tool call, in bytes of JSON."""

    def exceeded_by(self, usage: Usage, elapsed: float) -> str | None:
        """Name the first bound that is met, such as `budget.seconds`; None while all hold.

        Args:
            usage: what the run has spent so far.
            elapsed: seconds since the run started.
        """
        spent = (
            ("seconds", elapsed, self.seconds),
            ("model_calls", usage.model_calls, self.model_calls),
            ("tool_calls", usage.tool_calls, self.tool_calls),
            ("tokens", usage.input_tokens + usage.output_tokens, self.tokens),
            ("output_bytes", usage.output_bytes, self.output_bytes),
        )
        return next((f"budget.{name}" for name, value, bound in spent if value >= bound), None)
