"""A store that forgets with its process: for evaluations, demonstrations and tests."""

from datetime import datetime, timedelta

from engine.base import JsonObject
from engine.ports import Channel
from engine.record import RunRecord, RunSummary
from engine.run import NodeName, Run, RunEvent
from engine.store.kept import (
    begun,
    finished,
    kept_event,
    kept_invocation,
    progressed,
    replaced_attempts,
    replaces_invocations,
    unknown_run,
)
from engine.store.self_evaluation import merge_channel

__all__ = ["MemoryStore"]


class MemoryStore:
    """Keeps runs in a dictionary; fulfils `engine.ports.Store` as the databases do."""

    def __init__(self) -> None:
        self._runs: dict[str, RunRecord] = {}
        self._sessions: dict[str, JsonObject] = {}

    async def begin(self, run: Run) -> None:
        record = begun(run)
        self._sessions.setdefault(run.session_id, {})
        self._runs.setdefault(run.run_id, record)

    async def checkpoint(
        self, run: Run, node: NodeName, events: tuple[RunEvent, ...], following: NodeName | None = None
    ) -> None:
        record = self._record(run.run_id)
        replaced = replaced_attempts(run, node, events)
        trace = [event for event in record.events if (event.node, event.cycle) not in replaced]
        trace.extend(kept_event(event) for event in events)
        calls = [call for call in record.invocations if not replaces_invocations(node, run, call.cycle)]
        stored = {call.id for call in calls}
        calls.extend(kept_invocation(call) for call in run.invocations if call.id not in stored)
        changes = progressed(run, following or node) | {
            "invocations": tuple(sorted(calls, key=lambda call: call.cycle)),
            "events": tuple(sorted(trace, key=lambda event: event.started_at)),
        }
        self._runs[run.run_id] = record.model_copy(update=changes)

    async def enter(self, run_id: str, node: NodeName) -> None:
        self._runs[run_id] = self._record(run_id).model_copy(update={"stage": node})

    async def finish(self, run: Run, duration_ms: float) -> None:
        record = self._record(run.run_id)
        self._runs[run.run_id] = record.model_copy(update=finished(run, duration_ms))

    async def merge_evaluation(self, run_id: str, channel: Channel, value: JsonObject) -> None:
        record = self._record(run_id)
        merged = merge_channel(record.self_evaluation, channel, value)
        self._runs[run_id] = record.model_copy(update={"self_evaluation": merged})
        session = record.session_id
        if (await self.recent(1, session))[0].run_id == run_id:
            self._sessions[session] = merge_channel(self._sessions[session], channel, value)

    async def session_evaluation(self, session_id: str) -> JsonObject:
        """The session's `self_evaluation` (reading.md 1); empty for a session that is not there."""
        return self._sessions.get(session_id, {})

    async def load(self, run_id: str) -> RunRecord:
        return self._record(run_id)

    async def recent(self, limit: int, session_id: str | None = None) -> tuple[RunSummary, ...]:
        runs = [run for run in self._runs.values() if session_id in (None, run.session_id)]
        runs.sort(key=lambda run: (run.started_at, run.run_id), reverse=True)
        return tuple(_summary(run) for run in runs[: max(limit, 0)])

    async def prune(self, older_than: timedelta, now: datetime) -> int:
        old = [run for run in self._runs.values() if run.started_at < now - older_than]
        for run in old:
            del self._runs[run.run_id]
        used = {run.session_id for run in self._runs.values()}
        for session in {run.session_id for run in old} - used:
            del self._sessions[session]
        return len(old)

    def _record(self, run_id: str) -> RunRecord:
        record = self._runs.get(run_id)
        if record is None:
            raise unknown_run(run_id)
        return record


def _summary(record: RunRecord) -> RunSummary:
    return RunSummary(
        run_id=record.run_id,
        session_id=record.session_id,
        question=record.question.text,
        started_at=record.started_at,
        stage=record.stage,
        outcome=record.outcome,
        conclusion=record.answer.conclusion if record.answer else None,
        duration_ms=record.duration_ms,
    )
