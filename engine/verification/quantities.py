"""Numbers with units out of Chinese and English text, as exact values.

Hand-made for the units that operations use, because general readers take `1500m` for metres and `1.2k` for a
constant; Chinese numerals are read by cn2an only where a unit shows that they are a quantity.
"""

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

import cn2an  # pyright: ignore[reportMissingTypeStubs]  # because the package ships no types

__all__ = ["Comparator", "Dimension", "Quantity", "matches", "read_quantities", "satisfies", "to_quantity"]

Dimension = Literal["ratio", "time", "bytes", "rate", "times", "count", "plain"]
"""`count` is a bare number with a measure word (次, 个); `plain` one without any unit; `times` is 倍."""

Comparator = Literal["gt", "ge", "lt", "le"]

_UNITS: dict[str, tuple[Dimension, str]] = {
    "%": ("ratio", "0.01"), "‰": ("ratio", "0.001"), "bps": ("ratio", "0.0001"), "成": ("ratio", "0.1"),
    "ns": ("time", "1e-9"), "us": ("time", "1e-6"), "μs": ("time", "1e-6"), "ms": ("time", "1e-3"),
    "毫秒": ("time", "1e-3"), "微秒": ("time", "1e-6"), "s": ("time", "1"), "sec": ("time", "1"),
    "secs": ("time", "1"), "second": ("time", "1"), "seconds": ("time", "1"), "秒": ("time", "1"),
    "秒钟": ("time", "1"), "min": ("time", "60"), "mins": ("time", "60"), "minute": ("time", "60"),
    "minutes": ("time", "60"), "分钟": ("time", "60"), "h": ("time", "3600"), "hour": ("time", "3600"),
    "hours": ("time", "3600"), "小时": ("time", "3600"), "天": ("time", "86400"), "days": ("time", "86400"),
    "b": ("bytes", "1"), "bytes": ("bytes", "1"), "字节": ("bytes", "1"), "kb": ("bytes", "1e3"),
    "mb": ("bytes", "1e6"), "gb": ("bytes", "1e9"), "tb": ("bytes", "1e12"), "kib": ("bytes", "1024"),
    "mib": ("bytes", "1048576"), "gib": ("bytes", "1073741824"), "tib": ("bytes", "1099511627776"),
    "qps": ("rate", "1"), "rps": ("rate", "1"), "tps": ("rate", "1"), "/s": ("rate", "1"), "req/s": ("rate", "1"),
    "次/秒": ("rate", "1"), "次每秒": ("rate", "1"), "条/秒": ("rate", "1"), "/秒": ("rate", "1"), "个/秒": ("rate", "1"),
    "倍": ("times", "1"), "x": ("times", "1"), "×": ("times", "1"),
    "个百分点": ("ratio", "0.01"),
    "次": ("count", "1"), "个": ("count", "1"), "条": ("count", "1"), "笔": ("count", "1"), "行": ("count", "1"),
    "台": ("count", "1"), "起": ("count", "1"), "项": ("count", "1"), "处": ("count", "1"), "人": ("count", "1"),
    "个连接": ("count", "1"), "个请求": ("count", "1"),
}  # fmt: skip

_BINARY = {"kb": "1024", "mb": "1048576", "gb": "1073741824", "tb": "1099511627776"}

_SCALES = {"万": "1e4", "亿": "1e8", "千": "1e3", "k": "1e3", "m": "1e6", "g": "1e9"}

_UNIT = "|".join(sorted((re.escape(unit) for unit in _UNITS), key=len, reverse=True))
_NUMBER = r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d{1,3})?"
_QUANTITY = re.compile(
    rf"(?<![a-z0-9_\-.:/+])(?P<number>{_NUMBER})(?:\s?(?P<scale>[万亿千]|[kmg](?![a-z])))?(?:\s?(?P<unit>{_UNIT}))?"
    r"(?![a-z0-9_]|\.\d|[:/]\d|-\d|-[a-z])"
)
_RANGE = re.compile(rf"(?<![a-z0-9_\-.:/])(\d+(?:\.\d+)?)\s?[-~–—至到]\s?(\d+(?:\.\d+)?)\s?({_UNIT})(?![a-z0-9_])")
_PERCENT_ZH = re.compile(r"百分之([零〇一二两三四五六七八九十百点\d.]+)")
_NUMERAL = "零〇一二两三四五六七八九十百千万亿"
_CHINESE = re.compile(
    rf"(?<![第{_NUMERAL}])(?P<number>[{_NUMERAL}]+(?:点[零〇一二两三四五六七八九]+[万亿]?)?)"
    r"(?P<unit>毫秒|秒钟|秒|分钟|小时|倍|成|次|条|笔|字节)"
)
_STATUS = re.compile(r"(?:http|状态码|status(?:\s?code)?|code|错误码|端口|port)[\s=:：]*\d{2,5}(?!\d)")
_APPROXIMATE_BEFORE = re.compile(r"(?:约|大约|近|接近|将近|大概|about|around|~|≈)(?:为|是)?\s*$")
_APPROXIMATE_AFTER = re.compile(r"\s*(?:左右|上下|多)")
_BEFORE: tuple[tuple[Comparator, re.Pattern[str]], ...] = (
    ("ge", re.compile(r"(?:不低于|不少于|不小于|至少|达到或超过|>=|≥|at least|no less than)\s*(?:了)?\s*$")),
    ("le", re.compile(r"(?:不超过|不高于|不多于|不大于|至多|最多|<=|≤|at most|no more than|up to)\s*$")),
    ("gt", re.compile(r"(?:超过|超出|高于|大于|多于|高达超过|突破|>|above|over|more than|greater than|exceeds?)\s*(?:了)?\s*$")),
    ("lt", re.compile(r"(?:不到|不足|低于|少于|小于|未达到|<|below|under|less than)\s*$")),
)  # fmt: skip
_AFTER: tuple[tuple[Comparator, re.Pattern[str]], ...] = (
    ("ge", re.compile(r"\s*(?:以上|及以上)")),
    ("le", re.compile(r"\s*(?:以下|以内|及以下)")),
)
_DIGIT = re.compile(rf"[\d{_NUMERAL}]")
_LEAD = 24
_MAX_DIGITS = 40


@dataclass(frozen=True)
class Quantity:
    """One number as its text states it.

    Attributes:
        value: in the dimension's base unit (1, second, byte, per second).
        raw: the number as written, without its unit.
        dimension: what it measures.
        half: half a unit of its last stated place, in the base unit: what rounding may hide.
        start, end: where it stands in the folded text.
        comparator: what stands around it, such as 超过.
        approximate: 约, 左右.
        binary: the other reading of KB, MB, GB (powers of 1024), where there is one.
    """

    value: Decimal
    raw: Decimal
    dimension: Dimension
    half: Decimal
    start: int
    end: int
    comparator: Comparator | None = None
    approximate: bool = False
    binary: Decimal | None = None


def read_quantities(text: str) -> tuple[Quantity, ...]:
    """Every quantity of a text, in order; identifiers, versions, times, codes and ports are none.

    The text is folded (NFKC, lower case) first; spans refer to `fold(text)`.
    """
    folded = fold(text)
    if not _DIGIT.search(folded):
        return ()
    blocked = [match.span() for match in _STATUS.finditer(folded)]
    found: list[Quantity] = []
    for match in _RANGE.finditer(folded):
        if not _overlaps(match.span(), blocked):
            found += [
                _made(match.group(1), None, match.group(3), match.span(1), folded),
                _made(match.group(2), None, match.group(3), (match.start(2), match.end()), folded),
            ]
            blocked.append(match.span())
    for match in _PERCENT_ZH.finditer(folded):
        number = _numeral(match.group(1))
        if number is not None:
            found.append(_made(number, None, "%", match.span(), folded))
            blocked.append(match.span())
    for match in _QUANTITY.finditer(folded):
        if not _overlaps(match.span(), blocked) and len(match.group("number")) <= _MAX_DIGITS:
            span = (match.start(), match.end())
            found.append(_made(match.group("number"), match.group("scale"), match.group("unit"), span, folded))
            blocked.append(span)
    for match in _CHINESE.finditer(folded):
        # because 一次 and 一条 are how Chinese says "a", not how it counts
        article = match.group("number") == "一" and _UNITS[match.group("unit")][0] == "count"
        number = None if article or _overlaps(match.span(), blocked) else _numeral(match.group("number"))
        if number is not None:
            found.append(_made(number, None, match.group("unit"), match.span(), folded))
    return tuple(sorted((item for item in found if item.value.is_finite()), key=lambda item: item.start))


def fold(text: str) -> str:
    """NFKC and lower case; the same length wherever that can be kept."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()


def to_quantity(number: str, dimension: Dimension, scale: str = "1") -> Quantity | None:
    """A quantity from a bare number of a structured field; None where it is no finite number."""
    try:
        raw = Decimal(number.replace(",", ""))
    except InvalidOperation:
        return None
    if not raw.is_finite() or abs(raw.adjusted()) > _MAX_DIGITS:
        return None
    factor = Decimal(scale)
    return Quantity(raw * factor, raw, dimension, _half(raw) * factor, 0, 0)


def matches(claimed: Quantity, held: Quantity) -> bool:
    """Whether the held number is the claimed one, at the precision that the claim states."""
    readings = [held.value] if held.binary is None else [held.value, held.binary]
    wanted = [(claimed.value, claimed.half)]
    if claimed.binary is not None and claimed.value:
        wanted.append((claimed.binary, claimed.half * claimed.binary / claimed.value))
    if claimed.dimension == "plain":
        readings, wanted = [held.raw], [(claimed.raw, _half(claimed.raw))]
    for target, half in wanted:
        slack = max(half, abs(target) / 10) if claimed.approximate else half
        if any(abs(reading - target) <= slack for reading in readings):
            return True
    return False


def satisfies(held: Quantity, claimed: Quantity) -> bool:
    """Whether the held number meets the claim's comparator; without one, whether it matches."""
    if claimed.comparator is None:
        return matches(claimed, held)
    left, right = held.value, claimed.value
    if claimed.dimension == "plain":
        left, right = held.raw, claimed.raw
    outcomes = {"gt": left > right, "ge": left >= right, "lt": left < right, "le": left <= right}
    return outcomes[claimed.comparator]


def _made(number: str, scale: str | None, unit: str | None, span: tuple[int, int], text: str) -> Quantity:
    raw = Decimal(number.replace(",", ""))
    multiple = Decimal(_SCALES[scale]) if scale else Decimal(1)
    dimension, factor = _UNITS[unit] if unit else ("plain", "1")
    before, after = text[max(0, span[0] - _LEAD) : span[0]], text[span[1] : span[1] + 8]
    binary = raw * multiple * Decimal(_BINARY[unit]) if unit in _BINARY else None
    return Quantity(
        value=raw * multiple * Decimal(factor),
        raw=raw * multiple,
        dimension=dimension,
        half=_half(raw) * multiple * Decimal(factor),
        start=span[0],
        end=span[1],
        comparator=_comparator(before, after),
        approximate=bool(_APPROXIMATE_BEFORE.search(before) or _APPROXIMATE_AFTER.match(after)),
        binary=binary,
    )


def _comparator(before: str, after: str) -> Comparator | None:
    for name, pattern in _BEFORE:
        if pattern.search(before):
            return name
    for name, pattern in _AFTER:
        if pattern.match(after):
            return name
    return None


def _half(raw: Decimal) -> Decimal:
    exponent = raw.as_tuple().exponent
    return Decimal(5).scaleb(min(exponent, 0) - 1) if isinstance(exponent, int) else Decimal(0)


def _numeral(text: str) -> str | None:
    """A Chinese numeral as digits; None for what cn2an does not read."""
    if re.fullmatch(r"\d+(?:\.\d+)?", text):
        return text
    factor = 1
    if "点" in text and text[-1] in "万亿":
        text, factor = text[:-1], int(float(_SCALES[text[-1]]))
    try:
        value = cn2an.cn2an(text, "smart")  # pyright: ignore[reportUnknownMemberType]
    except ValueError:
        return None
    return str(Decimal(str(value)) * factor)


def _overlaps(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)
