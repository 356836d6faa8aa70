"""One tool call within the run's bounds: always an invocation, never an exception."""

import asyncio
import difflib
import json
from collections.abc import Sequence

from engine.errors import BadArguments, SourceUnavailable
from engine.invocation import RetrievalDetails, ToolCall, ToolInvocation, ToolResult
from engine.ports import Deps, Progress, Tool, ToolContext
from engine.run import Run

__all__ = ["invoke", "invoke_all", "same_call"]

_ERROR_CHARS = 600


def same_call(call: ToolCall, invocation: ToolInvocation) -> bool:
    """Whether an earlier invocation of this run already answered exactly this call."""
    return invocation.tool_name == call.tool and _canonical(invocation.arguments) == _canonical(call.arguments)


async def invoke_all(
    calls: Sequence[ToolCall], run: Run, deps: Deps, earlier: Sequence[ToolInvocation]
) -> tuple[ToolInvocation, ...]:
    """Make the calls concurrently; results stand in the calls' order.

    Args:
        calls: what to call; equal calls are made once per entry.
        run: gives window, baseline, zone and bounds.
        deps: gives the tools.
        earlier: every invocation of the run so far, for numbering and for deduplication of knowledge.
    """
    seen = _seen_chunks(earlier)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(invoke(call, run, deps, len(earlier) + ordinal, seen))
            for ordinal, call in enumerate(calls, start=1)
        ]
    return tuple(task.result() for task in tasks)


async def invoke(call: ToolCall, run: Run, deps: Deps, ordinal: int, seen_chunks: frozenset[str]) -> ToolInvocation:
    """Make one call. Errors, time-outs and unknown tools become an invocation with status `failed`."""
    started = deps.clock.now()
    pending = ToolInvocation(
        id=deps.ids.invocation_id(ordinal),
        run_id=run.run_id,
        cycle=run.cycle,
        tool_name=call.tool,
        arguments=call.arguments,
        status="failed",
        started_at=started,
        ended_at=started,
    )
    deps.observer.notice(
        Progress(run_id=run.run_id, kind="tool_started", node="executor", name=call.tool, detail=pending.id)
    )
    finished = await _attempt(call, run, deps, pending, seen_chunks)
    finished = finished.model_copy(update={"ended_at": deps.clock.now()})
    deps.observer.notice(
        Progress(
            run_id=run.run_id,
            kind="tool_finished",
            node="executor",
            name=call.tool,
            status=finished.status,
            detail=finished.error or finished.note or "",
            duration_ms=(finished.ended_at - started).total_seconds() * 1000,
        )
    )
    return finished


async def _attempt(
    call: ToolCall, run: Run, deps: Deps, pending: ToolInvocation, seen_chunks: frozenset[str]
) -> ToolInvocation:
    tool = deps.tools.get(call.tool)
    if tool is None:
        near = difflib.get_close_matches(call.tool, list(deps.tools), n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        known = ", ".join(deps.tools)
        return _failed(pending, "bad_arguments", f"unknown tool {call.tool[:80]!r}{hint} Tools: {known}")
    left = run.budget.seconds - run.elapsed(deps.clock.now())
    seconds = max(0.05, min(run.budget.tool_seconds, left))
    context = ToolContext(
        window=run.window,
        baseline=run.baseline,
        now=run.question.asked_at,
        timezone=run.question.timezone,
        seen_chunks=seen_chunks,
        max_bytes=run.budget.call_output_bytes,
    )
    try:
        async with asyncio.timeout(seconds):
            result = await tool.call(call.arguments, context)
    except TimeoutError:
        return _failed(pending, "source_unavailable", f"no answer within {seconds:.0f} s")
    except BadArguments as error:
        return _failed(pending, "bad_arguments", str(error))
    except SourceUnavailable as error:
        return _failed(pending, "source_unavailable", str(error))
    return _answered(pending, tool, result)


def _answered(pending: ToolInvocation, tool: Tool, result: ToolResult) -> ToolInvocation:
    return pending.model_copy(
        update={
            "status": result.status,
            "output": result.output,
            "retrieval_details": RetrievalDetails(evidence_refs=result.evidence_refs),
            "scope": result.scope,
            "note": result.note,
        }
    )


def _failed(pending: ToolInvocation, kind: str, error: str) -> ToolInvocation:
    return pending.model_copy(update={"error": error[:_ERROR_CHARS], "error_kind": kind})


def _seen_chunks(invocations: Sequence[ToolInvocation]) -> frozenset[str]:
    chunks: set[str] = set()
    for invocation in invocations:
        output = invocation.output
        items = output.get("chunks") if isinstance(output, dict) else None
        for item in items if isinstance(items, list) else []:
            chunk_id = item.get("chunk_id") if isinstance(item, dict) else None
            if isinstance(chunk_id, str):
                chunks.add(chunk_id)
    return frozenset(chunks)


def _canonical(arguments: object) -> str:
    return json.dumps(arguments, sort_keys=True, ensure_ascii=False)
