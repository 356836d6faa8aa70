"""A tool that returns a fixed output, with references as real tools give them."""

import jsonpointer

from engine.base import JsonObject
from engine.invocation import EvidenceRef, Scope, ToolResult
from engine.ports import ToolContext, ToolSpec
from engine.rendering import render_line


class FixedTool:
    """Answers every call with the same output, or raises the same error.

    Args:
        name: the tool's name.
        output: its output; references are made for `pointers`.
        pointers: RFC 6901 pointers into the output.
        scope: what the result speaks about.
        status: the status to return.
        error: raised instead, where given.
    """

    def __init__(
        self,
        name: str,
        output: JsonObject | None = None,
        pointers: tuple[str, ...] = (),
        *,
        scope: Scope | None = None,
        status: str = "ok",
        error: Exception | None = None,
    ) -> None:
        self.spec = ToolSpec(
            name=name, description=name, parameters={"type": "object"}, guidance=name == "lookup_knowledge"
        )
        self.output = output or {}
        self.pointers = pointers
        self.scope = scope or Scope()
        self.status = status
        self.error = error
        self.calls: list[JsonObject] = []

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        self.calls.append(arguments)
        if self.error is not None:
            raise self.error
        refs = tuple(
            EvidenceRef(raw_path=pointer, text=render_line(jsonpointer.resolve_pointer(self.output, pointer)))
            for pointer in self.pointers
        )
        return ToolResult.model_validate(
            {"status": self.status, "output": self.output, "evidence_refs": refs, "scope": self.scope}
        )
