"""Cuts inside and outside numbers and identifiers (reading.md 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.gatekeeper.boundary import cuts_word


@pytest.mark.parametrize(
    "marked",
    [
        "9|2",
        "0|.5",
        "0.|5",
        "1|,234",
        "1,|234",
        "v1|.5.0",
        "-|5",
        "−|5",
        ".|5",
        "5e|+3",
        "5e+|3",
        "1e-|5",
        "10|-20",
        "14|:03",
        "3|/5",
        "pay|ment",
        "payment|-service",
        "payment‐|service",
        "window.|mean",
        "error|_code",
        "can|'t",
        "can’|t",
        "三十|一",
        "5|万",
        "1千|5",
        "9\u200b|2",
        "9|\u200b2",
        "9|\x002",
        "9|\ufe0f2",
        "pay\u202e|ment",
        "9|" + "\u200b" * 100 + "2",
    ],
)
def test_a_cut_inside_a_number_or_a_name_is_one(marked: str) -> None:
    """Digits, signs, separators, hyphenated names, contractions, Chinese numerals and unseen characters join."""
    at = marked.index("|")
    assert cuts_word(marked.replace("|", ""), at)


@pytest.mark.parametrize(
    "marked",
    [
        "|92",
        "92|",
        "92|%",
        "mean=|0.92",
        "a |b",
        "数据库|连接池",
        "共|412",
        "412|次",
        "412|,3 个实例",
        "[1|,2]",
        "412|,3000 次",
        "done|.",
        "done|. next",
        "error|: 5",
        "a|=b",
        "支付|-服务",
        "统一|的",
        "\u200b|9",
        "9|\u200b",
        "9\u200b| 2",
    ],
)
def test_a_cut_between_words_is_none(marked: str) -> None:
    """Ends, spaces, punctuation that joins nothing, and Han characters part what they stand between."""
    at = marked.index("|")
    assert not cuts_word(marked.replace("|", ""), at)


@given(st.text(max_size=60), st.integers(-3, 63))
def test_any_place_of_any_text_has_an_answer(text: str, at: int) -> None:
    """No text and no index raises, and the ends of a text are never inside anything."""
    cut = cuts_word(text, at)
    assert not (cut and (at <= 0 or at >= len(text)))
