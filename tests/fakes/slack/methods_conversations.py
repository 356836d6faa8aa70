"""conversations.*, users.*, usergroups.*."""

from typing import Any

from tests.fakes.slack.faults import Refused
from tests.fakes.slack.methods import Answer, Method, conversation, member_of
from tests.fakes.slack.workspace import Channel, Workspace
from tests.fakes.slack.world import World

__all__ = ["CONVERSATIONS"]

_KINDS = {"public": "channels", "private": "groups", "im": "im"}


def _scoped(space: Workspace, channel: Channel, right: str) -> None:
    needed = f"{_KINDS[channel.kind]}:{right}"
    if needed not in space.scopes:
        raise Refused("missing_scope", needed=needed, provided=",".join(sorted(space.scopes)))


def _shown(space: Workspace, channel: Channel) -> dict[str, Any]:
    return {
        "id": channel.id,
        "name": channel.name,
        "is_im": channel.kind == "im",
        "is_private": channel.kind == "private",
        "is_archived": channel.archived,
        "is_member": space.bot_user_id in channel.members,
        "is_ext_shared": channel.shared,
    }


def _open(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    if args["users"] not in space.users:
        raise Refused("user_not_found")
    return {"channel": {"id": space.dm(args["users"]).id}}


def _join(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = conversation(space, args["channel"])
    if channel.kind != "public":
        raise Refused("method_not_supported_for_channel_type")
    if channel.archived:
        raise Refused("is_archived")
    channel.members.add(space.bot_user_id)
    return {"channel": _shown(space, channel)}


def _info(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = conversation(space, args["channel"])
    _scoped(space, channel, "read")
    return {"channel": _shown(space, channel)}


def _members(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = conversation(space, args["channel"])
    _scoped(space, channel, "read")
    return {"members": sorted(channel.members), "response_metadata": {"next_cursor": ""}}


def _history(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = member_of(space, args["channel"])
    _scoped(space, channel, "history")
    roots = [message for message in channel.seen() if message.thread_ts in (None, message.ts)]
    return _page(args, list(reversed(roots)))


def _replies(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = member_of(space, args["channel"])
    _scoped(space, channel, "history")
    root = channel.find(str(args["ts"]))
    if root is None:
        raise Refused("thread_not_found")
    return _page(args, [root, *(said for said in channel.seen() if said.thread_ts == root.ts and said is not root)])


def _page(args: dict[str, Any], messages: list[Any]) -> Answer:
    oldest, latest = float(args.get("oldest") or 0), float(args.get("latest") or 1e12)
    inclusive = bool(args.get("inclusive"))
    within = [
        said
        for said in messages
        if oldest < float(said.ts) < latest or (inclusive and float(said.ts) in (oldest, latest))
    ]
    start, limit = int(args.get("cursor") or 0), int(args.get("limit") or 100)
    page = within[start : start + limit]
    more = start + limit < len(within)
    return {
        "messages": [said.shown(metadata=bool(args.get("include_all_metadata"))) for said in page],
        "has_more": more,
        "response_metadata": {"next_cursor": str(start + limit) if more else ""},
    }


def _user(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    user = space.users.get(args["user"])
    if user is None:
        raise Refused("user_not_found")
    shown = {"id": user.id, "name": user.name, "team_id": user.team, "tz": user.zone, "is_bot": user.bot}
    return {"user": {**shown, "profile": {"display_name": user.name, "real_name": user.name}}}


def _group(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    if args["usergroup"] not in space.groups:
        raise Refused("no_such_subteam")
    return {"users": sorted(space.groups[args["usergroup"]])}


_READ = ("cursor", "limit", "oldest", "latest", "inclusive", "include_all_metadata")
CONVERSATIONS: dict[str, Method] = {
    "conversations.open": Method(_open, ("users",), ("return_im", "prevent_creation"), ("im:write",), tier=3),
    "conversations.join": Method(_join, ("channel",), (), ("channels:join",), tier=3),
    "conversations.info": Method(_info, ("channel",), ("include_num_members", "include_locale"), tier=3),
    "conversations.members": Method(_members, ("channel",), ("cursor", "limit")),
    "conversations.history": Method(_history, ("channel",), _READ, tier=3),
    "conversations.replies": Method(_replies, ("channel", "ts"), _READ, tier=3),
    "users.info": Method(_user, ("user",), ("include_locale",), ("users:read",)),
    "usergroups.users.list": Method(_group, ("usergroup",), ("include_disabled",), ("usergroups:read",), tier=2),
}
