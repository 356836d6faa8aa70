"""The HTTP side: the Web API, uploads, response URLs and the OAuth page, with faults in front of each."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any, cast

from aiohttp import web

from tests.fakes.slack.faults import Fault, Refused
from tests.fakes.slack.methods_app import METHODS, granted
from tests.fakes.slack.workspace import Message, ResponseUrl, Workspace
from tests.fakes.slack.world import Sent, World

__all__ = ["Web"]

_JSON_ARGS = ("blocks", "attachments", "metadata", "view", "prompts", "files", "chunks", "loading_messages")
_FLAGS = {"1": True, "true": True, "True": True, "0": False, "false": False, "False": False}
_URL_USES = 5
_REPLY_KEYS = {
    *("text", "blocks", "attachments", "response_type", "replace_original", "delete_original", "thread_ts", "metadata"),
    *("unfurl_links", "unfurl_media", "mrkdwn", "parse", "link_names"),
}
Work = Callable[[], Awaitable[dict[str, Any]]]


class Web:
    """Answers what a bot calls; `connect` gives out Socket Mode addresses."""

    def __init__(self, world: World, connect: Callable[[], str]) -> None:
        self._world = world
        self._connect = connect

    def routes(self) -> list[web.RouteDef]:
        """The routes to add to an application."""
        return [
            web.post("/api/{method}", self.api),
            web.get("/api/{method}", self.api),
            web.post("/upload/v1/{file}", self.upload),
            web.post("/response/{key}", self.respond),
            web.get("/oauth/v2/authorize", self.authorize),
        ]

    async def api(self, request: web.Request) -> web.Response:
        """One call of the Web API."""
        method = request.match_info["method"]
        args = await _arguments(request)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ") or str(args.get("token") or "")
        args.pop("token", None)
        scopes: dict[str, str] = {}

        async def work() -> dict[str, Any]:
            if method == "oauth.v2.access":
                return granted(self._world, args, _client(request))
            if method == "apps.connections.open":
                if token != self._world.app_token:
                    raise Refused("invalid_auth")
                return {"ok": True, "url": self._connect()}
            space = self._world.by_token(token)
            scopes["X-OAuth-Scopes"] = ",".join(sorted(space.scopes))
            known = METHODS.get(method)
            if known is None:
                raise Refused("unknown_method")
            self._world.throttle(method, known.tier, args)
            return known(self._world, space, args)

        return await self._answered(request, method, args, work, scopes)

    async def upload(self, request: web.Request) -> web.Response:
        """The bytes of a file."""
        file_id = request.match_info["file"]
        data = await request.read()
        upload = next((space.uploads[file_id] for space in self._spaces() if file_id in space.uploads), None)
        fault = await self._struck(request, "upload", {"file": file_id}, "before")
        if fault is not None or upload is None or len(data) != upload.length:
            return web.Response(status=fault.status if fault else 500, text="upload failed")
        upload.data = data
        self._world.note(Sent("upload", {"file": file_id, "bytes": len(data)}, {"ok": True}, self._world.clock.now()))
        return web.Response(text=f"OK - {len(data)}")

    async def respond(self, request: web.Request) -> web.Response:
        """A message by response URL."""
        key = request.match_info["key"]
        payload = cast("dict[str, Any]", await request.json())

        async def work() -> dict[str, Any]:
            url = self._world.urls.get(key)
            if url is None or self._world.clock.now() > url.expires:
                raise Refused("expired_url")
            if url.uses >= _URL_USES:
                raise Refused("used_url")
            self._reply(url, payload)
            url.uses += 1
            return {"ok": True}

        answer = await self._answered(request, "response_url", payload, work, {})
        told = str(answer.text)
        if answer.status == 200 and '"ok": true' in told:
            return web.Response(text="ok")
        if '"expired_url"' in told or '"used_url"' in told:
            return web.json_response(text=told, status=404)
        # because a response URL says no more than the error's name
        refused = next((error for error in ("invalid_blocks", "no_text", "msg_too_long") if f'"{error}"' in told), None)
        return web.Response(status=400, text=refused) if refused else answer

    async def authorize(self, request: web.Request) -> web.Response:
        """The page where somebody installs the app; here everybody says yes to what a test put in `oauth_codes`."""
        code = next(iter(self._world.oauth_codes), "")
        where = f"{request.query['redirect_uri']}?code={code}&state={request.query.get('state', '')}"
        raise web.HTTPFound(where)

    def _spaces(self) -> list[Workspace]:
        return list(self._world.workspaces.values())

    def _reply(self, url: ResponseUrl, payload: dict[str, Any]) -> None:
        unknown = sorted(set(payload) - _REPLY_KEYS)
        if unknown:
            self._world.refusals.append(f"response_url: unknown {unknown}")
            raise Refused("invalid_payload")
        space = next(space for space in self._spaces() if url.channel in space.channels)
        channel = space.channels[url.channel]
        old = (
            channel.find(url.message_ts) if payload.get("replace_original") or payload.get("delete_original") else None
        )
        if payload.get("delete_original"):
            if old:
                channel.messages.remove(old)
            return
        self._world.check("response_url", payload, space)
        if old:
            old.text, old.blocks, old.edits = payload.get("text") or "", payload.get("blocks") or [], old.edits + 1
            return
        self._said(space, url, payload)

    def _said(self, space: Workspace, url: ResponseUrl, payload: dict[str, Any]) -> Message:
        return self._world.add_message(
            space.channels[url.channel],
            payload.get("text") or "",
            user=space.bot_user_id,
            bot_id=space.bot_id,
            blocks=payload.get("blocks") or [],
            thread_ts=payload.get("thread_ts"),
            seen_by=None if payload.get("response_type") == "in_channel" else url.user,
        )

    async def _answered(
        self, request: web.Request, method: str, args: dict[str, Any], work: Work, headers: dict[str, str]
    ) -> web.Response:
        before = await self._struck(request, method, args, "before")
        answer = _failed(before) if before else await _tried(work)
        self._world.note(Sent(method, args, answer, self._world.clock.now()))
        after = before or await self._struck(request, method, args, "after")
        if after is not None and after.error is None:
            return web.Response(status=after.status, text="<html>upstream</html>", content_type="text/html")
        if "retry_after" in answer:
            waits = str(int(answer.pop("retry_after")))
            return web.json_response(answer, status=429, headers={"Retry-After": waits})
        return web.json_response(answer, headers=headers)

    async def _struck(self, request: web.Request, method: str, args: dict[str, Any], moment: Any) -> Fault | None:
        fault = self._world.faults.of(method, args, moment)
        if fault is None:
            return None
        if fault.gate is not None:
            await fault.gate.wait()
            return None
        if fault.drop:
            assert request.transport is not None
            request.transport.abort()
            await asyncio.sleep(0)
        return fault


def _failed(fault: Fault) -> dict[str, Any]:
    answer: dict[str, Any] = {"ok": False, "error": fault.error or "fault"}
    return answer if fault.retry_after is None else {**answer, "retry_after": fault.retry_after}


async def _tried(work: Work) -> dict[str, Any]:
    try:
        return await work()
    except Refused as refused:
        return refused.answer


async def _arguments(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        return cast("dict[str, Any]", await request.json())
    given = {**request.query, **{key: str(value) for key, value in (await request.post()).items()}}
    return {key: _decoded(key, value) for key, value in given.items()}


def _decoded(key: str, value: str) -> Any:
    if key in _JSON_ARGS:
        return json.loads(value)
    return _FLAGS.get(value, value) if key not in {"limit", "cursor", "length"} else value


def _client(request: web.Request) -> tuple[str, str] | None:
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    if kind != "Basic":
        return None
    name, _, secret = base64.b64decode(given).decode().partition(":")
    return name, secret
