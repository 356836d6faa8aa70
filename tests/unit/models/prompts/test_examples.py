"""The prompts' examples do what the prompts ask: a model that writes likewise passes every check of code."""

import json
from typing import Any, cast

import pytest

from engine.answer import CitedEvidence, Suspect
from engine.base import JsonObject
from engine.check import ClaimVerification
from engine.claim import Claim, critical_claims
from engine.composition.check import objections
from engine.composition.material import Material, MaterialClaim
from engine.contracts.composer import read_composition
from engine.contracts.executor_evidence import read_executor_output
from engine.contracts.planner_plan import read_plan
from engine.gate import VerifiedEvidence
from engine.gatekeeper.excerpt import find_support
from engine.invocation import Scope
from engine.plan import PlanMode
from engine.verification.guard import GuardEvidence, GuardScope, guard, judge
from engine.verification.protocol import read_verifier_reply
from engine.verification.refs import clean_refs
from engine.verification.scoring import facts_checked, groundedness_score
from engine.verification.verdict import implied_verdict
from tests.incident_folder import pay_incident
from tests.unit.models.prompts import example, example_object

SERVICES = ("checkout-api", "stock-db", "cart-api", "cart-db", "kafka-broker-3")
SCOPE = GuardScope(timezone="Asia/Shanghai", services=SERVICES)


@pytest.mark.parametrize("mode", ["FULL", "EVIDENCE_GAP_ONLY"])
def test_the_planners_examples_are_plans(mode: PlanMode, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each example is read, and its steps name tools that exist with arguments that those tools take."""
    planned = read_plan(example("planner", f"reply {mode}"), mode)
    tools = pay_incident(tmp_path_factory.mktemp("incident")).tools()
    assert planned.steps
    assert planned.intent
    assert len({(step.tool, json.dumps(step.arguments, sort_keys=True)) for step in planned.steps}) == len(
        planned.steps
    )
    for step in planned.steps:
        parameters = cast("dict[str, Any]", tools[step.tool].spec.parameters)
        assert set(parameters.get("required", ())) <= set(step.arguments) <= set(parameters["properties"])
        assert not {"from", "to"} & set(step.arguments)


def _executor_refs() -> dict[tuple[str, str], tuple[str, str]]:
    """(invocation, path) → (tool, text) of the Executor's example message."""
    message = cast("dict[str, Any]", example_object("executor", "message"))
    return {
        (view["invocation_id"], ref["raw_path"]): (view["tool_name"], ref["text"])
        for view in message["invocations"]
        for ref in view["evidence_refs"]
    }


@pytest.mark.spec("S44", "S45", "S46", "S65")
def test_the_executors_example_stands_the_gatekeeper_and_the_guard() -> None:
    """Each excerpt is a part of the ref that it names, and the guard derives each claim from its excerpts."""
    output = read_executor_output(example("executor", "reply"))
    refs = _executor_refs()
    assert output.warnings == output.removed_fields == ()
    for claim in output.claims:
        evidence: list[GuardEvidence] = []
        for binding in claim.evidence_bindings:
            assert binding.source_invocation_id
            assert binding.raw_path
            assert binding.source_invocation_ids == (binding.source_invocation_id,)
            tool, text = refs[binding.source_invocation_id, binding.raw_path]
            assert tool == binding.tool_name
            assert find_support(binding.evidence_excerpt, text) == binding.evidence_excerpt
            scope = Scope(services=("checkout-api",)) if tool == "query_alerts" else Scope()
            evidence.append(GuardEvidence(text=binding.evidence_excerpt, context=text, tool_name=tool, scope=scope))
        assert judge(claim, evidence, SCOPE).outcome == "derived", claim.claim_text
    assert {claim.claim_type for claim in output.claims} >= {"root_cause", "symptom", "negative_observation"}
    assert all(set(item.based_on) <= {claim.claim_id for claim in output.claims} for item in output.hypotheses)


@pytest.mark.spec("S07", "S08", "S09", "S60", "S61")
def test_the_verifiers_example_is_legal_and_just() -> None:
    """Its reply is read against its own claims, no ref is dropped, no class lowered, and score and verdict are right."""
    message = cast("dict[str, Any]", example_object("verifier", "message"))
    claims = read_executor_output(json.dumps(message["verified_executor_output"])).claims
    items = tuple(VerifiedEvidence.model_validate(item) for item in message["verified_evidence"])
    reply = read_verifier_reply(example("verifier", "reply"), claims)
    cleaned, warnings = clean_refs(reply.claim_checks, items)
    evidence = {
        claim.claim_id: [
            GuardEvidence(text=item.matched_text, context=item.matched_text, tool_name=item.tool_name)
            for item in items
            if item.claim_id == claim.claim_id
        ]
        for claim in claims
    }
    checks, report = guard(cleaned, claims, evidence, SCOPE)
    facts = facts_checked(checks, critical_claims(claims))
    assert warnings == report.lowered == ()
    assert reply.verdict == implied_verdict(facts, overstated=False)
    assert reply.groundedness_score == groundedness_score(facts)
    assert reply.critical_fact_count == len(critical_claims(claims))
    assert {check.hypothesis_id for check in reply.hypothesis_checks} == {"h1"}


CLASSES: list[dict[str, str]] = json.loads(example("verifier", "classes"))


def test_each_class_has_a_chinese_and_an_english_example() -> None:
    """Two claims show each of the six classes, one in each language."""
    shown = [(item["class"], any("\u4e00" <= sign <= "\u9fff" for sign in item["claim"])) for item in CLASSES]
    assert sorted(shown) == sorted((name, zh) for name in ClaimVerification.__args__ for zh in (True, False))


@pytest.mark.parametrize("item", CLASSES, ids=[f"{item['class']}-{item['claim'][:20]}" for item in CLASSES])
def test_the_guard_thinks_as_the_class_examples_do(item: dict[str, str]) -> None:
    """What a class example teaches is what code would settle, so that prompt and guard pull one way."""
    text = item["evidence"]
    tool = "query_changes" if "kind=" in text else "query_metrics" if "signal=" in text else "query_logs"
    claim = Claim(claim_id="c1", claim_type="observation", claim_text=item["claim"], support_level="direct")
    assert judge(claim, [GuardEvidence(text=text, context=text, tool_name=tool)], SCOPE).ceiling == item["class"]


def _material(message: JsonObject) -> Material:
    given = cast("dict[str, Any]", message)
    return Material(
        question=given["question"],
        timezone="Asia/Shanghai",
        window_label="03-05 10:10–10:20",
        verdict=given["verdict"],
        confirmed=tuple(
            MaterialClaim(
                claim_id=claim["claim_id"],
                claim_type=claim["claim_type"],
                text=claim["text"],
                verification=claim["class"],
                evidence=tuple(
                    CitedEvidence(
                        invocation_id="inv-1",
                        tool_name="query_logs" if "level=" in excerpt else "query_metrics",
                        raw_path="/x",
                        excerpt=excerpt,
                    )
                    for excerpt in claim["excerpts"]
                ),
            )
            for claim in given["claims"]
        ),
        hypotheses=tuple(Suspect(service="stock-db", text=text) for text in given["possible"]),
        next_steps=tuple(given["next_steps"]),
        known_names=SERVICES,
    )


def test_the_composers_example_says_no_more_than_its_material() -> None:
    """Code finds nothing to object to in the example, and its message has the keys that a real one has."""
    message = example_object("composer", "message")
    material = _material(message)
    reply = read_composition(example("composer", "reply"))
    assert objections(reply, material) == ()
    assert set(material.payload({})) == set(message)
    assert read_composition(json.dumps(message["draft"])).conclusion
    assert len(reply.texts) > 4
