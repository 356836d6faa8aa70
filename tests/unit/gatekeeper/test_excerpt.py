"""Excerpts against texts (reading.md 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.gatekeeper.excerpt import find_support, prepare


@pytest.mark.parametrize(
    ("excerpt", "text", "found"),
    [
        ("CPU=92%", "payment-service CPU=92% high", "CPU=92%"),
        ("cpu=92％", "payment-service CPU=92% high", "CPU=92%"),
        ("error   rate", "the error rate rose", "error rate"),
        ("连接池", "数据库连接池耗尽", "连接池"),
        ("mean=0.9 … max=0.97", "mean=0.9 min=0.1 max=0.97", "mean=0.9 … max=0.97"),
        ("mean=0.9...max=0.97", "mean=0.9 min=0.1 max=0.97", "mean=0.9 … max=0.97"),
        ("timeout", "error: timeout after 5s", "timeout"),
        ("timeout", '{"error":"timeout"}', "timeout"),
    ],
)
def test_what_stands_there_is_found(excerpt: str, text: str, found: str) -> None:
    """A contiguous quote, folded, or its parts in order, come back in the system's own words."""
    assert find_support(excerpt, text) == found


@pytest.mark.parametrize(
    ("excerpt", "text"),
    [
        ("9", "CPU=92%"),
        ("0.3", "value=10.35"),
        ("3000ms", "took 30000ms"),
        ("err", "error_code"),
        ("payment", "payment-service"),
        ("service", "payment-service"),
        ("1.5", "v1.5.0"),
        ("14:03", "14:03:20"),
        ("max=0.97 … mean=0.9", "mean=0.9 max=0.97"),
        ("5", "-5"),
        ("", "anything"),
        ("…", "anything"),
        ("--", "a -- b"),
        ("CPU=92 %", "CPU=92%"),
        ("error\u200brate", "errorrate is fine"),
    ],
)
def test_what_does_not_stand_there_is_not(excerpt: str, text: str) -> None:
    """Parts of numbers or identifiers, other orders, nothing at all and hidden characters support nothing."""
    assert find_support(excerpt, text) is None


@given(st.text(max_size=60), st.text(max_size=200))
def test_total_and_honest(excerpt: str, text: str) -> None:
    """Any excerpt and text give an answer, and what is found stands in the text letter by letter."""
    found = find_support(excerpt, text)
    if found is not None:
        assert all(part in text for part in found.split(" … "))


@given(st.text(alphabet=st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=80))
def test_a_whole_text_supports_itself(text: str) -> None:
    """A text quoted whole is found, unless it has no letter or digit at all."""
    folded = prepare(text).folded.strip()
    assert (find_support(text, text) is not None) == any(character.isalnum() for character in folded)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_numbers_are_never_fuzzy(said: int, held: int) -> None:
    """A number supports only itself."""
    assert (find_support(f"took {said} ms", f"it took {held} ms") is not None) == (said == held)
