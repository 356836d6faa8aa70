"""The contracts' schemas: strict where they say so, and of one mind with the readers."""

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.claim import Claim
from engine.contracts.composer import read_composition
from engine.contracts.executor_evidence import read_executor_output
from engine.contracts.planner_plan import read_plan
from engine.contracts.schemas import CONTRACT_SCHEMAS, STRICT
from engine.errors import BadModelOutput
from engine.models.builtin import BuiltinModel
from engine.ports import Contract, Role
from engine.verification.protocol import read_verifier_reply
from tests.scenario.story import Story, composition, passing
from tests.unit.models.prompts import example

EXAMPLES: list[tuple[Contract, Role, str]] = [
    ("planner_plan_v1", "planner", "reply FULL"),
    ("planner_plan_v1", "planner", "reply EVIDENCE_GAP_ONLY"),
    ("executor_evidence_v2", "executor", "reply"),
    ("verifier_v2", "verifier", "reply"),
    ("composer_v1", "composer", "reply"),
]

_KEYWORDS = {"type", "enum", "description", "items", "properties", "required", "additionalProperties"}
_PYTHON: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and every schema inside it."""
    yield schema
    for inner in (*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])):
        yield from nodes(inner)


def _types(schema: dict[str, Any]) -> list[str]:
    kind: str | list[str] = schema["type"]
    return [kind] if isinstance(kind, str) else kind


def problems(value: object, schema: dict[str, Any], place: str = "$") -> Iterator[str]:
    """Where a value departs from a schema of the few keywords that ours use."""
    fits = any(
        isinstance(value, _PYTHON[kind]) and (kind == "boolean" or not isinstance(value, bool))
        for kind in _types(schema)
    )
    if not fits:
        yield f"{place} is no {schema['type']}"
    elif "enum" in schema and value not in schema["enum"]:
        yield f"{place} is none of {schema['enum']}"
    elif isinstance(value, list):
        for number, item in enumerate(cast("list[object]", value)):
            yield from problems(item, schema["items"], f"{place}[{number}]")
    elif isinstance(value, dict):
        held, known = cast("dict[str, object]", value), schema.get("properties", {})
        yield from (f"{place}.{key} is missing" for key in schema.get("required", ()) if key not in held)
        for key, item in held.items():
            if key in known:
                yield from problems(item, known[key], f"{place}.{key}")
            elif not schema["additionalProperties"]:
                yield f"{place}.{key} is unknown"


def schema_of(contract: str) -> dict[str, Any]:
    """A contract's schema."""
    return cast("dict[str, Any]", CONTRACT_SCHEMAS[contract])


def test_every_contract_has_its_schema() -> None:
    """The four contracts of the port have one each, and all but the plan may be sent as strict."""
    assert set(CONTRACT_SCHEMAS) == set(Contract.__args__)
    assert set(CONTRACT_SCHEMAS) - STRICT == {"planner_plan_v1"}


@pytest.mark.parametrize("contract", sorted(CONTRACT_SCHEMAS))
def test_the_shape_of_strict_mode_holds_at_every_depth(contract: str) -> None:
    """Every object names all its properties as required and closes itself; a plan's arguments alone are open."""
    json.dumps(schema_of(contract))
    loose: list[dict[str, Any]] = []
    for node in nodes(schema_of(contract)):
        assert set(node) <= _KEYWORDS
        assert set(_types(node)) <= set(_PYTHON)
        assert ("items" in node) == ("array" in _types(node))
        if "object" in _types(node):
            closed = node["additionalProperties"] is False and node.get("required") == list(node.get("properties", ()))
            loose += [] if closed else [node]
    open_ones = (
        [] if contract in STRICT else [schema_of(contract)["properties"]["steps"]["items"]["properties"]["arguments"]]
    )
    assert loose == open_ones


@pytest.mark.parametrize(("contract", "role", "name"), EXAMPLES)
def test_the_prompts_examples_fit(contract: Contract, role: Role, name: str) -> None:
    """What a prompt shows as a reply is what the schema asks for."""
    assert [*problems(json.loads(example(role, name)), schema_of(contract))] == []


@pytest.mark.parametrize(("contract", "role", "name"), EXAMPLES)
def test_a_reply_that_departs_does_not_fit(contract: Contract, role: Role, name: str) -> None:
    """A key left out, added or mistyped at the top is a problem, so that the check above can fail."""
    good = json.loads(example(role, name))
    for key in good:
        assert [*problems({kept: good[kept] for kept in good if kept != key}, schema_of(contract))]
        assert [*problems({**good, key: True}, schema_of(contract))]
    assert [*problems({**good, "diagnosis_summary": ""}, schema_of(contract))]


async def test_the_builtin_models_replies_fit_but_for_what_they_leave_out() -> None:
    """Rules and language models write one form: nothing mistyped and nothing unknown in the builtin's replies."""
    model = BuiltinModel()
    story = Story(passing())
    await story.told()
    for request in story.model.requests:
        reply = await model.complete(request)
        found = [*problems(json.loads(reply.text), schema_of(request.contract))]
        # because what stands in the older list is derived by code and read by nobody
        told = [problem for problem in found if not problem.startswith("$.facts_checked")]
        assert [problem for problem in told if not problem.endswith("is missing")] == []


def test_legacy_keys_stay_out_of_the_schema() -> None:
    """A verifier's ref names invocations in the plural alone, though the reader takes the old singular too."""
    checks = schema_of("verifier_v2")["properties"]["claim_checks"]["items"]["properties"]
    assert list(checks["evidence_refs"]["items"]["properties"]) == [
        "claim_id", "trace_ref", "tool_name", "source_invocation_ids", "raw_path", "note",
    ]  # fmt: skip
    assert {"diagnosis_summary", "user_facing_answer"}.isdisjoint(schema_of("executor_evidence_v2")["properties"])


_WORDS = st.text(alphabet="abc服务 0", max_size=8).map(lambda text: f"x{text}")


def _made(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that fit a schema; texts say something, because no schema of strict mode can ask for that."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    made: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
        "string": lambda: _WORDS,
        "null": st.none,
        "boolean": st.booleans,
        "integer": lambda: st.integers(0, 100),
        "number": lambda: st.floats(0, 1),
        "array": lambda: st.lists(_made(schema["items"]), max_size=3),
        "object": lambda: st.fixed_dictionaries(
            {key: _made(item) for key, item in schema.get("properties", {}).items()}
        ),
    }
    return st.one_of([made[kind]() for kind in _types(schema)])


@given(_made(schema_of("planner_plan_v1")), _made(schema_of("composer_v1")))
def test_a_plan_or_composition_that_fits_is_read(plan: dict[str, Any], composed: dict[str, Any]) -> None:
    """The readers refuse nothing that the schema admits."""
    assert [*problems(plan, schema_of("planner_plan_v1"))] == []
    assert len(read_plan(json.dumps(plan), "FULL").steps) == len(plan["steps"])
    assert len(read_composition(json.dumps(composed)).confirmed) == len(composed["confirmed"])


@given(_made(schema_of("executor_evidence_v2")))
def test_evidence_that_fits_is_read(written: dict[str, Any]) -> None:
    """The reader refuses an output that fits only for ids that are used twice, which no schema can forbid."""
    ids = [claim["claim_id"] for claim in written["claims"]]
    if len({" ".join(name.split()) for name in ids}) < len(ids):
        with pytest.raises(BadModelOutput, match="claim_id"):
            read_executor_output(json.dumps(written))
        return
    output = read_executor_output(json.dumps(written))
    assert len(output.claims) == len(written["claims"])
    assert len(output.hypotheses) == len(written["hypotheses"])
    bindings = [binding for claim in output.claims for binding in claim.evidence_bindings]
    assert all(binding.source_invocation_id and binding.raw_path for binding in bindings)


@given(_made(schema_of("verifier_v2")))
def test_a_verification_that_fits_is_read(written: dict[str, Any]) -> None:
    """A reply that fits and checks each claim once is read whole."""
    for number, item in enumerate(written["claim_checks"]):
        item["claim_id"] = f"c{number}"
    claims = [
        Claim(claim_id=item["claim_id"], claim_type="symptom", claim_text="x", support_level="direct")
        for item in written["claim_checks"]
    ]
    reply = read_verifier_reply(json.dumps(written), claims)
    assert [len(check.evidence_refs) for check in reply.claim_checks] == [
        len(item["evidence_refs"]) for item in written["claim_checks"]
    ]
    assert len(reply.hypothesis_checks) == len(written["hypothesis_checks"])


def test_the_stories_compositions_fit() -> None:
    """The form that stories are told with is the schema's too."""
    assert [*problems(composition(), schema_of("composer_v1"))] == []
