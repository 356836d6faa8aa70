"""The bounded tool trace summary, built from persisted invocations (spec S38-S42; reading.md 12)."""

from collections.abc import Sequence

from engine.base import Frozen
from engine.invocation import InvocationStatus, ToolInvocation

__all__ = ["TraceSummaryItem", "summarise"]

_MAX_CHARS = 6000
_LINE_CHARS = 300


class TraceSummaryItem(Frozen):
    """What one tool call brought, in few words of its own output."""

    invocation_id: str
    tool_name: str
    status: InvocationStatus
    output_summary: str
    new_evidence: bool
    """False for a failed, empty or deduplicated call: a gap, never support."""


def summarise(invocations: Sequence[ToolInvocation], max_chars: int = _MAX_CHARS) -> tuple[TraceSummaryItem, ...]:
    """Summarise every call; together the summaries hold at most `max_chars` characters.

    A successful call's summary is made of its evidence refs' own lines, the concrete ones (`/series/0`,
    `/lines/0`) before the scope's (`/summary`), so that nothing stands in it that the output does not hold.
    """
    share = max(80, max_chars // max(1, len(invocations)))
    found: list[TraceSummaryItem] = []
    left = max_chars
    for invocation in invocations:
        text = _words(invocation, min(share, max(0, left)))
        left -= len(text)
        found.append(
            TraceSummaryItem(
                invocation_id=invocation.id,
                tool_name=invocation.tool_name,
                status=invocation.status,
                output_summary=text,
                new_evidence=invocation.status == "ok",
            )
        )
    return tuple(found)


def _words(invocation: ToolInvocation, limit: int) -> str:
    if invocation.status == "failed":
        return f"gap: failed: {invocation.error or 'no reason given'}"[:limit]
    if invocation.status == "deduped":
        return "gap: no new evidence, retrieved before in this run"[:limit]
    if invocation.status == "empty":
        scope = invocation.evidence_refs[0].text if invocation.evidence_refs else ""
        return f"gap: nothing found; {scope}"[:limit]
    concrete = [ref for ref in invocation.evidence_refs if ref.raw_path not in {"", "/summary"}]
    general = [ref for ref in invocation.evidence_refs if ref.raw_path in {"", "/summary"}]
    kept: list[str] = []
    for ref in (*concrete, *general):
        line = f"{ref.raw_path} {ref.text[:_LINE_CHARS]}"
        room = limit - sum(len(item) + 1 for item in kept)
        if room < 40:
            break
        kept.append(line[:room])
    return "\n".join(kept)[:limit]
