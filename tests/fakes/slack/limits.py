"""What Slack refuses in an outgoing payload: sizes, counts, types, places and duplicates."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from bot.slack_text import units, utf8_length
from tests.fakes.slack.block_types import BLOCKS, SURFACES
from tests.fakes.slack.shapes import Fault, array, enum, fault, items, mapping, record, string, tagged, text

__all__ = ["Refusal", "Surface", "validate_payload", "walk"]

Surface = Literal["message", "update", "response_url", "modal", "home"]

_TEXT = 4_000
_BLOCK_TEXT = 13_200
_MARKDOWN = 12_000
_BLOCKS = 50
_VIEW_BLOCKS = 100
_VIEW_BYTES = 250_000
_METADATA_BYTES = 4_000
_ROWS_TEXT = 20_000
_MOST: dict[str, int] = {"table": 1, "data_table": 1, "data_visualization": 2}

_VIEW = record(
    {"type": enum("modal"), "title": text(24, "plain_text"), "blocks": lambda value, pointer: ()},
    {
        "callback_id": string(255),
        "submit": text(24, "plain_text"),
        "close": text(24, "plain_text"),
        "private_metadata": string(3000, 0),
        "external_id": string(255),
        "clear_on_close": lambda value, pointer: (),
        "notify_on_close": lambda value, pointer: (),
        "submit_disabled": lambda value, pointer: (),
    },
)
_HOME = record(
    {"type": enum("home"), "blocks": lambda value, pointer: ()},
    {"callback_id": string(255), "private_metadata": string(3000, 0), "external_id": string(255)},
)


@dataclass(frozen=True)
class Refusal:
    """Slack's error name and its messages with JSON pointers."""

    error: str
    messages: tuple[Fault, ...] = ()


def validate_payload(
    surface: Surface, payload: dict[str, Any], *, refused: frozenset[str] = frozenset()
) -> Refusal | None:
    """What Slack would refuse a payload for; None for one that it takes.

    Args:
        surface: `message` for chat.postMessage and chat.postEphemeral, `update`, `response_url`; `modal` and `home` take
            the view itself.
        payload: the arguments of the call as an object, or the view.
        refused: block types that this workspace does not know yet.
    """
    if surface in {"modal", "home"}:
        return _view(surface, payload, refused)
    return _whole(surface, payload) or _blocks(payload.get("blocks"), "message", refused)


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a JSON value."""
    if isinstance(value, dict):
        yield mapping(value)
    for item in [*mapping(value).values(), *array(value)]:
        yield from walk(item)


def _whole(surface: Surface, payload: dict[str, Any]) -> Refusal | None:
    said, blocks = payload.get("text"), payload.get("blocks")
    if not said and not blocks and not payload.get("attachments") and not payload.get("delete_original"):
        return Refusal("no_text")
    if said is not None and not isinstance(said, str):
        return Refusal("invalid_arguments", (fault("must provide a string", "/text"),))
    if blocks and not said:
        # because Slack takes it, but notifications and screen readers would have nothing to say
        return Refusal("no_text", (fault("blocks without a text for notifications", "/text"),))
    if units(said or "") > _TEXT:
        return Refusal("msg_too_long")
    if utf8_length(json.dumps(payload.get("metadata") or {}, ensure_ascii=False)) > _METADATA_BYTES:
        return Refusal("metadata_too_large")
    if surface == "update" and {"unfurl_links", "unfurl_media", "thread_ts"} & set(payload):
        return Refusal("invalid_arguments", (fault("not an argument of chat.update", ""),))
    return None


def _blocks(blocks: Any, surface: str, refused: frozenset[str], root: str = "/blocks") -> Refusal | None:
    if blocks is None:
        return None
    if not isinstance(blocks, list):
        return Refusal("invalid_blocks_format")
    known = {kind: check for kind, check in BLOCKS.items() if kind in SURFACES[surface] - refused}
    most = _BLOCKS if surface == "message" else _VIEW_BLOCKS
    held = array(blocks)
    faults = [*items(tagged(known), most, 0)(held, root), *_twice(held, root), *_too_many(held, root)]
    if surface == "message" and sum(_markdown(block) for block in held) > _MARKDOWN:
        return Refusal("msg_too_long")
    if faults:
        return Refusal("invalid_blocks", tuple(faults))
    if surface == "message" and sum(map(_text_of, held)) > _BLOCK_TEXT:
        return Refusal("msg_blocks_too_long")
    return None


def _twice(blocks: list[Any], root: str) -> Iterable[Fault]:
    """Identifiers that stand twice: block ids in a payload, action ids in a block."""
    ids = Counter(held["block_id"] for held in walk(blocks) if "block_id" in held)
    for name in (name for name, count in ids.items() if count > 1):
        yield fault(f"`block_id` {name} already exists for another block", root)
    for index, block in enumerate(blocks):
        actions = Counter(held["action_id"] for held in walk(block) if "action_id" in held)
        for name in (name for name, count in actions.items() if count > 1):
            yield fault(f"`action_id` {name} already exists for another action", f"{root}/{index}")


def _too_many(blocks: list[Any], root: str) -> Iterable[Fault]:
    kinds = Counter(held.get("type") for held in walk(blocks))
    for kind, most in _MOST.items():
        if kinds[kind] > most:
            yield fault(f"no more than {most} {kind} blocks allowed", root)
    tables = [held for held in walk(blocks) if held.get("type") == "data_table"]
    if sum(map(_text_of, tables)) > _ROWS_TEXT:
        yield fault(f"no more than {_ROWS_TEXT} characters of table text allowed", root)


def _markdown(block: Any) -> int:
    said = mapping(block).get("text")
    return units(said) if isinstance(said, str) and mapping(block).get("type") == "markdown" else 0


def _text_of(block: Any) -> int:
    return sum(units(held["text"]) for held in walk(block) if isinstance(held.get("text"), str))


def _view(surface: Surface, view: dict[str, Any], refused: frozenset[str]) -> Refusal | None:
    if utf8_length(json.dumps(view, ensure_ascii=False)) > _VIEW_BYTES:
        return Refusal("view_too_large")
    faults = list((_VIEW if surface == "modal" else _HOME)(view, "/view"))
    found = _blocks(view.get("blocks"), surface, refused, "/view/blocks")
    faults.extend(found.messages if found else ())
    inputs = any(mapping(block).get("type") == "input" for block in array(view.get("blocks")))
    if surface == "modal" and inputs and "submit" not in view:
        faults.append(fault("must define `submit` to use an `input` block in a modal", "/view"))
    return Refusal("invalid_arguments", tuple(faults)) if faults or found else None
