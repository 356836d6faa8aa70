"""`lookup_knowledge`."""

from pathlib import Path
from typing import cast

import pytest

from engine.base import JsonObject
from engine.errors import BadArguments
from engine.invocation import ToolResult
from engine.ports import Tool
from tests.incident_folder import CONTEXT, IncidentFolder


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    """Two pages of runbooks."""
    folder = IncidentFolder(tmp_path).topology(("order-service", "payment-service"))
    folder.runbook("pool.md", "# 连接池耗尽\n先看连接数\n## 处置\n扩大连接池\n")
    folder.runbook("disk.md", "# 磁盘写满\n清理日志\n")
    return folder.tools()["lookup_knowledge"]


def _chunks(result: ToolResult) -> list[JsonObject]:
    return cast("list[JsonObject]", cast("JsonObject", result.output)["chunks"])


async def test_sections_are_found_with_their_place(tool: Tool) -> None:
    """A hit carries file, heading, line and text; the summary says how much was searched."""
    result = await tool.call({"query": "连接池"}, CONTEXT)
    assert sorted(cast("str", chunk["chunk_id"]) for chunk in _chunks(result)) == ["pool.md#1", "pool.md#3"]
    assert _chunks(result)[0]["file"] == "pool.md"
    assert result.evidence_refs[0].text == "query=连接池 hits=2 new_hits=2 searched_files=2"


@pytest.mark.spec("S39")
async def test_what_the_run_has_seen_is_no_new_evidence(tool: Tool) -> None:
    """Sections seen before are left out; when none is new, the call is deduplicated and cites none of them."""
    seen = CONTEXT.model_copy(update={"seen_chunks": frozenset({"pool.md#1"})})
    partly = await tool.call({"query": "连接池"}, seen)
    assert (partly.status, [chunk["chunk_id"] for chunk in _chunks(partly)]) == ("ok", ["pool.md#3"])
    seen = CONTEXT.model_copy(update={"seen_chunks": frozenset({"pool.md#1", "pool.md#3"})})
    again = await tool.call({"query": "连接池"}, seen)
    assert again.status == "deduped"
    assert [ref.raw_path for ref in again.evidence_refs] == ["/summary"]
    assert _chunks(again) == []


async def test_nothing_found_is_empty_and_said(tool: Tool) -> None:
    """A question that no page answers is empty, with the scope that was searched."""
    result = await tool.call({"query": "证书过期"}, CONTEXT)
    assert (result.status, result.note) == ("empty", "知识库没有相关内容")
    assert "hits=0 new_hits=0 searched_files=2" in result.evidence_refs[0].text


@pytest.mark.parametrize("query", ["", "长" * 501])
async def test_a_question_has_a_length(tool: Tool, query: str) -> None:
    """An empty or endless question is refused by name."""
    with pytest.raises(BadArguments, match="query"):
        await tool.call({"query": query}, CONTEXT)
