"""What of a run is kept, and when: the same for every store."""

from typing import TypeVar

from pydantic_core import PydanticSerializationError

from engine.answer import Answer
from engine.base import Frozen
from engine.errors import UnknownRun
from engine.invocation import ToolInvocation
from engine.record import RecordedAnswer, RunRecord
from engine.run import NodeName, Run, RunEvent
from engine.store.text import checked_key, clip, storable

__all__ = [
    "begun",
    "finished",
    "kept_event",
    "kept_invocation",
    "progressed",
    "replaced_attempts",
    "replaces_invocations",
    "unknown_run",
]

T = TypeVar("T", bound=Frozen)


def begun(run: Run) -> RunRecord:
    """The record of a run that has not done anything yet.

    Raises:
        StoreError: an identifier cannot be kept.
    """
    checked_key("run_id", run.run_id)
    checked_key("session_id", run.session_id)
    return RunRecord(
        run_id=run.run_id,
        session_id=run.session_id,
        question=_clean(run.question),
        window=run.window,
        baseline=run.baseline,
        started_at=run.started_at,
        stage="planner",
        usage=run.usage,
    )


def progressed(run: Run, stage: NodeName) -> dict[str, object]:
    """The fields of the record that a finished node changes."""
    return {"stage": stage, "window": run.window, "baseline": run.baseline, "usage": run.usage}


def finished(run: Run, duration_ms: float) -> dict[str, object]:
    """The fields of the record that the end of a run changes."""
    answer = run.answer
    return {
        "stage": "end",
        "outcome": answer.outcome if answer else None,
        "fallback_reason": clip(run.failure.reason) if run.failure else None,
        "answer": _recorded(answer) if answer else None,
        "hypotheses": tuple(_clean(suspect) for suspect in answer.hypotheses) if answer else (),
        "usage": run.usage,
        "duration_ms": duration_ms,
    }


def kept_invocation(invocation: ToolInvocation) -> ToolInvocation:
    """The invocation as a database can hold it.

    Raises:
        StoreError: an identifier cannot be kept.
    """
    checked_key("invocation id", invocation.id)
    checked_key("tool name", invocation.tool_name)
    lines = {
        "note": clip(invocation.note) if invocation.note else invocation.note,
        "error": clip(invocation.error) if invocation.error else invocation.error,
    }
    return _clean(invocation.model_copy(update=lines))


def kept_event(event: RunEvent) -> RunEvent:
    """The event as a database can hold it."""
    return _clean(event.model_copy(update={"reason": clip(event.reason) if event.reason else event.reason}))


def replaced_attempts(run: Run, node: NodeName, events: tuple[RunEvent, ...]) -> set[tuple[str, int]]:
    """The (node, cycle) pairs whose earlier events a checkpoint replaces."""
    return {(node, run.cycle), *((event.node, event.cycle) for event in events)}


def replaces_invocations(node: NodeName, run: Run, cycle: int) -> bool:
    """Whether a checkpoint replaces the cycle's earlier invocations: only the executor calls tools."""
    return node == "executor" and cycle == run.cycle


def unknown_run(run_id: str) -> UnknownRun:
    """The error for an id that no run has."""
    return UnknownRun(f"no run {clip(run_id, 80)!r}: `verdict runs` lists the recent ones")


def _recorded(answer: Answer) -> RecordedAnswer:
    return _clean(
        RecordedAnswer(
            text=answer.text,
            conclusion=answer.conclusion,
            confirmed=answer.confirmed,
            possible=answer.possible,
            gaps=answer.gaps,
            next_steps=answer.next_steps,
            notes=answer.notes,
            rendered_by=answer.rendered_by,
        )
    )


def _clean(value: T) -> T:
    try:
        # because nearly every value is clean, and one look at its JSON costs less than walking it
        if "\\u0000" not in value.model_dump_json():
            return value
    except PydanticSerializationError:
        # because a lone surrogate is no UTF-8; the walk below replaces it
        pass
    dumped = value.model_dump(mode="json")
    cleaned = storable(dumped)
    return value if cleaned == dumped else type(value).model_validate(cleaned)
