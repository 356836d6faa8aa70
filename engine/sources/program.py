"""Programs of this machine whose output is a source: run without a shell, bounded in time and size."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress

from engine.errors import SourceUnavailable

__all__ = ["Output", "run_program"]

_MAX_LINE = 1_000_000


class Output:
    """The lines that a program prints.

    Attributes:
        whole: whether all lines were read; False once the bound was met.
    """

    def __init__(self, process: Process, name: str, most_bytes: int) -> None:
        self._process = process
        self._name = name
        self._left = most_bytes
        self.whole = True

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        assert self._process.stdout is not None
        while line := await _line(self._process.stdout):
            self._left -= len(line)
            if self._left <= 0:
                self.whole = False
                return
            yield line
        await _check_end(self._process, self._name)


@asynccontextmanager
async def run_program(
    command: Sequence[str], *, seconds: float, most_bytes: int, remedy: str
) -> AsyncGenerator[Output]:
    """Run a program and read its lines; it is ended when the block is left.

    Args:
        command: the program and its arguments.
        seconds: how long the block may take.
        most_bytes: how much is read.
        remedy: what the operator can do where it takes too long.

    Raises:
        SourceUnavailable: it cannot be run, failed, or took too long; one line of what it said.
    """
    name = command[0].rpartition("/")[2]
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=DEVNULL, stdout=PIPE, stderr=PIPE, limit=_MAX_LINE
        )
    except OSError as error:
        raise SourceUnavailable(f"{command[0]}: cannot be run: {error.strerror}") from error
    try:
        async with asyncio.timeout(seconds):
            yield Output(process, name, most_bytes)
    except TimeoutError as error:
        raise SourceUnavailable(f"{name} took longer than {seconds:.0f} s; {remedy}") from error
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _line(stream: asyncio.StreamReader) -> bytes:
    """The next line; one that is too long is passed over and counts as blank."""
    try:
        return await stream.readline()
    except ValueError:
        return b"\n"


async def _check_end(process: Process, name: str) -> None:
    assert process.stderr is not None
    said = (await process.stderr.read(4000)).decode("utf-8", errors="replace").strip()
    if await process.wait() != 0:
        raise SourceUnavailable(f"{name}: {said.splitlines()[0][:200] if said else 'failed without a word'}")
