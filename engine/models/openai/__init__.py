"""Models of providers that speak Chat Completions: OpenAI and those compatible with it, local servers among them."""

from engine.models.openai.model import OpenAIModel
from engine.models.openai.profile import PROFILES, Profile, ProfileName
from engine.models.openai.seat import Price, Seat
from engine.models.openai.transport import bounded_client

__all__ = ["PROFILES", "OpenAIModel", "Price", "Profile", "ProfileName", "Seat", "bounded_client"]
