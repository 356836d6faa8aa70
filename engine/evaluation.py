"""The rule-based evidence score of a run: how much its evidence can carry (reading.md 15)."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from engine.base import JsonObject
from engine.invocation import ToolInvocation
from engine.ports import Channel, Store
from engine.run import Run
from engine.window import TimeWindow

__all__ = ["EVALUATION_VERSION", "EvaluationService"]

EVALUATION_VERSION = "evidence_score_v1"

_WEIGHTS = {"evidence": 0.30, "coverage": 0.25, "hits": 0.15, "reliability": 0.15, "freshness": 0.15}

_BROAD_CALLS = 3
"""Evidence-bearing calls that make the part `evidence` whole; a narrow question needs one."""

_BROAD_SOURCES = 2
"""Sources that a broad question needs at least, because a root cause needs evidence of two tools."""


class EvaluationService:
    """Scores runs by fixed rules and keeps the score beside the Verifier's evaluation.

    Args:
        store: where the score is written.
        guidance_tools: tools whose results guide and never witness the incident (spec S48): not counted.
    """

    def __init__(self, store: Store, guidance_tools: frozenset[str] = frozenset({"lookup_knowledge"})) -> None:
        self._store = store
        self._guidance_tools = guidance_tools

    def evaluate(self, run: Run) -> JsonObject:
        """The score of a run between 0 and 1, its parts, and the counts that they come from.

        A part is null where nothing is known of it; the others then share its weight. Without an
        evidence-bearing call the score is 0.
        """
        calls = [call for call in run.invocations if call.tool_name not in self._guidance_tools]
        bearing = [call for call in calls if call.status in ("ok", "empty") and call.evidence_refs]
        parts = _parts(run, calls, bearing)
        states = Counter(call.status for call in calls)
        return {
            "version": EVALUATION_VERSION,
            "score": _score(parts) if bearing else 0.0,
            "parts": dict(parts),
            "counts": {
                "calls": len(calls),
                "evidence_bearing": len(bearing),
                "evidence_refs": sum(len(call.evidence_refs) for call in bearing),
                "empty": states["empty"],
                "failed": states["failed"],
                "deduped": states["deduped"],
                "guidance": len(run.invocations) - len(calls),
            },
            "sources": {"asked": [*_tools(calls)], "covered": [*_tools(bearing)]},
            "failures": [
                {"invocation_id": call.id, "tool_name": call.tool_name, "error_kind": call.error_kind}
                for call in calls
                if call.status == "failed"
            ],
        }

    async def record(self, run: Run) -> None:
        """Write the score under the channel of the run's origin; the other channels stay (spec S27).

        Raises:
            StoreError: the database could not be written.
            UnknownRun: the store does not have the run.
        """
        channel: Channel = "aiops_rule_evaluation" if run.question.origin == "alert" else "rule_evaluation"
        await self._store.merge_evaluation(run.run_id, channel, self.evaluate(run))


def _parts(run: Run, calls: list[ToolInvocation], bearing: list[ToolInvocation]) -> dict[str, float | None]:
    broad = run.plan is None or run.plan.scope == "broad"
    asked, covered = len(_tools(calls)), len(_tools(bearing))
    states = Counter(call.status for call in calls)
    answered = states["ok"] + states["empty"]
    return {
        "evidence": min(1.0, len(bearing) / (_BROAD_CALLS if broad else 1)),
        "coverage": round(covered / max(asked, _BROAD_SOURCES if broad else 1), 4),
        "hits": round(states["ok"] / answered, 4) if answered else None,
        "reliability": round(1 - states["failed"] / len(calls), 4) if calls else None,
        "freshness": _freshness(run.window, bearing),
    }


def _score(parts: dict[str, float | None]) -> float:
    known = [(_WEIGHTS[name], value) for name, value in parts.items() if value is not None]
    return round(sum(weight * value for weight, value in known) / sum(weight for weight, _ in known), 4)


def _tools(calls: Iterable[ToolInvocation]) -> tuple[str, ...]:
    return tuple(sorted({call.tool_name for call in calls}))


def _freshness(asked: TimeWindow, bearing: list[ToolInvocation]) -> float | None:
    """The share of the asked window that the evidence together speaks about; None where no call says."""
    windows = [call.scope.window for call in bearing if call.scope.window is not None]
    if not windows:
        return None
    edges = sorted({asked.start, asked.end, *(w.start for w in windows), *(w.end for w in windows)})
    covered = sum(
        (end - start).total_seconds()
        for start, end in pairwise(edges)
        if asked.contains(start) and any(window.contains(start) for window in windows)
    )
    return round(covered / asked.seconds, 4)
