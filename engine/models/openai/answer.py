"""Reads what an endpoint sent back: the message's text or tool calls, and the tokens they took."""

import json
from dataclasses import dataclass
from typing import NoReturn

from pydantic import ValidationError

from engine.base import JsonObject, JsonValue
from engine.budget import Usage
from engine.contracts.json_object import read_object
from engine.errors import BadModelOutput, ModelUnavailable
from engine.invocation import ToolCall

__all__ = ["Answer", "read_answer", "read_body", "read_usage"]

_MOST_CALLS = 64
_MOST_TOKENS = 1_000_000_000
_ID_CHARS = 200


@dataclass(frozen=True)
class Answer:
    """One message of a model."""

    content: str = ""
    reasoning: str = ""
    """What the model thought, where the provider shows it apart."""
    tool_calls: tuple[ToolCall, ...] = ()


def read_body(body: bytes) -> JsonObject:
    """The response's JSON object.

    Raises:
        BadModelOutput: no JSON, no object, or an error in the place of a reply.
    """
    try:
        value: JsonValue = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        page = body.lstrip()[:1] == b"<"
        found = "a web page" if page else "no JSON"
        raise BadModelOutput("not_json", f"the endpoint sent {found}; is base_url right?") from error
    if not isinstance(value, dict):
        raise BadModelOutput("not_one_object", "the endpoint sent JSON that is no object")
    return value


def read_usage(document: JsonObject) -> Usage:
    """The tokens that the reply took; zero where the endpoint does not say."""
    given = _object(document.get("usage"))
    taken = _count(given.get("prompt_tokens"))
    details = _object(given.get("prompt_tokens_details"))
    # because OpenAI, DeepSeek and Moonshot name the same number differently
    cached = next(
        (
            _count(value)
            for value in (
                details.get("cached_tokens"), given.get("prompt_cache_hit_tokens"), given.get("cached_tokens"),
            )
            if value is not None
        ),
        0,
    )  # fmt: skip
    return Usage(
        input_tokens=taken, cached_tokens=min(cached, taken), output_tokens=_count(given.get("completion_tokens"))
    )


def read_answer(document: JsonObject) -> Answer:
    """The first choice's message.

    Raises:
        BadModelOutput: an error, no choice, nothing said, cut off, withheld, refused, or calls that cannot be read.
        ModelUnavailable: the provider broke off for want of capacity.
    """
    choices = document.get("choices")
    if not isinstance(choices, list):
        if document.get("error"):
            raise BadModelOutput("error_in_reply", "the endpoint sent an error with a status of success")
        raise BadModelOutput("no_choices", "the endpoint's reply has no choices")
    if not choices or not isinstance(choices[0], dict):
        raise BadModelOutput("no_choices", "the endpoint's list of choices is empty")
    message = choices[0].get("message")
    _check_finish(choices[0].get("finish_reason"))
    if not isinstance(message, dict):
        raise BadModelOutput("no_message", "the endpoint's choice has no message")
    content = _content(message.get("content"))
    calls = _calls(message.get("tool_calls"))
    if not calls and not content.strip():
        if message.get("refusal"):
            raise BadModelOutput("refused", "the model declined to answer")
        raise BadModelOutput("blank", "the reply is empty")
    reasoning = message.get("reasoning_content")
    return Answer(
        content=content,
        reasoning=_text(reasoning, "reasoning_content") if isinstance(reasoning, str) else "",
        tool_calls=calls,
    )


def _check_finish(reason: JsonValue) -> None:
    if reason == "length":
        raise BadModelOutput("truncated", "the reply was cut off at max_output_tokens")
    if reason == "content_filter":
        raise BadModelOutput("content_filter", "the provider's content filter withheld the reply")
    if reason == "insufficient_system_resource":
        raise ModelUnavailable("the provider broke off the reply for want of capacity", retryable=True)


def _content(value: JsonValue) -> str:
    """Text, or the texts among parts, as some endpoints send them."""
    if isinstance(value, list):
        parts = [_object(part).get("text") for part in value]
        value = "".join(part for part in parts if isinstance(part, str))
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadModelOutput("wrong_type", "the message's content is no text")
    return _without_thinking(_text(value, "content"))


def _without_thinking(text: str) -> str:
    """What follows the thinking that some local servers leave at the reply's beginning."""
    stripped = text.lstrip()
    if not stripped.startswith("<think>"):
        return text
    _, closed, rest = stripped.partition("</think>")
    return rest.lstrip() if closed else text


def _calls(value: JsonValue) -> tuple[ToolCall, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise BadModelOutput("bad_tool_call", "tool_calls is no list")
    if len(value) > _MOST_CALLS:
        raise BadModelOutput("bad_tool_call", f"more than {_MOST_CALLS} tool calls in one reply")
    return tuple(_call(_object(item), f"tool_calls[{number}]") for number, item in enumerate(value))


def _call(item: JsonObject, place: str) -> ToolCall:
    function = _object(item.get("function"))
    name, call_id = function.get("name"), item.get("id")
    if not isinstance(name, str) or not name:
        raise BadModelOutput("bad_tool_call", f"{place} names no function")
    if not isinstance(call_id, str) or not 0 < len(call_id) <= _ID_CHARS:
        call_id = None
    try:
        return ToolCall(tool=name, arguments=_arguments(function.get("arguments"), place), call_id=call_id)
    except ValidationError as error:
        raise BadModelOutput("bad_tool_call", f"{place} has a name or an id that cannot be") from error


def _arguments(value: JsonValue, place: str) -> JsonObject:
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    try:
        found, _ = read_object(value if isinstance(value, str) else json.dumps(value), allow_fence=False)
    except (BadModelOutput, RecursionError) as error:
        raise BadModelOutput("bad_tool_arguments", f"{place}: the arguments are not one JSON object") from error
    return found


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: str, place: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadModelOutput("not_text", f"{place} holds half a character") from error
    return value


def _count(value: JsonValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return max(0, min(value, _MOST_TOKENS))


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
