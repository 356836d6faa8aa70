"""A strict Slack on this machine: it keeps state, holds every payload to Slack's limits, and fails when told to.

    async with fake_slack() as slack:
        client = AsyncWebClient(token=slack.space.token, base_url=slack.api_url)
        await slack.people.mention("UALICE", "CALERTS", "支付服务怎么了")

Leaving it fails where a payload broke a limit or a reader's peace and no test took note (`world.acknowledge()`).
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from tests.fakes.slack.http_side import Web
from tests.fakes.slack.people import People
from tests.fakes.slack.sockets import Doorbell
from tests.fakes.slack.workspace import Message, Workspace
from tests.fakes.slack.world import World

__all__ = ["FakeSlack", "Workspace", "default_workspace", "fake_slack"]


@dataclass
class FakeSlack:
    """The running fake."""

    world: World
    doorbell: Doorbell
    space: Workspace
    people: People

    @property
    def api_url(self) -> str:
        """What `SLACK_API_URL` would say."""
        return f"{self.world.base_url}/api/"

    def said(self, channel: str, thread_ts: str | None = None) -> list[Message]:
        """What everybody sees in a channel, or in one of its threads without the root; oldest first."""
        seen = self.space.channels[channel].seen()
        return [message for message in seen if thread_ts is None or message.thread_ts == thread_ts]

    def whispers(self, channel: str, user: str) -> list[Message]:
        """What only one person sees in a channel."""
        return [message for message in self.space.channels[channel].messages if message.seen_by == user]

    def install(self, space: Workspace) -> People:
        """One more workspace with the app."""
        self.world.workspaces[space.team_id] = space
        return People(self.world, space, self.doorbell)


def default_workspace() -> Workspace:
    """Two people, a public channel, a private one that the bot is in, one that it is not in, and DMs."""
    space = Workspace("T0001", "acme", "xoxb-test-token")
    space.add_user("UALICE", "alice")
    space.add_user("UBOBBY", "bobby")
    space.add_user("UGUEST", "guest", team="T9999")
    space.add_channel("CALERTS", "alerts")
    space.add_channel("CQUIET", "quiet", members={"UALICE", "UBOBBY"})
    space.add_channel("GOPS", "ops", "private")
    space.add_channel("GSECRET", "secret", "private", members={"UALICE"})
    for user in ("UALICE", "UBOBBY", "UGUEST"):
        space.dm(user)
    return space


@asynccontextmanager
async def fake_slack(space: Workspace | None = None, *, strict: bool = True) -> AsyncGenerator[FakeSlack]:
    """Run it on a free port of 127.0.0.1.

    Args:
        space: the first workspace; None for `default_workspace`.
        strict: whether leaving it fails on payloads that Slack refused or readers must not get.
    """
    world, first = World(), space or default_workspace()
    world.workspaces[first.team_id] = first
    doorbell = Doorbell(world)
    application = web.Application(client_max_size=64 * 2**20)
    application.add_routes([*Web(world, doorbell.connect).routes(), web.get("/socket", doorbell.socket)])
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    world.base_url = f"http://{host}:{port}"
    try:
        yield FakeSlack(world, doorbell, first, People(world, first, doorbell))
    finally:
        await doorbell.drop()
        await runner.cleanup()
    left = world.acknowledge()
    assert not (strict and left), "\n".join(["payloads that Slack refused or readers must not get:", *left])
