"""The blocks and elements of Block Kit with their limits, as far as they are documented or measured.

Sources: https://docs.slack.dev/reference/block-kit, slack_sdk's models, and what workspaces were seen to refuse.
"""

from collections.abc import Iterable
from typing import Any

from tests.fakes.slack.shapes import (
    Check,
    Fault,
    anything,
    boolean,
    either,
    enum,
    fault,
    integer,
    items,
    mapping,
    number,
    record,
    string,
    tagged,
    text,
)

__all__ = ["BLOCKS", "SURFACES"]

_ID = string(255)
_URL = string(3000)


def _block(needed: dict[str, Check], allowed: dict[str, Check] | None = None) -> Check:
    return record({"type": anything, **needed}, {"block_id": _ID, **(allowed or {})})


def _element(needed: dict[str, Check], allowed: dict[str, Check] | None = None) -> Check:
    return record({"type": anything, **needed}, allowed)


_CONFIRM = record(
    {
        "title": text(100, "plain_text"),
        "text": text(300, "plain_text", "mrkdwn"),
        "confirm": text(30, "plain_text"),
        "deny": text(30, "plain_text"),
    },
    {"style": enum("primary", "danger")},
)
_OPTION = record(
    {"text": text(75, "plain_text", "mrkdwn"), "value": string(150)},
    {"description": text(75, "plain_text", "mrkdwn"), "url": _URL},
)
_ASKED: dict[str, Check] = {"action_id": _ID}
_PLACED: dict[str, Check] = {"placeholder": text(150, "plain_text"), "focus_on_load": boolean, "confirm": _CONFIRM}

BUTTON = _element(
    {"text": text(75, "plain_text")},
    {
        **_ASKED,
        "value": string(2000),
        "url": _URL,
        "style": enum("primary", "danger"),
        "confirm": _CONFIRM,
        "accessibility_label": string(75),
        "visible_to_user_ids": items(string(20), 10),
    },
)
_SELECTED = items(_OPTION, 10)
_CHOICES: dict[str, Check] = {"options": items(_OPTION, 100)}
_ELEMENTS: dict[str, Check] = {
    "button": BUTTON,
    "static_select": _element(_CHOICES | _ASKED, {"initial_option": _OPTION, **_PLACED}),
    "multi_static_select": _element(_CHOICES | _ASKED, {"initial_options": items(_OPTION, 100), **_PLACED}),
    "users_select": _element(_ASKED, {"initial_user": string(20), **_PLACED}),
    "conversations_select": _element(
        _ASKED,
        {"default_to_current_conversation": boolean, "filter": anything, "response_url_enabled": boolean, **_PLACED},
    ),
    "channels_select": _element(_ASKED, {"initial_channel": string(20), "response_url_enabled": boolean, **_PLACED}),
    "overflow": _element({"options": items(_OPTION, 5)} | _ASKED, {"confirm": _CONFIRM}),
    "datepicker": _element(_ASKED, {"initial_date": string(10), **_PLACED}),
    "timepicker": _element(_ASKED, {"initial_time": string(5), "timezone": string(60), **_PLACED}),
    "datetimepicker": _element(_ASKED, {"initial_date_time": number, "focus_on_load": boolean, "confirm": _CONFIRM}),
    "radio_buttons": _element(_ASKED | {"options": _SELECTED}, {"initial_option": _OPTION, **_PLACED}),
    "checkboxes": _element(_ASKED | {"options": _SELECTED}, {"initial_options": _SELECTED, **_PLACED}),
}
_IMAGE: dict[str, Check] = {"alt_text": string(2000)}
_FILE = either("id", "url", record({}, {"id": string(30), "url": _URL}))
_IMAGE_ELEMENT = either("image_url", "slack_file", _element(_IMAGE, {"image_url": _URL, "slack_file": _FILE}))
_TYPED = {
    **_ELEMENTS,
    "plain_text_input": _element(
        _ASKED,
        {
            "initial_value": string(3000, 0),
            "multiline": boolean,
            "min_length": integer(0, 3000),
            "max_length": integer(1, 3000),
            "dispatch_action_config": anything,
            "placeholder": text(150, "plain_text"),
            "focus_on_load": boolean,
        },
    ),
}
del _TYPED["button"], _TYPED["overflow"]

_STYLE = record({}, dict.fromkeys(("bold", "italic", "strike", "code", "underline"), boolean))
_INLINE: dict[str, Check] = {
    "text": _element({"text": string(12000)}, {"style": _STYLE}),
    "link": _element({"url": _URL}, {"text": string(3000), "style": _STYLE, "unsafe": boolean}),
    "emoji": _element({"name": string(100)}, {"unicode": string(50), "style": _STYLE, "skin_tone": integer(1, 6)}),
    "user": _element({"user_id": string(20)}, {"style": _STYLE}),
    "usergroup": _element({"usergroup_id": string(20)}, {"style": _STYLE}),
    "channel": _element({"channel_id": string(20)}, {"style": _STYLE}),
    "broadcast": _element({"range": enum("here", "channel", "everyone")}, {"style": _STYLE}),
    "date": _element({"timestamp": number, "format": string(200)}, {"fallback": string(200), "url": _URL}),
    "color": _element({"value": string(20)}, {"style": _STYLE}),
}
_LINES = items(tagged(_INLINE), 1000)
_SECTION = _element({"elements": _LINES})
_PLAIN_LINES = items(tagged({kind: _INLINE[kind] for kind in ("text", "link")}), 1000)
RICH_TEXT = _block(
    {
        "elements": items(
            tagged(
                {
                    "rich_text_section": _SECTION,
                    "rich_text_list": _element(
                        {
                            "style": enum("bullet", "ordered"),
                            "elements": items(tagged({"rich_text_section": _SECTION}), 1000),
                        },
                        {"indent": integer(0, 8), "offset": integer(0, 100000), "border": integer(0, 1)},
                    ),
                    "rich_text_quote": _element({"elements": _LINES}, {"border": integer(0, 1)}),
                    "rich_text_preformatted": _element(
                        {"elements": _PLAIN_LINES}, {"border": integer(0, 1), "language": string(30)}
                    ),
                }
            ),
            1000,
        )
    }
)

_RAW: dict[str, Check] = {
    "raw_text": _element({"text": string(3000)}),
    "raw_number": _element({"value": number, "text": string(3000)}),
}
_CELL = tagged({**_RAW, "rich_text": RICH_TEXT})
_POINTS = items(record({"label": string(20), "value": number}), 20)
_SERIES = items(record({"name": string(20), "data": _POINTS}), 12)
_AXES = record({"categories": items(string(20), 20)}, {"x_label": string(50), "y_label": string(50)})
_XY = _element({"series": _SERIES, "axis_config": _AXES})
_PIE = _element({"segments": items(record({"label": string(20), "value": number}), 12)})
_TASK = _block(
    {
        "task_id": string(255),
        "title": string(256),
        "status": enum("pending", "in_progress", "complete", "error"),
    },
    {
        "details": tagged({"rich_text": RICH_TEXT}),
        "output": tagged({"rich_text": RICH_TEXT}),
        "sources": items(tagged({"url": _element({"url": _URL, "text": string(256)})}), 50),
    },
)
_FEEDBACK = record({"text": text(75, "plain_text"), "value": string(2000)}, {"accessibility_label": string(75)})
_CONTEXTUAL: dict[str, Check] = {
    "feedback_buttons": _element({"positive_button": _FEEDBACK, "negative_button": _FEEDBACK}, _ASKED),
    "icon_button": _element(
        {"icon": enum("trash"), "text": text(75, "plain_text")},
        {
            **_ASKED,
            "value": string(2000),
            "confirm": _CONFIRM,
            "accessibility_label": string(75),
            "visible_to_user_ids": anything,
        },
    ),
}
_ANY = text(2000, "plain_text", "mrkdwn")
_CARD = _block(
    {},
    {
        "title": text(150, "plain_text", "mrkdwn"),
        "subtitle": text(150, "plain_text", "mrkdwn"),
        "body": text(200, "plain_text", "mrkdwn"),
        "hero_image": tagged({"image": _IMAGE_ELEMENT}),
        "icon": tagged({"image": _IMAGE_ELEMENT}),
        "actions": items(tagged({"button": BUTTON}), 3),
    },
)


def _known(value: Any, pointer: str) -> Iterable[Fault]:
    """A child of a container: any block that may stand in one."""
    kind = mapping(value).get("type")
    if kind in {"container", "markdown", "input", "carousel", "alert", "plan"}:
        return (fault(f"unsupported type: {kind}", f"{pointer}/type"),)
    return tagged(BLOCKS)(value, pointer)


BLOCKS: dict[str, Check] = {
    "section": either(
        "text",
        "fields",
        _block(
            {},
            {
                "text": text(3000, "plain_text", "mrkdwn"),
                "fields": items(_ANY, 10),
                "accessory": tagged({**_ELEMENTS, "image": _IMAGE_ELEMENT}),
                "expand": boolean,
            },
        ),
    ),
    "divider": _block({}),
    "header": _block({"text": text(150, "plain_text")}, {"level": integer(1, 4)}),
    "context": _block(
        {
            "elements": items(
                tagged(
                    {"mrkdwn": text(3000, "mrkdwn"), "plain_text": text(3000, "plain_text"), "image": _IMAGE_ELEMENT}
                ),
                10,
            )
        }
    ),
    "actions": _block({"elements": items(tagged(_ELEMENTS), 25)}),
    "image": either(
        "image_url",
        "slack_file",
        _block(_IMAGE, {"image_url": _URL, "slack_file": _FILE, "title": text(2000, "plain_text")}),
    ),
    "input": _block(
        {"label": text(2000, "plain_text"), "element": tagged(_TYPED)},
        {"hint": text(2000, "plain_text"), "optional": boolean, "dispatch_action": boolean},
    ),
    "rich_text": RICH_TEXT,
    "markdown": _block({"text": string(12000)}),
    "table": _block(
        {"rows": items(items(_CELL, 20), 100)},
        {
            "column_settings": items(
                record({}, {"align": enum("left", "center", "right"), "is_wrapped": boolean}), 20, 0
            )
        },
    ),
    "data_table": _block(
        {"caption": string(150), "rows": items(items(_CELL, 20), 201, 2)},
        {"page_size": integer(1, 100), "columns": anything},
    ),
    "data_visualization": _block(
        {"title": string(50), "chart": tagged({"line": _XY, "bar": _XY, "area": _XY, "pie": _PIE})}
    ),
    "plan": _block({"title": string(256)}, {"tasks": items(tagged({"task_card": _TASK}), 50)}),
    "task_card": _TASK,
    "context_actions": _block({"elements": items(tagged(_CONTEXTUAL), 5)}),
    "card": _CARD,
    "carousel": _block({"elements": items(tagged({"card": _CARD}), 10)}),
    "container": either(
        "title",
        "rich_text_title",
        _block(
            {"child_blocks": items(_known, 10)},
            {
                "title": text(150, "plain_text"),
                "rich_text_title": tagged({"rich_text": RICH_TEXT}),
                "subtitle": text(150, "plain_text", "mrkdwn"),
                "icon": tagged({"image": _IMAGE_ELEMENT}),
                "is_collapsible": boolean,
                "default_collapsed": boolean,
                "has_header_divider": boolean,
                "width": enum("narrow", "standard", "wide", "full"),
            },
        ),
    ),
    "alert": _block(
        {"text": text(200, "plain_text", "mrkdwn")}, {"level": enum("default", "info", "warning", "error", "success")}
    ),
    "file": _block({"external_id": _ID, "source": enum("remote")}),
}

_COMMON = {"section", "divider", "context", "actions", "image", "header", "rich_text", "card"}
_MESSAGE = _COMMON | {
    *("markdown", "table", "data_table", "data_visualization", "plan", "task_card", "context_actions"),
    *("carousel", "container", "file", "input"),
}

SURFACES: dict[str, set[str]] = {
    "message": _MESSAGE,
    "modal": _COMMON | {"input", "alert"},
    "home": _COMMON | {"input", "table", "data_table", "data_visualization", "carousel", "container"},
}
"""Which blocks each surface takes."""
