"""The incident folder: one incident as files (interfaces.md)."""

import difflib
import json
import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pydantic import Field, ValidationError

from engine.base import Frozen
from engine.errors import IncidentError
from engine.sources.openmetrics import READ_ERRORS, open_text
from engine.window import TimeWindow

__all__ = ["Incident", "Truth", "load_incident"]

_FILES = ("metrics.om", "logs.jsonl", "traces.jsonl", "alerts.json", "changes.jsonl", "topology.json")
_KEYS = ("title", "timezone", "window", "baseline", "questions", "truth")
_TOPOLOGY_CHARS = 5_000_000
_YEARS = range(1970, 2200)


class Truth(Frozen):
    """The label of a recorded incident; further keys of the file are notes and kept apart."""

    healthy: bool = False
    root_cause: tuple[str, ...] = ()
    kind: str = ""
    must_mention: tuple[tuple[str, ...], ...] = ()
    must_not_claim: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()


class Incident(Frozen):
    """One incident folder, read but for its bulk files."""

    folder: Path
    title: str
    timezone: str = "Asia/Shanghai"
    window: TimeWindow
    baseline: TimeWindow | None = None
    baseline_logs: tuple[TimeWindow, ...] = ()
    """The stretches of the baseline that have logs and traces; empty means all of it."""
    questions: tuple[str, ...] = ()
    truth: Truth | None = None
    edges: tuple[tuple[str, str], ...] = ()
    files: dict[str, Path] = Field(default_factory=dict)
    """Bulk files by their plain name; a `.gz` one under the name without it."""
    runbooks: Path | None = None

    def log_stretches(self) -> tuple[TimeWindow, ...]:
        """The baseline stretches to compare logs and traces with."""
        return self.baseline_logs or ((self.baseline,) if self.baseline else ())


def load_incident(folder: Path) -> Incident:
    """Read a folder's `incident.toml` and topology, and find its files.

    Raises:
        IncidentError: the folder or a key of it is not as interfaces.md describes; names place and remedy.
    """
    path = folder / "incident.toml"
    if not folder.is_dir():
        raise IncidentError(f"{folder}: no such folder; give an incident folder that holds incident.toml")
    if not path.is_file():
        raise IncidentError(f"{path}: missing; an incident folder must hold it")
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise IncidentError(f"{path}: {error}") from error
    _no_slips(raw, path)
    files = {name: found for name in _FILES if (found := _find(folder, name)) is not None}
    try:
        return Incident(
            folder=folder,
            title=str(raw.get("title", folder.name)),
            timezone=_timezone(raw, path),
            window=_window(raw.get("window"), f"{path}: [window]"),
            baseline=_window(raw["baseline"], f"{path}: [baseline]") if "baseline" in raw else None,
            baseline_logs=_stretches(raw, path),
            questions=_questions(raw.get("questions", []), path),
            truth=_truth(raw["truth"], path) if "truth" in raw else None,
            edges=_edges(files.get("topology.json")),
            files=files,
            runbooks=folder / "runbooks" if (folder / "runbooks").is_dir() else None,
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise IncidentError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def _find(folder: Path, name: str) -> Path | None:
    plain, packed = folder / name, folder / f"{name}.gz"
    if plain.is_file() and packed.is_file():
        raise IncidentError(f"{plain}: stands beside {packed.name}; keep one of the two")
    return plain if plain.is_file() else packed if packed.is_file() else None


def _timezone(raw: dict[str, Any], path: Path) -> str:
    name = raw.get("timezone", "Asia/Shanghai")
    try:
        TimeWindow(start=datetime(2000, 1, 1, tzinfo=UTC), end=datetime(2000, 1, 2, tzinfo=UTC)).label(name)
    except (KeyError, ValueError, TypeError, OSError) as error:
        raise IncidentError(f"{path}: timezone {name!r} is no IANA zone, such as Asia/Shanghai") from error
    return cast("str", name)


def _window(value: object, place: str) -> TimeWindow:
    if not isinstance(value, dict):
        raise IncidentError(f"{place}: missing or no table; give from and to")
    table = cast("dict[str, object]", value)
    start, end = _moment(table.get("from"), f"{place} from"), _moment(table.get("to"), f"{place} to")
    if start >= end:
        raise IncidentError(f"{place}: from must be before to")
    return TimeWindow(start=start, end=end)


def _moment(value: object, place: str) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise IncidentError(f"{place}: {value[:40]!r} is no RFC 3339 time") from error
    if not isinstance(value, datetime) or value.tzinfo is None:
        raise IncidentError(f"{place}: must be a time with an offset, such as 2026-12-01T14:00:00+08:00")
    if value.year not in _YEARS:
        raise IncidentError(f"{place}: must lie in the years {_YEARS[0]} to {_YEARS[-1]}")
    return value


def _stretches(raw: dict[str, Any], path: Path) -> tuple[TimeWindow, ...]:
    baseline = raw.get("baseline", {})
    listed = baseline.get("logs", []) if isinstance(baseline, dict) else []  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    place = f"{path}: [baseline] logs"
    if not isinstance(listed, list):
        raise IncidentError(f"{place}: must be a list of [from, to] pairs")
    found: list[TimeWindow] = []
    for item in cast("list[object]", listed):
        pair = cast("list[object]", item) if isinstance(item, list) else []
        if len(pair) != 2:
            raise IncidentError(f"{place}: each entry must be a [from, to] pair")
        found.append(_window({"from": pair[0], "to": pair[1]}, place))
    return tuple(found)


def _questions(listed: object, path: Path) -> tuple[str, ...]:
    found: list[str] = []
    for item in cast("list[object]", listed) if isinstance(listed, list) else [None]:
        text = cast("dict[str, object]", item).get("text") if isinstance(item, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise IncidentError(f"{path}: each [[questions]] needs a text")
        found.append(text)
    return tuple(found)


def _no_slips(raw: dict[str, Any], path: Path) -> None:
    """Refuse a key that is nearly a known one; others are notes."""
    for key in raw:
        near = difflib.get_close_matches(key, _KEYS, n=1, cutoff=0.75)
        if key not in _KEYS and near:
            raise IncidentError(f"{path}: unknown key {key[:40]!r}; did you mean {near[0]!r}?")


def _truth(value: object, path: Path) -> Truth:
    if not isinstance(value, dict):
        raise IncidentError(f"{path}: [truth] must be a table")
    table = cast("dict[str, object]", value)
    try:
        truth = Truth.model_validate({key: table[key] for key in Truth.model_fields if key in table})
        for pattern in truth.must_not_claim:
            re.compile(pattern)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise IncidentError(f"{path}: [truth] {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except re.error as error:
        raise IncidentError(f"{path}: [truth] must_not_claim: no regular expression: {error}") from error
    return truth


def _edges(path: Path | None) -> tuple[tuple[str, str], ...]:
    if path is None:
        return ()
    try:
        with open_text(path) as file:
            text = file.read(_TOPOLOGY_CHARS + 1)
        if len(text) > _TOPOLOGY_CHARS:
            raise IncidentError(f"{path}: longer than {_TOPOLOGY_CHARS} characters")
        listed = cast("list[object]", json.loads(text)["edges"])
        return tuple(_edge(item) for item in listed)
    except READ_ERRORS as error:
        raise IncidentError(f"{path}: cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise IncidentError(f'{path}: must be {{"edges": [{{"from": …, "to": …}}]}}: {str(error)[:200]}') from error


def _edge(item: object) -> tuple[str, str]:
    table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
    caller, callee = table.get("from"), table.get("to")
    if not isinstance(caller, str) or not isinstance(callee, str) or not caller or not callee:
        raise ValueError("each edge needs from and to, the names of services")
    return caller, callee
