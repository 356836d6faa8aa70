"""How tools write their output."""

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonObject
from engine.invocation import Scope
from engine.tools.output import bounded, finish, six_digits, span, stamp, stamp_seconds
from engine.tools.redaction import Redactor
from tests.incident_folder import CONTEXT, WINDOW

REDACTOR = Redactor(b"k" * 32)


def test_numbers_have_six_digits() -> None:
    """What is stored is what is shown."""
    assert six_digits(0.123456789) == 0.123457
    assert six_digits(1234567.0) == 1234570.0


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_rounding_twice_is_rounding_once(value: float) -> None:
    """A rounded number stays as it is."""
    assert six_digits(six_digits(value)) == six_digits(value)


def test_times_carry_the_zones_offset() -> None:
    """RFC 3339 to the second, or to the millisecond for single lines."""
    moment = datetime(2026, 12, 1, 6, 0, 0, 123456, tzinfo=UTC)
    assert stamp(moment, "Asia/Shanghai") == "2026-12-01T14:00:00+08:00"
    assert stamp(moment, "Europe/Berlin", millis=True) == "2026-12-01T07:00:00.123+01:00"
    assert stamp_seconds(moment.timestamp(), "UTC") == "2026-12-01T06:00:00+00:00"
    assert span(None, "UTC") is None
    assert span(WINDOW, "UTC") == {"from": "2026-12-01T06:00:00+00:00", "to": "2026-12-01T06:30:00+00:00"}


def test_the_ends_of_the_calendar_can_be_shown() -> None:
    """A moment that another zone cannot show keeps its own."""
    assert stamp(datetime.max.replace(tzinfo=UTC), "Asia/Shanghai") == "9999-12-31T23:59:59+00:00"
    assert stamp(datetime.min.replace(tzinfo=UTC), "America/New_York") == "0001-01-01T00:00:00+00:00"


def test_long_texts_end_in_an_ellipsis() -> None:
    """A cut shows, and never splits a placeholder."""
    assert bounded("short", 5, REDACTOR) == "short"
    assert bounded("longer", 5, REDACTOR) == "long…"
    text = "password=hunter2secret and more"
    assert {bounded(text, limit, REDACTOR) for limit in range(11, 29)} == {"password=…"}


def _listed(count: int) -> JsonObject:
    return {
        "summary": {"total": count, "complete": True},
        "items": [{"number": number, "text": "x" * 50} for number in range(count)],
        "points": {"/items/0": "x" * 200},
    }


def test_what_fits_is_whole() -> None:
    """Every item of the lists can be cited, after the summary."""
    result = finish(_listed(3), ("items",), CONTEXT, REDACTOR, Scope())
    assert [ref.raw_path for ref in result.evidence_refs] == ["/summary", "/items/0", "/items/1", "/items/2"]
    assert result.evidence_refs[1].text == f"number=0 text={'x' * 50}"
    assert result.scope.complete
    assert result.note is None


@given(st.integers(0, 200), st.integers(400, 6000))
def test_what_does_not_fit_is_dropped_from_the_end_and_said(count: int, room: int) -> None:
    """The bound holds; the first items stay; summary, scope and note say how many are gone."""
    context = CONTEXT.model_copy(update={"max_bytes": room})
    result = finish(_listed(count), ("items",), context, REDACTOR, Scope(), note="注。")
    assert isinstance(result.output, dict)
    assert len(json.dumps(result.output, ensure_ascii=False).encode()) <= room
    items, summary = result.output["items"], result.output["summary"]
    assert isinstance(items, list)
    assert isinstance(summary, dict)
    assert [item["number"] for item in items if isinstance(item, dict)] == list(range(len(items)))
    dropped = count - len(items)
    assert summary.get("dropped_items", 0) == dropped
    assert summary["complete"] is result.scope.complete is (dropped == 0)
    assert result.note is not None
    assert dropped == 0 or f"略去了 {dropped} 条" in result.note
    assert len(result.evidence_refs) == len(items) + 1


def test_the_given_output_is_left_alone() -> None:
    """Redacting and dropping change a copy."""
    given_output: JsonObject = {"summary": {"text": "password=hunter2secret"}, "items": [{"a": "b" * 2000}]}
    before = json.dumps(given_output)
    finish(given_output, ("items",), CONTEXT.model_copy(update={"max_bytes": 500}), REDACTOR, Scope())
    assert json.dumps(given_output) == before
