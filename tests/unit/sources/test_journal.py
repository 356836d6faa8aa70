"""The systemd journal through its program; the program is a script that keeps to `journalctl`'s output format."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from engine.errors import SourceUnavailable
from engine.sources.journal import Journal
from engine.telemetry import LogQuery
from tests.incident_folder import BASELINE, WINDOW

ALL = LogQuery(window=WINDOW, baselines=(BASELINE,))
REMOTE = next((path for path in ("/lib/systemd/systemd-journal-remote",) if Path(path).exists()), None)


def _entry(minutes: float, message: object, **fields: str) -> dict[str, object]:
    moment = (WINDOW.start + timedelta(minutes=minutes)).timestamp()
    return {"__REALTIME_TIMESTAMP": str(int(moment * 1e6)), "MESSAGE": message, **fields}


def _program(tmp_path: Path, body: str) -> tuple[str, ...]:
    script = tmp_path / "program.py"
    script.write_text(f"import sys, time\narguments = sys.argv[1:]\n{body}\n", encoding="utf-8")
    return (sys.executable, str(script))


def _printing(tmp_path: Path, *entries: object) -> tuple[str, ...]:
    text = "\n".join(entry if isinstance(entry, str) else json.dumps(entry) for entry in entries)
    return _program(tmp_path, f"sys.stdout.write({text + chr(10)!r})")


async def test_entries_count_by_unit_and_priority(tmp_path: Path) -> None:
    """A unit is a service, a priority a level, and bytes that are no text are read as far as they are."""
    command = _printing(
        tmp_path,
        _entry(1, "pool exhausted", _SYSTEMD_UNIT="pay.service", PRIORITY="3"),
        _entry(-9, "started", SYSLOG_IDENTIFIER="cron", PRIORITY="6"),
        _entry(2, [255, 111, 107], _COMM="sh"),
        "",
        "{",
    )
    digest = await Journal(command=command).search(ALL)
    assert {(group.service, group.level, group.count, group.baseline_count) for group in digest.groups} == {
        ("pay", "ERROR", 1, 0),
        ("cron", "INFO", 0, 1),
        ("sh", "INFO", 1, 0),
    }
    assert digest.complete


async def test_the_program_is_asked_for_the_stretch_and_the_units(tmp_path: Path) -> None:
    """Window and baseline are asked for in one call, as epoch seconds, with the configured units alone."""
    asked = tmp_path / "asked"
    await Journal(
        ("pay.service",), command=_program(tmp_path, f"open({str(asked)!r}, 'w').write(' '.join(arguments))")
    ).search(ALL)
    words = asked.read_text().split()
    assert f"--since=@{int(BASELINE.start.timestamp())}" in words
    assert f"--until=@{int(WINDOW.end.timestamp()) + 1}" in words
    assert "--unit=pay.service" in words


async def test_failures_are_the_sources(tmp_path: Path) -> None:
    """A missing program, one that fails and one that hangs are gaps with a reason."""
    with pytest.raises(SourceUnavailable, match="cannot be run"):
        await Journal(command=(str(tmp_path / "missing"),)).search(ALL)
    with pytest.raises(SourceUnavailable, match="no permission"):
        await Journal(command=_program(tmp_path, "sys.exit('no permission')")).search(ALL)
    with pytest.raises(SourceUnavailable, match="took longer"):
        await Journal(command=_program(tmp_path, "time.sleep(60)"), seconds=0.2).search(ALL)


async def test_what_is_beyond_the_bound_is_said(tmp_path: Path) -> None:
    """A journal longer than the bound is read up to it, and said to be incomplete."""
    command = _printing(tmp_path, *[_entry(1, "x" * 100, _COMM="pay") for _ in range(200)])
    digest = await Journal(command=command, most_bytes=5_000).search(ALL)
    assert 0 < digest.total < 200
    assert not digest.complete
    assert "上限" in digest.warnings[0]


async def test_a_real_journal_is_read(tmp_path: Path) -> None:
    """The real `journalctl` over a real journal file gives the same."""
    if REMOTE is None or shutil.which("journalctl") is None:
        if os.environ.get("CI"):
            pytest.fail("needs systemd-journal-remote and journalctl; .ci/run installs them")
        pytest.skip("needs systemd-journal-remote and journalctl")
    stamp = int((WINDOW.start + timedelta(minutes=1)).timestamp() * 1e6)
    entry = f"__REALTIME_TIMESTAMP={stamp}\n__MONOTONIC_TIMESTAMP=1\n_BOOT_ID={'0' * 31}1\nMESSAGE=pool exhausted\nPRIORITY=3\n_SYSTEMD_UNIT=pay.service\n\n"
    journal = tmp_path / "made.journal"
    await asyncio.to_thread(
        subprocess.run, [REMOTE, f"--output={journal}", "-"], input=entry.encode(), check=True, timeout=30
    )
    digest = await Journal(command=("journalctl", f"--file={journal}")).search(ALL)
    assert [(group.service, group.level, group.count) for group in digest.groups] == [("pay", "ERROR", 1)]
