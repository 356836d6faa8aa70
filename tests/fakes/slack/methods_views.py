"""views.*: triggers that open one view soon, hashes, and a stack of three."""

from typing import Any

from tests.fakes.slack.faults import Refused
from tests.fakes.slack.methods import Answer, Method
from tests.fakes.slack.workspace import OpenView, Workspace
from tests.fakes.slack.world import World

__all__ = ["VIEWS", "push", "replace", "shown"]

_STACK = 3


def shown(space: Workspace, open_view: OpenView, app_id: str) -> dict[str, Any]:
    """A view as the Web API and interactions give it."""
    return {
        **open_view.view,
        "id": open_view.id,
        "team_id": space.team_id,
        "app_id": app_id,
        "bot_id": space.bot_id,
        "hash": open_view.hash,
        "root_view_id": open_view.root,
        "previous_view_id": open_view.previous,
        "callback_id": open_view.view.get("callback_id", ""),
        "private_metadata": open_view.view.get("private_metadata", ""),
        "external_id": open_view.view.get("external_id", ""),
        "state": {"values": {}},
    }


def push(world: World, space: Workspace, user: str, view: dict[str, Any], previous: OpenView | None) -> OpenView:
    """Put a checked view on top of somebody's screen."""
    world.check("modal", view, space)
    if previous and sum(held.root == previous.root for held in space.views.values()) >= _STACK:
        raise Refused("push_limit_reached")
    view_id = f"V{world.number():05d}"
    root = previous.root if previous else view_id
    space.views[view_id] = OpenView(view_id, user, view, f"hash{world.number()}", root, previous and previous.id)
    return space.views[view_id]


def replace(world: World, space: Workspace, held: OpenView, view: dict[str, Any], hash_: Any = None) -> OpenView:
    """Show something else in the same window."""
    if hash_ and hash_ != held.hash:
        raise Refused("hash_conflict")
    world.check("home" if view.get("type") == "home" else "modal", view, space)
    held.view, held.hash = view, f"hash{world.number()}"
    return held


def _triggered(world: World, args: dict[str, Any]) -> str:
    trigger = world.triggers.get(str(args["trigger_id"]))
    if trigger is None:
        raise Refused("invalid_trigger_id")
    if trigger.used:
        raise Refused("exchanged_trigger_id")
    if world.clock.now() > trigger.expires:
        raise Refused("expired_trigger_id")
    trigger.used = True
    return trigger.user


def _open(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    user = _triggered(world, args)
    return {"view": shown(space, push(world, space, user, args["view"], None), world.app_id)}


def _push(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    user = _triggered(world, args)
    mine = [held for held in space.views.values() if held.user == user]
    if not mine:
        raise Refused("not_found")
    return {"view": shown(space, push(world, space, user, args["view"], mine[-1]), world.app_id)}


def _update(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    held = space.views.get(str(args.get("view_id"))) or next(
        (
            held
            for held in space.views.values()
            if args.get("external_id") and held.view.get("external_id") == args["external_id"]
        ),
        None,
    )
    if held is None:
        raise Refused("not_found")
    return {"view": shown(space, replace(world, space, held, args["view"], args.get("hash")), world.app_id)}


def _publish(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    user = str(args["user_id"])
    if user not in space.users:
        raise Refused("invalid_arguments")
    held = space.homes.get(user) or OpenView(f"V{world.number():05d}", user, {}, "", "")
    replace(world, space, held, args["view"], args.get("hash"))
    space.homes[user] = held
    return {"view": shown(space, held, world.app_id)}


VIEWS: dict[str, Method] = {
    "views.open": Method(_open, ("trigger_id", "view")),
    "views.push": Method(_push, ("trigger_id", "view")),
    "views.update": Method(_update, ("view",), ("view_id", "external_id", "hash")),
    "views.publish": Method(_publish, ("user_id", "view"), ("hash",)),
}
