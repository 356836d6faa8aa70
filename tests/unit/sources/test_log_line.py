"""One line of a log file."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sources.log_line import moment_of, parse_line

SHANGHAI = timezone(timedelta(hours=8))
LATEST = datetime(2026, 12, 1, 14, 5, tzinfo=SHANGHAI)
MOMENT = datetime(2026, 12, 1, 14, 0, tzinfo=SHANGHAI).timestamp()


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("2026-12-01T14:00:00+08:00 ERROR boom", "ERROR"),
        ("2026-12-01T06:00:00Z stdout F level=warn msg=boom", "warn"),
        ("2026-12-01 14:00:00,000 [main] WARN com.pay.Pool - boom", "WARN"),
        ("[2026-12-01 14:00:00.000] INFO boom", "INFO"),
        ("2026/12/01 14:00:00 [error] 7#7: *1 connect() failed", "error"),
        ('10.0.0.1 - - [01/Dec/2026:14:00:00 +0800] "GET /pay HTTP/1.1" 502 1', "INFO"),
        ("Dec  1 14:00:00 host pay[7]: boom", "INFO"),
        ("E1201 14:00:00.000000       1 pool.go:7] boom", "ERROR"),
        ("1796104800 CRITICAL boom", "CRITICAL"),
        ('{"ts": 1796104800.0, "level": "error", "msg": "boom"}', "error"),
        ('{"time": "2026-12-01T14:00:00+08:00", "log": {"level": "warn"}, "message": "boom"}', "warn"),
        ('{"@timestamp": "2026-12-01T06:00:00.000Z", "log.level": "ERROR", "message": "boom"}', "ERROR"),
        ('{"log": "ERROR boom\\n", "stream": "stderr", "time": "2026-12-01T06:00:00.000000000Z"}', "ERROR"),
        ('{"timestamp": 1796104800000, "severity": 17, "body": "boom"}', 17),
    ],
)
def test_time_and_severity_are_read_from_the_usual_shapes(line: str, severity: object) -> None:
    """Each usual log format gives its moment, in the source's zone where it names none, and its severity."""
    found = parse_line(line.encode(), SHANGHAI, LATEST)
    assert found is not None
    assert found.moment == pytest.approx(MOMENT)
    assert found.severity == severity
    assert "boom" in found.message or "connect" in found.message or "GET" in found.message


def test_a_json_line_names_its_service() -> None:
    """The service stands under its usual names, flat or nested."""
    for text in ('"service": "pay"', '"service": {"name": "pay"}', '"service.name": "pay"', '"app": "pay"'):
        found = parse_line(f'{{"ts": 1796104800, "msg": "x", {text}}}'.encode(), UTC, LATEST)
        assert found is not None
        assert found.service == "pay", text


@pytest.mark.parametrize(
    "line", ["    at com.pay.Pool.get(Pool.java:7)", "Traceback:", "{", "{}", "2026-13-45 99:99:99 x"]
)
def test_a_line_without_a_time_goes_on_with_the_one_before(line: str) -> None:
    """What does not say when it was written is no line of its own."""
    assert parse_line(line.encode(), UTC, LATEST) is None


def test_a_time_without_a_year_is_of_the_last_year_that_fits() -> None:
    """A line of December in a file last written in January is last year's."""
    found = parse_line(b"Dec 31 23:59:59 host pay: x", UTC, datetime(2027, 1, 1, 0, 5, tzinfo=UTC))
    assert found is not None
    assert datetime.fromtimestamp(found.moment, UTC).year == 2026


@pytest.mark.parametrize("scale", [1, 1_000, 1_000_000, 1_000_000_000])
def test_numbers_tell_their_unit_by_their_size(scale: int) -> None:
    """Seconds, milliseconds, microseconds and nanoseconds give the same moment."""
    assert moment_of(1796104800 * scale, UTC) == pytest.approx(MOMENT)
    assert moment_of(str(1796104800 * scale), UTC) == pytest.approx(MOMENT)


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode()))
def test_no_line_raises(raw: bytes) -> None:
    """Whatever bytes a line holds, it is read or goes on with the one before."""
    parse_line(raw, SHANGHAI, LATEST)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_no_value_in_the_place_of_a_time_raises(value: object) -> None:
    """Whatever stands where a time should, it is a moment or none."""
    moment_of(value, UTC)
