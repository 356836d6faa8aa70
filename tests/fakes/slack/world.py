"""The fake's whole state, its switches, and the record of all that was sent to it."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from tests.fakes.slack.clock import ManualClock
from tests.fakes.slack.faults import Faults, Refused
from tests.fakes.slack.limits import Surface, validate_payload, walk
from tests.fakes.slack.manners import Manners, breaches
from tests.fakes.slack.shapes import mapping
from tests.fakes.slack.workspace import Channel, Message, ResponseUrl, Trigger, Workspace

__all__ = ["Sent", "World"]

_T = TypeVar("_T")
_TRIGGER_SECONDS = 3
_URL_SECONDS = 30 * 60
_WAIT_SECONDS = 20
_PER_MINUTE = {2: 20, 3: 50, 4: 100}


@dataclass(frozen=True)
class Sent:
    """One call that arrived: its method (or `response_url`, `upload`), arguments without token, and the answer."""

    method: str
    args: dict[str, Any]
    answer: dict[str, Any]
    at: float


@dataclass
class World:
    """Workspaces and everything that holds for all of them.

    Attributes:
        refuse_blocks: block types that are not rolled out here.
        streaming: `on`, or what the chat.*Stream methods answer instead.
        rates: whether calls above the documented rates get 429.
        not_agent_app: whether suggested prompts are refused as for an app without agent view.
        refusals: payloads that broke a limit, with the pointers; a test that expects some takes them with `acknowledge`.
        broken: payloads that Slack would take and readers must not get.
    """

    clock: ManualClock = field(default_factory=ManualClock)
    workspaces: dict[str, Workspace] = field(default_factory=dict[str, Workspace])
    app_id: str = "A0001"
    app_token: str = "xapp-test-token"
    client_id: str = "111.222"
    client_secret: str = "test-client-secret"
    signing_secret: str = "test-signing-secret"
    base_url: str = ""
    faults: Faults = field(default_factory=Faults)
    manners: Manners = field(default_factory=Manners)
    refuse_blocks: frozenset[str] = frozenset()
    streaming: Literal["on", "unknown_method", "feature_disabled"] = "unknown_method"
    rates: bool = False
    not_agent_app: bool = False
    oauth_codes: dict[str, Workspace] = field(default_factory=dict[str, Workspace])
    traffic: list[Sent] = field(default_factory=list[Sent])
    refusals: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    triggers: dict[str, Trigger] = field(default_factory=dict[str, Trigger])
    urls: dict[str, ResponseUrl] = field(default_factory=dict[str, ResponseUrl])
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    _count: int = 0
    _calls: dict[str, deque[float]] = field(default_factory=dict[str, deque[float]])

    def number(self) -> int:
        """The next number, for identifiers and timestamps."""
        self._count += 1
        return self._count

    def by_token(self, token: str) -> Workspace:
        """The workspace that a bot token opens."""
        found = next((space for space in self.workspaces.values() if space.token == token), None)
        if found is None:
            raise Refused("invalid_auth" if token else "not_authed")
        if found.refusal:
            raise Refused(found.refusal)
        return found

    def trigger(self, user: str) -> str:
        """A fresh trigger id."""
        trigger_id = f"{self.number()}.trigger"
        self.triggers[trigger_id] = Trigger(user, self.clock.now() + _TRIGGER_SECONDS)
        return trigger_id

    def response_url(self, channel: str, user: str, message_ts: str | None = None) -> str:
        """A fresh response URL."""
        key = f"key{self.number()}"
        self.urls[key] = ResponseUrl(channel, user, self.clock.now() + _URL_SECONDS, message_ts)
        return f"{self.base_url}/response/{key}"

    def add_message(self, channel: Channel, text: str, **fields: Any) -> Message:
        """Something is said in a channel."""
        ts = f"{int(self.clock.now())}.{self.number():06d}"
        message = Message(ts, text, **fields)
        channel.messages.append(message)
        return message

    def check(self, surface: Surface, payload: dict[str, Any], space: Workspace) -> None:
        """Refuse what Slack would refuse, and note what readers must not get."""
        found = validate_payload(surface, payload, refused=self.refuse_blocks)
        if found:
            if not any("unsupported type" in message and self.refuse_blocks for message in found.messages):
                self.refusals.append(f"{surface}: {found.error} {'; '.join(found.messages)}")
            raise Refused(
                found.error, errors=list(found.messages), response_metadata={"messages": list(found.messages)}
            )
        for held in walk(payload.get("blocks")):
            file = mapping(held.get("slack_file")).get("id")
            if file is not None and file not in space.uploads:
                raise Refused("invalid_blocks", errors=["[ERROR] invalid slack file [json-pointer:/blocks]"])
        self.broken.extend(breaches(payload, self.manners))

    def acknowledge(self) -> list[str]:
        """Take the refusals and breaches that the test expected."""
        taken = [*self.refusals, *self.broken]
        self.refusals.clear()
        self.broken.clear()
        return taken

    def throttle(self, method: str, tier: int | None, args: dict[str, Any]) -> None:
        """Answer 429 to what comes too fast, where `rates` is on."""
        if not self.rates:
            return
        if tier is None:
            self._within(f"{method} {args.get('channel')}", most=4, seconds=4)
        else:
            self._within(method, most=_PER_MINUTE[tier], seconds=60)

    def _within(self, key: str, *, most: int, seconds: float) -> None:
        times = self._calls.setdefault(key, deque())
        now = self.clock.now()
        while times and times[0] <= now - seconds:
            times.popleft()
        if len(times) >= most:
            raise Refused("ratelimited", retry_after=max(1, round(times[0] + seconds - now)))
        times.append(now)

    def note(self, sent: Sent) -> None:
        """Keep a call and wake whoever waits for it."""
        self.traffic.append(sent)
        self.stir()

    def stir(self) -> None:
        """Wake whoever waits for the state to change."""
        self.changed.set()
        self.changed = asyncio.Event()

    def sent(self, method: str) -> list[Sent]:
        """The calls of one method so far, oldest first."""
        return [sent for sent in self.traffic if sent.method == method]

    async def until(self, look: Callable[[], _T]) -> _T:
        """Wait until something that is looked for is there, and give it."""
        async with asyncio.timeout(_WAIT_SECONDS):
            while not (found := look()):
                await self.changed.wait()
        return found
