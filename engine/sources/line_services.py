"""The services that a JSON Lines file names, from a quick look at its beginning."""

from contextlib import suppress
from itertools import islice
from pathlib import Path

import msgspec

from engine.sources.openmetrics import READ_ERRORS, open_bytes

__all__ = ["services_of"]

_LINES = 100_000
_MAX_LINE = 1_000_000
_SERVICES = 2_000
_NAME_CHARS = 200


class _Named(msgspec.Struct):
    service: str = ""


def services_of(path: Path) -> tuple[str, ...]:
    """Names of services in the first lines of logs or traces.

    What cannot be read is passed over, because whoever queries the file is told then.
    """
    decode = msgspec.json.Decoder(_Named).decode
    found: set[str] = set()
    with suppress(*READ_ERRORS), open_bytes(path) as file:
        for raw in islice(iter(lambda: file.readline(_MAX_LINE), b""), _LINES):
            with suppress(msgspec.MsgspecError, ValueError, RecursionError):
                found.add(decode(raw).service[:_NAME_CHARS])
            if len(found) >= _SERVICES:
                break
    return tuple(sorted(found - {""}))
