"""What a text for readers may hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.verification.text_check import allow, holds_json, is_chinese, unsupported_parts

ALLOWED = (
    "payment-service 的错误率窗口均值 31.3%",
    "service=payment-service unit=ratio window.mean=0.3127 first_breach=2026-11-30T14:03:20+08:00",
    "参考 db-pool.md",
)


@pytest.mark.parametrize(
    "text",
    [
        "payment-service 的错误率均值 31.3%",
        "1. 检查 payment-service\n2. 参考 db-pool.md",
        "从 14:03 开始，错误率约 31% [1]",
        "",
    ],
)
def test_what_the_material_holds_may_be_said(text: str) -> None:
    """Numbers after rounding, names, times and numbering pass."""
    assert unsupported_parts(text, allow(ALLOWED), timezone="Asia/Shanghai") == ()


@pytest.mark.parametrize(
    "text",
    [
        "错误率 42%",
        "order-cache-7 的错误率 31.3%",
        "见 https://evil.example/x",
        "执行 `kubectl delete pod`",
        "rm -rf /var",
        "<!channel> 请看",
        "<@U123> 请看",
        "@here 请看",
        "从 15:40 开始",
        "错误码 E1234",
        "发信到 root@evil.example",
        "支付\u200b服务",
        "\u202e倒过来",
    ],
)
def test_what_it_does_not_hold_is_named(text: str) -> None:
    """Unknown numbers, names, links, commands, mentions, times, codes and hidden characters are found."""
    assert unsupported_parts(text, allow(ALLOWED), timezone="Asia/Shanghai")


@pytest.mark.parametrize(
    ("text", "chinese"),
    [("payment-service 的错误率上升", True), ("The error rate rose", False), ("12%", False), ("错误", True)],
)
def test_chinese_is_told_from_english(text: str, chinese: bool) -> None:
    """A sentence with at least as many Han characters as Latin words is Chinese."""
    assert is_chinese(text) == chinese


@pytest.mark.parametrize(
    ("text", "json"),
    [('{"a": 1}', True), ('结论是 {"verdict": "PASS"}', True), ("```\nx\n```", True), ("错误率（31%）", False)],
)
def test_json_is_seen(text: str, json: bool) -> None:
    """JSON objects and code fences are no answer."""
    assert holds_json(text) == json


@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=4))
def test_total(text: str, allowed: list[str]) -> None:
    """No text raises, and a text is carried by itself unless it mentions, links or hides something."""
    unsupported_parts(text, allow(allowed), timezone="Asia/Shanghai")
    is_chinese(text)
    holds_json(text)
