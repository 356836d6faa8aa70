"""The tables in which runs are kept (architecture.md, "What is kept")."""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from engine.base import JsonObject, JsonValue
from engine.store.text import KEY_LENGTH

__all__ = [
    "Base",
    "FeedbackRow",
    "InvocationRow",
    "RunEventRow",
    "RunRow",
    "SessionRow",
    "UtcDateTime",
    "WorkerRow",
]


class UtcDateTime(TypeDecorator[datetime]):
    """An aware moment, kept in UTC; SQLite, which knows no zones, gives it back aware too."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone cannot be kept")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


_Key = String(KEY_LENGTH)
_Word = String(40)
_Document = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
_Verbatim = JSON(none_as_null=True)
"""Plain JSON in PostgreSQL too, because JSONB reorders keys, and evidence lines keep the output's order."""
_Serial = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        }
    )


class SessionRow(Base):
    """A Slack thread or a conversation in the terminal."""

    __tablename__ = "diagnosis_session"

    session_id: Mapped[str] = mapped_column(_Key, primary_key=True)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    self_evaluation: Mapped[JsonObject | None] = mapped_column(_Document)
    """The channels of the session's latest run (reading.md 1)."""


class RunRow(Base):
    """One diagnosis; column by column the scalar and modelled fields of `engine.record.RunRecord`."""

    __tablename__ = "diagnosis_run"
    __table_args__ = (
        Index(None, "started_at", "run_id"),
        Index(None, "session_id", "started_at", "run_id"),
    )

    run_id: Mapped[str] = mapped_column(_Key, primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey(SessionRow.session_id))
    question: Mapped[JsonObject] = mapped_column(_Document)
    window: Mapped[JsonObject] = mapped_column(_Document)
    baseline: Mapped[JsonObject | None] = mapped_column(_Document)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    stage: Mapped[str] = mapped_column(_Word)
    outcome: Mapped[str | None] = mapped_column(_Word)
    fallback_reason: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[JsonObject | None] = mapped_column(_Document)
    hypotheses: Mapped[list[JsonValue]] = mapped_column(_Document)
    self_evaluation: Mapped[JsonObject | None] = mapped_column(_Document)
    usage: Mapped[JsonObject] = mapped_column(_Document)
    duration_ms: Mapped[float | None] = mapped_column(Double)


class InvocationRow(Base):
    """One tool call of a run."""

    __tablename__ = "tool_invocation"

    run_id: Mapped[str] = mapped_column(ForeignKey(RunRow.run_id, ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(_Key, primary_key=True)
    cycle: Mapped[int]
    position: Mapped[int]
    """Place among the run's invocations, from 0."""
    tool_name: Mapped[str] = mapped_column(_Key)
    arguments: Mapped[JsonObject] = mapped_column(_Verbatim)
    status: Mapped[str] = mapped_column(_Word)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime] = mapped_column(UtcDateTime)
    output: Mapped[JsonValue] = mapped_column(_Verbatim, nullable=True)
    retrieval_details: Mapped[JsonObject] = mapped_column(_Verbatim)
    scope: Mapped[JsonObject] = mapped_column(_Document)
    note: Mapped[str | None] = mapped_column(Text)
    error: Mapped[str | None] = mapped_column(Text)
    error_kind: Mapped[str | None] = mapped_column(_Word)


class RunEventRow(Base):
    """One attempt of one node: the orchestration trace."""

    __tablename__ = "run_event"
    __table_args__ = (Index(None, "run_id", "node", "cycle"),)

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey(RunRow.run_id, ondelete="CASCADE"))
    node: Mapped[str] = mapped_column(_Word)
    status: Mapped[str] = mapped_column(_Word)
    attempt: Mapped[int]
    cycle: Mapped[int]
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    duration_ms: Mapped[float] = mapped_column(Double)
    reason: Mapped[str | None] = mapped_column(Text)
    usage: Mapped[JsonObject] = mapped_column(_Document)


class FeedbackRow(Base):
    """What a reader thought of a run, or of one of its claims."""

    __tablename__ = "feedback"
    __table_args__ = (UniqueConstraint("run_id", "claim_id", "given_by"),)

    id: Mapped[int] = mapped_column(_Serial, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey(RunRow.run_id, ondelete="CASCADE"))
    claim_id: Mapped[str] = mapped_column(_Key, default="")
    """Empty for the run as a whole, because NULLs would not be unique."""
    given_by: Mapped[str] = mapped_column(_Key)
    rating: Mapped[str] = mapped_column(_Word)
    comment: Mapped[str | None] = mapped_column(Text)
    given_at: Mapped[datetime] = mapped_column(UtcDateTime)


class WorkerRow(Base):
    """A process that runs diagnoses, and when it was last heard of."""

    __tablename__ = "worker"
    __table_args__ = (Index(None, "heartbeat_at"),)

    worker_id: Mapped[str] = mapped_column(_Key, primary_key=True)
    host: Mapped[str] = mapped_column(_Key)
    pid: Mapped[int]
    version: Mapped[str] = mapped_column(_Key)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    heartbeat_at: Mapped[datetime] = mapped_column(UtcDateTime)
