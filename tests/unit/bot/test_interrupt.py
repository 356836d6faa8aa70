"""The hook that answers Ctrl-C before the program has begun."""

import pytest

from bot.interrupt import say_interrupted


def test_an_interruption_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback is shown for Ctrl-C."""
    error = KeyboardInterrupt()
    say_interrupted(KeyboardInterrupt, error, error.__traceback__)
    assert capsys.readouterr().err == "verdict: interrupted\n"


def test_anything_else_is_shown_as_always(capsys: pytest.CaptureFixture[str]) -> None:
    """A real error keeps its name and message."""
    error = ValueError("what went wrong")
    say_interrupted(ValueError, error, error.__traceback__)
    assert "ValueError: what went wrong" in capsys.readouterr().err
