"""The real program with streams that are closed, full, broken or of another encoding, and with Ctrl-C."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.postgres import ROOT

SAMPLE = ROOT / "engine" / "samples" / "payment-pool-leak"
ASK = ("ask", "--incident", str(SAMPLE), "payment-service 为什么报错？")


def _environ(folder: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "VERDICT_DATABASE__URL": f"sqlite+aiosqlite:///{folder}/verdict.db",
        **more,
    }


def _run(folder: Path, *arguments: str, redirect: str = "", **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program; `redirect` is the shell's words for its streams."""
    command = [sys.executable, "-m", "bot", *arguments]
    if redirect:
        command = ["sh", "-c", f'"$@" {redirect}', "sh", *command]
    return subprocess.run(
        command, cwd=ROOT, env=_environ(folder, **environ), capture_output=True, timeout=60, check=False
    )


def test_closed_streams_do_not_end_a_run(tmp_path: Path) -> None:
    """A run whose output and progress nobody can read is kept all the same."""
    done = _run(tmp_path, *ASK, redirect=">&- 2>&-")
    assert done.returncode == 0
    assert b"run-" in _run(tmp_path, "runs").stdout


def test_a_full_disk_is_one_line_and_a_status(tmp_path: Path) -> None:
    """An answer that could not be written is no success; progress that could not is nothing."""
    lost = _run(tmp_path, *ASK, "--no-progress", redirect=">/dev/full")
    assert lost.returncode == 1
    assert lost.stderr.count(b"\n") == 1
    assert b"Traceback" not in lost.stderr
    unwatched = _run(tmp_path, *ASK, redirect="2>/dev/full")
    assert unwatched.returncode == 0
    assert "连接池" in unwatched.stdout.decode()


@pytest.mark.parametrize("arguments", [("runs",), ("runs", "--json"), ASK], ids=["table", "json", "answer"])
def test_a_reader_who_has_left_is_no_failure(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """A closed pipe on stdout is quiet."""
    _run(tmp_path, *ASK, "--no-progress")
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as broken:
        done = _into(tmp_path, arguments, stdout=broken, stderr=subprocess.PIPE)
    assert done.returncode == 0
    assert b"Exception" not in done.stderr
    assert b"verdict:" not in done.stderr


def test_a_watcher_who_has_left_does_not_end_the_run(tmp_path: Path) -> None:
    """A closed pipe on stderr costs the progress, not the answer."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as broken:
        done = _into(tmp_path, ASK, stdout=subprocess.PIPE, stderr=broken)
    assert done.returncode == 0
    assert "连接池" in done.stdout.decode()


def _into(
    folder: Path, arguments: tuple[str, ...], stdout: int | IO[bytes], stderr: int | IO[bytes]
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=ROOT,
        env=_environ(folder),
        stdout=stdout,
        stderr=stderr,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "gbk"])
def test_chinese_passes_any_locale(tmp_path: Path, encoding: str) -> None:
    """Into a pipe the answer is UTF-8, whatever the locale says."""
    done = _run(tmp_path, *ASK, "--no-progress", PYTHONIOENCODING=encoding, LC_ALL="C")
    assert done.returncode == 0
    assert "连接池" in done.stdout.decode("utf-8")


def test_ctrl_c_is_one_line(tmp_path: Path) -> None:
    """An interrupted run ends with the interruption's status, one line and no traceback."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "eval", *[str(SAMPLE)] * 40],
        cwd=ROOT,
        env=_environ(tmp_path, VERDICT_BUDGET__SECONDS="60"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # because whoever runs the tests in the background hands down an ignored SIGINT
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode in {130, -signal.SIGINT}
    assert out == b""
    assert err == b"verdict: interrupted\n"


def test_a_corrupt_database_is_one_line_in_the_real_program(tmp_path: Path) -> None:
    """No thread of the driver adds a traceback."""
    (tmp_path / "verdict.db").write_bytes(b"this is no database at all" * 100)
    for url in (f"sqlite+aiosqlite:///{tmp_path}/verdict.db", f"sqlite+aiosqlite:///{tmp_path}/none/x.db"):
        done = _run(tmp_path, "runs", VERDICT_DATABASE__URL=url)
        assert done.returncode == 1
        assert done.stderr.count(b"\n") == 1


def test_an_unwritable_folder_is_one_line(tmp_path: Path) -> None:
    """A folder in the database's place is named."""
    done = _run(tmp_path, "runs", VERDICT_DATABASE__URL=f"sqlite+aiosqlite:///{tmp_path}")
    assert done.returncode == 1
    assert str(tmp_path).encode() in done.stderr
    assert done.stderr.count(b"\n") == 1
