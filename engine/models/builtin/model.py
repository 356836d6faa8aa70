"""The builtin model at the port: one rule module a role."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import cast

from engine.base import JsonObject
from engine.models.builtin import (
    claims,
    composer,
    events,
    executor,
    finding,
    findings,
    logs,
    metrics,
    narrow,
    planner,
    second_look,
    suspects,
    topics,
    traces,
    verifier,
    wording,
)
from engine.models.builtin.payload import with_turns
from engine.ports import ModelReply, ModelRequest, PromptAudit, PromptInfo, Role

__all__ = ["BuiltinModel"]

_VERSION = "2"

_ROLES: dict[Role, tuple[ModuleType, Callable[[JsonObject], JsonObject]]] = {
    "planner": (planner, planner.plan),
    "executor": (executor, executor.conclude),
    "verifier": (verifier, verifier.verify),
    "composer": (composer, composer.compose),
}

_RULES: dict[Role, tuple[ModuleType, ...]] = {
    "planner": (topics,),
    "executor": (
        claims, events, finding, findings, logs, metrics, narrow, second_look, suspects, topics, traces, wording,
    ),
    "verifier": (),
    "composer": (),
}  # fmt: skip
"""What a role's module builds on; a change there changes what the role says."""


class BuiltinModel:
    """Deterministic rules in a model's place. It reads nothing but the request, and asks for tools at most once."""

    name = "builtin"

    def __init__(self) -> None:
        self._prompts = PromptAudit(
            version="builtin-rules-2",
            prompts=tuple(
                PromptInfo(name=f"builtin-{role}", version=_VERSION, sha256=_digest(module, *_RULES[role]))
                for role, (module, _) in _ROLES.items()
            ),
        )

    @property
    def prompts(self) -> PromptAudit:
        """Each role's rule modules by the digest of their sources."""
        return self._prompts

    def room(self, role: Role) -> int | None:
        """No bound: rules read everything."""
        return None

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Apply the role's rules to the payload."""
        _, act = _ROLES[request.role]
        payload = with_turns(cast("JsonObject", json.loads(request.payload)), request.turns)
        if request.role == "executor":
            calls = second_look.second_look(payload, rounds=len(request.turns))
            if calls:
                return ModelReply(tool_calls=calls)
        return ModelReply(text=json.dumps(act(payload), ensure_ascii=False))


def _digest(*modules: ModuleType) -> str:
    digest = hashlib.sha256()
    for module in modules:
        digest.update(Path(cast("str", module.__file__)).read_bytes())
    return digest.hexdigest()
