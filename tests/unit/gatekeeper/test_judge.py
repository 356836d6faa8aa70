"""What the Gatekeeper does with bindings that say too little, too much, or something else."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.claim import Claim, EvidenceBinding, ExecutorOutput
from engine.gate import GateStage
from engine.gatekeeper.catalog import DEFAULT_RULES, with_rules
from engine.gatekeeper.judge import judge
from engine.invocation import EvidenceRef, InvocationStatus, RetrievalDetails, ToolInvocation
from engine.ports import RuleSet

NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)
TEXT = "service=payment-service signal=cpu_usage window.mean=0.92"
RULE_IDS = [rule.id for rule in DEFAULT_RULES.rules]


def call(name: str, tool: str = "query_metrics", status: InvocationStatus = "ok", **changes: Any) -> ToolInvocation:
    """One persisted call with references at /series/0 and at the whole output."""
    refs = (EvidenceRef(raw_path="/series/0", text=TEXT), EvidenceRef(raw_path="", text=TEXT))
    made = ToolInvocation(
        id=name,
        run_id="run-1",
        tool_name=tool,
        status=status,
        started_at=NOW,
        ended_at=NOW,
        retrieval_details=RetrievalDetails(evidence_refs=refs),
    )
    return made.model_copy(update=changes)


CALLS = (call("m1"), call("l1", "query_logs"), call("l2", "query_logs"), call("k1", "lookup_knowledge"))


def binding(**changes: Any) -> EvidenceBinding:
    """A precise binding to the metrics call."""
    made = EvidenceBinding(
        tool_name="query_metrics", source_invocation_id="m1", raw_path="/series/0", evidence_excerpt="window.mean=0.92"
    )
    return made.model_copy(update=changes)


def judged(*bindings: EvidenceBinding, calls: Any = CALLS, rules: RuleSet = DEFAULT_RULES) -> GateStage:
    """What the Gatekeeper says of one claim."""
    claim = Claim(
        claim_id="c1", claim_type="symptom", claim_text="CPU 92%", support_level="direct", evidence_bindings=bindings
    )
    return judge(ExecutorOutput(claims=(claim,)), calls, rules)


@pytest.mark.spec("S55", "S66")
@pytest.mark.parametrize(
    "changes",
    [
        {"source_invocation_id": None, "source_invocation_ids": ("m9",)},
        {"source_invocation_id": None, "source_invocation_ids": ("m1", "m9")},
        {"source_invocation_id": None, "source_invocation_ids": ("m8", "m9")},
        {"source_invocation_ids": ("m1", "m9")},
    ],
)
def test_a_made_up_id_is_rejected_in_the_plural_form_too(changes: dict[str, Any]) -> None:
    """One id that this run never gave is enough, also among good ones, and is never filled over."""
    stage = judged(binding(**changes))
    assert (stage.status, stage.result.failed_rules) == ("REJECT", ("evidence.invocation_ref",))
    assert not stage.result.checked_bindings[0].backfilled


@pytest.mark.spec("S66", "S77")
def test_several_known_plural_ids_leave_it_open_which_is_meant() -> None:
    """Two good legacy ids are no precise reference, and nothing is filled in for them."""
    stage = judged(binding(source_invocation_id=None, source_invocation_ids=("m1", "l1")))
    assert stage.result.failed_rules == ("evidence.invocation_missing",)
    assert stage.result.warnings == ()


@pytest.mark.spec("S56", "S77")
def test_one_legacy_id_of_another_tool_is_rejected() -> None:
    """The legacy id is held to the same tool name as the singular one."""
    stage = judged(binding(source_invocation_id=None, source_invocation_ids=("l1",)))
    assert stage.result.failed_rules == ("evidence.invocation_ref",)


def test_the_whole_output_is_a_path() -> None:
    """The empty pointer is a path that names the whole output, not a missing one."""
    assert judged(binding(raw_path="")).status == "PASS"


@pytest.mark.spec("S38", "S69")
def test_a_failed_call_carries_nothing() -> None:
    """A call that failed cannot support a binding, whatever references are stored with it."""
    stage = judged(binding(), calls=(call("m1", status="failed", error="refused"),))
    assert stage.result.failed_rules == ("evidence.refs_unavailable",)
    assert stage.verified_evidence == ()
    assert [gap.kind for gap in stage.result.evidence_gaps] == ["failed_call"]


@pytest.mark.spec("S39")
def test_a_repeated_retrieval_is_no_support() -> None:
    """A claim that rests on a deduplicated lookup is not projected, and the call is a gap."""
    stage = judged(
        binding(tool_name="lookup_knowledge", source_invocation_id="k1"),
        calls=(call("k1", "lookup_knowledge", "deduped"),),
    )
    assert stage.verified_output.claims == ()
    assert [gap.kind for gap in stage.result.evidence_gaps] == ["deduped_retrieval"]


@pytest.mark.spec("S32")
@pytest.mark.parametrize(
    "changes",
    [
        {"evidence_excerpt": "SECRET 根因是数据库"},
        {"source_invocation_id": "SECRET says: obey"},
        {"source_invocation_id": None, "tool_name": "SECRET tool\nobey"},
        {"raw_path": "SECRET path"},
        {"raw_path": "/series/SECRET 根因"},
        {"raw_path": "/" + "SECRET/" * 100},
        {"source_id": "SECRET", "source_type": "SECRET", "raw_path": None},
        {"source_invocation_id": None, "source_invocation_ids": ("SECRET",)},
        {"source_invocation_id": None, "source_invocation_ids": ("SECRET one", "SECRET two"), "raw_path": "/SECRET x"},
    ],
)
def test_the_audit_repeats_no_prose_of_a_failed_binding(changes: dict[str, Any]) -> None:
    """Excerpts never, and ids, tool names and paths only in their own form, stand in what the Verifier is given."""
    stage = judged(binding(), binding(**changes))
    assert stage.result.checked_bindings[1].status == "failed"
    told = stage.model_dump_json()
    # because an id that has an id's form may be named, so that a reader of the audit can find it
    named = changes.get("source_invocation_ids") == ("SECRET",)
    assert ("SECRET" in told) == named


def test_a_wrong_id_of_an_ids_form_can_be_read_in_the_audit() -> None:
    """Whoever looks into a rejected run sees which call and which path were made up."""
    checked = judged(binding(source_invocation_id="m9", raw_path="/series/7")).result.checked_bindings[0]
    assert (checked.source_invocation_id, checked.raw_path) == ("m9", "/series/7")


@pytest.mark.spec("S33", "S67")
def test_the_words_that_go_on_are_the_systems() -> None:
    """Of a binding that quotes loosely, the evidence holds the place and the system's own writing of it."""
    stage = judged(binding(evidence_excerpt="SERVICE=Payment-Service…window.mean=０.92"))
    (item,) = stage.verified_evidence
    assert item.matched_text == "service=payment-service … window.mean=0.92"
    assert (item.claim_id, item.source_invocation_id, item.tool_name) == ("c1", "m1", "query_metrics")
    assert item.raw_path == "/series/0"
    assert stage.verified_output.claims[0].evidence_bindings[0].evidence_excerpt == item.matched_text


def test_long_notes_of_calls_are_bounded() -> None:
    """A gap's detail stays short whatever a tool noted or a source answered."""
    calls = (call("a", status="empty", note="长" * 5000), call("b", status="failed", error="x" * 5000))
    assert all(len(gap.detail) < 300 for gap in judged(calls=calls).result.evidence_gaps)


@pytest.mark.spec("S48")
def test_guidance_beside_evidence_goes_along() -> None:
    """A claim with evidence of the incident keeps its guidance binding, one with guidance alone is held back."""
    guide = binding(tool_name="lookup_knowledge", source_invocation_id="k1")
    assert len(judged(binding(), guide).verified_evidence) == 2
    failed_evidence = judged(binding(raw_path=None), guide)
    assert set(failed_evidence.result.failed_rules) == {"evidence.raw_path_missing", "evidence.guidance_only"}
    assert failed_evidence.verified_evidence == ()


@pytest.mark.spec("S83")
@pytest.mark.parametrize(("severity", "status"), [("reject", "REJECT"), ("low_confid", "LOW_CONFID"), ("none", "PASS")])
def test_a_configured_severity_counts(severity: Any, status: str) -> None:
    """The catalog's severity decides the status, and what failed is not projected under any."""
    rules = with_rules(severities={"evidence.raw_path_missing": severity})
    stage = judged(binding(), binding(raw_path=None), rules=rules)
    assert (stage.status, stage.result.severity) == (status, severity)
    assert len(stage.verified_evidence) == 1


@pytest.mark.spec("S83")
@pytest.mark.parametrize(
    ("parameter", "value", "excerpt"),
    [("min_excerpt_chars", 30, "window.mean=0.92"), ("max_excerpt_chars", 5, "window.mean=0.92")],
)
def test_excerpt_bounds_are_parameters(parameter: str, value: int, excerpt: str) -> None:
    """An excerpt shorter or longer than the catalog says does not count as a quote."""
    changed = tuple(
        rule.model_copy(update={"parameters": {**rule.parameters, parameter: value}})
        if rule.id == "evidence.excerpt_mismatch"
        else rule
        for rule in DEFAULT_RULES.rules
    )
    stage = judged(binding(evidence_excerpt=excerpt), rules=RuleSet(version="x", rules=changed))
    assert stage.result.failed_rules == ("evidence.excerpt_mismatch",)


bindings = st.builds(
    EvidenceBinding,
    tool_name=st.sampled_from(["query_metrics", "query_logs", "lookup_knowledge", "nothing", ""]),
    source_invocation_id=st.sampled_from([None, "m1", "l1", "k1", "x9"]),
    source_invocation_ids=st.sampled_from([(), ("m1",), ("m1", "l1"), ("x9",)]),
    raw_path=st.sampled_from([None, "/series/0", "/series/1", ""]),
    evidence_excerpt=st.sampled_from(["window.mean=0.92", "0.9", "", "payment-service … 0.92"]) | st.text(max_size=20),
)


@pytest.mark.spec("S32", "S57", "S59", "S80", "S81", "S82")
@given(st.lists(bindings, max_size=4), st.sets(st.sampled_from(RULE_IDS)))
def test_whatever_is_bound_only_what_is_there_is_projected(made: list[EvidenceBinding], disabled: set[str]) -> None:
    """For any bindings and any disabled rules the projection quotes the run, and status, severity and rules agree."""
    rules = with_rules(disabled=disabled)
    stage = judged(*made, rules=rules)
    for item in stage.verified_evidence:
        invocation = next(one for one in CALLS if one.id == item.source_invocation_id)
        text = next(ref.text for ref in invocation.evidence_refs if ref.raw_path == item.raw_path)
        assert invocation.tool_name == item.tool_name
        assert all(part in text for part in item.matched_text.split(" … "))
    kept = [one for claim in stage.verified_output.claims for one in claim.evidence_bindings]
    assert [one.evidence_excerpt for one in kept] == [item.matched_text for item in stage.verified_evidence]
    assert len(stage.result.checked_bindings) == len(made)
    assert (stage.result.status == "pass") == (stage.result.failed_rules == ()) == (stage.result.severity == "none")
    assert disabled.isdisjoint(stage.result.failed_rules)
    assert stage.result.rules == rules.rules
    assert stage.result.rule_set_version == DEFAULT_RULES.version
    if disabled == set(RULE_IDS):
        assert (stage.result.status, stage.ceiling) == ("pass", "LOW_CONFID")
