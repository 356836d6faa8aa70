"""The builtin model at the port: one rule module a role."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import cast

from engine.base import JsonObject
from engine.models.builtin import composer, executor, planner, verifier
from engine.ports import ModelReply, ModelRequest, PromptAudit, PromptInfo, Role

__all__ = ["BuiltinModel"]

_VERSION = "1"

_ROLES: dict[Role, tuple[ModuleType, Callable[[JsonObject], JsonObject]]] = {
    "planner": (planner, planner.plan),
    "executor": (executor, executor.conclude),
    "verifier": (verifier, verifier.verify),
    "composer": (composer, composer.compose),
}


class BuiltinModel:
    """Deterministic rules in a model's place. It reads nothing but the payload and never asks for more tools."""

    name = "builtin"

    def __init__(self) -> None:
        self._prompts = PromptAudit(
            version="builtin-rules-1",
            prompts=tuple(
                PromptInfo(name=f"builtin-{role}", version=_VERSION, sha256=_digest(module))
                for role, (module, _) in _ROLES.items()
            ),
        )

    @property
    def prompts(self) -> PromptAudit:
        """Each role's rule module by the digest of its source."""
        return self._prompts

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Apply the role's rules to the payload."""
        _, act = _ROLES[request.role]
        reply = act(cast("JsonObject", json.loads(request.payload)))
        return ModelReply(text=json.dumps(reply, ensure_ascii=False))


def _digest(module: ModuleType) -> str:
    return hashlib.sha256(Path(cast("str", module.__file__)).read_bytes()).hexdigest()
