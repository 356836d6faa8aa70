"""Text on Slack: nothing untrusted stays live, and nothing is lost or torn when text is cut."""

import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.slack_text import (
    clean,
    code,
    code_block,
    escape,
    literal,
    split,
    split_mrkdwn,
    tokenless,
    truncate,
    unescape,
    units,
    utf8_length,
)

HOSTILE = st.text(
    st.one_of(
        st.sampled_from("<>&!@#|*_~`:/\\\n\r\t -U0W1每支付，。；！\u200b\u202e\ufeff\u0301\u200d\ufe0f\ud83d👩🏽🇨🇳"),
        st.characters(),
    )
)
TOKENS = st.sampled_from(
    [
        "<!channel>",
        "<!here|here>",
        "<!subteam^S1>",
        "<@U1>",
        "<#C1|ops>",
        "<https://evil.example|登录>",
        "<mailto:a@b.c>",
        "<!date^1^{date}|x>",
        "<\u200b!channel>",
        "<\u202e@U1>",
        "&lt;!channel&gt;",
    ]
)
MIXED = st.lists(st.one_of(HOSTILE, TOKENS)).map("".join)


@given(MIXED)
def test_escaped_text_holds_no_live_token(text: str) -> None:
    """No angle bracket of untrusted text survives, an entity is never read twice, and people read what was written."""
    for safe in (escape(text), code(text), code_block(text), literal(text)):
        assert not re.search(r"[<>]", safe)
        assert not re.search(r"&(?!(?:amp|lt|gt);)", safe)
    assert unescape(escape(text)) == clean(text)


@given(MIXED)
def test_nothing_invisible_is_left(text: str) -> None:
    """No zero-width, direction or control character and no half of a character survives, and cleaning again does nothing."""
    kept = clean(text)
    assert not [char for char in kept if unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t"]
    assert not set(kept) & set(
        "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2069\ufeff\u00ad"
    )
    assert clean(kept) == kept
    kept.encode()


@given(MIXED)
def test_literal_text_formats_mentions_and_links_nothing(text: str) -> None:
    """No formatting mark, emoji, name, channel or address stays live in literal text, and writing it twice is writing it once."""
    shown = literal(text)
    assert not re.search(r"[*~`]|://|[@#]\w|mailto:", shown)
    assert not re.search(r"(?<![^\W_])_|_(?![^\W_])", shown)
    assert literal(unescape(shown)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("order_service 在 12:30:45 重启", "order_service 在 12:30:45 重启"),
        ("pod/web-1 CPU > 90% & 内存 < 1 GiB", "pod/web-1 CPU &gt; 90% &amp; 内存 &lt; 1 GiB"),
        ("*严重* ~旧~ `x` __init__ @here #ops", "＊严重＊ ～旧～ ｀x｀ ＿＿init＿＿ ＠here ＃ops"),
        ("见 https://a.b/c :fire:", "见 https：／／a.b/c ：fire:"),
    ],
)
def test_literal_text_stays_readable(text: str, shown: str) -> None:
    """Names and times stay as they are; only what Slack would act on is made wide."""
    assert literal(text) == shown


@given(MIXED)
def test_code_cannot_be_left(text: str) -> None:
    """Inline code has its two backticks and one line; a code block has its two fences only."""
    inline = code(text)
    assert inline == "" or re.fullmatch(r"`[^`\n]+`", inline)
    assert code_block(text).count("```") == 2
    assert re.fullmatch(r"```\n.*\n```", code_block(text), re.DOTALL)


@given(MIXED)
def test_a_markdown_block_gets_no_token(text: str) -> None:
    """No mention, broadcast, labelled or bare link in angle brackets begins in the text of a markdown block."""
    assert not re.search(r"<(?:[!@#]|https?:|mailto:|[^<>\s]*\|)", tokenless(text))


def test_comparisons_stay_in_markdown() -> None:
    """A `<` that begins no token stays as it is."""
    assert tokenless("p99 < 2s, a<b, <!channel>") == "p99 < 2s, a<b, ＜!channel>"


@given(MIXED, st.integers(4, 80), st.sampled_from([units, utf8_length, len]))
def test_splitting_loses_nothing(text: str, limit: int, size: Callable[[str], int]) -> None:
    """The parts joined are the text, each is within the limit, and none is empty but that of an empty text."""
    parts = split(text, limit, size=size)
    assert "".join(parts) == text
    assert all(size(part) <= limit for part in parts)
    assert all(parts) or parts == ("",)


@given(
    st.lists(st.sampled_from(["&lt;", "&amp;", "<@U123>", "👩🏽‍💻", "e\u0301", "🇨🇳", "字", "a", "\n", "。"])),
    st.integers(16, 40),
)
def test_nothing_that_belongs_together_is_torn(pieces: list[str], limit: int) -> None:
    """Neither an entity nor a token nor a composed character is cut in two."""
    text = "".join(pieces)
    places = {sum(map(len, pieces[:at])) for at in range(len(pieces) + 1)}
    cut = 0
    for part in split(text, limit):
        cut += len(part)
        assert cut in places
    kept = truncate(text, limit, end="")
    assert text.startswith(kept)


@given(MIXED, st.integers(0, 60), st.sampled_from(["…", "（见话题）", ""]))
def test_truncated_text_is_its_beginning(text: str, limit: int, end: str) -> None:
    """A truncated text is within the limit, begins as the text does, and says that something is missing where there is room."""
    kept = truncate(text, limit, end=end)
    assert units(kept) <= limit
    if units(text) <= limit:
        assert kept == text
    elif limit > units(end) and end:
        assert kept.endswith(end)
        assert text.startswith(kept.removesuffix(end))


def test_text_is_cut_where_readers_would_cut_it() -> None:
    """A paragraph's end is preferred to a line's, a line's to a sentence's, that to a comma's."""
    assert split("第一段很长的话\n\n第二段\n下一行", 12) == ("第一段很长的话\n\n", "第二段\n下一行")
    assert split("这一句话说完了。那一句话还没有说完", 12) == ("这一句话说完了。", "那一句话还没有说完")


@given(st.lists(st.one_of(st.sampled_from(["```", "\n", "第 1 行 ", "`"]), HOSTILE)).map("".join), st.integers(24, 60))
@example("a\n```\n" + "第一行\n" * 20 + "```\nb", 40)
def test_code_blocks_stay_closed_in_every_part(text: str, limit: int) -> None:
    """A part within the limit closes what it opens unless the text itself does not, and nothing but fences is added."""
    parts = split_mrkdwn(text, limit)
    assert all(units(part) <= limit for part in parts)
    assert re.sub(r"[`\n]", "", "".join(parts)) == re.sub(r"[`\n]", "", text)
    if len(parts) > 1:
        assert all(part.count("```") % 2 == 0 for part in parts if "`" * 4 not in part)
