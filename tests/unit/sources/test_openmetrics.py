"""The reader of OpenMetrics text."""

import gzip
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import IncidentError
from engine.sources.openmetrics import MetricFile, parse_labels, read_metrics


def _read(folder: Path, text: str) -> MetricFile:
    path = folder / "metrics.om"
    path.write_text(text, encoding="utf-8")
    return read_metrics(path)


def test_reads_series_units_and_helps(tmp_path: Path) -> None:
    """Samples with the same labels are one series; units and helps stand by name."""
    found = _read(
        tmp_path,
        "# TYPE latency_seconds gauge\n# UNIT latency_seconds seconds\n# HELP latency_seconds Time to answer\n"
        'latency_seconds{service="pay",pod="a"} 0.5 100\nlatency_seconds{service="pay",pod="a"} 0.75 110.5\n'
        'latency_seconds{service="pay",pod="b"} 1 100\n# EOF\n',
    )
    first, second = found.series
    assert (first.signal, first.service, first.labels) == ("latency_seconds", "pay", {"pod": "a"})
    assert (list(first.times), list(first.values)) == ([100.0, 110.5], [0.5, 0.75])
    assert second.labels == {"pod": "b"}
    assert found.units == {"latency_seconds": "seconds"}
    assert found.helps == {"latency_seconds": "Time to answer"}


def test_labels_are_unescaped(tmp_path: Path) -> None:
    r"""Backslash, quote, line feed, commas, braces and `#` inside a label are its text."""
    (series,) = _read(tmp_path, r'up{service="pay",note="C:\\new \"x\", {y} # z\nend"} 1 5' + "\n").series
    assert series.labels == {"note": 'C:\\new "x", {y} # z\nend'}


@given(st.dictionaries(st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True), st.text(max_size=20), max_size=4))
def test_labels_round_trip(labels: dict[str, str]) -> None:
    """Any labels, escaped as OpenMetrics says, are read back as they were."""

    def escaped(value: str) -> str:
        return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    text = ",".join(f'{key}="{escaped(value)}"' for key, value in labels.items())
    assert parse_labels(text) == labels


def test_what_is_no_number_is_left_out(tmp_path: Path) -> None:
    """NaN, infinities and absurdly large values are gaps, not samples."""
    values = ("1", "NaN", "+Inf", "-Inf", "1e308", "2")
    (series,) = _read(tmp_path, "".join(f"up {value} {index}\n" for index, value in enumerate(values))).series
    assert list(series.values) == [1.0, 2.0]
    assert list(series.times) == [0.0, 5.0]


def test_a_counter_becomes_a_rate(tmp_path: Path) -> None:
    """Growth per second between samples; a reset counts from zero, a doubled timestamp is passed over."""
    samples = [(10, 0), (20, 10), (5, 20), (5, 20), (15, 30)]
    text = "".join(f'http_requests_total{{service="pay"}} {value} {time}\n' for value, time in samples)
    (series,) = _read(tmp_path, f"# TYPE http_requests counter\n{text}").series
    assert series.signal == "http_requests_rate"
    assert list(series.values) == [1.0, 0.5, 1.0]
    assert list(series.times) == [10.0, 20.0, 30.0]


def test_a_gauge_may_be_called_total(tmp_path: Path) -> None:
    """What `# TYPE` calls a gauge is kept as it is, whatever its name ends in."""
    found = _read(tmp_path, "# TYPE memory_total gauge\nmemory_total 5 1\nmemory_total 5 2\n")
    assert [(series.signal, list(series.values)) for series in found.series] == [("memory_total", [5.0, 5.0])]


def test_exemplars_are_passed_over(tmp_path: Path) -> None:
    """An exemplar behind a sample changes nothing of it."""
    line = 'a_total{service="pay",note="x # y"} %d %d # {trace_id="t%d"} 99 98\n'
    (series,) = _read(tmp_path, line % (5, 100, 1) + line % (9, 110, 2)).series
    assert (list(series.times), list(series.values)) == ([110.0], [0.4])
    assert series.labels == {"note": "x # y"}


def test_parts_of_histograms_are_passed_over_and_said(tmp_path: Path) -> None:
    """Buckets, sums and counts are no series of their own; a gauge that ends like one is."""
    found = _read(
        tmp_path,
        "# TYPE latency histogram\n"
        'latency_bucket{le="1"} 5 1\nlatency_bucket{le="1"} 6 2\nlatency_sum 5 1\nlatency_count 5 1\n'
        "# TYPE thread_count gauge\nthread_count 7 1\n",
    )
    assert [series.signal for series in found.series] == ["thread_count"]
    assert found.skipped == ("latency_bucket", "latency_count", "latency_sum")


def test_samples_are_put_in_order(tmp_path: Path) -> None:
    """Lines may come in any order."""
    (series,) = _read(tmp_path, "up 3 30\nup 1 10\nup 2 20\n").series
    assert (list(series.times), list(series.values)) == ([10.0, 20.0, 30.0], [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "line", ["up", "up 1", "1up 1 1", "up{a=b} 1 1", 'up{a="b} 1 1', "up one 1", "up 1 soon", "up{ 1 1", "=== 1 1"]
)
def test_a_malformed_line_is_named_by_number(tmp_path: Path, line: str) -> None:
    """A line that is no sample with a timestamp is an error with file and line."""
    with pytest.raises(IncidentError, match=r"metrics\.om:3: "):
        _read(tmp_path, f"# TYPE up gauge\nup 1 1\n{line}\nup 1 2\n")


def test_a_damaged_packed_file_is_an_error_of_the_folder(tmp_path: Path) -> None:
    """Cut or overwritten gzip data is told as such."""
    packed = bytearray(gzip.compress(b"".join(b"up %d %d\n" % (index * 7919 % 1000, index) for index in range(5000))))
    path = tmp_path / "metrics.om.gz"
    for damaged in (packed[: len(packed) // 2], packed[:300] + b"\xff" * 10 + packed[310:], b"no gzip"):
        path.write_bytes(damaged)
        with pytest.raises(IncidentError, match=r"metrics\.om\.gz: cannot be read"):
            read_metrics(path)


@given(st.text(max_size=60))
def test_any_line_is_a_sample_or_an_error_of_the_folder(tmp_path_factory: pytest.TempPathFactory, line: str) -> None:
    """Nothing else comes out of garbage."""
    path = tmp_path_factory.mktemp("garbage") / "metrics.om"
    path.write_text(line, encoding="utf-8", errors="replace")
    with suppress(IncidentError):
        assert isinstance(read_metrics(path), MetricFile)
