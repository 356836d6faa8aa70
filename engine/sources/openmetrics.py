"""A streaming reader of OpenMetrics text with timestamps, for recorded incidents."""

import gzip
import math
import re
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO

from engine.errors import IncidentError
from engine.telemetry import Series

__all__ = [
    "READ_ERRORS",
    "MetricFile",
    "open_bytes",
    "open_text",
    "parse_labels",
    "rate_name",
    "read_metrics",
    "unescape",
]

READ_ERRORS = (OSError, EOFError, zlib.error)
"""What reading a plain or gzipped file may raise; damaged gzip data raises each of them."""

_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})?\s+(\S+)\s+(\S+)\s*(?:#.*)?$")
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)')
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_EXEMPLAR = re.compile(r'((?:[^"#]|"(?:[^"\\]|\\.)*")*?)\s+#\s')
"""A sample up to its exemplar; a `#` inside a label's quotes is none."""

_SKIPPED = ("_bucket", "_created", "_sum", "_count", "_gcount", "_gsum")
"""Parts of histograms and summaries."""

_LARGEST = 1e100
"""Numbers beyond this measure nothing, and their sums would overflow."""

_MAX_SERIES = 200_000
_MAX_LINE = 20_000


@dataclass(frozen=True, slots=True)
class MetricFile:
    """Every series of a file, with its units and helps by name, and what was passed over."""

    series: tuple[Series, ...]
    units: dict[str, str] = field(default_factory=dict[str, str])
    helps: dict[str, str] = field(default_factory=dict[str, str])
    skipped: tuple[str, ...] = ()


def open_text(path: Path) -> IO[str]:
    """Open a plain or gzipped UTF-8 file for reading; undecodable bytes become replacement characters."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", errors="replace")
    return path.open(encoding="utf-8", errors="replace")


def open_bytes(path: Path) -> IO[bytes]:
    """Open a plain or gzipped file for reading bytes."""
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # pyright: ignore[reportReturnType]  # because GzipFile reads as a file does


def read_metrics(path: Path) -> MetricFile:
    """Read a metrics file. Counters (`_total`) become rates per second, with resets taken as restarts from 0.

    Raises:
        IncidentError: a line that is no sample, or a file that cannot be read; names the line.
    """
    types: dict[str, str] = {}
    units: dict[str, str] = {}
    helps: dict[str, str] = {}
    kept: dict[str, tuple[str, dict[str, str], array[float], array[float]]] = {}
    skipped: set[str] = set()
    parts: set[str] = set()
    for number, line in _lines(path):
        if line.startswith("#"):
            _describe(line, {"TYPE": types, "UNIT": units, "HELP": helps})
            continue
        if " # " in line and (sample := _EXEMPLAR.match(line)):
            line = sample.group(1)
        space = line.rfind(" ", 0, line.rfind(" "))
        key = line[:space]
        entry = kept.get(key)
        if entry is None:
            if key in parts:
                continue
            name, labels = _identity(line, path, number)
            if _passed_over(name, types):
                skipped.add(name)
                parts.add(key)
                continue
            if len(kept) >= _MAX_SERIES:
                raise IncidentError(f"{path}:{number}: more than {_MAX_SERIES} series")
            entry = kept.setdefault(key, (name, labels, array("d"), array("d")))
        _append(entry[2], entry[3], line[space + 1 :], path, number)
    series = tuple(_series(*entry, counter=_is_counter(entry[0], types)) for entry in kept.values())
    return MetricFile(series, units, helps, tuple(sorted(skipped)))


def parse_labels(text: str) -> dict[str, str] | None:
    """The labels between braces; None where the text is none."""
    found: dict[str, str] = {}
    position = 0
    while position < len(text.rstrip().rstrip(",")):
        match = _LABEL.match(text, position)
        if not match:
            return None
        found[match.group(1)] = unescape(match.group(2))
        position = match.end()
    return found


def unescape(text: str) -> str:
    """A label's value without its escapes: backslash, quote and line feed (OpenMetrics 1.0)."""
    return _ESCAPED.sub(lambda match: {"n": "\n"}.get(match.group(1), match.group(1)), text)


def _describe(line: str, kinds: dict[str, dict[str, str]]) -> None:
    parts = line.split(" ", 3)
    if len(parts) == 4 and parts[1] in kinds:
        kinds[parts[1]][parts[2]] = parts[3][:200].strip()


def _passed_over(name: str, types: dict[str, str]) -> bool:
    """Whether a name is a part of a histogram or summary; a gauge may end as such a part does."""
    if not name.endswith(_SKIPPED) or name in types:
        return False
    kind = types.get(name.rpartition("_")[0])
    return kind is not None if name.endswith("_count") else kind not in {"gauge", "unknown"}


def _is_counter(name: str, types: dict[str, str]) -> bool:
    """Whether a name counts up: by its suffix, unless its `# TYPE` says that it is something else."""
    declared = types.get(name) or types.get(name.removesuffix("_total"))
    return name.endswith("_total") and declared in {None, "counter", "unknown", "untyped"}


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with open_text(path) as file:
            for number, line in enumerate(file, start=1):
                text = line.rstrip("\n")
                if len(text) > _MAX_LINE:
                    raise IncidentError(f"{path}:{number}: the line is longer than {_MAX_LINE} characters")
                if text.strip():
                    yield number, text
    except READ_ERRORS as error:
        raise IncidentError(f"{path}: cannot be read: {error}") from error


def _identity(line: str, path: Path, number: int) -> tuple[str, dict[str, str]]:
    match = _SAMPLE.match(line)
    labels = parse_labels(match.group(2) or "") if match else None
    if not match or labels is None:
        raise IncidentError(f'{path}:{number}: no sample; expected name{{label="value"}} value timestamp')
    return match.group(1), labels


def _append(times: "array[float]", values: "array[float]", text: str, path: Path, number: int) -> None:
    value, _, stamp = text.partition(" ")
    try:
        moment, sample = float(stamp), float(value)
    except ValueError as error:
        raise IncidentError(f"{path}:{number}: value or timestamp is no number") from error
    if abs(sample) <= _LARGEST and math.isfinite(moment):
        times.append(moment)
        values.append(sample)


def _series(
    name: str, labels: dict[str, str], times: "array[float]", values: "array[float]", *, counter: bool
) -> Series:
    if any(later < earlier for earlier, later in pairwise(times)):
        order = sorted(range(len(times)), key=times.__getitem__)
        times, values = array("d", [times[i] for i in order]), array("d", [values[i] for i in order])
    service = labels.get("service") or labels.get("job") or ""
    rest = {key: value for key, value in labels.items() if key != "service"}
    if not counter:
        return Series(name, service, rest, times, values)
    moments, rates = array("d"), array("d")
    for index in range(1, len(values)):
        step = times[index] - times[index - 1]
        if step > 0:
            grown = values[index] - values[index - 1]
            moments.append(times[index])
            rates.append((grown if grown >= 0 else values[index]) / step)
    return Series(rate_name(name), service, rest, moments, rates)


def rate_name(name: str) -> str:
    """The name under which a counter's rate is held: `http_requests_total` → `http_requests_rate`."""
    return f"{name.removesuffix('_total')}_rate"
