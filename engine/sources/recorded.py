"""One incident folder as a set of sources, and the system map that its files show."""

from dataclasses import dataclass
from pathlib import Path

from engine.errors import IncidentError
from engine.sources.incident import Incident, load_incident
from engine.sources.recorded_events import RecordedAlerts, RecordedChanges
from engine.sources.recorded_logs import RecordedLogs
from engine.sources.recorded_metrics import RecordedMetrics
from engine.sources.recorded_traces import RecordedTraces
from engine.sources.runbooks import Runbooks
from engine.system import ServiceInfo, SystemMap
from engine.window import TimeFrame

__all__ = ["RecordedSource", "open_recorded"]


@dataclass(frozen=True)
class RecordedSource:
    """The sources that a folder has files for; the others are None."""

    incident: Incident
    metrics: RecordedMetrics | None
    logs: RecordedLogs | None
    alerts: RecordedAlerts | None
    changes: RecordedChanges | None
    traces: RecordedTraces | None
    knowledge: Runbooks | None

    @property
    def frame(self) -> TimeFrame:
        """What time means for a recorded incident: its window, ending "now" (interfaces.md)."""
        incident = self.incident
        return TimeFrame(
            now=incident.window.end, window=incident.window, baseline=incident.baseline, timezone=incident.timezone
        )

    def system(self, configured: tuple[ServiceInfo, ...] = ()) -> SystemMap:
        """The services, signals and kinds that the files show, joined with configured services.

        Raises:
            IncidentError: a file that had to be read is malformed.
        """
        names: dict[str, ServiceInfo] = {service.name: service for service in configured}
        for held in (self.metrics, self.logs, self.alerts, self.changes, self.traces):
            for name in held.services() if held else ():
                names.setdefault(name, ServiceInfo(name=name))
        for caller, callee in self.incident.edges:
            for name in (caller, callee):
                names.setdefault(name, ServiceInfo(name=name))
            known = names[caller]
            if callee not in known.depends_on:
                names[caller] = known.model_copy(update={"depends_on": (*known.depends_on, callee)})
        kinds = ("metrics", "logs", "alerts", "changes", "traces", "knowledge")
        return SystemMap(
            services=tuple(names[name] for name in sorted(names)),
            signals=self.metrics.signals() if self.metrics else (),
            kinds=tuple(kind for kind in kinds if getattr(self, kind) is not None),
        )


def open_recorded(folder: Path, runbooks: tuple[Path, ...] = ()) -> RecordedSource:
    """Open an incident folder. Bulk files are read when first asked for.

    Args:
        folder: the incident folder.
        runbooks: further folders of runbooks.

    Raises:
        IncidentError: the folder is not as interfaces.md describes, or a runbook folder is missing.
    """
    incident = load_incident(folder)
    for path in runbooks:
        if not path.is_dir():
            raise IncidentError(f"{path}: no such folder of runbooks")
    guides = (*((incident.runbooks,) if incident.runbooks else ()), *runbooks)
    files = incident.files
    return RecordedSource(
        incident=incident,
        metrics=RecordedMetrics(files["metrics.om"]) if "metrics.om" in files else None,
        logs=RecordedLogs(files["logs.jsonl"]) if "logs.jsonl" in files else None,
        alerts=RecordedAlerts(files["alerts.json"]) if "alerts.json" in files else None,
        changes=RecordedChanges(files["changes.jsonl"]) if "changes.jsonl" in files else None,
        traces=RecordedTraces(files["traces.jsonl"]) if "traces.jsonl" in files else None,
        knowledge=Runbooks(*guides) if guides else None,
    )
