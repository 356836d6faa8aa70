"""How every tool writes its output: citable places, rounded numbers, zoned times, bounded size."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import cast
from zoneinfo import ZoneInfo

import jsonpointer  # pyright: ignore[reportMissingTypeStubs]  # because the package ships no types

from engine.base import JsonObject, JsonValue
from engine.invocation import EvidenceRef, Scope, ToolResult
from engine.ports import ToolContext
from engine.rendering import render_line
from engine.tools.redaction import Redactor
from engine.window import TimeWindow

__all__ = ["bounded", "finish", "six_digits", "span", "stamp", "stamp_seconds"]

_HALF_PLACEHOLDER = re.compile(r"<[A-Z]{0,6}(?::[a-z0-9:-]*)?$")


def six_digits(value: float) -> float:
    """A number as it is stored and shown: six significant digits, so that both are the same."""
    return float(f"{value:.6g}")


def stamp(moment: datetime, timezone: str, *, millis: bool = False) -> str:
    """RFC 3339 in the given zone, to the second or millisecond; always with an offset."""
    # because sources write the calendar's first and last moments for "never", which another zone cannot show
    with suppress(OverflowError):
        moment = moment.astimezone(ZoneInfo(timezone))
    return moment.isoformat(timespec="milliseconds" if millis else "seconds")


def stamp_seconds(seconds: float, timezone: str, *, millis: bool = False) -> str:
    """The same from epoch seconds."""
    return stamp(datetime.fromtimestamp(seconds, UTC), timezone, millis=millis)


def span(window: TimeWindow | None, timezone: str) -> JsonValue:
    """A window as `{from, to}`."""
    return None if window is None else {"from": stamp(window.start, timezone), "to": stamp(window.end, timezone)}


def bounded(text: str, limit: int, redactor: Redactor) -> str:
    """At most `limit` characters without secrets; a cut is marked by an ellipsis.

    Secrets go before the cut, because half a secret would no longer look like one.
    """
    clean = redactor.redact(text)
    return clean if len(clean) <= limit else f"{_HALF_PLACEHOLDER.sub('', clean[: limit - 1])}…"


def finish(
    output: JsonObject,
    lists: Sequence[str],
    context: ToolContext,
    redactor: Redactor,
    scope: Scope,
    *,
    empty: bool = False,
    note: str | None = None,
) -> ToolResult:
    """Redact, bound and reference an output.

    Args:
        output: must hold `summary`; items of the named lists stand most telling first.
        lists: names of the lists whose items may be cited and, where needed, dropped from the end.
        context: gives the bound in bytes.
        redactor: applied to every text.
        scope: what the result speaks about.
        empty: whether nothing was found.
        note: a Chinese sentence for people and models.
    """
    redacted = cast("JsonObject", redactor.redact_json(output))
    dropped = _fit(redacted, lists, context.max_bytes)
    summary = redacted["summary"]
    if dropped and isinstance(summary, dict):
        summary["dropped_items"] = dropped
        summary["complete"] = False
        note = f"{note or ''}结果过大，略去了 {dropped} 条最不突出的内容".strip()
    pointers = ["/summary"]
    for name in lists:
        items = redacted.get(name)
        pointers += [f"/{name}/{index}" for index in range(len(items) if isinstance(items, list) else 0)]
    refs = tuple(EvidenceRef(raw_path=pointer, text=render_line(_resolve(redacted, pointer))) for pointer in pointers)
    return ToolResult(
        status="empty" if empty else "ok",
        output=redacted,
        evidence_refs=refs,
        scope=scope.model_copy(update={"complete": scope.complete and not dropped}),
        note=note,
    )


def _resolve(output: JsonObject, pointer: str) -> JsonValue:
    return cast("JsonValue", jsonpointer.resolve_pointer(output, pointer))  # pyright: ignore[reportUnknownMemberType]


def _fit(output: JsonObject, lists: Sequence[str], max_bytes: int) -> int:
    """Drop items from the ends of the lists until the output fits; returns how many."""
    dropped = 0
    room = max_bytes - 200
    while len(json.dumps(output, ensure_ascii=False).encode()) > room:
        if output.pop("points", None) is not None:
            continue
        held = [items for name in lists if isinstance(items := output.get(name), list)]
        longest = max(held, key=_length, default=list[JsonValue]())
        if not longest:
            break
        cut = max(1, len(longest) // 4)
        del longest[-cut:]
        dropped += cut
    return dropped


def _length(items: list[JsonValue]) -> int:
    return len(items)
