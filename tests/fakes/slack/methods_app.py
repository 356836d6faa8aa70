"""auth.test, apps.connections.open, oauth.v2.access, files.*, and the table of all methods."""

from typing import Any

from tests.fakes.slack.faults import Refused
from tests.fakes.slack.methods import Answer, Method, member_of, parent
from tests.fakes.slack.methods_chat import CHAT
from tests.fakes.slack.methods_conversations import CONVERSATIONS
from tests.fakes.slack.methods_views import VIEWS
from tests.fakes.slack.workspace import Upload, Workspace
from tests.fakes.slack.world import World

__all__ = ["METHODS", "granted"]


def _who(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    return {
        "url": f"https://{space.name}.slack.com/",
        "team": space.name,
        "user": "verdict",
        "team_id": space.team_id,
        "user_id": space.bot_user_id,
        "bot_id": space.bot_id,
        "enterprise_id": space.enterprise_id,
        "is_enterprise_install": False,
    }


def granted(world: World, args: dict[str, Any], client: tuple[str, str] | None) -> Answer:
    """oauth.v2.access: a code becomes an installation, once."""
    told = client or (str(args.get("client_id")), str(args.get("client_secret")))
    if told != (world.client_id, world.client_secret):
        raise Refused("bad_client_secret" if told[0] == world.client_id else "invalid_client_id")
    space = world.oauth_codes.pop(str(args.get("code")), None)
    if space is None:
        raise Refused("invalid_code")
    space.refusal = None
    world.workspaces[space.team_id] = space
    return {
        "ok": True,
        "app_id": world.app_id,
        "authed_user": {"id": next(iter(space.users), "U0")},
        "scope": ",".join(sorted(space.scopes)),
        "token_type": "bot",
        "access_token": space.token,
        "bot_user_id": space.bot_user_id,
        "team": {"id": space.team_id, "name": space.name},
        "enterprise": {"id": space.enterprise_id, "name": "grid"} if space.enterprise_id else None,
        "is_enterprise_install": False,
    }


def _upload_url(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    length = int(args["length"])
    if length < 1 or len(str(args.get("alt_txt") or "")) > 1000:
        raise Refused("invalid_arguments")
    file_id = f"F{world.number():05d}"
    space.uploads[file_id] = Upload(file_id, str(args["filename"]), length, args.get("alt_txt"))
    return {"upload_url": f"{world.base_url}/upload/v1/{file_id}", "file_id": file_id}


def _complete(world: World, space: Workspace, args: dict[str, Any]) -> Answer:
    files = [space.uploads.get(str(file.get("id"))) for file in args["files"]]
    if not all(file and file.data is not None for file in files):
        raise Refused("file_not_found")
    done = [file for file in files if file]
    for file, named in zip(done, args["files"], strict=True):
        file.title = named.get("title")
    if args.get("channel_id"):
        channel = member_of(space, args["channel_id"])
        parent(channel, args.get("thread_ts"))
        shown = [{"id": file.id, "name": file.filename, "title": file.title, "alt_txt": file.alt} for file in done]
        message = world.add_message(
            channel,
            args.get("initial_comment") or "",
            user=space.bot_user_id,
            bot_id=space.bot_id,
            files=shown,
            thread_ts=args.get("thread_ts"),
        )
        for file in done:
            file.channel, file.thread_ts = channel.id, message.thread_ts
    # because Slack shares a file later, its answer names no message
    return {"files": [{"id": file.id, "title": file.title} for file in done]}


METHODS: dict[str, Method] = {
    **CHAT,
    **CONVERSATIONS,
    **VIEWS,
    "auth.test": Method(_who),
    "files.getUploadURLExternal": Method(
        _upload_url, ("filename", "length"), ("alt_txt", "snippet_type"), ("files:write",)
    ),
    "files.completeUploadExternal": Method(
        _complete, ("files",), ("channel_id", "thread_ts", "initial_comment"), ("files:write",)
    ),
}
