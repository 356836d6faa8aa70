"""Runs and their parts, as small as a store needs them."""

from datetime import UTC, datetime, timedelta
from typing import Literal

from engine.answer import Answer, CitedEvidence, ConfirmedFact, Suspect
from engine.base import JsonValue
from engine.budget import Usage
from engine.invocation import EvidenceRef, RetrievalDetails, Scope, ToolInvocation
from engine.question import Question
from engine.run import Failure, NodeName, Run, RunEvent
from engine.window import TimeWindow

NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
WINDOW = TimeWindow(start=NOON - timedelta(minutes=30), end=NOON)


def a_run(
    run_id: str = "run-1",
    session_id: str = "session-1",
    started_at: datetime = NOON,
    origin: Literal["person", "alert"] = "person",
) -> Run:
    """A run that has just begun."""
    return Run(
        run_id=run_id,
        session_id=session_id,
        question=Question(text="支付为什么变慢？", asked_at=started_at, origin=origin, known_facts=("错误率 3%",)),
        window=WINDOW,
        baseline=WINDOW.before(timedelta(hours=1)),
        started_at=started_at,
    )


def a_call(
    call_id: str = "inv-1",
    output: JsonValue = None,
    run_id: str = "run-1",
    cycle: int = 0,
    tool: str = "query_logs",
    note: str | None = None,
) -> ToolInvocation:
    """A tool call that brought one line of evidence."""
    return ToolInvocation(
        id=call_id,
        run_id=run_id,
        cycle=cycle,
        tool_name=tool,
        arguments={"service": "pay", "contains": "超时"},
        status="ok",
        started_at=NOON + timedelta(seconds=1),
        ended_at=NOON + timedelta(seconds=2),
        output=output,
        retrieval_details=RetrievalDetails(evidence_refs=(EvidenceRef(raw_path="/0", text="service=pay"),)),
        scope=Scope(services=("pay",), window=WINDOW),
        note=note,
    )


def an_event(node: NodeName = "executor", attempt: int = 1, cycle: int = 0, reason: str | None = None) -> RunEvent:
    """One attempt of a node."""
    return RunEvent(
        node=node,
        status="failed" if reason else "ok",
        attempt=attempt,
        cycle=cycle,
        started_at=NOON + timedelta(seconds=attempt),
        duration_ms=12.5,
        reason=reason,
        usage=Usage(model_calls=1, input_tokens=100),
    )


def an_answer() -> Answer:
    """An answer with every part filled."""
    cited = CitedEvidence(invocation_id="inv-1", tool_name="query_logs", raw_path="/0", excerpt="service=pay")
    return Answer(
        outcome="PASS",
        verdict="PASS",
        conclusion="支付连接池耗尽",
        confirmed=(ConfirmedFact(text="连接池已满", claim_id="c1", evidence=(cited,)),),
        possible=("order-db 变慢",),
        gaps=("没有链路数据",),
        next_steps=("看连接池上限",),
        hypotheses=(Suspect(service="pay", text="连接泄漏", score=0.8),),
        rendered_by="model",
        text="结论：支付连接池耗尽",
        usage=Usage(model_calls=1),
    )


def a_failure() -> Failure:
    """Why a run ended in Fallback."""
    return Failure(node="executor", reason="executor.invalid_output", detail="取证结果不可用")
