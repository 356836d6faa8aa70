"""The builtin model at its port."""

import json
from typing import Any

from engine.base import JsonObject
from engine.models.builtin import BuiltinModel
from engine.ports import Contract, ModelReply, ModelRequest, Role, ToolTurn
from tests.unit.models.builtin.evidence import call, executor_payload, group, quiet

LINES = call(
    "query_logs",
    group("order-service", "[create][priced]", 0, 44, level="INFO", kind="missing", score=2.4),
    invocation_id="inv-1",
)
WHOLE = call(
    "query_logs",
    group("order-service", "[create][priced]", 0, 44, level="INFO", kind="missing", score=2.4),
    group("order-service", "[create][begin]", 60, 44, level="INFO", kind="usual", score=0),
    arguments={"service": "order-service"},
    invocation_id="inv-2",
)

CONTRACTS: dict[Role, Contract] = {
    "planner": "planner_plan_v1",
    "executor": "executor_evidence_v2",
    "verifier": "verifier_v2",
    "composer": "composer_v1",
}


def _request(role: Role, payload: JsonObject, *turns: ToolTurn) -> ModelRequest:
    text = json.dumps(payload, ensure_ascii=False)
    return ModelRequest(role=role, contract=CONTRACTS[role], payload=text, turns=turns, timeout=5)


async def _ask(role: Role, payload: JsonObject, *turns: ToolTurn) -> ModelReply:
    return await BuiltinModel().complete(_request(role, payload, *turns))


def test_the_audit_names_a_rule_module_for_each_role() -> None:
    """Each role has a name, a version and a digest of its own."""
    prompts = BuiltinModel().prompts.prompts
    assert [prompt.name for prompt in prompts] == [
        "builtin-planner", "builtin-executor", "builtin-verifier", "builtin-composer",
    ]  # fmt: skip
    assert len({prompt.sha256 for prompt in prompts}) == 4


async def test_it_looks_closer_where_a_line_seems_to_be_missing() -> None:
    """Before it concludes, it asks for the whole log of that service."""
    reply = await _ask("executor", executor_payload(LINES))
    assert [(made.tool, made.arguments) for made in reply.tool_calls] == [("query_logs", {"service": "order-service"})]


async def test_it_concludes_over_what_the_closer_look_brought() -> None:
    """The twin that did come makes the missing line a finding, bound to a call of this run."""
    asked = (await _ask("executor", executor_payload(LINES))).tool_calls
    turn = ToolTurn(calls=asked, results=(json.dumps(WHOLE, ensure_ascii=False),))
    reply = await _ask("executor", executor_payload(LINES), turn)
    output: Any = json.loads(reply.text)
    assert [item["service"] for item in output["hypotheses"]] == ["order-service"]
    assert {item["evidence_bindings"][0]["source_invocation_id"] for item in output["claims"]} <= {"inv-1", "inv-2"}


async def test_it_asks_no_more_where_no_round_is_left_or_the_question_is_narrow() -> None:
    """It keeps to its rounds, and a narrow question stays narrow."""
    spent: JsonObject = {**executor_payload(LINES), "rounds_left": 0}
    assert (await _ask("executor", spent)).tool_calls == ()
    assert (await _ask("executor", executor_payload(LINES, scope="narrow"))).tool_calls == ()
    assert (await _ask("executor", executor_payload(LINES, WHOLE))).tool_calls == ()


async def test_the_composer_says_the_draft() -> None:
    """The wording is the engine's own draft, word for word."""
    draft: JsonObject = {"conclusion": "未发现异常", "confirmed": [], "possible": [], "gaps": [], "next_steps": []}
    assert json.loads((await _ask("composer", {"draft": draft})).text) == draft


async def test_equal_requests_get_equal_replies() -> None:
    """It remembers nothing and draws no lots."""
    model, request = BuiltinModel(), _request("executor", executor_payload(*quiet()))
    assert (await model.complete(request)).text == (await model.complete(request)).text
