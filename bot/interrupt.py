"""Ctrl-C at any time: one line, the status of an interrupted program, no traceback."""

import sys
from types import TracebackType

__all__ = ["say_interrupted"]


def say_interrupted(kind: type[BaseException], error: BaseException, traceback: TracebackType | None, /) -> None:
    """An `excepthook`; anything but an interruption is shown as always."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)
    elif sys.stderr:
        sys.stderr.write("verdict: interrupted\n")
