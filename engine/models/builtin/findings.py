"""What the evidence shows of each service, over all kinds of telemetry."""

from engine.base import JsonObject
from engine.models.builtin.events import read_events
from engine.models.builtin.finding import Finding
from engine.models.builtin.logs import read_groups, read_logs
from engine.models.builtin.metrics import read_metrics
from engine.models.builtin.traces import read_traces

__all__ = ["read_findings"]


def read_findings(payload: JsonObject) -> tuple[Finding, ...]:
    """Every finding, strongest first; one a line and service, however many calls returned the line."""
    found: dict[tuple[str, str], Finding] = {}
    logs = read_logs(payload, read_groups(payload))
    for finding in (*read_traces(payload), *read_metrics(payload), *logs, *read_events(payload)):
        if finding.strength > 0 and finding.service:
            found.setdefault((finding.service, finding.ref.text), finding)
    return tuple(sorted(found.values(), key=lambda item: -item.strength))
