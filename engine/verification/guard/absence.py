"""Claims that something is not there: only a complete, unfiltered, successful result can carry one."""

import re
from collections.abc import Sequence

from engine.verification.guard.clauses import Clause
from engine.verification.guard.numbers import sign_of
from engine.verification.guard.records import GuardScope, Record
from engine.verification.quantities import fold

__all__ = ["absence_finding"]

_ERRORS = re.compile(r"error|错误|报错|异常|exception|失败|fail")

_KEYS: dict[str, tuple[str, ...]] = {
    "query_alerts": ("firing", "total"),
    "query_changes": ("total",),
    "query_metrics": ("anomalous_series",),
    "query_traces": ("errors", "count"),
}

_OTHER_KEYS = ("count", "total", "errors", "matched", "hits")


def absence_finding(clause: Clause, records: Sequence[Record], scope: GuardScope) -> tuple[str, str]:
    """Judge a clause that says that something is not there.

    Returns:
        `held`, `refuted` or `missing`, and why, in one Chinese sentence.
    """
    shown = [(record, _amount(clause, record)) for record in records]
    if any(amount == 0 and not _objection(clause, record, scope) for record, amount in shown):
        return "held", ""
    for record, amount in shown:
        if amount == 0:
            return "missing", _objection(clause, record, scope)
    if any(amount for _, amount in shown):
        return "refuted", "证据显示并非没有"
    return "missing", "没有完整的检索结果能证明“没有”"


def _amount(clause: Clause, record: Record) -> int | None:
    """How much of the thing the record shows; None where it does not say."""
    tool = record.source.tool_name
    keys = _KEYS.get(tool, _OTHER_KEYS)
    if tool == "query_logs":
        keys = ("errors", "count", "total") if _ERRORS.search(clause.text) else ("count", "total")
    for key in keys:
        numbers = record.numbers(key)
        if numbers:
            return 0 if numbers[0].value == 0 else 1
    if tool == "query_metrics":
        sign = sign_of(record)
        if sign is not None:
            return abs(sign)
    return None


def _objection(clause: Clause, record: Record, scope: GuardScope) -> str:
    """Why a zero of this record does not carry the clause; empty where it does."""
    held = record.source.scope
    if not held.complete:
        return "检索结果不完整，不能证明“没有”"
    if held.filtered:
        return "检索带有过滤条件，不能证明“没有”"
    if not held.matched:
        return "检索条件没有匹配到任何数据流，不能证明“没有”"
    if held.window is not None and scope.window is not None and not held.window.covers(scope.window):
        return "检索没有覆盖整个时间段"
    searched = {fold(service) for service in held.services}
    if searched and (not clause.services or not searched.issuperset(clause.services)):
        return "检索没有覆盖判断所说的服务"
    return ""
