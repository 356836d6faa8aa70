"""chat.*, assistant.threads.* and reactions.add."""

from typing import Any

from tests.fakes.slack.faults import Refused
from tests.fakes.slack.methods import Answer, Method, conversation, member_of, parent
from tests.fakes.slack.workspace import Channel, Message, Workspace
from tests.fakes.slack.world import World

__all__ = ["CHAT"]

_SAID = ("text", "blocks", "attachments", "metadata", "link_names", "parse")
_LOADING = 10
_PROMPTS = 4


def _post(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = conversation(space, args["channel"])
    invited = space.bot_user_id in channel.members
    if not invited and (channel.kind != "public" or "chat:write.public" not in space.scopes):
        raise Refused("not_in_channel")
    if channel.archived:
        raise Refused("is_archived")
    parent(channel, args.get("thread_ts"))
    world.check("message", args, space)
    message = world.add_message(
        channel,
        args.get("text") or "",
        user=space.bot_user_id,
        bot_id=space.bot_id,
        blocks=args.get("blocks") or [],
        attachments=args.get("attachments") or [],
        thread_ts=args.get("thread_ts"),
        metadata=args.get("metadata"),
    )
    if message.thread_ts:
        space.statuses.pop((channel.id, message.thread_ts), None)
    return {"channel": channel.id, "ts": message.ts, "message": message.shown(metadata=True)}


def _own(space: Workspace, channel: Channel, ts: Any) -> Message:
    message = channel.find(str(ts))
    if message is None:
        raise Refused("message_not_found")
    if message.bot_id != space.bot_id:
        raise Refused("cant_update_message")
    return message


def _update(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    if str(args["channel"]) in space.users:
        raise Refused("channel_not_found")
    channel = member_of(space, args["channel"])
    message = _own(space, channel, args["ts"])
    if message.streaming:
        raise Refused("streaming_state_conflict")
    # because what is not sent stays as it was, an empty list takes the blocks away
    kept = {**args, "blocks": args.get("blocks", message.blocks)}
    world.check("update", kept, space)
    message.text = args.get("text") or ""
    message.blocks = kept["blocks"]
    message.metadata = args.get("metadata", message.metadata)
    message.edits += 1
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": message.shown()}


def _delete(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = member_of(space, args["channel"])
    channel.messages.remove(_own(space, channel, args["ts"]))
    return {"channel": channel.id, "ts": args["ts"]}


def _ephemeral(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = member_of(space, args["channel"])
    if args["user"] not in channel.members:
        raise Refused("user_not_in_channel")
    parent(channel, args.get("thread_ts"))
    world.check("message", args, space)
    said = world.add_message(
        channel,
        args.get("text") or "",
        user=space.bot_user_id,
        bot_id=space.bot_id,
        blocks=args.get("blocks") or [],
        thread_ts=args.get("thread_ts"),
        seen_by=args["user"],
    )
    return {"message_ts": said.ts}


def _permalink(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = conversation(space, args["channel"])
    message = channel.find(str(args["message_ts"]))
    if message is None:
        raise Refused("message_not_found")
    link = f"https://{space.name}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    return {"channel": channel.id, "permalink": link}


def _start(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    _streams(world)
    channel = member_of(space, args["channel"])
    if channel.kind != "im" and not (args.get("recipient_user_id") and args.get("recipient_team_id")):
        raise Refused("missing_recipient_user_id")
    parent(channel, args.get("thread_ts"))
    message = world.add_message(
        channel,
        args.get("markdown_text") or "",
        user=space.bot_user_id,
        bot_id=space.bot_id,
        thread_ts=args.get("thread_ts"),
        streaming=True,
    )
    return {"channel": channel.id, "ts": message.ts}


def _append(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    message = _streaming(world, space, args)
    message.text += args.get("markdown_text") or ""
    return {"channel": args["channel"], "ts": message.ts}


def _stop(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    message = _streaming(world, space, args)
    message.text += args.get("markdown_text") or ""
    message.blocks = args.get("blocks") or []
    world.check("message", {"text": message.text or "…", "blocks": message.blocks}, space)
    message.streaming = False
    return {"channel": args["channel"], "ts": message.ts, "message": message.shown()}


def _streams(world: World) -> None:
    if world.streaming != "on":
        raise Refused(world.streaming)


def _streaming(world: World, space: Workspace, args: dict[str, Any]) -> Message:
    _streams(world)
    message = _own(space, member_of(space, args["channel"]), args["ts"])
    if not message.streaming:
        raise Refused("message_not_in_streaming_state")
    return message


def _status(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    channel = member_of(space, args["channel_id"])
    parent(channel, args["thread_ts"])
    if len(args.get("loading_messages") or ()) > _LOADING:
        raise Refused("invalid_arguments")
    space.statuses[channel.id, str(args["thread_ts"])] = str(args.get("status") or "")
    return {}


def _prompts(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    if world.not_agent_app:
        raise Refused("not_agent_app")
    channel = member_of(space, args["channel_id"])
    prompts = args["prompts"]
    if channel.kind != "im" or not isinstance(prompts, list) or len(args["prompts"]) > _PROMPTS:
        raise Refused("invalid_arguments")
    space.prompts[channel.id] = args["prompts"]
    return {}


def _react(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    if member_of(space, args["channel"]).find(str(args["timestamp"])) is None:
        raise Refused("message_not_found")
    return {}


_WRITE = ("chat:write",)
_STREAM = ("markdown_text", "chunks", "blocks", "metadata", "session_status")
CHAT: dict[str, Method] = {
    "chat.postMessage": Method(
        _post,
        ("channel",),
        (*_SAID, "thread_ts", "reply_broadcast", "unfurl_links", "unfurl_media", "mrkdwn"),
        (*_WRITE, "chat:write.public"),
        tier=None,
    ),
    "chat.update": Method(_update, ("channel", "ts"), (*_SAID, "reply_broadcast", "file_ids"), _WRITE, tier=3),
    "chat.delete": Method(_delete, ("channel", "ts"), (), _WRITE, tier=3),
    "chat.postEphemeral": Method(_ephemeral, ("channel", "user"), (*_SAID, "thread_ts"), _WRITE),
    "chat.getPermalink": Method(_permalink, ("channel", "message_ts")),
    "chat.startStream": Method(
        _start,
        ("channel", "thread_ts"),
        ("markdown_text", "chunks", "recipient_user_id", "recipient_team_id", "task_display_mode"),
        _WRITE,
        tier=2,
    ),
    "chat.appendStream": Method(_append, ("channel", "ts"), _STREAM, _WRITE),
    "chat.stopStream": Method(_stop, ("channel", "ts"), _STREAM, _WRITE, tier=2),
    "assistant.threads.setStatus": Method(
        _status,
        ("channel_id", "thread_ts"),
        ("status", "loading_messages", "icon_emoji", "icon_url", "username"),
        ("chat:write", "assistant:write"),
    ),
    "assistant.threads.setSuggestedPrompts": Method(
        _prompts, ("channel_id", "prompts"), ("title", "thread_ts"), ("assistant:write",)
    ),
    "reactions.add": Method(_react, ("channel", "timestamp", "name"), (), ("reactions:write",), tier=3),
}
