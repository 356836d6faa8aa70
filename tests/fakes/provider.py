"""A provider that speaks Chat Completions, with the builtin rules in the place of a language model.

`reply` is the protocol as a function from body to body; `serve` puts it behind a real socket, `transport` behind none.
"""

import asyncio
import json
import re
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import httpx2

from engine.base import JsonObject
from engine.models.builtin import BuiltinModel
from engine.ports import Contract, ModelReply, ModelRequest, Role, ToolTurn

__all__ = ["answer", "message", "reply", "serve", "transport"]

_ROLES: dict[str, Role] = {
    "planner_plan_v1": "planner",
    "executor_evidence_v2": "executor",
    "verifier_v2": "verifier",
    "composer_v1": "composer",
}


def message(content: str | None = None, **beside: object) -> JsonObject:
    """A Chat Completions body with one message."""
    said = {"role": "assistant", "content": content, **beside}
    return cast(
        "JsonObject",
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "choices": [
                {"index": 0, "finish_reason": "tool_calls" if "tool_calls" in beside else "stop", "message": said}
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}},
        },
    )


def contract_of(sent: dict[str, Any]) -> str:
    """Which contract a request asks for, by its format or its system message."""
    form = sent.get("response_format", {})
    if "json_schema" in form:
        return form["json_schema"]["name"]
    found = re.search(r"^contract: (\w+)$", sent["messages"][0]["content"], re.MULTILINE)
    return found.group(1) if found else ""


def reply(sent: dict[str, Any]) -> JsonObject:
    """What the builtin rules say to a request."""
    contract = contract_of(sent)
    if contract not in _ROLES:
        tools = sent.get("tools", [])
        call = {
            "id": "call_1",
            "type": "function",
            "function": {"name": tools[0]["function"]["name"], "arguments": "{}"},
        }
        return message(None, tool_calls=[call])
    held = _unmarked(sent["messages"][1]["content"])
    turns = tuple(
        ToolTurn(calls=(), results=(json.dumps(_unmarked(said["content"]), ensure_ascii=False),))
        for said in sent["messages"]
        if said["role"] == "tool"
    )
    request = ModelRequest(
        role=_ROLES[contract],
        contract=cast("Contract", contract),
        payload=json.dumps(held, ensure_ascii=False),
        turns=turns,
        timeout=30,
    )
    if sent.get("tool_choice") == "none":
        request = request.model_copy(update={"turns": turns or (ToolTurn(calls=(), results=()),)})
    return answer(asyncio.run(BuiltinModel().complete(request)))


def answer(given: ModelReply) -> JsonObject:
    """A reply of the port as the protocol says it."""
    if not given.tool_calls:
        return message(given.text)
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": call.tool, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
        }
        for number, call in enumerate(given.tool_calls)
    ]
    return message(None, tool_calls=calls)


def _unmarked(text: str) -> JsonObject:
    held = cast("JsonObject", json.loads(text))
    return {key: value for key, value in held.items() if key not in {"data_begins", "data_ends"}}


@contextmanager
def serve(act: Callable[[dict[str, Any]], JsonObject] = reply) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """The provider on a port of this machine; its base URL, and the bodies that it was sent."""
    seen: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append(sent)
            body = json.dumps(act(sent), ensure_ascii=False).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def transport(act: Callable[[httpx2.Request], httpx2.Response]) -> httpx2.MockTransport:
    """The provider without a socket: a function from request to response."""
    return httpx2.MockTransport(act)
