"""Times in a question's text."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ConfigError
from engine.window_text import read_duration, read_instant, read_window

ZONE = "Asia/Shanghai"
NOW = datetime(2026, 12, 1, 15, 30, tzinfo=ZoneInfo(ZONE))
"""A Tuesday."""


def _local(text: str, now: datetime = NOW, zone: str = ZONE) -> tuple[str, str] | None:
    window = read_window(text, now, zone)
    if window is None:
        return None
    start, end = (moment.astimezone(ZoneInfo(zone)) for moment in (window.start, window.end))
    return f"{start:%m-%d %H:%M}", f"{end:%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("过去5分钟", "12-01 15:25", "12-01 15:30"),
        ("最近 30 分钟错误率多少", "12-01 15:00", "12-01 15:30"),
        ("近3天", "11-28 15:30", "12-01 15:30"),
        ("过去一小时", "12-01 14:30", "12-01 15:30"),
        ("最近半小时", "12-01 15:00", "12-01 15:30"),
        ("近两小时", "12-01 13:30", "12-01 15:30"),
        ("最近一个半小时", "12-01 14:00", "12-01 15:30"),
        ("过去1.5小时", "12-01 14:00", "12-01 15:30"),
        ("过去５分钟", "12-01 15:25", "12-01 15:30"),
        ("last 2 hours", "12-01 13:30", "12-01 15:30"),
        ("in the past hour", "12-01 14:30", "12-01 15:30"),
        ("10分钟前开始", "12-01 15:20", "12-01 15:30"),
    ],
)
def test_a_length_before_now(text: str, start: str, end: str) -> None:
    """A stretch that ends now is read with its length."""
    assert _local(text) == (start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("刚才报错了", "12-01 15:15", "12-01 15:30"),
        ("2 小时前", "12-01 13:15", "12-01 13:45"),
        ("昨天 14:00", "11-30 13:45", "11-30 14:15"),
        ("前天 10:00", "11-29 09:45", "11-29 10:15"),
        ("yesterday 14:00", "11-30 13:45", "11-30 14:15"),
        ("17:13 前后有订单提交不了", "11-30 16:58", "11-30 17:28"),
        ("14点02分左右", "12-01 13:47", "12-01 14:17"),
        ("凌晨3点", "12-01 02:45", "12-01 03:15"),
        ("下午3点半", "12-01 15:15", "12-01 15:30"),
        ("昨晚 10 点", "11-30 21:45", "11-30 22:15"),
        ("周一 10:00", "11-30 09:45", "11-30 10:15"),
        ("上周三 10:00", "11-25 09:45", "11-25 10:15"),
        ("2026-11-30T14:00:00+08:00", "11-30 13:45", "11-30 14:15"),
        ("2026-11-30T06:00:00Z", "11-30 13:45", "11-30 14:15"),
        ("2026/11/30 14:00", "11-30 13:45", "11-30 14:15"),
    ],
)
def test_one_moment_is_read_with_a_quarter_of_an_hour_around_it(text: str, start: str, end: str) -> None:
    """A point in time becomes a stretch around it, never in the future."""
    assert _local(text) == (start, end)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("22:32 之后和之前比有什么变化", "11-30 22:32"),
        ("22:32以来", "11-30 22:32"),
        ("22:32 开始报错", "11-30 22:32"),
        ("since 14:00", "12-01 14:00"),
        ("从 14:00 开始", "12-01 14:00"),
    ],
)
def test_an_open_stretch_lasts_until_now(text: str, start: str) -> None:
    """What began at a time and is not said to have ended lasts until now."""
    assert _local(text) == (start, "12-01 15:30")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("17:48-17:49 订票链路", "11-30 17:48", "11-30 17:50"),
        ("17:11 到 17:14 哪一条有问题", "11-30 17:11", "11-30 17:15"),
        ("11月30日10:05到10:20", "11-30 10:05", "11-30 10:21"),
        ("between 10:05 and 10:20", "12-01 10:05", "12-01 10:21"),
        ("10:05 和 10:20 之间", "12-01 10:05", "12-01 10:21"),
        ("昨天晚上8点到10点", "11-30 20:00", "11-30 22:01"),
        ("今天 9 点到 10 点", "12-01 09:00", "12-01 10:01"),
        ("上午10点到下午2点", "12-01 10:00", "12-01 14:01"),
        ("23:50 到 00:10", "11-30 23:50", "12-01 00:11"),
        ("2026-11-30T06:00:00Z 到 2026-11-30T07:00:00Z", "11-30 14:00", "11-30 15:00"),
    ],
)
def test_a_range_includes_its_last_minute(text: str, start: str, end: str) -> None:
    """From one time to another; a last minute that is named counts as a whole."""
    assert _local(text) == (start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("今天上午怎么了", "12-01 06:00", "12-01 12:00"),
        ("今天", "12-01 00:00", "12-01 15:30"),
        ("昨天", "11-30 00:00", "12-01 00:00"),
        ("昨晚", "11-30 18:00", "12-01 00:00"),
        ("11月29日有什么异常", "11-29 00:00", "11-30 00:00"),
    ],
)
def test_a_day_or_a_part_of_it(text: str, start: str, end: str) -> None:
    """A day without a clock time is that whole day, as far as it has passed."""
    assert _local(text) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "持续了30分钟",
        "错误率为什么到了 3.5%",
        "payment-service v1.5.0 发布后变慢",
        "10.0.0.5:8080 连不上",
        "99:99",
        "2月30日 10:00",
        "近 99999 天",
        "本周日志里有什么",
        "HTTP 503 变多",
    ],
)
def test_what_is_no_time_gives_none(text: str) -> None:
    """Lengths of an outage, ports, versions, percentages and impossible dates are no windows."""
    assert read_window(text, NOW, ZONE) is None


def test_a_length_counts_seconds_across_a_change_of_summer_time() -> None:
    """Twelve hours are twelve hours where a zone skips one, and half past one to half past three is one."""
    now = datetime(2026, 3, 8, 12, 0, tzinfo=ZoneInfo("America/New_York"))
    last = read_window("过去 12 小时", now, "America/New_York")
    night = read_window("01:30 到 03:30", now, "America/New_York")
    assert last is not None
    assert last.start == datetime(2026, 3, 8, 4, 0, tzinfo=UTC)
    assert night is not None
    assert night.end - night.start == timedelta(hours=1, minutes=1)


WORDS = st.sampled_from(
    [
        "过去",
        "最近",
        "昨天",
        "周一",
        "上",
        "11月30日",
        "10:05",
        "到",
        "-",
        "下午",
        "3点半",
        "分钟",
        "半",
        "2",
        "之后",
        " ",
    ]
)


@given(
    st.text(max_size=60) | st.lists(WORDS, max_size=10).map("".join),
    st.integers(915_148_800, 2_840_140_800),
    st.sampled_from([ZONE, "UTC", "America/New_York", "Australia/Lord_Howe"]),
)
def test_every_text_gives_a_past_window_or_none(text: str, seconds: int, zone: str) -> None:
    """Reading is total, and what it gives is ordered, aware and not in the future."""
    now = datetime.fromtimestamp(seconds, UTC)
    window = read_window(text, now, zone)
    if window is not None:
        assert window.start < window.end <= now


@pytest.mark.parametrize(
    ("text", "seconds"), [("90d", 7_776_000), ("1h30m", 5400), ("30分钟", 1800), ("半小时", 1800), ("45 s", 45)]
)
def test_a_duration(text: str, seconds: int) -> None:
    """Lengths are read in either language and may be put together."""
    assert read_duration(text).total_seconds() == seconds


@pytest.mark.parametrize("text", ["abc", "0m", "1h x", "", "-5m", "99999999d"])
def test_what_is_no_duration_is_refused_with_the_form(text: str) -> None:
    """The error shows how to write one."""
    with pytest.raises(ConfigError, match=r"30m|between"):
        read_duration(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1h", "2026-12-01T14:30+08:00"),
        ("2 小时前", "2026-12-01T13:30+08:00"),
        ("14:00", "2026-12-01T14:00+08:00"),
        ("昨天 14:00", "2026-11-30T14:00+08:00"),
        ("2026-12-01T06:00:00Z", "2026-12-01T14:00+08:00"),
        ("now", "2026-12-01T15:30+08:00"),
    ],
)
def test_an_instant(text: str, expected: str) -> None:
    """A moment may be absolute, a clock time, or a length ago."""
    assert read_instant(text, NOW, ZONE) == datetime.fromisoformat(expected)


def test_what_is_no_instant_is_refused_with_the_forms() -> None:
    """The error shows the forms."""
    with pytest.raises(ConfigError, match="14:00"):
        read_instant("whenever", NOW, ZONE)
