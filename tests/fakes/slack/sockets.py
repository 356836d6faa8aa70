"""What Slack sends to a bot: Socket Mode envelopes to one of its connections, or signed requests to its URL."""

import asyncio
import hashlib
import hmac
import json
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Literal

import aiohttp
from aiohttp import web

from tests.fakes.slack.world import World

__all__ = ["Ack", "Delivered", "Doorbell"]

_ACK_SECONDS = 10
Kind = Literal["events_api", "slash_commands", "interactive"]


@dataclass(frozen=True)
class Ack:
    """How the bot acknowledged: `status` as over HTTP, and what it said with it. None of it in time: status 0."""

    status: int
    payload: dict[str, Any] = field(default_factory=dict[str, Any])
    seconds: float = 0


@dataclass(frozen=True)
class Delivered:
    """Something that was sent, to be sent again."""

    kind: Kind
    payload: dict[str, Any]
    envelope_id: str
    ack: Ack


class Doorbell:
    """Sends to the newest of the bot's sockets in turn, else to `request_url`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._sockets: list[web.WebSocketResponse] = []
        self._acks: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._turn = 0
        self._tickets: set[str] = set()
        self.request_url: str | None = None
        self.connections = 0

    def connect(self) -> str:
        """An address for one more connection, good once."""
        ticket = f"ticket{self._world.number()}"
        self._tickets.add(ticket)
        return f"{self._world.base_url.replace('http', 'ws', 1)}/socket?ticket={ticket}"

    @property
    def connected(self) -> int:
        """How many connections are open now."""
        return sum(not socket.closed for socket in self._sockets)

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        """One Socket Mode connection, from hello to its end."""
        if request.query.get("ticket") not in self._tickets:
            raise web.HTTPUnauthorized
        self._tickets.discard(request.query["ticket"])
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json(
            {"type": "hello", "num_connections": self.connected + 1, "connection_info": {"app_id": self._world.app_id}}
        )
        self._sockets.append(socket)
        self.connections += 1
        self._world.stir()
        async for message in socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                said = json.loads(message.data)
                waiting = self._acks.pop(said.get("envelope_id", ""), None)
                if waiting and not waiting.done():
                    waiting.set_result(said.get("payload") or {})
        self._sockets.remove(socket)
        self._world.stir()
        return socket

    async def drop(self, reason: str | None = None) -> None:
        """Break every connection: at once, or after a `disconnect` message with a reason."""
        for socket in list(self._sockets):
            if reason:
                await socket.send_json({"type": "disconnect", "reason": reason})
            else:
                await socket.close(code=1006)

    async def deliver(
        self, kind: Kind, payload: dict[str, Any], *, envelope_id: str | None = None, attempt: int = 0, reason: str = ""
    ) -> Delivered:
        """Send something and wait for its acknowledgement.

        Args:
            kind: what it is.
            payload: its body.
            envelope_id: that of an envelope to repeat; None for a new one.
            attempt: which retry this is; 0 for none.
            reason: why it is retried, such as `timeout` or `http_error`.
        """
        envelope = envelope_id or f"env{self._world.number()}"
        started = time.monotonic()
        if self.request_url is not None:
            status, said = await self._post(kind, payload, attempt, reason)
        else:
            status, said = await self._send(kind, payload, envelope, attempt, reason)
        return Delivered(kind, payload, envelope, Ack(status, said, time.monotonic() - started))

    async def _send(
        self, kind: Kind, payload: dict[str, Any], envelope: str, attempt: int, reason: str
    ) -> tuple[int, dict[str, Any]]:
        await self._world.until(lambda: self.connected)
        live = [socket for socket in self._sockets if not socket.closed]
        self._turn += 1
        told: dict[str, Any] = {
            "type": kind,
            "envelope_id": envelope,
            "payload": payload,
            "accepts_response_payload": kind != "events_api",
        }
        if kind == "events_api":
            told |= {"retry_attempt": attempt, "retry_reason": reason}
        waiting = asyncio.get_running_loop().create_future()
        self._acks[envelope] = waiting
        await live[self._turn % len(live)].send_json(told)
        try:
            return 200, await asyncio.wait_for(waiting, _ACK_SECONDS)
        except TimeoutError:
            return 0, {}

    async def _post(self, kind: Kind, payload: dict[str, Any], attempt: int, reason: str) -> tuple[int, dict[str, Any]]:
        body, form = _encoded(kind, payload)
        headers = {"Content-Type": form, **self.signature(body)}
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason}
        timeout = aiohttp.ClientTimeout(total=_ACK_SECONDS)
        assert self.request_url is not None
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(self.request_url, data=body.encode(), headers=headers) as answer,
        ):
            text = await answer.text()
            return answer.status, json.loads(text) if text.startswith("{") else {"text": text} if text else {}

    def signature(self, body: str, at: int | None = None) -> dict[str, str]:
        """The headers that prove that Slack sent a body; real time, because verifiers look at their own clock."""
        stamp = str(int(time.time()) if at is None else at)
        signed = hmac.new(self._world.signing_secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256)
        return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={signed.hexdigest()}"}


def _encoded(kind: Kind, payload: dict[str, Any]) -> tuple[str, str]:
    if kind == "events_api":
        return json.dumps(payload), "application/json"
    if kind == "slash_commands":
        return urllib.parse.urlencode(payload), "application/x-www-form-urlencoded"
    return urllib.parse.urlencode({"payload": json.dumps(payload)}), "application/x-www-form-urlencoded"
