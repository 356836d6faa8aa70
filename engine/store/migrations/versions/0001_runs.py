"""Sessions, runs, tool invocations, run events, feedback and workers."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_KEY = sa.String(200)
_WORD = sa.String(40)
_DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")
_REAL: sa.Double[float] = sa.Double()
_MOMENT = sa.DateTime(timezone=True)
_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _sessions_and_runs()
    _invocations()
    _events()
    _feedback()
    _workers()


def downgrade() -> None:
    for table in ("worker", "feedback", "run_event", "tool_invocation", "diagnosis_run", "diagnosis_session"):
        op.drop_table(table)


def _run_key(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["run_id"], ["diagnosis_run.run_id"], name=op.f(f"fk_{table}_run_id"), ondelete="CASCADE"
    )


def _sessions_and_runs() -> None:
    op.create_table(
        "diagnosis_session",
        sa.Column("session_id", _KEY, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("updated_at", _MOMENT, nullable=False),
        sa.Column("self_evaluation", _DOCUMENT),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_diagnosis_session")),
    )
    op.create_table(
        "diagnosis_run",
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("session_id", _KEY, nullable=False),
        sa.Column("question", _DOCUMENT, nullable=False),
        sa.Column("window", _DOCUMENT, nullable=False),
        sa.Column("baseline", _DOCUMENT),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("stage", _WORD, nullable=False),
        sa.Column("outcome", _WORD),
        sa.Column("fallback_reason", sa.Text()),
        sa.Column("answer", _DOCUMENT),
        sa.Column("hypotheses", _DOCUMENT, nullable=False),
        sa.Column("self_evaluation", _DOCUMENT),
        sa.Column("usage", _DOCUMENT, nullable=False),
        sa.Column("duration_ms", _REAL),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_diagnosis_run")),
        sa.ForeignKeyConstraint(
            ["session_id"], ["diagnosis_session.session_id"], name=op.f("fk_diagnosis_run_session_id")
        ),
    )
    op.create_index(op.f("ix_diagnosis_run_started_at_run_id"), "diagnosis_run", ["started_at", "run_id"])
    op.create_index(
        op.f("ix_diagnosis_run_session_id_started_at_run_id"),
        "diagnosis_run",
        ["session_id", "started_at", "run_id"],
    )


def _invocations() -> None:
    op.create_table(
        "tool_invocation",
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("id", _KEY, nullable=False),
        sa.Column("cycle", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("tool_name", _KEY, nullable=False),
        sa.Column("arguments", sa.JSON(), nullable=False),
        sa.Column("status", _WORD, nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT, nullable=False),
        sa.Column("output", sa.JSON()),
        sa.Column("retrieval_details", sa.JSON(), nullable=False),
        sa.Column("scope", _DOCUMENT, nullable=False),
        sa.Column("note", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("error_kind", _WORD),
        sa.PrimaryKeyConstraint("run_id", "id", name=op.f("pk_tool_invocation")),
        _run_key("tool_invocation"),
    )


def _events() -> None:
    op.create_table(
        "run_event",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("node", _WORD, nullable=False),
        sa.Column("status", _WORD, nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("cycle", sa.Integer(), nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("duration_ms", _REAL, nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("usage", _DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_event")),
        _run_key("run_event"),
    )
    op.create_index(op.f("ix_run_event_run_id_node_cycle"), "run_event", ["run_id", "node", "cycle"])


def _feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("claim_id", _KEY, nullable=False),
        sa.Column("given_by", _KEY, nullable=False),
        sa.Column("rating", _WORD, nullable=False),
        sa.Column("comment", sa.Text()),
        sa.Column("given_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feedback")),
        _run_key("feedback"),
        sa.UniqueConstraint("run_id", "claim_id", "given_by", name=op.f("uq_feedback_run_id_claim_id_given_by")),
    )


def _workers() -> None:
    op.create_table(
        "worker",
        sa.Column("worker_id", _KEY, nullable=False),
        sa.Column("host", _KEY, nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("version", _KEY, nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("heartbeat_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("worker_id", name=op.f("pk_worker")),
    )
    op.create_index(op.f("ix_worker_heartbeat_at"), "worker", ["heartbeat_at"])
