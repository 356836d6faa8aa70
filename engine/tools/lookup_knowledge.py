"""`lookup_knowledge`: sections of runbooks; guidance, never a fact of the incident."""

from pydantic import BaseModel, ConfigDict, Field

from engine.base import JsonObject
from engine.invocation import Scope, ToolResult
from engine.ports import ToolContext, ToolSpec
from engine.system import SystemMap
from engine.telemetry import KnowledgeSource
from engine.tools.arguments import read_arguments, resolve_service, schema
from engine.tools.output import bounded, finish
from engine.tools.redaction import Redactor

__all__ = ["LookupKnowledge"]

_MOST = 5
_TEXT = 800


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    query: str = Field(min_length=1, max_length=500, description="What to look for, in Chinese or English")
    service: str | None = Field(default=None, max_length=200, description="Service whose runbooks come first")


class LookupKnowledge:
    """Finds runbook sections; a run that has seen them all gets `deduped` (spec S39)."""

    def __init__(self, source: KnowledgeSource, system: SystemMap, redactor: Redactor) -> None:
        self._source = source
        self._system = system
        self._redactor = redactor
        self.spec = ToolSpec(
            name="lookup_knowledge",
            description="Runbook sections on a topic. They guide what to do; they prove nothing about this incident.",
            parameters=schema(_Arguments),
            guidance=True,
        )

    async def call(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See `Tool`."""
        given = read_arguments(_Arguments, arguments)
        service = resolve_service(given.service, self._system)
        found = await self._source.lookup(given.query, service, _MOST)
        fresh = [chunk for chunk in found if chunk.chunk_id not in context.seen_chunks]
        output: JsonObject = {
            "summary": {
                "query": given.query,
                "service": service,
                "hits": len(found),
                "new_hits": len(fresh),
                "searched_files": self._source.files,
            },
            "chunks": [
                {
                    "chunk_id": chunk.chunk_id,
                    "file": chunk.file,
                    "heading": chunk.heading,
                    "line": chunk.line,
                    "text": bounded(chunk.text, _TEXT, self._redactor),
                }
                for chunk in fresh
            ],
        }
        scope = Scope(services=(service,) if service else (), filtered=True)
        note = None if found else "知识库没有相关内容"
        result = finish(output, ("chunks",), context, self._redactor, scope, empty=not found, note=note)
        if found and not fresh:
            return result.model_copy(update={"status": "deduped", "note": "这些内容本次诊断已检索过"})
        return result
