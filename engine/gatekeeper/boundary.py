"""Where a text may be cut without cutting a number or an identifier (reading.md 5)."""

import re

__all__ = ["PLAIN", "REACH", "cuts_word", "visible"]

PLAIN = re.compile(r"[ -~\u3400-\u4dbf\u4e00-\u9fff\t\r\n]*")
"""Visible ASCII, Han characters and usual white space: what folding maps one to one but for case and space runs."""

_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control characters and Unicode's Default_Ignorable_Code_Point: they part nothing that a reader sees as one."""

REACH = 5
"""Characters on either side of a cut that decide about it; a thousands separator needs five."""

_MOST_UNSEEN = 16
_SIGNS = "+-−"
_JOINERS = "-.+−‐'’"
_HAN_NUMERALS = "零〇一二三四五六七八九十百千万亿两"


def cuts_word(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would fall inside a number or an identifier."""
    if at <= 0 or at >= len(text):
        return False
    before = visible(text[max(0, at - _MOST_UNSEEN) : at])[-REACH:]
    after = visible(text[at : at + _MOST_UNSEEN])[:REACH]
    if not before or not after:
        # because behind so many unseen characters in a row anything may stand
        return at > _MOST_UNSEEN if not before else at + _MOST_UNSEEN < len(text)
    left, right = before[-1], after[0]
    if (_wordlike(left) and _wordlike(right)) or _is_number(left, right):
        return True
    if _wordlike(right) and _joins(before[:-1], left, after):
        return True
    return _wordlike(left) and _joins(before, right, after[1:])


def visible(text: str) -> str:
    """The text without the characters that nobody sees."""
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def _joins(before: str, joiner: str, after: str) -> bool:
    """Whether the character between makes one number, version, host, word or identifier of its neighbours."""
    inner = _wordlike(before[-1:])
    if joiner in _JOINERS:
        return _wordlike(after[:1]) if inner else _opens_number(joiner, after)
    if joiner == ",":
        return before[-1:].isdigit() and after[:3].isdigit() and len(after) >= 3 and not after[3:4].isdigit()
    return joiner in ":/" and before[-1:].isdigit() and after[:1].isdigit()


def _opens_number(joiner: str, after: str) -> bool:
    """A sign or a decimal point that has no word before it belongs to the number after it."""
    return (joiner in _SIGNS or joiner == ".") and after[:1].isdigit()


def _is_number(left: str, right: str) -> bool:
    """Chinese numerals, and digits with one: 三十一, 5万, 1千5."""
    return (left in _HAN_NUMERALS and (right in _HAN_NUMERALS or right.isdigit())) or (
        right in _HAN_NUMERALS and left.isdigit()
    )


def _wordlike(character: str) -> bool:
    # because Chinese writes without word boundaries, a cut beside a Han character is no cut in a word
    return character == "_" or (character.isalnum() and not _is_han(character))


def _is_han(character: str) -> bool:
    return (
        "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
        or character in "〇々"
    )
