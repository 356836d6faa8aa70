"""Logs of an incident folder."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import SourceUnavailable
from engine.sources.recorded_logs import RecordedLogs
from engine.telemetry import LogDigest, LogGroup, LogQuery
from engine.window import TimeWindow
from tests.incident_folder import BASELINE, WINDOW, IncidentFolder, log

ALL = LogQuery(window=WINDOW, baselines=(BASELINE,))


def _source(path: Path, *lines: object, packed: bool = False) -> RecordedLogs:
    IncidentFolder(path).logs(list(lines), packed=packed)  # pyright: ignore[reportArgumentType]
    return RecordedLogs(path / ("logs.jsonl.gz" if packed else "logs.jsonl"))


def _group(digest: LogDigest, template: str) -> LogGroup:
    return next(group for group in digest.groups if group.template == template)


@pytest.mark.parametrize("packed", [False, True])
async def test_lines_are_counted_by_template_in_window_and_baseline(tmp_path: Path, packed: bool) -> None:
    """Lines in any order count where their time lies; others count nowhere."""
    times = [20, -10, 5, -70, 1, 40, -59]
    digest = await _source(tmp_path, *[log(t, "pay", f"took {t} ms") for t in times], packed=packed).search(ALL)
    group = _group(digest, "took <*> ms")
    assert (group.count, group.baseline_count) == (3, 2)
    assert (digest.total, digest.baseline_total, digest.baseline_seconds) == (3, 2, 3600)
    assert group.first == WINDOW.start.timestamp() + 60
    assert group.last == WINDOW.start.timestamp() + 1200
    assert digest.complete


async def test_examples_come_from_the_window_where_it_has_any(tmp_path: Path) -> None:
    """A group that the window knows shows the window's lines, few of them."""
    lines = [log(t, "pay", f"order {t + 200} lost", "ERROR") for t in (-5, 1, 2, 3, 4, 5)]
    (group,) = (await _source(tmp_path, *lines).search(ALL)).groups
    assert [line.message for line in group.examples] == ["order 201 lost", "order 202 lost", "order 203 lost"]


async def test_services_and_levels_filter(tmp_path: Path) -> None:
    """A filter keeps what it names; errors are those of the filtered lines."""
    source = _source(tmp_path, log(1, "pay", "a", "error"), log(2, "pay", "b"), log(3, "order", "c", "CRITICAL"))
    digest = await source.search(LogQuery(WINDOW, (BASELINE,), services=("pay",)))
    assert (digest.total, digest.errors) == (2, 1)
    digest = await source.search(LogQuery(WINDOW, (BASELINE,), levels=("ERROR", "FATAL")))
    assert {group.service for group in digest.groups} == {"pay", "order"}


@pytest.mark.parametrize("needle", ['KEY="a<b"', "a<B", 'y="', "超时", "path/x", "\\"])
async def test_contains_finds_what_json_writers_escape(tmp_path: Path, needle: str) -> None:
    """A needle is looked for in the message, however the file escapes it."""
    escaped = log(1, "pay", "?")
    raw = (
        f'{{"timestamp":"{escaped["timestamp"]}","service":"pay",'
        r'"body":"key=\"a\u003cb\" path\/x \\ \u8d85\u65f6 done"}'
    )
    source = _source(tmp_path, raw, log(2, "pay", "other"))
    assert (await source.search(LogQuery(WINDOW, (BASELINE,), contains=needle))).total == 1
    assert (await source.search(LogQuery(WINDOW, (BASELINE,), contains="nowhere"))).total == 0


async def test_streams_match_whatever_their_lines_contain(tmp_path: Path) -> None:
    """A service with logs has matched even when no line holds the text; one without has not."""
    source = _source(tmp_path, log(1, "pay", "fine"))
    assert (await source.search(LogQuery(WINDOW, (), services=("pay",), contains="zzz"))).matched_streams
    assert not (await source.search(LogQuery(WINDOW, (), services=("order",), contains="zzz"))).matched_streams


async def test_bad_lines_are_counted_and_named(tmp_path: Path) -> None:
    """What is no log record is passed over, said with its line number, and makes the result incomplete."""
    deep = '{"timestamp":"2026-12-01T06:01:00Z","body":' + "[" * 5000 + "]" * 5000 + "}"
    naive = '{"timestamp":"2026-12-01T06:01:00","body":"x"}'
    digest = await _source(tmp_path, log(1, "pay", "x"), "", "{", deep, naive, "[1]").search(ALL)
    assert digest.total == 1
    assert not digest.complete
    assert "4 行" in digest.warnings[0]
    assert "第 3 行" in digest.warnings[0]


async def test_a_file_without_any_record_is_an_error_that_names_its_line(tmp_path: Path) -> None:
    """A wholly malformed file is no empty result."""
    with pytest.raises(SourceUnavailable, match=r"logs\.jsonl:2"):
        await _source(tmp_path, "", "nonsense", "more").search(ALL)


@pytest.mark.parametrize("damage", [slice(0, 40), slice(40, None), slice(0, 0)])
async def test_a_damaged_archive_is_unavailable(tmp_path: Path, damage: slice) -> None:
    """Truncated or overwritten gzip data is the source's failure, not the program's."""
    source = _source(tmp_path, *[log(1, "pay", f"line {number}") for number in range(200)], packed=True)
    path = tmp_path / "logs.jsonl.gz"
    content = path.read_bytes()
    path.write_bytes(content[damage] if damage != slice(0, 0) else content[:30] + b"\x00" * 30 + content[60:])
    with pytest.raises(SourceUnavailable):
        await source.search(ALL)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()), min_size=1, max_size=8))
async def test_garbage_is_an_answer_or_an_error_of_ours(tmp_path: Path, lines: list[bytes]) -> None:
    """Whatever bytes a file holds, the search ends with a digest or SourceUnavailable."""
    path = tmp_path / "logs.jsonl"
    path.write_bytes(b"\n".join(lines))
    try:
        digest = await RecordedLogs(path).search(ALL)
    except SourceUnavailable:
        return
    assert digest.total == 0


async def test_endless_templates_are_merged_and_said(tmp_path: Path) -> None:
    """One service's explosion of templates is bounded and leaves those of others apart."""
    letters = [chr(0x4E00 + number) for number in range(700)]
    lines = [*[log(1, "chatty", letter) for letter in letters], log(2, "pay", "pool exhausted", "ERROR")]
    digest = await _source(tmp_path, *lines).search(ALL)
    other = _group(digest, "(other)")
    assert other.service == "chatty"
    assert len(digest.groups) < 510
    assert digest.total == 701
    assert _group(digest, "pool exhausted").count == 1
    assert "(other)" in digest.warnings[0]


async def test_endless_services_are_bounded(tmp_path: Path) -> None:
    """Groups stay bounded when every line names a new service, and no line is lost."""
    digest = await _source(tmp_path, *[log(1, f"s{number}", "x") for number in range(6000)]).search(ALL)
    assert len(digest.groups) <= 5010
    assert digest.total == 6000


async def test_a_search_that_was_cancelled_can_be_asked_again(tmp_path: Path) -> None:
    """Cancelling one of two waiting searches leaves the other; cancelling all leaves the source usable."""
    source = _source(tmp_path, *[log(1, "pay", f"line {number}") for number in range(20_000)])
    first, second = asyncio.create_task(source.search(ALL)), asyncio.create_task(source.search(ALL))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).total == 20_000
    other = LogQuery(WINDOW, ())
    lonely = asyncio.create_task(source.search(other))
    await asyncio.sleep(0)
    lonely.cancel()
    with pytest.raises(asyncio.CancelledError):
        await lonely
    assert (await source.search(other)).total == 20_000


async def test_baseline_seconds_leave_out_what_the_window_covers(tmp_path: Path) -> None:
    """A window that reaches into the baseline is not compared with itself."""
    wide = TimeWindow(start=BASELINE.end.replace(hour=5, minute=45), end=WINDOW.end)
    digest = await _source(tmp_path, log(-10, "pay", "x"), log(-50, "pay", "x")).search(LogQuery(wide, (BASELINE,)))
    assert (digest.total, digest.baseline_total, digest.baseline_seconds) == (1, 1, 2700)
