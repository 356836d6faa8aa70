"""A request of the engine as Chat Completions says it: messages, tools and the form of the reply.

What comes from outside is marked: the user message and each tool result stay one JSON object, whose first and last
key hold the run's nonce (interfaces.md, On the wire to a model). The Verifier's message is sent as it is.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import cast

from engine.base import JsonObject, JsonValue
from engine.contracts.schemas import CONTRACT_SCHEMAS, STRICT
from engine.dialogue import serialize
from engine.errors import BadModelOutput
from engine.models.openai.answer import Answer
from engine.models.openai.profile import Mode
from engine.models.openai.seat import Seat
from engine.models.openai.shape import Shape
from engine.models.prompts import system_message
from engine.ports import ModelRequest, ToolSpec, ToolTurn

__all__ = ["as_function", "body", "carried", "correction"]

_CARRIED_CHARS = 400_000
"""Bound on what a model wants to be reminded of."""

_SENT_BACK_CHARS = 60_000
"""Bound on a wrong answer that is shown to the model again."""


def body(request: ModelRequest, seat: Seat, shape: Shape, further: Sequence[JsonObject] = ()) -> JsonObject:
    """All of the request but the model's name.

    Args:
        request: what the engine asks.
        seat: who answers.
        shape: what the endpoint takes.
        further: messages after those of the request, for a repair.
    """
    offers = request.role == "executor" and bool(request.tools)
    formatted = not offers or "format_beside_tools" in shape.extras
    mode: Mode = shape.mode if formatted else "prompt"
    nonce = request.nonce or hashlib.sha256(request.payload.encode()).hexdigest()[:16]
    made: JsonObject = {
        "messages": [
            {"role": "system", "content": _system(request, mode, nonce)},
            {"role": "user", "content": _user(request, nonce)},
            *(message for number, turn in enumerate(request.turns) for message in _turn(turn, number, seat, nonce)),
            *further,
        ]
    }
    if mode != "prompt":
        made["response_format"] = _format(request.contract, mode)
    if offers:
        made["tools"] = [as_function(tool) for tool in request.tools]
        if "tool_choice" in shape.extras and not _rounds_left(request):
            made["tool_choice"] = "none"
    made[shape.output_field] = seat.max_output_tokens
    if "temperature" in shape.extras:
        made["temperature"] = seat.temperature
    return made | (seat.profile.without_thinking if "thinking" in shape.extras else {})


def as_function(tool: ToolSpec) -> JsonObject:
    """A tool as the protocol describes functions."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }


def carried(answer: Answer) -> str:
    """What the model must be reminded of when the results of its calls come."""
    made: JsonObject = {"content": answer.content, "reasoning_content": answer.reasoning}
    kept: JsonObject = {key: value for key, value in made.items() if value}
    text = serialize(kept) if kept else ""
    return text if len(text) <= _CARRIED_CHARS else ""


def correction(request: ModelRequest, answer: str, problem: BadModelOutput) -> list[JsonObject]:
    """The wrong answer, and what is wrong with it, so that the model can answer once more."""
    asked: JsonObject = {
        "problem": problem.reason,
        "detail": problem.detail[:300],
        "contract": request.contract,
        "instruction": "Your last reply could not be read. Answer again: exactly one JSON object that keeps to the "
        "contract, nothing before or after it, no code fence.",
    }
    made: list[JsonObject] = [{"role": "user", "content": serialize(asked)}]
    if answer.strip():
        made.insert(0, {"role": "assistant", "content": answer[:_SENT_BACK_CHARS]})
    return made


def _system(request: ModelRequest, mode: Mode, nonce: str) -> str:
    """What stays the same from run to run stands first, because providers cache prompts by their beginning."""
    parts: list[str] = []
    if request.tools and request.role != "executor":
        catalog = serialize([cast("JsonValue", tool.model_dump(mode="json")) for tool in request.tools])
        parts.append(f"# The tools that there are, as JSON\n\n{catalog}")
    if mode != "json_schema":
        schema = serialize(CONTRACT_SCHEMAS[request.contract])
        parts.append(
            f"# Form of the reply\n\ncontract: {request.contract}\n"
            f"The reply is one JSON object and nothing else. It keeps to this JSON Schema:\n{schema}"
        )
    return "\n\n".join((*parts, system_message(request.role, nonce)))


def _format(contract: str, mode: Mode) -> JsonObject:
    if mode == "json_object":
        return {"type": "json_object"}
    schema: JsonObject = {"name": contract, "schema": CONTRACT_SCHEMAS[contract]}
    if contract in STRICT:
        schema["strict"] = True
    return {"type": "json_schema", "json_schema": schema}


def _user(request: ModelRequest, nonce: str) -> str:
    return request.payload if request.role == "verifier" else _marked(request.payload, nonce)


def _marked(text: str, nonce: str) -> str:
    """The engine's own JSON object with the run's nonce before and after what it holds."""
    held = cast("JsonObject", json.loads(text))
    marked: JsonObject = {"data_begins": nonce, **held, "data_ends": nonce}
    return serialize(marked)


def _turn(turn: ToolTurn, number: int, seat: Seat, nonce: str) -> list[JsonObject]:
    carry: JsonObject = json.loads(turn.carry) if turn.carry else {}
    ids = [call.call_id or f"call_{number}_{place}" for place, call in enumerate(turn.calls)]
    asked: JsonObject = {
        "role": "assistant",
        "content": carry.get("content"),
        "tool_calls": [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": call.tool, "arguments": serialize(call.arguments)},
            }
            for call_id, call in zip(ids, turn.calls, strict=True)
        ],
    }
    if seat.profile.keeps_reasoning and carry.get("reasoning_content"):
        asked["reasoning_content"] = carry["reasoning_content"]
    results: list[JsonObject] = [
        {"role": "tool", "tool_call_id": call_id, "content": _marked(result, nonce)}
        for call_id, result in zip(ids, turn.results, strict=True)
    ]
    return [asked, *results]


def _rounds_left(request: ModelRequest) -> bool:
    """Whether the run lets the model ask for more; what it does not say is no bound."""
    rounds = cast("JsonObject", json.loads(request.payload)).get("rounds_left")
    return not isinstance(rounds, int) or len(request.turns) < rounds
