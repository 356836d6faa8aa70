"""What a run is doing, one line a node on stderr."""

from rich.console import Console
from rich.markup import escape

from bot.terminal import one_line
from engine.ports import Progress

__all__ = ["NODES_ZH", "NoProgress", "TerminalProgress"]

NODES_ZH = {
    "planner": "规划",
    "executor": "取证",
    "gatekeeper": "绑定校验",
    "verifier": "复核",
    "evidence_retry": "补充取证",
    "composer": "撰写",
    "fallback": "兜底",
}

_DETAIL = 80
_CALLS_ZH = {"ok": "完成", "failed": "失败", "empty": "没有命中", "deduped": "没有新内容"}


class NoProgress:
    """Nobody watches."""

    def notice(self, progress: Progress) -> None:
        """Nothing."""


class TerminalProgress:
    """Prints each finished node with its time, and under 取证 each finished call."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def notice(self, progress: Progress) -> None:
        """See `Observer`."""
        if progress.kind == "node_finished":
            mark = "[green]✓[/]" if progress.status == "ok" else "[red]✗[/]"
            reason = "" if progress.status == "ok" else f" 未通过{_behind(progress.detail)}"
            self._print(f"{mark} {NODES_ZH.get(progress.node, progress.node)}{reason} [dim]{_took(progress)}[/]")
        elif progress.kind == "tool_finished":
            status = _CALLS_ZH.get(progress.status, progress.status)
            detail = _behind(progress.detail) if progress.status != "ok" else ""
            self._print(f"    [dim]· {_plain(progress.name)} {status}{detail} {_took(progress)}[/]")

    def _print(self, line: str) -> None:
        try:
            self._console.print(line, highlight=False, emoji=False, soft_wrap=True)
        except (OSError, ValueError):
            # because a diagnosis goes on when nobody can be shown how far it is
            self._console.quiet = True


def _behind(detail: str) -> str:
    return f" {_plain(detail[:_DETAIL])}" if detail else ""


def _plain(text: str) -> str:
    return escape(one_line(text))


def _took(progress: Progress) -> str:
    return f"{(progress.duration_ms or 0) / 1000:.2f} 秒"
