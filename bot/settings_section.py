"""A table of the configuration."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Section"]


class Section(BaseModel):
    """Never changes, refuses keys it does not know, and does not repeat what it was given."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
