"""Progress on stderr: readable, harmless, and never in the way."""

import io

from rich.console import Console

from bot.progress import NODES_ZH, TerminalProgress
from bot.terminal import PlainPipes
from engine.ports import Progress
from engine.run import NodeName
from tests.fakes import RecordingObserver
from tests.scenario.story import Story, passing


class _Failing(io.StringIO):
    """A stream that cannot be written."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error
        self.tried = 0

    def write(self, text: str, /) -> int:
        self.tried += 1
        raise self.error


def _told(*notices: Progress, terminal: bool = False) -> str:
    stream = io.StringIO()
    progress = TerminalProgress(Console(file=stream, force_terminal=terminal, width=40))
    for notice in notices:
        progress.notice(notice)
    return stream.getvalue()


def _finished(node: NodeName, status: str = "ok", detail: str = "") -> Progress:
    return Progress(run_id="r", kind="node_finished", node=node, status=status, detail=detail, duration_ms=1234)


def _tool(status: str, detail: str = "", name: str = "query_logs") -> Progress:
    return Progress(
        run_id="r", kind="tool_finished", node="executor", name=name, status=status, detail=detail, duration_ms=20
    )


def test_each_node_has_its_word_and_its_time() -> None:
    """A finished node is one plain line with its Chinese name and its seconds."""
    for node in NODES_ZH:
        assert _told(_finished(node)) == f"✓ {NODES_ZH[node]} 1.23 秒\n"  # type: ignore[arg-type]


def test_a_failed_node_says_why() -> None:
    """The reason stands in the node's line."""
    assert _told(_finished("executor", "failed", "budget.seconds")) == "✗ 取证 未通过 budget.seconds 1.23 秒\n"


def test_tools_stand_below_with_their_status() -> None:
    """A call is told by name and status, with the reason where it did not work."""
    told = _told(_tool("ok"), _tool("failed", "source down"), _tool("empty"))
    assert told.splitlines() == [
        "    · query_logs 完成 0.02 秒",
        "    · query_logs 失败 source down 0.02 秒",
        "    · query_logs 没有命中 0.02 秒",
    ]


def test_foreign_text_neither_styles_nor_steers() -> None:
    """Markup and escapes of a source's error are printed as characters, or not at all."""
    told = _told(_tool("failed", "[red]x[/] \x1b[2J :boom:"), terminal=True)
    assert "[red]x[/] [2J :boom:" in told


def test_a_stream_that_fails_is_given_up_quietly() -> None:
    """A full disk, a closed file or pipe ends the progress, not the run."""
    for error in (OSError(28, "full"), ValueError("closed"), BrokenPipeError()):
        stream = _Failing(error)
        progress = TerminalProgress(PlainPipes(file=stream))
        progress.notice(_finished("planner"))
        progress.notice(_finished("executor"))
        assert stream.tried == 1


async def test_a_whole_run_can_be_followed() -> None:
    """Everything that a real run reports can be printed; its nodes appear in order."""
    story = Story(passing())
    await story.told()
    assert isinstance(story.observer, RecordingObserver)
    lines = [line for line in _told(*story.observer.seen).splitlines() if line.startswith("✓")]
    assert [line.split()[1] for line in lines] == ["规划", "取证", "绑定校验", "复核", "撰写"]
