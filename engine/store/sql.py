"""A store in a SQL database: SQLite or PostgreSQL."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Executable,
    RowMapping,
    Select,
    delete,
    exists,
    insert,
    inspect,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker
from sqlalchemy.orm import InstrumentedAttribute

from engine.base import JsonObject
from engine.ports import Channel
from engine.record import RunRecord, RunSummary
from engine.run import NodeName, Run, RunEvent
from engine.store.errors import store_errors
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
from engine.store.rows import columns, event_columns, invocation_columns, record_of, run_columns, summary_of
from engine.store.self_evaluation import merge_channel
from engine.store.tables import Base, InvocationRow, RunEventRow, RunRow, SessionRow
from engine.store.text import is_key

__all__ = ["SqlStore"]

_PRUNED_AT_ONCE = 100
"""Runs deleted in one transaction, so that writers need not wait long."""

_NEWEST_FIRST = (RunRow.started_at.desc(), RunRow.run_id.desc())

_SUMMARY = (
    RunRow.run_id,
    RunRow.session_id,
    RunRow.question["text"].as_string().label("question"),
    RunRow.started_at,
    RunRow.stage,
    RunRow.outcome,
    RunRow.answer["conclusion"].as_string().label("conclusion"),
    RunRow.duration_ms,
)


class SqlStore:
    """Fulfils `engine.ports.Store`; made by `open_store`, which also closes the engine.

    Args:
        engine: whose schema is at this version; for SQLite, with the begin hook of `open_store`.
        place: the database's name in error messages.
    """

    def __init__(self, engine: AsyncEngine, place: str) -> None:
        self._place = place
        self._insert = sqlite.insert if engine.dialect.name == "sqlite" else postgresql.insert
        self._read = async_sessionmaker(engine, expire_on_commit=False)
        self._write = async_sessionmaker(engine.execution_options(immediate=True), expire_on_commit=False)

    async def begin(self, run: Run) -> None:
        record = begun(run)
        opened = {
            "session_id": run.session_id,
            "created_at": run.started_at,
            "updated_at": run.started_at,
        }
        async with self._writing() as session:
            # The session's row is written even when it exists, because that locks it against `prune`.
            await session.execute(
                self._insert(SessionRow)
                .values(opened)
                .on_conflict_do_update(index_elements=["session_id"], set_={"updated_at": run.started_at})
            )
            await session.execute(self._insert(RunRow).values(run_columns(record)).on_conflict_do_nothing())

    async def checkpoint(
        self, run: Run, node: NodeName, events: tuple[RunEvent, ...], following: NodeName | None = None
    ) -> None:
        kept = [event_columns(run.run_id, kept_event(event)) for event in events]
        async with self._writing() as session:
            await _change_run(session, run.run_id, progressed(run, following or node))
            await session.execute(
                delete(RunEventRow).where(
                    RunEventRow.run_id == run.run_id,
                    tuple_(RunEventRow.node, RunEventRow.cycle).in_(replaced_attempts(run, node, events)),
                )
            )
            if kept:
                await session.execute(insert(RunEventRow), kept)
            await _keep_invocations(session, run, node)

    async def enter(self, run_id: str, node: NodeName) -> None:
        async with self._writing() as session:
            await _change_run(session, run_id, {"stage": node})

    async def finish(self, run: Run, duration_ms: float) -> None:
        changes = finished(run, duration_ms)
        async with self._writing() as session:
            await _change_run(session, run.run_id, changes)

    async def merge_evaluation(self, run_id: str, channel: Channel, value: JsonObject) -> None:
        async with self._writing() as session:
            owner = await session.scalar(select(RunRow.session_id).where(RunRow.run_id == run_id))
            if owner is None:
                raise unknown_run(run_id)
            # The session is locked before the run, everywhere, because writers in two orders would deadlock.
            shared = await session.scalar(_locked(SessionRow.self_evaluation, SessionRow.session_id == owner))
            own = await session.scalar(_locked(RunRow.self_evaluation, RunRow.run_id == run_id))
            await _change_run(session, run_id, {"self_evaluation": merge_channel(own, channel, value)})
            newest = select(RunRow.run_id).where(RunRow.session_id == owner).order_by(*_NEWEST_FIRST)
            latest = await session.scalar(newest.limit(1))
            if latest == run_id:
                merged = merge_channel(shared, channel, value)
                await session.execute(
                    update(SessionRow).where(SessionRow.session_id == owner).values(self_evaluation=merged)
                )

    async def session_evaluation(self, session_id: str) -> JsonObject:
        """The session's `self_evaluation` (reading.md 1); empty for a session that is not there."""
        if not is_key(session_id):
            return {}
        async with self._reading() as session:
            query = select(SessionRow.self_evaluation).where(SessionRow.session_id == session_id)
            return await session.scalar(query) or {}

    async def load(self, run_id: str) -> RunRecord:
        if not is_key(run_id):
            raise unknown_run(run_id)
        async with self._reading() as session:
            run = await _first(session, select(*_columns_of(RunRow)).where(RunRow.run_id == run_id))
            if run is None:
                raise unknown_run(run_id)
            calls = (
                select(*_columns_of(InvocationRow))
                .where(InvocationRow.run_id == run_id)
                .order_by(InvocationRow.cycle, InvocationRow.position)
            )
            events = (
                select(*_columns_of(RunEventRow))
                .where(RunEventRow.run_id == run_id)
                .order_by(RunEventRow.started_at, RunEventRow.id)
            )
            return record_of(run, await _all(session, calls), await _all(session, events))

    async def recent(self, limit: int, session_id: str | None = None) -> tuple[RunSummary, ...]:
        if session_id is not None and not is_key(session_id):
            return ()
        query = select(*_SUMMARY).order_by(*_NEWEST_FIRST).limit(max(limit, 0))
        if session_id is not None:
            query = query.where(RunRow.session_id == session_id)
        async with self._reading() as session:
            return tuple(summary_of(row) for row in await _all(session, query))

    async def prune(self, older_than: timedelta, now: datetime) -> int:
        total = 0
        while deleted := await self._prune_batch(now - older_than):
            total += deleted
        return total

    async def _prune_batch(self, before: datetime) -> int:
        async with self._writing() as session:
            oldest = (
                select(RunRow.run_id, RunRow.session_id)
                .where(RunRow.started_at < before)
                .order_by(RunRow.started_at, RunRow.run_id)
                .limit(_PRUNED_AT_ONCE)
            )
            runs = (await session.execute(oldest)).all()
            sessions = {row.session_id for row in runs}
            locks = select(SessionRow.session_id).where(SessionRow.session_id.in_(sessions))
            await session.execute(locks.order_by(SessionRow.session_id).with_for_update())
            # Invocations, events and feedback go with their run, by the foreign keys.
            deleted = delete(RunRow).where(RunRow.run_id.in_([row.run_id for row in runs]))
            count = len((await session.scalars(deleted.returning(RunRow.run_id))).all())
            used = exists().where(RunRow.session_id == SessionRow.session_id)
            await session.execute(delete(SessionRow).where(SessionRow.session_id.in_(sessions), ~used))
            return count

    @asynccontextmanager
    async def _reading(self) -> AsyncGenerator[AsyncSession]:
        with store_errors(self._place):
            async with self._read() as session:
                yield session

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[AsyncSession]:
        with store_errors(self._place):
            async with self._write.begin() as session:
                yield session


async def _change_run(session: AsyncSession, run_id: str, changes: dict[str, object]) -> None:
    changed = update(RunRow).where(RunRow.run_id == run_id).values(columns(changes)).returning(RunRow.run_id)
    if await session.scalar(changed) is None:
        raise unknown_run(run_id)


async def _keep_invocations(session: AsyncSession, run: Run, node: NodeName) -> None:
    if replaces_invocations(node, run, run.cycle):
        await session.execute(
            delete(InvocationRow).where(InvocationRow.run_id == run.run_id, InvocationRow.cycle == run.cycle)
        )
    stored = set(await session.scalars(select(InvocationRow.id).where(InvocationRow.run_id == run.run_id)))
    fresh = [
        invocation_columns(position, kept_invocation(invocation))
        for position, invocation in enumerate(run.invocations)
        if invocation.id not in stored
    ]
    if fresh:
        await session.execute(insert(InvocationRow), fresh)


def _locked(column: InstrumentedAttribute[JsonObject | None], where: ColumnElement[bool]) -> Select[Any]:
    """The column of one row, locked until the transaction ends; SQLite has locked the whole database."""
    return select(column).where(where).with_for_update(key_share=True)


def _columns_of(table: type[Base]) -> list[Any]:
    return list(inspect(table).columns)


async def _first(session: AsyncSession, query: Executable) -> RowMapping | None:
    return (await session.execute(query)).mappings().first()


async def _all(session: AsyncSession, query: Executable) -> Sequence[RowMapping]:
    return (await session.execute(query)).mappings().all()
