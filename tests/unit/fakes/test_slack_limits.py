"""The strict fake refuses what Slack refuses, and says where."""

from typing import Any

import pytest

from tests.fakes.slack.limits import Refusal, Surface, validate_payload
from tests.fakes.slack.manners import Manners, breaches


def _section(text: str, **beside: Any) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}, **beside}


def _button(action_id: str = "a", **beside: Any) -> dict[str, Any]:
    return {"type": "button", "action_id": action_id, "text": {"type": "plain_text", "text": "查看"}, **beside}


def _rich(text: str) -> dict[str, Any]:
    return {
        "type": "rich_text",
        "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": text, "style": {"bold": True}}]}
        ],
    }


def _task(**beside: Any) -> dict[str, Any]:
    return {"type": "task_card", "task_id": "t", "title": "取证", "status": "in_progress", **beside}


GOOD: list[dict[str, Any]] = [
    _section("好"),
    {"type": "section", "fields": [{"type": "plain_text", "text": "a", "emoji": False}], "accessory": _button()},
    {"type": "divider"},
    {"type": "header", "text": {"type": "plain_text", "text": "标题"}},
    {"type": "context", "elements": [{"type": "mrkdwn", "text": "x", "verbatim": True}]},
    {"type": "actions", "elements": [_button("a", value="r1|c1", style="primary"), _button("b", url="https://a.b/")]},
    {"type": "image", "image_url": "https://a.b/c.png", "alt_text": "错误率 31%"},
    _rich("根因"),
    {"type": "markdown", "text": "**粗** 体"},
    {
        "type": "plan",
        "title": "诊断中",
        "tasks": [_task(details=_rich("查询"), sources=[{"type": "url", "url": "https://a.b", "text": "a"}])],
    },
    _task(),
    {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": "f",
                "positive_button": {"text": {"type": "plain_text", "text": "有帮助"}, "value": "r|up"},
                "negative_button": {"text": {"type": "plain_text", "text": "不准确"}, "value": "r|down"},
            }
        ],
    },
    {
        "type": "container",
        "title": {"type": "plain_text", "text": "证据"},
        "child_blocks": [_section("a"), _rich("b")],
        "is_collapsible": True,
    },
    {
        "type": "table",
        "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_number", "value": 1, "text": "1"}, _rich("c")]],
    },
    {
        "type": "data_visualization",
        "title": "错误率",
        "chart": {
            "type": "line",
            "series": [{"name": "a", "data": [{"label": "14:00", "value": 0.3}]}],
            "axis_config": {"categories": ["14:00"]},
        },
    },
]


@pytest.mark.parametrize("block", GOOD)
def test_good_blocks_pass(block: dict[str, Any]) -> None:
    """A block within its limits is taken."""
    assert validate_payload("message", {"text": "摘要", "blocks": [block]}) is None


BAD: list[tuple[list[Any], str, str]] = [
    ([_section("x" * 3001)], "must be less than 3001 characters", "/blocks/0/text/text"),
    ([_section("")], "must be more than 0 characters", "/blocks/0/text/text"),
    ([_section("😀" * 1501)], "must be less than 3001 characters", "/blocks/0/text/text"),
    ([{"type": "section"}], "must define either", "/blocks/0"),
    ([{"type": "section", "fields": [{"type": "mrkdwn", "text": "x" * 2001}]}], "2001", "/blocks/0/fields/0/text"),
    (
        [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}] * 11}],
        "no more than 10 items",
        "/blocks/0/fields",
    ),
    ([_section("x", colour="red")], "invalid additional property: colour", "/blocks/0/colour"),
    ([_section("x", block_id="b" * 256)], "256", "/blocks/0/block_id"),
    ([{"type": "sektion"}], "unsupported type: sektion", "/blocks/0/type"),
    (["section"], "unsupported type: None", "/blocks/0/type"),
    ([{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "unsupported type: mrkdwn", "/blocks/0/text/type"),
    ([{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}], "151", "/blocks/0/text/text"),
    (
        [{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}],
        "no more than 10",
        "/blocks/0/elements",
    ),
    ([{"type": "actions", "elements": [_button(str(n)) for n in range(26)]}], "no more than 25", "/blocks/0/elements"),
    ([{"type": "actions", "elements": [_button("a"), _button("a")]}], "`action_id` a already exists", "/blocks/0"),
    ([_section("x", block_id="b"), _section("y", block_id="b")], "`block_id` b already exists", "/blocks"),
    ([{"type": "actions", "elements": [_button(value="v" * 2001)]}], "2001", "/blocks/0/elements/0/value"),
    ([{"type": "actions", "elements": [_button(style="green")]}], "valid enum value", "/blocks/0/elements/0/style"),
    (
        [{"type": "actions", "elements": [{"type": "button", "text": {"type": "mrkdwn", "text": "x"}}]}],
        "unsupported type: mrkdwn",
        "/blocks/0/elements/0/text/type",
    ),
    ([_section("x")] * 51, "no more than 50 items", "/blocks"),
    ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}] * 2, "no more than 1 table", "/blocks"),
    ([{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 21]}], "no more than 20", "/blocks/0/rows/0"),
    ([_task(status="done")], "valid enum value", "/blocks/0/status"),
    ([{"type": "alert", "text": {"type": "plain_text", "text": "x"}}], "unsupported type: alert", "/blocks/0/type"),
    (
        [
            {
                "type": "container",
                "title": {"type": "plain_text", "text": "x"},
                "child_blocks": [{"type": "markdown", "text": "x"}],
            }
        ],
        "unsupported type: markdown",
        "/blocks/0/child_blocks/0/type",
    ),
    ([{"type": "image", "alt_text": "x"}], "must define either", "/blocks/0"),
    (
        [
            {
                "type": "rich_text",
                "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": ""}]}],
            }
        ],
        "more than 0",
        "/blocks/0/elements/0/elements/0/text",
    ),
]


@pytest.mark.parametrize(("blocks", "what", "where"), BAD, ids=range(len(BAD)))
def test_bad_blocks_are_refused_with_their_place(blocks: list[Any], what: str, where: str) -> None:
    """A block beyond a limit is refused as invalid_blocks, and the message points at it."""
    refusal = validate_payload("message", {"text": "摘要", "blocks": blocks})
    assert refusal is not None
    assert refusal.error == "invalid_blocks"
    assert any(what in told and f"[json-pointer:{where}]" in told for told in refusal.messages), refusal.messages


@pytest.mark.parametrize(
    ("surface", "payload", "error"),
    [
        ("message", {"text": "x", "blocks": [_section("字" * 2700)] * 5}, "msg_blocks_too_long"),
        ("message", {"text": "x", "blocks": [{"type": "markdown", "text": "字" * 7000}] * 2}, "msg_too_long"),
        ("message", {"blocks": [_section("x")]}, "no_text"),
        ("message", {"text": ""}, "no_text"),
        ("message", {"text": "x" * 4001}, "msg_too_long"),
        ("update", {"text": "😀" * 2001}, "msg_too_long"),
        ("update", {"text": "x", "unfurl_links": False}, "invalid_arguments"),
        (
            "message",
            {"text": "x", "metadata": {"event_type": "e", "event_payload": {"a": "字" * 1400}}},
            "metadata_too_large",
        ),
        ("message", {"text": "x", "blocks": {}}, "invalid_blocks_format"),
    ],
)
def test_whole_messages_have_limits(surface: Surface, payload: dict[str, Any], error: str) -> None:
    """A message too long as a whole, without a text, or with an argument that its method has not, is refused."""
    refusal = validate_payload(surface, payload)
    assert refusal is not None
    assert refusal.error == error


def _view(**beside: Any) -> dict[str, Any]:
    return {"type": "modal", "title": {"type": "plain_text", "text": "证据"}, "blocks": [_section("x")], **beside}


@pytest.mark.parametrize(
    "view",
    [
        _view(title={"type": "plain_text", "text": "x" * 25}),
        _view(private_metadata="x" * 3001),
        _view(blocks=[{"type": "markdown", "text": "x"}]),
        _view(blocks=[{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}]]}]),
        _view(blocks=[_section("x")] * 101),
        _view(submit={"type": "mrkdwn", "text": "x"}),
        _view(
            blocks=[
                {
                    "type": "input",
                    "label": {"type": "plain_text", "text": "x"},
                    "element": {"type": "plain_text_input", "action_id": "a"},
                }
            ]
        ),
        _view(text="x"),
    ],
)
def test_views_have_limits(view: dict[str, Any]) -> None:
    """A view beyond a limit, with a block that no modal takes, or asking without a submit button, is refused."""
    refusal = validate_payload("modal", view)
    assert refusal is not None
    assert refusal.error == "invalid_arguments"
    assert refusal.messages


def test_good_views_pass() -> None:
    """A modal and a Home tab within their limits are taken, a huge one is named so."""
    assert validate_payload("modal", _view(submit={"type": "plain_text", "text": "开始"}, private_metadata="")) is None
    assert validate_payload("home", {"type": "home", "blocks": [_section("x")]}) is None
    huge = [
        {
            "type": "rich_text",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "字" * 4000}]}],
        }
    ] * 30
    assert validate_payload("modal", _view(blocks=huge)) == Refusal("view_too_large")


def test_new_block_types_may_be_refused() -> None:
    """A workspace that does not know a type yet refuses it, whatever it holds."""
    refusal = validate_payload("message", {"text": "x", "blocks": [_task()]}, refused=frozenset({"task_card"}))
    assert refusal is not None
    assert "unsupported type: task_card" in refusal.messages[0]


@pytest.mark.parametrize(
    "payload",
    [
        {"text": "看 <!channel>"},
        {"text": "x", "blocks": [_section("<@UEVIL>")]},
        {"text": "x", "blocks": [{"type": "markdown", "text": "<!here>"}]},
        {"text": "x", "blocks": [_section("支付*严重*超时")]},
        {"text": "x", "blocks": [_section("原因：*超时*")]},
        {"text": "x", "blocks": [_section("见 https://evil.example/x")]},
        {"text": "见 https://evil.example/x"},
        {
            "text": "x",
            "blocks": [
                {
                    "type": "rich_text",
                    "elements": [{"type": "rich_text_section", "elements": [{"type": "broadcast", "range": "here"}]}],
                }
            ],
        },
    ],
)
def test_what_readers_must_not_get_is_noted(payload: dict[str, Any]) -> None:
    """A live mention, an address that becomes a link, and bold that shows its asterisks are each a breach."""
    assert breaches(payload, Manners())


@pytest.mark.parametrize(
    "payload",
    [
        {"text": "<@UALICE> 问：支付怎么了"},
        {"text": "x", "blocks": [_section("*严重* 超时 `https://a.b` &lt;!channel&gt; 3 * 4 * 5")]},
        {
            "text": "x",
            "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "见 https://a.b", "verbatim": True}}],
        },
    ],
)
def test_what_readers_may_get_is_let_through(payload: dict[str, Any]) -> None:
    """The asker's own mention, bold with spaces, code, and text that makes no links are no breach."""
    assert breaches(payload, Manners(mentions=frozenset({"UALICE"}))) == []
