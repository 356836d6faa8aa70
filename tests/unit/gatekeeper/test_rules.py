"""The Gatekeeper's rules, one by one (spec S53-S57, S65-S71, S77, S78, S80-S83; reading.md 3, 4, 14)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.claim import Claim, EvidenceBinding, ExecutorOutput, Hypothesis
from engine.errors import ConfigError
from engine.gate import GateStage
from engine.gatekeeper.catalog import DEFAULT_RULES, RULE_SET_VERSION, with_rules
from engine.gatekeeper.judge import judge
from engine.invocation import EvidenceRef, RetrievalDetails, ToolInvocation
from engine.ports import RuleSet

TEXT = "service=payment-service signal=cpu_usage window.mean=0.92"
NOW = datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


def invocation(number: int = 1, tool: str = "query_metrics", **changes: Any) -> ToolInvocation:
    """One persisted call with one reference at /series/0."""
    made = ToolInvocation(
        id=f"inv-{number}",
        run_id="run-1",
        tool_name=tool,
        status="ok",
        started_at=NOW,
        ended_at=NOW,
        output={"series": [{}]},
        retrieval_details=RetrievalDetails(evidence_refs=(EvidenceRef(raw_path="/series/0", text=TEXT),)),
    )
    return made.model_copy(update=changes)


def binding(**changes: Any) -> EvidenceBinding:
    """A precise binding to that reference."""
    made = EvidenceBinding(
        source_type="tool",
        tool_name="query_metrics",
        source_invocation_id="inv-1",
        raw_path="/series/0",
        evidence_excerpt="window.mean=0.92",
    )
    return made.model_copy(update=changes)


def output(*bindings: EvidenceBinding, **changes: Any) -> ExecutorOutput:
    """A contract with one claim that carries the given bindings."""
    claim = Claim(
        claim_id="c1",
        claim_type="symptom",
        claim_text="CPU 92%",
        support_level="direct",
        evidence_bindings=bindings,
    )
    return ExecutorOutput(claims=(claim,)).model_copy(update=changes)


def judged(
    *bindings: EvidenceBinding, calls: Sequence[ToolInvocation] = (invocation(),), rules: RuleSet = DEFAULT_RULES
) -> GateStage:
    """What the Gatekeeper says of one claim."""
    return judge(output(*bindings), calls, rules)


@pytest.mark.spec("S57", "S67", "S80", "S65")
def test_a_precise_binding_passes() -> None:
    """Call, tool, path and excerpt that are all there pass with no severity, and carry the rules along."""
    stage = judged(binding())
    assert (stage.result.status, stage.result.severity, stage.result.failed_rules) == ("pass", "none", ())
    assert stage.status == "PASS"
    assert stage.result.rule_set_version == RULE_SET_VERSION
    assert stage.result.rules == DEFAULT_RULES.rules
    assert stage.verified_evidence[0].matched_text == "window.mean=0.92"


@pytest.mark.parametrize(
    ("changes", "rule", "severity"),
    [
        pytest.param({"source_invocation_id": "inv-9"}, "evidence.invocation_ref", "reject", marks=pytest.mark.spec("S55")),
        pytest.param({"tool_name": "query_logs"}, "evidence.invocation_ref", "reject", marks=pytest.mark.spec("S56")),
        pytest.param({"raw_path": None}, "evidence.raw_path_missing", "low_confid", marks=pytest.mark.spec("S68", "S78")),
        pytest.param({"raw_path": "/series/7"}, "evidence.raw_path", "reject", marks=pytest.mark.spec("S70")),
        pytest.param(
            {"evidence_excerpt": "window.mean=0.29"}, "evidence.excerpt_mismatch", "reject", marks=pytest.mark.spec("S71")
        ),
        pytest.param({"evidence_excerpt": ""}, "evidence.excerpt_mismatch", "reject"),
        pytest.param({"evidence_excerpt": "x" * 5000}, "evidence.excerpt_mismatch", "reject"),
    ],
)  # fmt: skip
@pytest.mark.spec("S81")
def test_each_fault_fails_its_own_rule(changes: dict[str, Any], rule: str, severity: str) -> None:
    """A binding with one fault fails exactly that rule at its severity, and nothing of it is projected."""
    stage = judged(binding(**changes))
    assert (stage.result.status, stage.result.severity) == ("fail", severity)
    assert stage.result.failed_rules == (rule,)
    assert stage.result.rules
    assert stage.verified_evidence == ()
    assert "0.29" not in stage.result.model_dump_json()


@pytest.mark.spec("S69")
def test_an_invocation_without_references_is_low_confidence() -> None:
    """A call stored before references existed cannot carry a precise binding."""
    stage = judged(binding(), calls=(invocation(retrieval_details=RetrievalDetails()),))
    assert stage.result.failed_rules == ("evidence.refs_unavailable",)
    assert (stage.result.severity, stage.ceiling) == ("low_confid", "LOW_CONFID")


@pytest.mark.spec("S77")
def test_the_only_candidate_is_filled_in_with_a_warning() -> None:
    """A missing invocation id is filled in when exactly one call of that tool exists, and said so."""
    stage = judged(binding(source_invocation_id=None), calls=(invocation(1), invocation(2, "query_logs")))
    assert stage.status == "PASS"
    assert stage.result.checked_bindings[0].backfilled
    assert any("auto-backfill" in warning for warning in stage.result.warnings)


@pytest.mark.parametrize("calls", [(), (invocation(1), invocation(2))], ids=["none", "two"])
def test_no_unique_candidate_is_low_confidence(calls: tuple[ToolInvocation, ...]) -> None:
    """With none or several calls of the tool, a missing invocation id stays missing."""
    stage = judged(binding(source_invocation_id=None), calls=calls)
    assert stage.result.failed_rules == ("evidence.invocation_missing",)


@pytest.mark.spec("S78")
def test_a_path_is_never_filled_in() -> None:
    """Even where the call has one single reference, a missing path is not made up."""
    stage = judged(binding(raw_path=None))
    assert stage.result.checked_bindings[0].raw_path is None
    assert stage.result.checked_bindings[0].status == "failed"


@pytest.mark.spec("S66")
def test_legacy_plural_ids_are_read_but_do_not_suffice() -> None:
    """One legacy id stands for the singular one; without a path it still does not pass."""
    legacy = binding(source_invocation_id=None, source_invocation_ids=("inv-1",))
    assert judged(legacy).status == "PASS"
    pathless = legacy.model_copy(update={"raw_path": None})
    assert judged(pathless).result.failed_rules == ("evidence.raw_path_missing",)


@pytest.mark.spec("S53")
@pytest.mark.parametrize("field", ["diagnosis_summary", "user_facing_answer"])
def test_removed_fields_fail_the_schema_rule(field: str) -> None:
    """A removed field caps the verdict but does not hide good bindings."""
    stage = judge(output(binding(), removed_fields=(field,)), (invocation(),), DEFAULT_RULES)
    assert (stage.result.status, stage.result.failed_rules) == ("fail", ("schema.executor_v2",))
    assert stage.status == "LOW_CONFID"
    assert stage.verified_evidence


@pytest.mark.spec("S54")
def test_a_claim_without_bindings_fails_the_schema_rule() -> None:
    """A confirmed claim must carry evidence."""
    stage = judged()
    assert (stage.result.status, stage.result.failed_rules) == ("fail", ("schema.executor_v2",))
    assert stage.verified_output.claims == ()


@pytest.mark.spec("S48")
def test_guidance_alone_is_no_fact() -> None:
    """A claim that only a runbook carries is not projected."""
    stage = judged(binding(tool_name="lookup_knowledge"), calls=(invocation(tool="lookup_knowledge"),))
    assert stage.result.failed_rules == ("evidence.guidance_only",)
    assert stage.verified_output.claims == ()


@pytest.mark.spec("S32", "S59")
def test_the_worst_failure_decides_and_good_bindings_stay() -> None:
    """A low-confidence fault beside a good binding leaves the good one; a reject rejects the whole."""
    mixed = judged(binding(), binding(raw_path=None))
    assert mixed.status == "LOW_CONFID"
    assert len(mixed.verified_output.claims[0].evidence_bindings) == 1
    assert judged(binding(), binding(raw_path="/nowhere"), binding(raw_path=None)).status == "REJECT"


@pytest.mark.spec("S82")
def test_with_every_rule_disabled_it_passes_under_a_low_ceiling() -> None:
    """Without enforced rules the result passes with its metadata, but nothing may come out as PASS."""
    off = with_rules(disabled=[rule.id for rule in DEFAULT_RULES.rules])
    stage = judged(binding(), binding(raw_path="/nowhere"), rules=off)
    assert (stage.result.status, stage.ceiling) == ("pass", "LOW_CONFID")
    assert stage.result.rule_set_version == RULE_SET_VERSION
    assert len(stage.result.rules) == len(DEFAULT_RULES.rules)
    assert [item.raw_path for item in stage.verified_evidence] == ["/series/0"]


@pytest.mark.spec("S83")
def test_the_catalog_is_data() -> None:
    """Each rule shows id, description, enabled flag, severity and parameters, and survives JSON."""
    for rule in DEFAULT_RULES.rules:
        assert rule.id
        assert rule.description
        assert rule.enabled
        assert type(rule).model_validate_json(rule.model_dump_json()) == rule


def test_an_unknown_rule_in_the_configuration_is_named() -> None:
    """Disabling a rule that does not exist says which exist."""
    with pytest.raises(ConfigError, match=r"evidence\.raw_path"):
        with_rules(disabled=["evidence.nonsense"])


def test_only_hypotheses_on_projected_claims_go_along() -> None:
    """A hypothesis keeps the projected claims it rests on, and goes when none is left."""
    hypotheses = (
        Hypothesis(hypothesis_id="h1", text="a", based_on=("c1", "c9")),
        Hypothesis(hypothesis_id="h2", text="b", based_on=("c9",)),
    )
    stage = judge(output(binding(), hypotheses=hypotheses), (invocation(),), DEFAULT_RULES)
    assert [(item.hypothesis_id, item.based_on) for item in stage.verified_output.hypotheses] == [("h1", ("c1",))]


@pytest.mark.spec("S38", "S39")
def test_calls_that_brought_nothing_are_gaps() -> None:
    """Failed, empty and deduplicated calls stand in the audit as gaps of their kind."""
    calls = (
        invocation(1),
        invocation(2, "query_logs", status="failed", error="down", error_kind="source_unavailable"),
        invocation(3, "query_alerts", status="empty"),
        invocation(4, "lookup_knowledge", status="deduped"),
    )
    kinds = [gap.kind for gap in judged(binding(), calls=calls).result.evidence_gaps]
    assert kinds == ["failed_call", "empty_result", "deduped_retrieval"]
