"""What people, other bots and administrators do in a workspace; each act reaches the bot as Slack would send it."""

from typing import Any

from tests.fakes.slack.faults import Refused
from tests.fakes.slack.limits import walk
from tests.fakes.slack.methods_views import push, replace, shown
from tests.fakes.slack.payloads import command, event, interaction, shortcut
from tests.fakes.slack.sockets import Delivered, Doorbell
from tests.fakes.slack.workspace import Channel, Message, OpenView, User, Workspace
from tests.fakes.slack.world import World

__all__ = ["People"]


class People:
    """The people of one workspace."""

    def __init__(self, world: World, space: Workspace, doorbell: Doorbell) -> None:
        self._world = world
        self.space = space
        self._doorbell = doorbell
        self.last: dict[str, Any] = {}
        """The body that was sent last, for a test that changes and sends it again."""

    async def command(self, user: str, channel: str, text: str = "", name: str = "/diagnose") -> Delivered:
        """A slash command; what the bot acknowledges with is shown as an ephemeral message."""
        where = self.space.channels[channel]
        body = command(self._world, self.space, self.space.users[user], where, name, text)
        done = await self._send("slash_commands", body)
        said = done.ack.payload
        if said.get("text") or said.get("blocks"):
            self._world.check("response_url", said, self.space)
            hidden = None if said.get("response_type") == "in_channel" else user
            self._world.add_message(
                where, said.get("text") or "", bot_id=self.space.bot_id, blocks=said.get("blocks") or [], seen_by=hidden
            )
        return done

    async def mention(
        self, user: str, channel: str, text: str, *, thread_ts: str | None = None, twin: bool = False
    ) -> tuple[Message, list[Delivered]]:
        """`@bot text` in a channel or thread; with `twin`, the message event of the same message comes too."""
        where, who = self.space.channels[channel], self.space.users[user]
        full = f"<@{self.space.bot_user_id}> {text}"
        message = self._world.add_message(where, full, user=user, thread_ts=thread_ts)
        kinds = ["app_mention", *(["message"] if twin else [])]
        return message, [await self._event(self._said(where, who, message, kind), where) for kind in kinds]

    async def dm(self, user: str, text: str, *, thread_ts: str | None = None) -> tuple[Message, Delivered]:
        """A direct message to the bot."""
        where, who = self.space.dm(user), self.space.users[user]
        message = self._world.add_message(where, text, user=user, thread_ts=thread_ts)
        return message, await self._event(self._said(where, who, message, "message"), where)

    async def say(self, user: str, channel: str, text: str, **fields: Any) -> Message:
        """Something said in a channel that no event tells the bot of."""
        return self._world.add_message(self.space.channels[channel], text, user=user, **fields)

    async def bot_message(
        self, channel: str, text: str = "", *, tell: bool = False, thread_ts: str | None = None, **fields: Any
    ) -> Message:
        """Another bot posts (an alert); with `tell`, its message event reaches the bot."""
        where = self.space.channels[channel]
        message = self._world.add_message(where, text, bot_id="BALERT", thread_ts=thread_ts, **fields)
        if tell:
            inner = {**message.shown(), "subtype": "bot_message", "channel": channel, "channel_type": _kind(where)}
            await self._event(inner, where)
        return message

    async def edit(self, user: str, channel: str, ts: str, text: str) -> Delivered:
        """Somebody edits a message."""
        where = self.space.channels[channel]
        message = _found(where, ts)
        before = message.shown()
        message.text, message.edits = text, message.edits + 1
        inner = {"type": "message", "subtype": "message_changed", "channel": channel, "ts": f"{self._world.number()}.0"}
        return await self._event(
            {
                **inner,
                "hidden": True,
                "message": message.shown(),
                "previous_message": before,
                "channel_type": _kind(where),
            },
            where,
        )

    async def delete(self, channel: str, ts: str) -> None:
        """Somebody deletes a message."""
        where = self.space.channels[channel]
        where.messages.remove(_found(where, ts))

    async def shortcut(self, user: str, channel: str, ts: str, callback_id: str = "diagnose_message") -> Delivered:
        """The message shortcut on a message."""
        where = self.space.channels[channel]
        body = shortcut(self._world, self.space, self.space.users[user], where, _found(where, ts), callback_id)
        return await self._send("interactive", body)

    async def press(self, user: str, channel: str, ts: str, action_id: str, value: str | None = None) -> Delivered:
        """Press something that a message shows: by its action id, and its value where several have the same."""
        where = self.space.channels[channel]
        message = next(said for said in where.messages if said.ts == ts)
        body: dict[str, Any] = interaction(self._world, self.space, self.space.users[user], "block_actions") | {
            "container": {
                "type": "message",
                "message_ts": ts,
                "channel_id": channel,
                "is_ephemeral": message.seen_by is not None,
            },
            "channel": {"id": channel, "name": where.name},
            "message": message.shown(),
            "state": {"values": dict[str, Any]()},
            "response_url": self._world.response_url(channel, user, ts),
            "actions": [_action(message.blocks, action_id, value)],
        }
        if message.thread_ts:
            body["container"]["thread_ts"] = message.thread_ts
        return await self._send("interactive", body)

    async def press_in_view(self, user: str, view_id: str, action_id: str, value: str | None = None) -> Delivered:
        """Press something that a modal or the Home tab shows."""
        held = self.view(view_id)
        body: dict[str, Any] = interaction(self._world, self.space, self.space.users[user], "block_actions") | {
            "container": {"type": "view", "view_id": view_id},
            "view": shown(self.space, held, self._world.app_id),
            "actions": [_action(held.view["blocks"], action_id, value)],
        }
        return await self._send("interactive", body)

    async def submit(self, user: str, view_id: str, values: dict[str, dict[str, Any]]) -> Delivered:
        """Submit a modal; what the bot acknowledges with (`update`, `push`, `clear`, `errors`) happens."""
        held = self.view(view_id)
        view = {**shown(self.space, held, self._world.app_id), "state": {"values": values}}
        body: dict[str, Any] = interaction(self._world, self.space, self.space.users[user], "view_submission") | {
            "view": view,
            "response_urls": list[Any](),
        }
        done = await self._send("interactive", body)
        said = done.ack.payload
        action = said.get("response_action")
        if action == "update":
            replace(self._world, self.space, held, said["view"])
        elif action == "push":
            push(self._world, self.space, user, said["view"], held)
        elif action == "errors":
            known = {block.get("block_id") for block in held.view["blocks"]}
            if not set(said["errors"]) <= known:
                raise Refused("errors for blocks that the view has not")
        else:
            gone = [key for key, other in self.space.views.items() if action == "clear" and other.root == held.root]
            for key in {view_id, *gone}:
                self.space.views.pop(key, None)
        return done

    async def close(self, user: str, view_id: str) -> Delivered | None:
        """Close a modal; the bot hears of it only where it asked to."""
        held = self.space.views.pop(view_id)
        if not held.view.get("notify_on_close"):
            return None
        view = shown(self.space, held, self._world.app_id)
        body: dict[str, Any] = interaction(self._world, self.space, self.space.users[user], "view_closed") | {
            "view": view,
            "is_cleared": False,
        }
        body.pop("trigger_id")
        return await self._send("interactive", body)

    async def open_home(self, user: str, tab: str = "home") -> Delivered:
        """Look at the app's Home or Messages tab."""
        inner: dict[str, Any] = {"type": "app_home_opened", "user": user, "channel": self.space.dm(user).id, "tab": tab}
        home = self.space.homes.get(user)
        if home:
            inner["view"] = shown(self.space, home, self._world.app_id)
        return await self._event({**inner, "event_ts": str(self._world.clock.now())}, self.space.dm(user))

    async def uninstall(self) -> Delivered:
        """An administrator removes the app; its token is good for nothing from now on."""
        self.space.refusal = "account_inactive"
        return await self._event({"type": "app_uninstalled"}, None)

    async def revoke(self) -> Delivered:
        """The bot's token is revoked."""
        self.space.refusal = "token_revoked"
        return await self._event(
            {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [self.space.bot_user_id]}}, None
        )

    async def again(
        self, done: Delivered, *, attempt: int = 1, reason: str = "timeout", same_envelope: bool = False
    ) -> Delivered:
        """What was sent comes again: as a retry, or with the same envelope and no sign of being one."""
        if same_envelope:
            return await self._doorbell.deliver(done.kind, done.payload, envelope_id=done.envelope_id)
        return await self._doorbell.deliver(done.kind, done.payload, attempt=attempt, reason=reason)

    def view(self, view_id: str) -> OpenView:
        """A view on somebody's screen."""
        return self.space.views.get(view_id) or next(home for home in self.space.homes.values() if home.id == view_id)

    def screen(self, user: str) -> list[OpenView]:
        """The modals that somebody has open, topmost last."""
        return [held for held in self.space.views.values() if held.user == user]

    async def _event(self, inner: dict[str, Any], where: Channel | None) -> Delivered:
        body = event(self._world, self.space, inner, shared=where is not None and where.shared)
        return await self._send("events_api", body)

    async def _send(self, kind: Any, body: dict[str, Any]) -> Delivered:
        self.last = body
        return await self._doorbell.deliver(kind, body)

    def _said(self, where: Channel, who: User, message: Message, kind: str) -> dict[str, Any]:
        inner = {
            **message.shown(),
            "type": kind,
            "channel": where.id,
            "event_ts": message.ts,
            "team": self.space.team_id,
        }
        inner["client_msg_id"] = f"cm-{message.ts}"
        if kind == "message":
            inner["channel_type"] = _kind(where)
        if who.team != self.space.team_id:
            inner |= {"user_team": who.team, "source_team": who.team}
        return inner


def _kind(channel: Channel) -> str:
    return {"public": "channel", "private": "group", "im": "im"}[channel.kind]


def _found(channel: Channel, ts: str) -> Message:
    message = channel.find(ts)
    assert message is not None, f"nobody sees a message {ts} in {channel.id}"
    return message


def _action(blocks: list[dict[str, Any]], action_id: str, value: str | None) -> dict[str, Any]:
    """The action of an element on the screen: nobody can press what is not shown."""
    for block in blocks:
        for element in walk(block):
            options = [element.get("positive_button"), element.get("negative_button"), *(element.get("options") or ())]
            chosen = next((held for held in options if held and held.get("value") == value), None)
            if element.get("action_id") == action_id and (value is None or element.get("value") == value or chosen):
                said: dict[str, Any] = {
                    "type": element["type"],
                    "action_id": action_id,
                    "block_id": block.get("block_id", "auto"),
                }
                said["action_ts"] = "1.0"
                if element["type"] in {"static_select", "overflow", "radio_buttons"}:
                    return {**said, "selected_option": chosen}
                picked = (chosen or element).get("value")
                return {**said, **({"value": picked} if picked is not None else {}), "text": element.get("text")}
    raise AssertionError(f"nothing on the screen has action id {action_id} and value {value}")
