"""Numbers with units out of text."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.verification.quantities import matches, read_quantities, satisfies


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("错误率 31.3%", [("0.313", "ratio")]),
        ("百分之七点八", [("0.078", "ratio")]),
        ("三成", [("0.3", "ratio")]),
        ("耗时 1234 ms", [("1.234", "time")]),
        ("1.2 秒", [("1.2", "time")]),
        ("3 分钟", [("180", "time")]),
        ("512 KiB", [("524288", "bytes")]),
        ("1.2万次", [("12000", "count")]),
        ("两万五千条", [("25000", "count")]),
        ("一点二亿次", [("120000000", "count")]),
        ("1,234,567 次", [("1234567", "count")]),
        ("10-20ms", [("0.01", "time"), ("0.02", "time")]),
        ("300 次/秒", [("300", "rate")]),
        ("4.7 倍", [("4.7", "times")]),
        ("９２％", [("0.92", "ratio")]),
        ("window.mean=0.92", [("0.92", "plain")]),
    ],
)
def test_quantities_are_read_exactly(text: str, expected: list[tuple[str, str]]) -> None:
    """Value in the base unit and dimension, in Chinese and English."""
    found = [(item.value, item.dimension) for item in read_quantities(text)]
    assert found == [(Decimal(value), dimension) for value, dimension in expected]


@pytest.mark.parametrize(
    "text",
    ["v1.5.0", "14:03:20", "2026-11-30T14:03:20+08:00", "10.0.0.1:8080", "HTTP 503", "状态码 500", "第三次", "5xx",
     "p95", "ts-order-service2", "E1234", "有一次发布", "order-db-2"],
)  # fmt: skip
def test_identifiers_are_no_quantities(text: str) -> None:
    """Versions, times, addresses, codes, ordinals and names are read elsewhere, or not at all."""
    assert read_quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "comparator", "approximate"),
    [
        ("超过 90%", "gt", False),
        ("不低于 90%", "ge", False),
        ("至少 3 次", "ge", False),
        ("不到 5 次", "lt", False),
        ("不超过 5 次", "le", False),
        (">= 5", "ge", False),
        ("90% 以上", "ge", False),
        ("约 90%", None, True),
        ("90% 左右", None, True),
    ],
)
def test_what_stands_around_a_number(text: str, comparator: str | None, approximate: bool) -> None:
    """Comparators before and after, and approximations."""
    (found,) = read_quantities(text)
    assert (found.comparator, found.approximate) == (comparator, approximate)


@pytest.mark.parametrize(
    ("claimed", "held", "same"),
    [
        ("31%", "31.27%", True),
        ("31.3%", "31.27%", True),
        ("31.2%", "31.27%", False),
        ("3000ms", "30000ms", False),
        ("1.2 秒", "1234 ms", True),
        ("1.23 秒", "1234 ms", True),
        ("1.230 秒", "1234 ms", False),
        ("约 100 ms", "108 ms", True),
        ("约 100 ms", "120 ms", False),
        ("512 MB", "536870912 bytes", True),
        ("512 MB", "512000000 bytes", True),
        ("412 次", "413 次", False),
    ],
)
def test_rounding_at_the_claims_own_precision(claimed: str, held: str, same: bool) -> None:
    """A number is the same when the claim's last place hides the difference, and only then."""
    assert matches(read_quantities(claimed)[0], read_quantities(held)[0]) == same


@pytest.mark.parametrize(
    ("claimed", "held", "met"),
    [("超过 90%", "93%", True), ("超过 90%", "89.9%", False), ("超过 90%", "90%", False), ("至少 90%", "90%", True),
     ("不到 90%", "90%", False), ("不超过 90%", "90%", True)],
)  # fmt: skip
def test_comparators_have_exact_boundaries(claimed: str, held: str, met: bool) -> None:
    """The boundary itself belongs to 至少 and 不超过 and to no other."""
    assert satisfies(read_quantities(held)[0], read_quantities(claimed)[0]) == met


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """No text raises, and every value is finite."""
    assert all(item.value.is_finite() for item in read_quantities(text))
