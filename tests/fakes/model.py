"""A model that says what the test wrote down for it."""

import json
from collections.abc import Callable, Mapping, Sequence

from engine.base import JsonObject
from engine.errors import ModelUnavailable
from engine.ports import ModelReply, ModelRequest, PromptAudit, PromptInfo, Role

Line = str | JsonObject | ModelReply | Exception | Callable[[ModelRequest], str]
"""One scripted reply: text, an object to serialize, a whole reply, an error to raise, or a function."""


class ScriptedModel:
    """Answers each role's calls with that role's lines, in order; keeps every request.

    A call that the script does not foresee fails as an endpoint without a fixture would: not retryable.
    """

    name = "scripted"

    def __init__(self, script: Mapping[Role, Sequence[Line]]) -> None:
        self.script = {role: list(lines) for role, lines in script.items()}
        self.requests: list[ModelRequest] = []

    @property
    def prompts(self) -> PromptAudit:
        roles: tuple[Role, ...] = ("planner", "executor", "verifier", "composer")
        return PromptAudit(
            version="scripted-1",
            prompts=tuple(PromptInfo(name=f"scripted-{role}", version="1", sha256="0" * 64) for role in roles),
        )

    def room(self, role: Role) -> int | None:
        return None

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        lines = self.script.get(request.role, [])
        if not lines:
            raise ModelUnavailable(f"no line left for {request.role}", retryable=False)
        line = lines.pop(0)
        if isinstance(line, Exception):
            raise line
        if isinstance(line, ModelReply):
            return line
        if isinstance(line, dict):
            return ModelReply(text=json.dumps(line, ensure_ascii=False))
        return ModelReply(text=line if isinstance(line, str) else line(request))

    def calls(self, role: Role) -> list[ModelRequest]:
        """The requests of one role, in order."""
        return [request for request in self.requests if request.role == role]
