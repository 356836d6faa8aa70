"""Excerpts against texts (reading.md 5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.gatekeeper.boundary import visible
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
    assert (find_support(text, text) is not None) == any(character.isalnum() for character in visible(folded))


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_numbers_are_never_fuzzy(said: int, held: int) -> None:
    """A number supports only itself."""
    assert (find_support(f"took {said} ms", f"it took {held} ms") is not None) == (said == held)


@pytest.mark.spec("S71")
@pytest.mark.parametrize(
    ("excerpt", "text"),
    [
        ("9", "CPU=9\u200b2%"),
        ("2", "CPU=9\u200b2%"),
        ("\u200b2", "CPU=9\u200b2%"),
        ("9\u200b", "CPU=9\u200b2%"),
        ("9", "CPU=9\x002%"),
        ("9", "CPU=9\ufe0f2%"),
        ("9", "CPU=9" + "\u200b" * 50 + "2%"),
        ("9", "CPU=９２％"),
        ("1", "x=½"),
        ("cafe", "cafe\u0301 x"),
        ("5", "x= .5"),
        ("3", "x=5e+3"),
        ("1", "共 1,234 次"),
        ("百分之三十", "错误率百分之三十一"),
        ("5", "共 5万 条"),
        ("can", "we can't connect"),
        ("mean=0.9", "window.mean=0.9"),
        ("\u200b", "a\u200bb"),
        ("\u3164=\u3164", "a\u3164=\u3164b"),
        ("0.3…", "value=0.35"),
        ("pay…ment", "payment"),
        ("a…a", "a b"),
    ],
)
def test_nothing_hidden_helps_a_part_to_pass_as_the_whole(excerpt: str, text: str) -> None:
    """Unseen characters, composed forms, signs, separators and ellipses never free a part of a number or a name."""
    assert find_support(excerpt, text) is None


@pytest.mark.parametrize(
    ("excerpt", "text", "found"),
    [
        ("caf\u00e9", "cafe\u0301 x", "cafe\u0301"),
        ("ＣＰＵ＝92%", "the cpu=92% now", "cpu=92%"),
        ("错误 412", "错误 412，3 个实例", "错误 412"),
        ("错误,高", "错误，高", "错误，高"),
        ("412 次", "共\n412\t次", "412\t次"),
        ("ERROR", "an Error, no error_code", "Error"),
        ("Waiting...", "Waiting... done", "Waiting"),
        ("次… 次", "一 次 二 次", "次 … 次"),
        ("straße", "STRASSE 5", "STRASSE"),
    ],
)
def test_folding_finds_what_a_reader_would_call_the_same(excerpt: str, text: str, found: str) -> None:
    """Composition, width, case and white space may differ; what comes back is the system's own writing."""
    assert find_support(excerpt, text) == found


words = st.lists(st.sampled_from(["pay", "pay-order", "0.92", "10.92", "次", "错误", "=", ",", "5", " ", "'", "一万"]))


@given(words, words, words)
def test_a_verbatim_search_answers_as_the_folded_one(before: list[str], quoted: list[str], after: list[str]) -> None:
    """Whether a quote is found letter by letter or only after folding, the answer is the same."""
    text = "".join([*before, *quoted, *after])
    excerpt = "".join(quoted)
    verbatim = find_support(excerpt, text)
    # because a ligature far off and another case force the folded search without touching the quote's surroundings
    folded = find_support(excerpt.swapcase(), f"{text} ﬁ")
    assert (verbatim is None) == (folded is None)


@given(st.integers(1, 10**6), st.sampled_from(["\u200b", "\u2060", "\u202e", "\ufeff", "\u00ad", "\x00", "\u034f"]))
def test_an_unseen_character_never_splits_a_number(number: int, unseen: str) -> None:
    """However a longer number is cut by what nobody sees, its beginning and its end support nothing."""
    text = f"count={number}{unseen}7 errors"
    assert find_support(str(number), text) is None
    assert find_support(f"count={number}", text) is None
    assert find_support("7 errors", text) is None


def test_an_excerpt_made_to_be_slow_is_not_found() -> None:
    """A long excerpt that fails at very many places gives up; a short one is found however often it fails before."""
    assert find_support("ab " * 1300 + "a", "ab " * 21_000) is None
    assert find_support("ab " * 1300 + "a", "ab " * 21_000 + "a") is None
    assert find_support("9", "99 " * 20_000 + "9") == "9"
