"""Small talk is told from questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.greetings import is_greeting


@pytest.mark.parametrize("text", ["你好", "  谢谢！！", "hi", "Help", "好的，收到", "早上好～", "Ｈｅｌｌｏ"])
def test_small_talk_is_seen(text: str) -> None:
    """Greetings, thanks, assent and calls for help, in any width and with any punctuation."""
    assert is_greeting(text)


@pytest.mark.parametrize(
    "text",
    [
        "payment-service 为什么报错？",
        "你好，payment-service 为什么报错？",
        "谢谢，那 order-db 呢",
        "hi, why is pay down",
        "",
    ],
)
def test_a_question_is_one_even_with_a_greeting(text: str) -> None:
    """Whatever asks something starts a run."""
    assert not is_greeting(text)


@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    """No text raises."""
    is_greeting(text)
