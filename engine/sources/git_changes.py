"""Commits of a Git repository as changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import SourceUnavailable
from engine.sources.program import run_program
from engine.telemetry import Change
from engine.window import TimeWindow

__all__ = ["GitChanges"]

_RECORD, _FIELD = "\x1e", "\x1f"
_FORMAT = f"{_RECORD}%h{_FIELD}%ct{_FIELD}%an{_FIELD}%D{_FIELD}%s"
_MOST_COMMITS = 500
_MOST_BYTES = 20_000_000
_NAMED_FILES = 3


@dataclass
class _Commit:
    time: datetime
    short: str
    author: str
    tags: tuple[str, ...]
    subject: str
    files: list[str] = field(default_factory=list[str])


class GitChanges:
    """Answers with the commits of one branch, by the service whose files they touch.

    Args:
        repository: the folder of a repository or of a clone that is kept up to date.
        paths: services by the folder, relative to the repository, that holds their files; the longest that fits
            counts. A commit that touches several services is a change of each.
        service: whose change a commit is that touches none of those.
        ref: the branch that is deployed.
        seconds: how long one query may take.
    """

    def __init__(
        self,
        repository: Path,
        paths: Mapping[str, str] | None = None,
        *,
        service: str = "",
        ref: str = "HEAD",
        seconds: float = 10.0,
    ) -> None:
        self._repository = repository
        self._paths = {folder.strip("/") + "/": name for folder, name in (paths or {}).items()}
        self._service = service
        self._ref = ref
        self._seconds = seconds

    def services(self) -> tuple[str, ...]:
        """The services that the configuration gives folders to."""
        return tuple(sorted({*self._paths.values(), self._service} - {""}))

    async def changes(self, window: TimeWindow, services: tuple[str, ...]) -> tuple[Change, ...]:
        """See `ChangeSource`.

        Raises:
            SourceUnavailable: `git` is missing, the folder is no repository, or the branch does not exist.
        """
        commits = await self._commits(window)
        found = [change for commit in commits for change in self._changes(commit)]
        kept = (change for change in found if not services or change.service in services)
        return tuple(sorted(kept, key=lambda change: change.time))

    async def _commits(self, window: TimeWindow) -> list[_Commit]:
        command = [
            "git", "-C", str(self._repository), "-c", "core.quotepath=off", "log", f"--format={_FORMAT}", "--name-only",
            "--first-parent", "--diff-merges=first-parent", f"--max-count={_MOST_COMMITS}",
            f"--since=@{int(window.start.timestamp()) - 1}", f"--until=@{int(window.end.timestamp()) + 1}",
            "--end-of-options", self._ref, "--",
        ]  # fmt: skip
        found: list[_Commit] = []
        async with run_program(
            command, seconds=self._seconds, most_bytes=_MOST_BYTES, remedy="repack the repository"
        ) as output:
            async for raw in output:
                line = raw.decode("utf-8", errors="replace").rstrip("\n")
                if line.startswith(_RECORD):
                    found.append(_commit(line[1:], self._repository))
                elif line and found:
                    found[-1].files.append(line)
        return [commit for commit in found if window.contains(commit.time)]

    def _changes(self, commit: _Commit) -> list[Change]:
        touched = {name for name in map(self._owner, commit.files) if name} or {self._service}
        summary = f"{commit.short} {commit.subject}"
        if commit.files:
            more = len(commit.files) - _NAMED_FILES
            files = "、".join(commit.files[:_NAMED_FILES]) + (f" 等 {len(commit.files)} 个文件" if more > 0 else "")
            summary = f"{summary}（{files}）"
        if commit.tags:
            summary = f"{'、'.join(commit.tags)}：{summary}"
        kind = "release" if commit.tags else "commit"
        return [Change(commit.time, name, kind, summary, commit.author) for name in sorted(touched)]

    def _owner(self, file: str) -> str | None:
        fitting = [folder for folder in self._paths if file.startswith(folder) or folder == "/"]
        return self._paths[max(fitting, key=len)] if fitting else None


def _commit(line: str, repository: Path) -> _Commit:
    short, moment, author, refs, subject = (line.split(_FIELD, 4) + [""] * 5)[:5]
    try:
        time = datetime.fromtimestamp(int(moment), UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise SourceUnavailable(f"{repository}: commit {short[:12]} has no time") from error
    tags = tuple(ref.removeprefix("tag: ") for ref in refs.split(", ") if ref.startswith("tag: "))
    return _Commit(time, short, author, tags, subject)
