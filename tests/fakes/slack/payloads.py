"""The bodies that Slack sends: events, commands, shortcuts, actions and views, as documented and as captured.

Sources: https://docs.slack.dev/reference/events and https://docs.slack.dev/reference/interaction-payloads.
"""

from typing import Any

from tests.fakes.slack.workspace import Channel, Message, User, Workspace
from tests.fakes.slack.world import World

__all__ = ["command", "event", "interaction", "shortcut"]

Body = dict[str, Any]


def event(world: World, space: Workspace, inner: Body, *, shared: bool = False) -> Body:
    """An event with its envelope; each call makes another event id."""
    return {
        "token": "verification",
        "team_id": space.team_id,
        "api_app_id": world.app_id,
        "event": inner,
        "type": "event_callback",
        "event_id": f"Ev{world.number():08d}",
        "event_time": int(world.clock.now()),
        "authorizations": [
            {
                "enterprise_id": space.enterprise_id,
                "team_id": space.team_id,
                "user_id": space.bot_user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": shared,
        "event_context": f"4-{world.number()}",
    }


def command(world: World, space: Workspace, user: User, channel: Channel, name: str, text: str) -> Body:
    """A slash command."""
    return {
        "token": "verification",
        "team_id": space.team_id,
        "team_domain": space.name,
        "channel_id": channel.id,
        "channel_name": "directmessage" if channel.kind == "im" else channel.name,
        "user_id": user.id,
        "user_name": user.name,
        "command": name,
        "text": text,
        "api_app_id": world.app_id,
        "is_enterprise_install": "false",
        "response_url": world.response_url(channel.id, user.id),
        "trigger_id": world.trigger(user.id),
    }


def interaction(world: World, space: Workspace, user: User, kind: str) -> Body:
    """What every interaction carries."""
    return {
        "type": kind,
        "team": {"id": space.team_id, "domain": space.name},
        "enterprise": {"id": space.enterprise_id, "name": "grid"} if space.enterprise_id else None,
        "is_enterprise_install": False,
        "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team},
        "api_app_id": world.app_id,
        "token": "verification",
        "trigger_id": world.trigger(user.id),
    }


def shortcut(world: World, space: Workspace, user: User, channel: Channel, message: Message, callback_id: str) -> Body:
    """A message shortcut; it carries the whole message, even where the bot is no member."""
    return {
        **interaction(world, space, user, "message_action"),
        "action_ts": message.ts,
        "callback_id": callback_id,
        "channel": {"id": channel.id, "name": "privategroup" if channel.kind == "private" else channel.name},
        "message_ts": message.ts,
        "message": message.shown(),
        "response_url": world.response_url(channel.id, user.id),
    }
