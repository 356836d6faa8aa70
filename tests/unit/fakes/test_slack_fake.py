"""The strict fake behaves as Slack does towards Bolt and slack_sdk."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import FakeSlack, Workspace, fake_slack


def _client(slack: FakeSlack) -> Any:
    return AsyncWebClient(slack.space.token, base_url=slack.api_url, retry_handlers=[])


def _answer(raised: Any) -> Any:
    return raised.value.response


def _error(raised: Any) -> str:
    return _answer(raised)["error"]


def _app(slack: FakeSlack) -> tuple[Any, list[dict[str, Any]]]:
    """A bot that answers everything in the plainest way and keeps what it heard."""
    app: Any = AsyncApp(client=_client(slack), signing_secret=slack.world.signing_secret)
    heard: list[dict[str, Any]] = []

    async def mention(body: dict[str, Any], say: Any, request: Any) -> None:
        heard.append({**body, "retry": request.headers.get("x-slack-retry-num")})
        await say(text="收到", thread_ts=body["event"].get("thread_ts") or body["event"]["ts"])

    async def note(body: dict[str, Any]) -> None:
        heard.append(body)

    async def asked(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack(text="开始诊断")
        view = {
            "type": "modal",
            "title": {"type": "plain_text", "text": "提问"},
            "submit": {"type": "plain_text", "text": "开始"},
        }
        asks = {
            "type": "input",
            "block_id": "q",
            "label": {"type": "plain_text", "text": "问题"},
            "element": {"type": "plain_text_input", "action_id": "text"},
        }
        await client.views_open(trigger_id=body["trigger_id"], view={**view, "callback_id": "ask", "blocks": [asks]})

    async def submitted(ack: Any, body: dict[str, Any]) -> None:
        await ack(
            response_action="update",
            view={"type": "modal", "title": {"type": "plain_text", "text": "好"}, "blocks": [{"type": "divider"}]},
        )
        heard.append(body)

    async def acted(ack: Any, body: dict[str, Any]) -> None:
        await ack()
        heard.append(body)

    app.event("app_mention")(mention)
    app.event("message")(note)
    app.event("app_home_opened")(note)
    app.command("/diagnose")(asked)
    app.view("ask")(submitted)
    app.action("stop")(acted)
    app.message_shortcut("diagnose_message")(acted)
    return app, heard


@asynccontextmanager
async def _socket_bot(slack: FakeSlack) -> AsyncGenerator[list[dict[str, Any]]]:
    app, heard = _app(slack)
    handler = AsyncSocketModeHandler(app, slack.world.app_token, ping_interval=1)
    await handler.connect_async()
    try:
        yield heard
    finally:
        await handler.close_async()


@asynccontextmanager
async def _http_bot(slack: FakeSlack) -> AsyncGenerator[list[dict[str, Any]]]:
    app, heard = _app(slack)

    async def endpoint(request: web.Request) -> web.Response:
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    application = web.Application()
    application.add_routes([web.post("/slack/events", endpoint)])
    runner = web.AppRunner(application, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.doorbell.request_url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    try:
        yield heard
    finally:
        await runner.cleanup()


BOTS = pytest.mark.parametrize("bot", [_socket_bot, _http_bot], ids=["socket", "http"])


@BOTS
async def test_a_conversation(bot: Any) -> None:
    """Mention, command with its modal, shortcut, button and Home reach a Bolt app, and its answers are kept."""
    async with fake_slack() as slack, bot(slack) as heard:
        people = slack.people
        said, (done,) = await people.mention("UALICE", "CALERTS", "支付服务怎么了")
        assert done.ack.status == 200
        (answer,) = await slack.world.until(lambda: slack.said("CALERTS", said.ts))
        assert answer.text == "收到"
        assert heard[0]["event"]["text"] == "<@UBOT> 支付服务怎么了"

        asked = await people.command("UALICE", "CALERTS")
        assert asked.ack.payload["text"] == "开始诊断"
        (modal,) = await slack.world.until(lambda: people.screen("UALICE"))
        done = await people.submit("UALICE", modal.id, {"q": {"text": {"type": "plain_text_input", "value": "慢"}}})
        assert done.ack.payload["response_action"] == "update"
        assert modal.view["title"]["text"] == "好"
        assert heard[-1]["view"]["state"]["values"]["q"]["text"]["value"] == "慢"

        alert = await people.bot_message("GSECRET", attachments=[{"text": "P99 > 2s"}])
        await people.shortcut("UALICE", "GSECRET", alert.ts)
        assert heard[-1]["message"]["attachments"] == [{"text": "P99 > 2s"}]

        button = {"type": "button", "action_id": "stop", "value": "r1", "text": {"type": "plain_text", "text": "停止"}}
        posted = await _client(slack).chat_postMessage(
            channel="CALERTS", text="x", blocks=[{"type": "actions", "elements": [button]}]
        )
        await people.press("UALICE", "CALERTS", posted["ts"], "stop")
        assert heard[-1]["actions"][0]["value"] == "r1"
        await people.open_home("UALICE")
        await slack.world.until(lambda: heard[-1].get("event", {}).get("type") == "app_home_opened")


@BOTS
async def test_redelivery(bot: Any) -> None:
    """An event comes again with its retry number, and an envelope comes twice with nothing to tell them apart."""
    async with fake_slack() as slack, bot(slack) as heard:
        _, (done,) = await slack.people.mention("UALICE", "CALERTS", "慢")
        await slack.people.again(done, attempt=2)
        await slack.people.again(done, same_envelope=True)
        await slack.world.until(lambda: len(heard) == 3 or None)
        assert [body["retry"] for body in heard][1] == ["2"]
        assert len({body["event_id"] for body in heard}) == 1


async def test_one_message_two_events() -> None:
    """A mention's twin is a message event of the same timestamp with another event id."""
    async with fake_slack() as slack, _socket_bot(slack) as heard:
        await slack.people.mention("UALICE", "CALERTS", "慢", twin=True)
        await slack.world.until(lambda: len(heard) == 2 or None)
        one, two = (body["event"] for body in heard)
        assert (one["ts"], {one["type"], two["type"]}) == (two["ts"], {"app_mention", "message"})
        assert heard[0]["event_id"] != heard[1]["event_id"]


async def test_dropped_sockets_come_back() -> None:
    """A bot whose connection breaks connects again and hears what is said then."""
    async with fake_slack() as slack, _socket_bot(slack) as heard:
        await slack.world.until(lambda: slack.doorbell.connected)
        await slack.doorbell.drop()
        await slack.world.until(lambda: slack.doorbell.connections == 2 and slack.doorbell.connected)
        await slack.people.dm("UALICE", "还在吗")
        await slack.world.until(lambda: heard)


async def test_requests_are_signed() -> None:
    """A request with another body than the one that was signed is refused by Bolt."""
    async with fake_slack() as slack, _http_bot(slack) as heard:
        headers = slack.doorbell.signature('{"a": 1}')
        async with (
            aiohttp.ClientSession() as session,
            session.post(slack.doorbell.request_url or "", data=b'{"a": 2}', headers=headers) as answer,
        ):
            assert answer.status == 401
        assert heard == []


async def test_triggers_open_one_view_soon() -> None:
    """A trigger opens one view, within three seconds; then it is exchanged or expired."""
    view = {"type": "modal", "title": {"type": "plain_text", "text": "x"}, "blocks": [{"type": "divider"}]}
    async with fake_slack() as slack:
        client, trigger = _client(slack), slack.world.trigger("UALICE")
        opened = await client.views_open(trigger_id=trigger, view=view)
        with pytest.raises(SlackApiError) as raised:
            await client.views_open(trigger_id=trigger, view=view)
        assert _error(raised) == "exchanged_trigger_id"
        late = slack.world.trigger("UALICE")
        slack.world.clock.pass_time(3.1)
        with pytest.raises(SlackApiError) as raised:
            await client.views_open(trigger_id=late, view=view)
        assert _error(raised) == "expired_trigger_id"
        await client.views_update(view_id=opened["view"]["id"], hash=opened["view"]["hash"], view=view)
        with pytest.raises(SlackApiError) as raised:
            await client.views_update(view_id=opened["view"]["id"], hash=opened["view"]["hash"], view=view)
        assert _error(raised) == "hash_conflict"


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("CQUIET", "not_in_channel"),
        ("GSECRET", "channel_not_found"),
        ("CNONE", "channel_not_found"),
        ("CALERTS", "is_archived"),
    ],
)
async def test_where_the_bot_may_not_post(channel: str, error: str) -> None:
    """A channel that the bot is not in, cannot know of, or that is archived answers with its error."""
    async with fake_slack() as slack:
        slack.space.scopes.discard("chat:write.public")
        slack.space.channels["CALERTS"].archived = True
        with pytest.raises(SlackApiError) as raised:
            await _client(slack).chat_postMessage(channel=channel, text="x")
        assert _error(raised) == error


async def test_a_response_url_is_good_five_times() -> None:
    """The sixth use of a response URL is refused, and so is any after half an hour."""
    async with fake_slack() as slack, aiohttp.ClientSession() as session:
        url = slack.world.response_url("GSECRET", "UALICE")
        for _ in range(5):
            async with session.post(url, json={"text": "x", "response_type": "in_channel"}) as answer:
                assert (answer.status, await answer.text()) == (200, "ok")
        async with session.post(url, json={"text": "x"}) as answer:
            assert (answer.status, (await answer.json())["error"]) == (404, "used_url")
        other = slack.world.response_url("GSECRET", "UALICE")
        slack.world.clock.pass_time(1801)
        async with session.post(other, json={"text": "x"}) as answer:
            assert (await answer.json())["error"] == "expired_url"
        assert len(slack.said("GSECRET")) == 5


async def test_faults_strike() -> None:
    """A rate limit, a broken server, a dropped connection and an error each reach slack_sdk as what they are."""
    async with fake_slack() as slack:
        client, faults = _client(slack), slack.world.faults
        faults.rate_limit("chat.postMessage", 7)
        with pytest.raises(SlackApiError) as raised:
            await client.chat_postMessage(channel="CALERTS", text="x")
        assert _answer(raised).headers["Retry-After"] == "7"
        faults.break_server("chat.postMessage", 503, after=True)
        with pytest.raises(SlackApiError) as raised:
            await client.chat_postMessage(channel="CALERTS", text="已经发出")
        assert _answer(raised).status_code == 503
        assert [said.text for said in slack.said("CALERTS")] == ["已经发出"]
        faults.drop("chat.postMessage")
        with pytest.raises(aiohttp.ClientConnectionError):
            await client.chat_postMessage(channel="CALERTS", text="x")
        faults.fail("*", "account_inactive")
        with pytest.raises(SlackApiError) as raised:
            await client.auth_test()
        assert _error(raised) == "account_inactive"


async def test_rates_are_kept_where_asked() -> None:
    """With rates on, a fifth message into a channel at once is refused until time has passed."""
    async with fake_slack() as slack:
        slack.world.rates, client = True, _client(slack)
        for _ in range(4):
            await client.chat_postMessage(channel="CALERTS", text="x")
        with pytest.raises(SlackApiError) as raised:
            await client.chat_postMessage(channel="CALERTS", text="x")
        assert _answer(raised).status_code == 429
        slack.world.clock.pass_time(4)
        await client.chat_postMessage(channel="CALERTS", text="x")


async def test_files_go_up_in_three_steps() -> None:
    """A file that slack_sdk uploads is shared in the thread with its alt text."""
    async with fake_slack() as slack:
        root = await slack.people.say("UALICE", "CALERTS", "x")
        await _client(slack).files_upload_v2(
            channel="CALERTS", thread_ts=root.ts, content=b"png", filename="a.png", title="错误率", alt_txt="31%"
        )
        (shared,) = slack.said("CALERTS", root.ts)
        assert shared.files == [{"id": shared.files[0]["id"], "name": "a.png", "title": "错误率", "alt_txt": "31%"}]


async def test_history_needs_its_scope_and_shows_metadata_when_asked() -> None:
    """Replies come with metadata only when asked for, and not at all without the scope."""
    async with fake_slack() as slack:
        client, mark = _client(slack), {"event_type": "e", "event_payload": {"run_id": "r1"}}
        root = await client.chat_postMessage(channel="CALERTS", text="x", metadata=mark)
        shown = await client.conversations_replies(channel="CALERTS", ts=root["ts"], include_all_metadata=True)
        assert shown["messages"][0]["metadata"] == mark
        assert "metadata" not in (await client.conversations_history(channel="CALERTS"))["messages"][0]
        slack.space.scopes.discard("channels:history")
        with pytest.raises(SlackApiError) as raised:
            await client.conversations_history(channel="CALERTS")
        assert _answer(raised)["needed"] == "channels:history"


async def test_installing_by_oauth() -> None:
    """A code becomes a token once, and an uninstalled workspace's token is good for nothing."""
    async with fake_slack() as slack, _socket_bot(slack):
        world = slack.world
        world.oauth_codes["c0de"] = Workspace("T0002", "beta", "xoxb-beta")
        anonymous: Any = AsyncWebClient(base_url=slack.api_url, retry_handlers=[])
        given = await anonymous.oauth_v2_access(
            client_id=world.client_id, client_secret=world.client_secret, code="c0de"
        )
        assert (given["access_token"], given["team"]["id"]) == ("xoxb-beta", "T0002")
        with pytest.raises(SlackApiError) as raised:
            await anonymous.oauth_v2_access(client_id=world.client_id, client_secret=world.client_secret, code="c0de")
        assert _error(raised) == "invalid_code"
        await slack.people.uninstall()
        with pytest.raises(SlackApiError) as raised:
            await _client(slack).auth_test()
        assert _error(raised) == "account_inactive"


async def test_broken_payloads_fail_the_test_that_sent_them() -> None:
    """Leaving the fake fails where a payload broke a limit, and a misspelt argument is one."""

    async def misspell() -> None:
        async with fake_slack() as slack:
            sent = {"channel": "CALERTS", "text": "x", "chanel": "y"}
            with suppress(SlackApiError):
                await _client(slack).api_call("chat.postMessage", json=sent)

    with pytest.raises(AssertionError, match="unknown argument: chanel"):
        await misspell()


async def test_nobody_presses_what_is_not_shown() -> None:
    """Pressing a button that a message does not show fails the test."""
    async with fake_slack() as slack:
        said = await slack.people.say("UALICE", "CALERTS", "x")
        with pytest.raises(AssertionError, match="nothing on the screen"):
            await slack.people.press("UALICE", "CALERTS", said.ts, "stop")
