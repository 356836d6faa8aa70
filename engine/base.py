"""The frozen value that everything flowing through the engine is made of."""

from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, JsonValue, StringConstraints

__all__ = ["AwareDatetime", "Frozen", "JsonObject", "JsonValue", "Line"]

JsonObject = dict[str, JsonValue]
"""A JSON object as Python holds it. Treated as read-only once it is inside a frozen value."""

Line = Annotated[str, StringConstraints(max_length=4000)]
"""A bounded single line of text."""


class Frozen(BaseModel):
    """A value that never changes and refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
