"""Text on Slack: untrusted text can mention nobody, link nowhere and format nothing, and is cut where readers would cut.

Lengths are UTF-16 code units, because Slack does not say how it counts and no way of counting gives more than that,
bytes apart. What Slack reads in a text: https://docs.slack.dev/messaging/formatting-message-text.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

from bot.safe_text import safe_text

__all__ = [
    "clean",
    "code",
    "code_block",
    "escape",
    "literal",
    "split",
    "split_mrkdwn",
    "tokenless",
    "truncate",
    "unescape",
    "units",
    "utf8_length",
]

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u3164\uffa0\ud800-\udfff\U000e0100-\U000e01ef]"
)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_WIDE = str.maketrans({"*": "＊", "~": "～", "`": "｀"})
_EDGE_UNDERSCORES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
# because 12:30:45 is a time and no emoji
_EMOJI = re.compile(r":(?=[\w+'-]+:)(?!(?<=\d:)\d\d:)")
_MENTION = re.compile(r"[@#](?=\w)")
_SCHEME = re.compile(r"://|(?i:(?<=mailto)|(?<=tel)):")
_LIVE = re.compile(r"<(?=[!@#]|\w[\w+.-]*:|[^<>\s]*[|@])")
_FENCE = "```"
_WHOLE = re.compile(r"&(?:amp|lt|gt);|<[^<>\n]{1,800}>|```|\r\n|[\U0001f1e6-\U0001f1ff]{2}", re.DOTALL)
_JOINER = "\u200d"
_BREAKS = ("\n\n", "\n", "。！？；", "，、,; \t")


def units(text: str) -> int:
    """The text's length in UTF-16 code units."""
    return len(text) + sum(char > "\uffff" for char in text)


def utf8_length(text: str) -> int:
    """The text's length in bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def clean(text: str) -> str:
    """The text without anything invisible that could hide, turn or break it; for `plain_text` and `rich_text`."""
    return _INVISIBLE.sub("", safe_text(text))


def escape(text: str) -> str:
    """Untrusted text for mrkdwn where formatting does no harm: no token (`<!channel>`, `<@U1>`, `<url|label>`) lives."""
    return "".join(_ENTITIES.get(char, char) for char in clean(text))


def unescape(text: str) -> str:
    """What a person wrote, from Slack's escaped form of it."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def literal(text: str) -> str:
    """Untrusted text for mrkdwn as it stands: no token, formatting, emoji, mention or link; wide twins take their place.

    Words with underscores inside stay as they are, because Slack leaves them alone and people copy them.
    """
    plain = clean(text).translate(_WIDE)
    plain = _EDGE_UNDERSCORES.sub(lambda found: "＿" * len(found.group()), plain)
    plain = _SCHEME.sub(lambda found: found.group().replace(":", "：").replace("/", "／"), plain)
    plain = _EMOJI.sub("：", plain)
    plain = _MENTION.sub(lambda found: "＠" if found.group() == "@" else "＃", plain)
    return "".join(_ENTITIES.get(char, char) for char in plain)


def tokenless(text: str) -> str:
    """Text for a `markdown` block: a `<` that would begin a mention or a link is made wide.

    Because it is not documented how that block reads entities, none are used here.
    """
    return _LIVE.sub("＜", clean(text))


def code(text: str) -> str:
    """Untrusted text as inline code of mrkdwn, on one line; nothing for nothing."""
    line = " ".join(clean(text).replace("`", "｀").split())
    return f"`{escape(line)}`" if line else ""


def code_block(text: str) -> str:
    """Untrusted text as a code block of mrkdwn, which it cannot leave."""
    plain = clean(text)
    return f"{_FENCE}\n{escape(plain.replace('`', '｀') if _FENCE in plain else plain)}\n{_FENCE}"


def truncate(text: str, limit: int, *, size: Callable[[str], int] = units, end: str = "…") -> str:
    """The text, or as much of it as leaves room for `end`, cut between what readers see as characters.

    Args:
        text: may hold entities and tokens, which are kept or dropped whole.
        limit: the most that the result may measure.
        size: how lengths are measured; must add up over parts.
        end: what says that something is missing; nothing but the text's own beginning where it finds no room.
    """
    if size(text) <= limit:
        return text
    mark = end if size(end) < limit else ""
    room = limit - size(mark)
    kept: list[str] = []
    for piece in _pieces(text, max(room, 0), size):
        room -= size(piece)
        if room < 0:
            break
        kept.append(piece)
    return "".join(kept).rstrip() + mark


def split(text: str, limit: int, *, size: Callable[[str], int] = units) -> tuple[str, ...]:
    """The text in parts that measure at most `limit` each and give the text again when joined.

    Parts end at a paragraph, else at a line, a sentence, a word, else between two characters.

    Args:
        text: may hold entities and tokens, which stay whole where they fit.
        limit: at least 4, so that one character always fits.
        size: how lengths are measured; must add up over parts.
    """
    parts: list[str] = []
    held: list[str] = []
    room = limit
    for piece in _pieces(text, limit, size):
        while held and size(piece) > room:
            at = _break(held)
            parts.append("".join(held[:at]))
            held = held[at:]
            room = limit - sum(map(size, held))
        held.append(piece)
        room -= size(piece)
    return (*parts, "".join(held)) if held or not parts else tuple(parts)


def split_mrkdwn(text: str, limit: int) -> tuple[str, ...]:
    """`split`, with a code block that a part cuts closed at that part's end and opened again in the next."""
    if units(text) <= limit:
        return (text,)
    parts: list[str] = []
    within = False
    for part in split(text, limit - 2 * len(_FENCE) - 2):
        opened = f"{_FENCE}\n{part}" if within else part
        within ^= part.count(_FENCE) % 2 == 1
        parts.append(f"{opened}\n{_FENCE}" if within else opened)
    return tuple(parts)


def _pieces(text: str, limit: int, size: Callable[[str], int]) -> Iterator[str]:
    """What is not cut: entities, tokens, fences and characters with what belongs to them; cut all the same if too long."""
    at = 0
    while at < len(text):
        whole = _WHOLE.match(text, at)
        end = _extended(text, whole.end() if whole else at + 1)
        if size(text[at:end]) > limit:
            yield from text[at:end]
        else:
            yield text[at:end]
        at = end


def _extended(text: str, end: int) -> int:
    while end < len(text):
        if text[end - 1] != _JOINER and not _extends(text[end]):
            break
        end += 1
    return end


def _extends(char: str) -> bool:
    return char > "\u02ff" and (
        char == _JOINER or "\U0001f3fb" <= char <= "\U0001f3ff" or unicodedata.category(char)[0] == "M"
    )


def _break(held: list[str]) -> int:
    """How many of the pieces to keep together: the last good place in their latter half, else all of them."""
    tail = range(len(held), len(held) // 2, -1)
    for at in tail:
        if at > 1 and held[at - 1] == held[at - 2] == "\n":
            return at
    for stops in _BREAKS[1:]:
        for at in tail:
            if held[at - 1][0] in stops:
                return at
    return len(held)
