"""Reading an incident folder's own file, topology and list of files (interfaces.md)."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.errors import IncidentError
from engine.sources.incident import load_incident
from engine.window import TimeWindow
from tests.incident_folder import BASELINE, WINDOW, IncidentFolder, at

GOOD = """
title = "t"
timezone = "Europe/Berlin"
[window]
from = 2026-12-01T06:00:00Z
to = "2026-12-01T14:30:00+08:00"
"""


def _write(folder: Path, text: str) -> Path:
    (folder / "incident.toml").write_text(text, encoding="utf-8")
    return folder


def test_reads_every_part(tmp_path: Path) -> None:
    """Title, zone, windows, stretches, questions, truth, edges and files are what the folder says."""
    stretch = f'logs = [["{at(-20)}", "{at(-10)}"]]\n'
    questions = (
        '[[questions]]\ntext = "为什么报错？"\n[truth]\nroot_cause = ["pay"]\nat = 2026-12-01T06:10:00Z\nnote = 1\n'
    )
    folder = IncidentFolder(tmp_path, stretch + questions).logs([]).topology(("order", "pay")).runbook("a.md", "# a")
    incident = load_incident(folder.path)
    assert (incident.title, incident.timezone) == ("支付报错", "Asia/Shanghai")
    assert (incident.window, incident.baseline) == (WINDOW, BASELINE)
    assert incident.log_stretches() == (
        TimeWindow(start=datetime.fromisoformat(at(-20)), end=datetime.fromisoformat(at(-10))),
    )
    assert incident.questions == ("为什么报错？",)
    assert incident.truth is not None
    assert incident.truth.root_cause == ("pay",)
    assert incident.edges == (("order", "pay"),)
    assert set(incident.files) == {"logs.jsonl", "topology.json"}
    assert incident.runbooks == tmp_path / "runbooks"


def test_times_may_be_texts_or_toml_datetimes(tmp_path: Path) -> None:
    """Both forms name the same moments."""
    incident = load_incident(_write(tmp_path, GOOD))
    assert incident.window.start == datetime(2026, 12, 1, 6, 0, tzinfo=UTC)
    assert incident.window.end == datetime(2026, 12, 1, 6, 30, tzinfo=UTC)
    assert incident.baseline is None
    assert incident.log_stretches() == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title =", "incident.toml"),
        ('title = "t"', r"\[window\].*from and to"),
        (GOOD.replace("[window]", "[windw]"), "'windw'.*'window'"),
        (GOOD.replace("2026-12-01T06:00:00Z", "2026-12-01T06:00:00"), r"\[window\] from.*offset"),
        (GOOD.replace("2026-12-01T06:00:00Z", "2026-12-01"), r"\[window\] from.*offset"),
        (GOOD.replace("2026-12-01T06:00:00Z", '"noon"'), r"\[window\] from.*'noon'"),
        (GOOD.replace("2026-12-01T06:00:00Z", "2026-12-01T08:00:00Z"), r"\[window\].*before"),
        (GOOD.replace("2026-12-01T06:00:00Z", "0001-01-01T00:00:00+14:00"), r"\[window\] from.*years"),
        (GOOD.replace("Europe/Berlin", "Mars/Olympus"), "'Mars/Olympus'.*IANA"),
        (GOOD.replace('"Europe/Berlin"', "7"), "7.*IANA"),
        (GOOD + "[baseline]\nto = 2026-12-01T06:00:00Z\n", r"\[baseline\] from"),
        (GOOD + "[baseline]\nfrom = 2026-12-01T05:00:00Z\nto = 2026-12-01T06:00:00Z\nlogs = 1\n", r"logs.*list"),
        (GOOD + "[baseline]\nfrom = 2026-12-01T05:00:00Z\nto = 2026-12-01T06:00:00Z\nlogs = [[1]]\n", r"logs.*pair"),
        (GOOD.replace("[window]", "questions = 5\n[window]"), r"questions.*text"),
        (GOOD + "[[questions]]\ntext = 5\n", r"questions.*text"),
        (GOOD + '[truth]\nroot_cause = "pay"\n', r"\[truth\] root_cause"),
        (GOOD + '[truth]\nmust_not_claim = ["("]\n', r"\[truth\] must_not_claim"),
        (GOOD.replace("[window]", "truth = 1\n[window]"), r"\[truth\].*table"),
    ],
)
def test_a_wrong_part_is_named(tmp_path: Path, text: str, said: str) -> None:
    """What is wrong in incident.toml is an error that names the file, the key and what is wanted."""
    with pytest.raises(IncidentError, match=said) as raised:
        load_incident(_write(tmp_path, text))
    assert str(tmp_path / "incident.toml") in str(raised.value)


def test_a_missing_folder_or_file_is_named(tmp_path: Path) -> None:
    """The error says which of the two is missing."""
    with pytest.raises(IncidentError, match="no such folder"):
        load_incident(tmp_path / "nowhere")
    with pytest.raises(IncidentError, match=r"incident\.toml: missing"):
        load_incident(tmp_path)


def test_a_plain_file_beside_its_packed_twin_is_refused(tmp_path: Path) -> None:
    """Nobody can say which of the two is meant."""
    folder = IncidentFolder(tmp_path).logs([]).logs([], packed=True)
    with pytest.raises(IncidentError, match=r"logs\.jsonl.*logs\.jsonl\.gz"):
        load_incident(folder.path)


def test_topology_may_be_packed(tmp_path: Path) -> None:
    """topology.json.gz is read as topology.json is."""
    _write(tmp_path, GOOD)
    content = json.dumps({"edges": [{"from": "a", "to": "b"}]}).encode()
    (tmp_path / "topology.json.gz").write_bytes(gzip.compress(content))
    assert load_incident(tmp_path).edges == (("a", "b"),)


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"edges": null}', b'{"edges": [1]}', b'{"edges": [{"from": "a"}]}', b"[" * 100_000, b"\xff\xfe"],
)
def test_a_malformed_topology_is_named(tmp_path: Path, content: bytes) -> None:
    """Whatever stands in topology.json, the error names the file and its form."""
    _write(tmp_path, GOOD)
    (tmp_path / "topology.json").write_bytes(content)
    with pytest.raises(IncidentError, match=r"topology\.json: must be .*edges"):
        load_incident(tmp_path)
