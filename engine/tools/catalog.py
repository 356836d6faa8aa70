"""The tools that a set of recorded sources can answer, by name."""

from engine.ports import Tool
from engine.system import SystemMap
from engine.telemetry import AlertSource, ChangeSource, KnowledgeSource, LogSource, MetricSource, TraceSource
from engine.tools.lookup_knowledge import LookupKnowledge
from engine.tools.query_events import QueryAlerts, QueryChanges
from engine.tools.query_logs import QueryLogs
from engine.tools.query_metrics import QueryMetrics
from engine.tools.query_traces import QueryTraces
from engine.tools.redaction import Redactor
from engine.window import TimeWindow

__all__ = ["build_tools"]


def build_tools(
    system: SystemMap,
    redactor: Redactor,
    *,
    metrics: MetricSource | None = None,
    logs: LogSource | None = None,
    alerts: AlertSource | None = None,
    changes: ChangeSource | None = None,
    traces: TraceSource | None = None,
    knowledge: KnowledgeSource | None = None,
    log_baselines: tuple[TimeWindow, ...] | None = None,
) -> dict[str, Tool]:
    """One tool for each source that is there.

    Args:
        system: what the tools may be asked about.
        redactor: shared, so that a secret has one placeholder everywhere.
        metrics: answers `query_metrics`.
        logs: answers `query_logs`.
        alerts: answers `query_alerts`.
        changes: answers `query_changes`.
        traces: answers `query_traces`.
        knowledge: answers `lookup_knowledge`.
        log_baselines: the stretches that logs and traces are compared with, where they are not the run's baseline.
    """
    tools: list[Tool] = []
    if metrics:
        tools.append(QueryMetrics(metrics, system, redactor))
    if logs:
        tools.append(QueryLogs(logs, system, redactor, log_baselines))
    if alerts:
        tools.append(QueryAlerts(alerts, system, redactor))
    if changes:
        tools.append(QueryChanges(changes, system, redactor))
    if traces:
        tools.append(QueryTraces(traces, system, redactor, log_baselines))
    if knowledge:
        tools.append(LookupKnowledge(knowledge, system, redactor))
    return {tool.spec.name: tool for tool in tools}
