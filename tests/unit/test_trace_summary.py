"""The bounded tool trace summary (spec S38-S42)."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.composition.trace_summary import summarise
from engine.invocation import EvidenceRef, RetrievalDetails, ToolInvocation

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def call(number: int, tool: str, *refs: tuple[str, str], **changes: Any) -> ToolInvocation:
    """One persisted call with the given references."""
    made = ToolInvocation(
        id=f"inv-{number}",
        run_id="run-1",
        tool_name=tool,
        status="ok",
        started_at=NOW,
        ended_at=NOW,
        retrieval_details=RetrievalDetails(
            evidence_refs=tuple(EvidenceRef(raw_path=path, text=text) for path, text in refs)
        ),
    )
    return made.model_copy(update=changes)


@pytest.mark.spec("S40")
def test_a_log_message_stands_in_the_summary() -> None:
    """The concrete message comes before the scope, under the invocation's id."""
    (item,) = summarise(
        [call(1, "query_logs", ("/summary", "total=412"), ("/lines/0", "PoolTimeout: couldn't get a connection"))]
    )
    assert item.invocation_id == "inv-1"
    assert item.new_evidence
    assert item.output_summary.startswith("/lines/0 PoolTimeout: couldn't get a connection")


@pytest.mark.spec("S41")
def test_alert_names_services_and_values_stand_in_the_summary() -> None:
    """Names, services and values of the output are there, and nothing that the output does not hold."""
    refs = (
        ("/summary", "total=1 firing=1"),
        ("/alerts/0", "name=DBPoolSaturated service=payment-service severity=critical"),
        ("/series/0", "service=payment-service signal=db_pool_in_use window.mean=8.4"),
    )
    (item,) = summarise([call(1, "query_metrics", *refs)])
    for words in ("DBPoolSaturated", "payment-service", "window.mean=8.4"):
        assert words in item.output_summary
    held = " ".join(text for _, text in refs)
    for line in item.output_summary.splitlines():
        assert line.split(" ", 1)[1] in held


@pytest.mark.spec("S42")
@given(st.lists(st.text(min_size=1, max_size=2000), min_size=1, max_size=60), st.integers(100, 4000))
def test_the_summary_stays_bounded(texts: list[str], limit: int) -> None:
    """However large the outputs are, all summaries together keep to the bound, and every call is named."""
    calls = [call(number, "query_logs", ("/lines/0", text)) for number, text in enumerate(texts)]
    found = summarise(calls, max_chars=limit)
    assert len(found) == len(calls)
    assert sum(len(item.output_summary) for item in found) <= limit


@pytest.mark.spec("S42")
def test_concrete_facts_come_before_the_general() -> None:
    """When room is short, a log line stays and the scope's boilerplate goes."""
    (item,) = summarise(
        [call(1, "query_logs", ("/summary", "services=all " * 40), ("/lines/0", "disk full on node-7"))], max_chars=120
    )
    assert "disk full on node-7" in item.output_summary


@pytest.mark.spec("S38")
def test_a_failed_call_stays_a_gap() -> None:
    """A failure is told as one, never as support."""
    (item,) = summarise([call(1, "query_logs", status="failed", error="connection refused")])
    assert (item.new_evidence, item.status) == (False, "failed")
    assert "connection refused" in item.output_summary


@pytest.mark.spec("S39")
def test_a_deduplicated_retrieval_is_no_new_evidence() -> None:
    """A repeated retrieval is marked as bringing nothing."""
    (item,) = summarise([call(1, "lookup_knowledge", ("/chunks/0", "重启"), status="deduped")])
    assert not item.new_evidence
    assert "no new evidence" in item.output_summary
    assert "重启" not in item.output_summary
