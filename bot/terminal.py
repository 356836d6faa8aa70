"""Untrusted text on a terminal: nothing in it may steer the terminal or turn its lines around."""

import os
import re
import sys
from typing import TextIO

from rich.console import Console
from rich.text import Text

from bot.safe_text import one_line, safe_text

__all__ = ["PlainPipes", "console", "drop_output", "make_safe_streams", "one_line", "safe_text", "write_answer"]

_WIDE = 160
_VERDICT = re.compile(r"^【[^】\n]{1,12}】")
_HEADING = re.compile(r"^[^\s·\[【].{0,30}$", re.MULTILINE)
_CITED = re.compile(r"(?:\[\d{1,3}\])+$", re.MULTILINE)
_EVIDENCE = re.compile(r"^    .*$", re.MULTILINE)


class PlainPipes(Console):
    """A console that leaves a closed pipe to whoever called it, instead of ending the program."""

    def on_broken_pipe(self) -> None:
        """Raise what the system said."""
        raise BrokenPipeError


def console() -> Console:
    """Standard output for tables; wide where it is no terminal, because a file has no edge."""
    return PlainPipes(markup=False, highlight=False, emoji=False, width=None if sys.stdout.isatty() else _WIDE)


def write_answer(text: str, footer: str) -> None:
    """Print an answer: as it is where nobody watches, with its parts set apart on a terminal.

    The text is never read as markup: styles are laid over it by place.
    """
    plain = f"{safe_text(text)}\n\n{safe_text(footer)}"
    if not sys.stdout.isatty():
        sys.stdout.write(f"{plain}\n")
        return
    styled = Text(plain)
    styled.highlight_regex(_HEADING, "bold")
    styled.highlight_regex(_VERDICT, "bold reverse")
    styled.highlight_regex(_CITED, "cyan")
    styled.highlight_regex(_EVIDENCE, "dim")
    styled.stylize("dim", len(plain) - len(safe_text(footer)))
    console().print(styled, soft_wrap=True)


def make_safe_streams() -> None:
    """Let Chinese through on any terminal: what its encoding cannot show becomes an escape, not an error."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # because it is None where it was closed
        sys.stdout = _nowhere()
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]  # because it is None where it was closed
        sys.stderr = _nowhere()
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream)


def drop_output() -> None:
    """Send what is still to be written nowhere, because nobody reads it; keeps the interpreter's end quiet."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            try:
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)
            except (OSError, ValueError):
                # because a stream without a descriptor has nothing that could fail at the end
                continue


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # because it stands in for the stream until the end


def _reconfigure(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        utf8 = (stream.encoding or "").lower().replace("-", "") == "utf8"
        reconfigure(errors="backslashreplace" if utf8 or not stream.isatty() else "replace")
        if not utf8 and not stream.isatty():
            reconfigure(encoding="utf-8", errors="backslashreplace")
