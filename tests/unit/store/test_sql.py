"""A SQLite file under processes that write at once, and under one that is killed."""

import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from engine.store import open_store
from tests.unit.store.runs import a_run
from tests.unit.store.worker import NODES

ROOT = Path(__file__).resolve().parents[3]


def _worker(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.unit.store.worker", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.spec("S27", "S28")
async def test_two_processes_keep_each_others_channels(tmp_path: Path) -> None:
    """Two processes that each write one channel many times both find their last value kept."""
    url = f"sqlite:///{tmp_path}/verdict.db"
    async with open_store(url) as store:
        await store.begin(a_run())
        workers = [_worker("evaluate", url, name, "30") for name in ("rule_evaluation", "verifier_evaluation")]
        assert [(worker.communicate()[1], worker.returncode) for worker in workers] == [("", 0), ("", 0)]
        expected = {"rule_evaluation": {"turn": 30}, "verifier_evaluation": {"turn": 30}}
        assert (await store.load("run-1")).self_evaluation == expected
        assert await store.session_evaluation("session-1") == expected


async def test_a_killed_process_leaves_a_whole_database(tmp_path: Path) -> None:
    """Killed at any moment, a process leaves a file that is whole and runs that say what they were doing."""
    file = tmp_path / "verdict.db"
    chance = random.Random(20261130)
    for life in range(3):
        worker = _worker("diagnose", f"sqlite:///{file}", f"life-{life}")
        assert worker.stdout is not None
        said = [worker.stdout.readline().split() for _ in range(chance.randrange(1, 120))]
        worker.kill()
        said += [line.split() for line in worker.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
        run_id, node = said[-1]
        connection = sqlite3.connect(file)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.close()
        async with open_store(f"sqlite:///{file}") as store:
            record = await store.load(run_id)
            following = NODES[min(NODES.index(node) + 1, len(NODES) - 1)]
            assert record.stage in (node, following)
            done = [event.node for event in record.events]
            assert done in (list(NODES[: len(done)]),)
            assert NODES.index(node) <= len(done) <= NODES.index(node) + 1
            assert bool(record.invocations) == ("executor" in done)
