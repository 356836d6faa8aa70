"""What a Web API method is here: its scopes, arguments, rate tier and what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.fakes.slack.faults import Refused
from tests.fakes.slack.workspace import Channel, Message, Workspace
from tests.fakes.slack.world import World

__all__ = ["Answer", "Method", "conversation", "member_of", "parent"]

Answer = dict[str, Any]
Handler = Callable[[World, Workspace, dict[str, Any]], Answer]


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        run: what it does; raises `Refused` for an error.
        needs: arguments that must be there, else `invalid_arguments`.
        takes: arguments that may be there; any other is refused, so that a misspelt one is seen.
        scopes: any one of these is enough; none: no scope is asked for.
        tier: calls per minute by Slack's tiers; None for chat.postMessage's own rule.
    """

    run: Handler
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    tier: int | None = 4

    def __call__(self, world: World, space: Workspace, args: dict[str, Any]) -> Answer:
        """Check the arguments and do it."""
        missing = [name for name in self.needs if args.get(name) in (None, "")]
        unknown = sorted(set(args) - {*self.needs, *self.takes, "team_id"})
        if missing or unknown:
            told = [f"[ERROR] missing required field: {name}" for name in missing]
            told += [f"[ERROR] unknown argument: {name}" for name in unknown]
            world.refusals.extend(told)
            raise Refused("invalid_arguments", response_metadata={"messages": told})
        if self.scopes and not space.scopes & set(self.scopes):
            raise Refused("missing_scope", needed=self.scopes[0], provided=",".join(sorted(space.scopes)))
        return {"ok": True, **self.run(world, space, args)}


def conversation(space: Workspace, channel_id: Any) -> Channel:
    """A conversation that the bot may know of: a private one only from inside."""
    if str(channel_id) in space.users:
        return space.dm(str(channel_id))
    channel = space.channels.get(str(channel_id))
    if channel is None or (channel.kind != "public" and space.bot_user_id not in channel.members):
        raise Refused("channel_not_found")
    return channel


def member_of(space: Workspace, channel_id: Any) -> Channel:
    """A conversation that the bot is in and that is open."""
    channel = conversation(space, channel_id)
    if space.bot_user_id not in channel.members:
        raise Refused("not_in_channel")
    if channel.archived:
        raise Refused("is_archived")
    return channel


def parent(channel: Channel, thread_ts: Any) -> Message | None:
    """The root of the thread that is answered; None for no thread."""
    if not thread_ts:
        return None
    root = channel.find(str(thread_ts))
    if root is None:
        raise Refused("thread_not_found")
    if root.thread_ts not in (None, root.ts):
        raise Refused("cannot_reply_to_message")
    return root
