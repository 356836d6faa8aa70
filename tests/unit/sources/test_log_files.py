"""Log files on disk."""

import gzip
import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import SourceUnavailable
from engine.sources.log_files import LogFiles
from engine.telemetry import LogQuery
from tests.incident_folder import BASELINE, WINDOW

ALL = LogQuery(window=WINDOW, baselines=(BASELINE,))


def _line(minutes: float, text: str, level: str = "INFO") -> str:
    return f"{(WINDOW.start + timedelta(minutes=minutes)).isoformat()} {level} {text}\n"


def _write(path: Path, lines: Iterable[str], changed: datetime = WINDOW.end) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(lines).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    os.utime(path, (changed.timestamp(), changed.timestamp()))


async def test_the_path_names_the_service_and_rotated_files_are_read(tmp_path: Path) -> None:
    """Lines of the file, its rotated forms and their gzipped forms count under the service in the path."""
    _write(tmp_path / "pay" / "app.log", [_line(1, "took 7 ms")])
    _write(tmp_path / "pay" / "app.log.1", [_line(-5, "took 8 ms")])
    _write(tmp_path / "pay" / "app.log.2.gz", [_line(-50, "took 9 ms")])
    _write(tmp_path / "pay" / "app.log-20261201.gz", [_line(-55, "took 9 ms")])
    _write(tmp_path / "order" / "app.log", [_line(2, "paid")])
    _write(tmp_path / "order" / "other.log", [_line(2, "not asked for")])
    source = LogFiles(f"{tmp_path}/{{service}}/app.log")
    digest = await source.search(ALL)
    counts = {(group.service, group.template): (group.count, group.baseline_count) for group in digest.groups}
    rest = "INFO took <*> ms"
    assert {(service, template.split(" ", 1)[1]): found for (service, template), found in counts.items()} == {
        ("pay", rest): (1, 3),
        ("order", "INFO paid"): (1, 0),
    }
    assert source.services() == ("order", "pay")
    assert digest.complete


async def test_a_stack_trace_belongs_to_its_line(tmp_path: Path) -> None:
    """Lines that do not say when they were written go on with the line before, and count once with it."""
    trace = "java.lang.IllegalStateException: pool\n\tat com.pay.Pool.get(Pool.java:7)\n"
    _write(tmp_path / "a.log", [_line(1, "failed", "ERROR"), trace, _line(2, "fine")])
    digest = await LogFiles(str(tmp_path / "a.log"), service="pay").search(ALL)
    assert (digest.total, digest.errors) == (2, 1)
    (failed,) = [group for group in digest.groups if group.level == "ERROR"]
    assert "Pool.java:7" in failed.examples[0].message


async def test_only_the_stretch_is_read_of_a_long_file(tmp_path: Path) -> None:
    """Of a file of many days a search reads little more than the stretch, and finds all of it."""
    days = [_line(60 * hour, f"hour {'x' * 2000}") for hour in range(-24 * 90, -24)]
    _write(tmp_path / "a.log", [*days, *[_line(-m, "before") for m in (50, 30, 10)], _line(5, "inside")])
    digest = await LogFiles(str(tmp_path / "a.log"), most_bytes=1_000_000).search(ALL)
    assert (tmp_path / "a.log").stat().st_size > 4_000_000
    assert (digest.total, digest.baseline_total, digest.complete) == (1, 3, True)


async def test_a_file_last_written_before_the_stretch_is_passed_over(tmp_path: Path) -> None:
    """An old rotated file costs nothing, even one that could not be read."""
    _write(tmp_path / "a.log", [_line(1, "x")])
    (tmp_path / "a.log.1.gz").write_bytes(b"no gzip")
    old = (BASELINE.start - timedelta(days=1)).timestamp()
    os.utime(tmp_path / "a.log.1.gz", (old, old))
    digest = await LogFiles(str(tmp_path / "a.log")).search(ALL)
    assert (digest.total, digest.complete) == (1, True)


async def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """A damaged archive, lines without a time and a met bound each make the result incomplete, with a reason."""
    _write(tmp_path / "a.log", [_line(1, "x")])
    _write(tmp_path / "b.log", ["no time here\n"])
    _write(tmp_path / "c.log.gz", [_line(1, "x")])
    (tmp_path / "c.log.gz").write_bytes(b"no gzip")
    digest = await LogFiles(f"{tmp_path}/*.log").search(ALL)
    assert digest.total == 1
    assert not digest.complete
    assert ["无法读取" in digest.warnings[0], "没有可识别的时间" in digest.warnings[1]] == [True, True]
    _write(tmp_path / "long.txt", [_line(1, "y" * 100) for _ in range(100)])
    digest = await LogFiles(f"{tmp_path}/long.txt", most_bytes=1000).search(ALL)
    assert 0 < digest.total < 100
    assert "上限" in digest.warnings[0]


async def test_a_pattern_without_files_is_unavailable(tmp_path: Path) -> None:
    """A pattern that names nothing, and files of which none can be read, are the source's failure."""
    with pytest.raises(SourceUnavailable, match="no such file"):
        await LogFiles(f"{tmp_path}/*.log").search(ALL)
    (tmp_path / "c.log.gz").write_bytes(b"no gzip")
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        await LogFiles(f"{tmp_path}/*.log").search(ALL)


async def test_a_service_without_files_matches_no_stream(tmp_path: Path) -> None:
    """A service that no path and no line names has no stream; one with lines outside the filter has."""
    _write(tmp_path / "pay" / "app.log", [_line(1, "x")])
    source = LogFiles(f"{tmp_path}/{{service}}/app.log")
    assert not (await source.search(LogQuery(WINDOW, (), services=("order",)))).matched_streams
    assert (await source.search(LogQuery(WINDOW, (), services=("pay",), contains="zzz"))).matched_streams


async def test_times_without_a_zone_are_of_the_sources_zone(tmp_path: Path) -> None:
    """A naive time is read in the zone that the source was given, never in the machine's."""
    _write(tmp_path / "a.log", [f"{(WINDOW.start + timedelta(minutes=1)).astimezone(UTC):%Y-%m-%d %H:%M:%S} INFO x\n"])
    digest = await LogFiles(str(tmp_path / "a.log"), zone=UTC).search(ALL)
    assert digest.total == 1
