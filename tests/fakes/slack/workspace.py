"""A workspace: who is in it, what is said where, which windows are open."""

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["ALL_SCOPES", "Channel", "Message", "OpenView", "ResponseUrl", "Trigger", "Upload", "User", "Workspace"]

ALL_SCOPES = frozenset(
    [
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:join",
        "channels:read",
        "chat:write",
        "chat:write.public",
        "commands",
        "files:read",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "reactions:write",
        "usergroups:read",
        "users:read",
    ]
)


@dataclass
class User:
    """A person or a bot; `team` is another workspace's for a guest over Slack Connect."""

    id: str
    name: str
    team: str
    zone: str = "Asia/Shanghai"
    bot: bool = False


@dataclass
class Message:
    """One message as it stands now."""

    ts: str
    text: str
    user: str | None = None
    bot_id: str | None = None
    blocks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    attachments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    files: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    thread_ts: str | None = None
    metadata: dict[str, Any] | None = None
    edits: int = 0
    seen_by: str | None = None
    """Who sees an ephemeral message; None for all."""
    streaming: bool = False

    def shown(self, *, metadata: bool = False) -> dict[str, Any]:
        """The message as the Web API gives it."""
        held: dict[str, Any] = {"type": "message", "ts": self.ts, "text": self.text}
        for name in ("user", "bot_id", "blocks", "attachments", "files", "thread_ts"):
            if getattr(self, name):
                held[name] = getattr(self, name)
        if metadata and self.metadata:
            held["metadata"] = self.metadata
        if self.edits:
            held["edited"] = {"user": self.user, "ts": self.ts}
        return held


@dataclass
class Channel:
    """A conversation; a DM has kind `im` and one other member."""

    id: str
    name: str
    kind: Literal["public", "private", "im"] = "public"
    members: set[str] = field(default_factory=set[str])
    archived: bool = False
    shared: bool = False
    messages: list[Message] = field(default_factory=list[Message])

    def find(self, ts: str | None) -> Message | None:
        """The message with a timestamp that everybody sees."""
        return next((message for message in self.messages if message.ts == ts and message.seen_by is None), None)

    def seen(self) -> list[Message]:
        """What everybody sees, oldest first."""
        return [message for message in self.messages if message.seen_by is None]


@dataclass
class Trigger:
    """A trigger id: it opens one view, soon."""

    user: str
    expires: float
    used: bool = False


@dataclass
class ResponseUrl:
    """A response URL: five uses in thirty minutes."""

    channel: str
    user: str
    expires: float
    message_ts: str | None = None
    uses: int = 0


@dataclass
class OpenView:
    """A view on somebody's screen."""

    id: str
    user: str
    view: dict[str, Any]
    hash: str
    root: str
    previous: str | None = None


@dataclass
class Upload:
    """A file on its way."""

    id: str
    filename: str
    length: int
    alt: str | None
    data: bytes | None = None
    title: str | None = None
    channel: str | None = None
    thread_ts: str | None = None


@dataclass
class Workspace:
    """One workspace with the app installed."""

    team_id: str
    name: str
    token: str
    bot_user_id: str = "UBOT"
    bot_id: str = "BBOT"
    enterprise_id: str | None = None
    scopes: set[str] = field(default_factory=lambda: set(ALL_SCOPES))
    refusal: str | None = None
    """`account_inactive`, `token_revoked` or another error that every call gets."""
    users: dict[str, User] = field(default_factory=dict[str, User])
    groups: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    channels: dict[str, Channel] = field(default_factory=dict[str, Channel])
    views: dict[str, OpenView] = field(default_factory=dict[str, OpenView])
    homes: dict[str, OpenView] = field(default_factory=dict[str, OpenView])
    statuses: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    prompts: dict[str, list[dict[str, str]]] = field(default_factory=dict[str, list[dict[str, str]]])
    uploads: dict[str, Upload] = field(default_factory=dict[str, Upload])

    def add_user(self, user_id: str, name: str, *, team: str | None = None, bot: bool = False) -> User:
        """Somebody joins."""
        self.users[user_id] = User(user_id, name, team or self.team_id, bot=bot)
        return self.users[user_id]

    def add_channel(
        self,
        channel_id: str,
        name: str,
        kind: Literal["public", "private"] = "public",
        *,
        members: set[str] | None = None,
    ) -> Channel:
        """A channel is made; the bot is in it unless `members` leaves it out."""
        held = {*self.users, self.bot_user_id} if members is None else members
        self.channels[channel_id] = Channel(channel_id, name, kind, held)
        return self.channels[channel_id]

    def dm(self, user: str) -> Channel:
        """The conversation of one person with the bot."""
        channel_id = f"D{user.removeprefix('U')}"
        if channel_id not in self.channels:
            self.channels[channel_id] = Channel(channel_id, "", "im", {user, self.bot_user_id})
        return self.channels[channel_id]
