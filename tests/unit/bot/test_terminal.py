"""Text on a terminal: untrusted text cannot steer it, and streams that fail do not end a run."""

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.terminal import PlainPipes, one_line, safe_text, write_answer


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _ClosedPipe(io.StringIO):
    def write(self, text: str, /) -> int:
        raise BrokenPipeError


@given(st.text())
def test_nothing_that_steers_is_left(text: str) -> None:
    """Whatever the text holds, no control character but line feed and tab is printed, and no direction mark."""
    kept = safe_text(text)
    assert not [char for char in kept if unicodedata.category(char) == "Cc" and char not in "\n\t"]
    assert not set(kept) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert safe_text(kept) == kept
    assert "\n" not in one_line(text)


def test_a_closed_pipe_is_left_to_the_caller() -> None:
    """The console raises what the system said instead of ending the program."""
    with pytest.raises(BrokenPipeError):
        PlainPipes(file=_ClosedPipe()).print("x")


def test_an_answer_in_a_pipe_is_plain(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody watches, the text is as it is, without a single escape."""
    write_answer("【结论可信】甲\n\n已确认事实\n· 乙 [1]", "运行 run-1")
    assert capsys.readouterr().out == "【结论可信】甲\n\n已确认事实\n· 乙 [1]\n\n运行 run-1\n"


def test_markup_in_telemetry_is_printed_and_not_obeyed() -> None:
    """On a terminal, brackets and escapes of telemetry are characters, never styles."""
    console = PlainPipes(file=_Terminal(), force_terminal=True, markup=False, highlight=False, emoji=False)
    console.print(safe_text("[bold red]x[/] :warning: [link=http://evil]y[/link] \x1b]8;;http://evil\x07"))
    assert isinstance(console.file, _Terminal)
    printed = console.file.getvalue()
    assert "[bold red]x[/] :warning: [link=http://evil]y[/link] ]8;;http://evil" in printed
    assert "\x1b" not in printed
