"""Commits of a real Git repository as changes."""

import os
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from engine.errors import SourceUnavailable
from engine.sources.git_changes import GitChanges
from tests.incident_folder import WINDOW


class Repository:
    """A repository whose commits say when they were made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.run("init", "--quiet", "--initial-branch=main")

    def run(self, *words: str, minutes: float = 0) -> None:
        moment = (WINDOW.start + timedelta(minutes=minutes)).isoformat()
        about = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "GIT_CONFIG_GLOBAL": os.devnull}
        who = ["-c", "user.name=李雷", "-c", "user.email=li@example.org"]
        subprocess.run(["git", *who, *words], cwd=self.path, check=True, timeout=30, env={**os.environ, **about})

    def commit(self, minutes: float, subject: str, *files: str) -> None:
        for name in files:
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_text(f"{subject}\n", encoding="utf-8")
        self.run("add", "--all", minutes=minutes)
        self.run("commit", "--quiet", "--allow-empty", "-m", subject, minutes=minutes)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


async def test_commits_of_the_window_are_changes_of_the_services_they_touch(repository: Repository) -> None:
    """A commit is a change of each service whose folder it touches, told with its subject, files and author."""
    repository.commit(-10, "too early", "pay/a.py")
    repository.commit(1, "缩小连接池", "pay/pool.py", "pay/deep/x.py")
    repository.commit(2, "touch both", "pay/pool.py", "order/a.py")
    repository.commit(3, "readme only", "README.md")
    source = GitChanges(repository.path, {"pay": "payment-service", "order/": "order-service"}, service="platform")
    found = await source.changes(WINDOW, ())
    assert [(change.service, change.kind, change.by) for change in found] == [
        ("payment-service", "commit", "李雷"),
        ("order-service", "commit", "李雷"),
        ("payment-service", "commit", "李雷"),
        ("platform", "commit", "李雷"),
    ]
    assert "缩小连接池" in found[0].summary
    assert "pay/pool.py" in found[0].summary
    assert found[0].time == WINDOW.start + timedelta(minutes=1)
    assert source.services() == ("order-service", "payment-service", "platform")


async def test_services_filter_and_the_longest_folder_counts(repository: Repository) -> None:
    """Only the asked services' changes are told; a folder within a folder is its own service's."""
    repository.commit(1, "deep", "pay/worker/x.py")
    source = GitChanges(repository.path, {"pay": "payment-service", "pay/worker": "payment-worker"})
    assert [change.service for change in await source.changes(WINDOW, ())] == ["payment-worker"]
    assert await source.changes(WINDOW, ("payment-service",)) == ()


async def test_a_tag_makes_a_release_and_a_merge_one_change(repository: Repository) -> None:
    """A tagged commit is a release, and a merge counts once, with the files that it brought."""
    repository.commit(-5, "base", "a.py")
    repository.run("checkout", "--quiet", "-b", "side")
    repository.commit(1, "one", "pay/x.py")
    repository.commit(2, "two", "pay/y.py")
    repository.run("checkout", "--quiet", "main")
    repository.run("merge", "--quiet", "--no-ff", "-m", "merge side", "side", minutes=3)
    repository.run("tag", "v1.5.0")
    (found,) = await GitChanges(repository.path, {"pay": "payment-service"}).changes(WINDOW, ())
    assert found.kind == "release"
    assert found.summary.startswith("v1.5.0：")
    assert "pay/x.py" in found.summary


async def test_what_is_no_repository_or_branch_is_a_gap(tmp_path: Path, repository: Repository) -> None:
    """A missing folder and an unknown branch are the source's failure, in one line."""
    repository.commit(1, "x", "a")
    with pytest.raises(SourceUnavailable, match="git:"):
        await GitChanges(tmp_path / "nowhere").changes(WINDOW, ())
    with pytest.raises(SourceUnavailable, match="git:"):
        await GitChanges(repository.path, ref="--output=/tmp/x").changes(WINDOW, ())


async def test_a_subject_of_any_form_stays_one_change(repository: Repository) -> None:
    """Control characters and separators in a subject or a file's name neither break a record nor add one."""
    repository.commit(1, "a\x1fb <!channel>", "pay/空 格.py")
    (found,) = await GitChanges(repository.path, {"pay": "payment-service"}).changes(WINDOW, ())
    assert "空 格" in found.summary
