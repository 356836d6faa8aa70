"""Findings from alerts and changes: that something fires, and that something was changed shortly before."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from engine.base import JsonObject
from engine.models.builtin.finding import Finding
from engine.models.builtin.payload import Ref, refs_of
from engine.models.builtin.wording import clock, phrase

__all__ = ["read_events"]

_ACTIVE = frozenset({"active", "firing"})
_SEVERITIES = {"critical": 3.0, "page": 3.0, "warning": 2.0}
_CHANGES = {"deploy": 2.0, "config": 2.0, "scale": 1.0, "restart": 1.2}
_RECENT = timedelta(hours=1)
_LONG_AGO = 0.5


def read_events(payload: JsonObject) -> Iterator[Finding]:
    """A finding for every alert and every change."""
    for ref in refs_of(payload, "query_alerts", "/alerts/"):
        yield _alert(ref)
    start = _window_start(payload)
    for ref in refs_of(payload, "query_changes", "/changes/"):
        yield _change(ref, start)


def _alert(ref: Ref) -> Finding:
    severity = _SEVERITIES.get(ref.get("severity"), 1.5)
    text = (
        f"{ref.get('service')} 的告警 {ref.get('name')} 处于 {ref.get('state')} 状态（{ref.get('severity') or '未分级'}），"
        f"开始于 {clock(ref.get('starts_at'))}"
    )
    active = ref.get("state") in _ACTIVE
    return Finding(ref.get("service"), "alert", severity if active else severity / 2, False, text, ref, "有告警")


def _change(ref: Ref, start: datetime | None) -> Finding:
    weight = _CHANGES.get(ref.get("kind"), 1.0)
    made = _moment(ref.get("time"))
    if start is not None and made is not None and start - made > _RECENT:
        weight *= _LONG_AGO
    text = f"{ref.get('service')} 在 {clock(ref.get('time'))} 有变更 {ref.get('kind')}：「{phrase(ref.get('summary'), 160)}」"
    return Finding(ref.get("service"), "change", weight, True, text, ref, "刚有变更")


def _window_start(payload: JsonObject) -> datetime | None:
    window = payload.get("window")
    return _moment(str(window.get("from"))) if isinstance(window, dict) else None


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
