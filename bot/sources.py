"""The configured sources, opened: what answers the tools, and what they show of the system."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.settings import Settings, SignalSettings
from engine.errors import ConfigError, IncidentError
from engine.ports import Tool
from engine.sources.incident import Incident, load_incident
from engine.sources.recorded import RecordedSource, open_recorded
from engine.sources.runbooks import Runbooks
from engine.system import ServiceInfo, SignalInfo, SystemMap
from engine.tools.catalog import build_tools
from engine.tools.redaction import Redactor
from engine.window import TimeFrame

__all__ = ["Sources", "open_sources", "read_incident"]


@dataclass(frozen=True)
class Sources:
    """A recorded incident, or runbooks alone, or nothing."""

    recorded: RecordedSource | None
    knowledge: Runbooks | None
    system: SystemMap

    @property
    def frame(self) -> TimeFrame:
        """What time means: the recorded incident's, else the clock's."""
        return self.recorded.frame if self.recorded else TimeFrame()

    def tools(self, redactor: Redactor) -> dict[str, Tool]:
        """One tool for each kind of telemetry that is there."""
        source = self.recorded
        if source is None:
            return build_tools(self.system, redactor, knowledge=self.knowledge)
        return build_tools(
            self.system,
            redactor,
            metrics=source.metrics,
            logs=source.logs,
            alerts=source.alerts,
            changes=source.changes,
            traces=source.traces,
            knowledge=self.knowledge,
            log_baselines=source.incident.log_stretches() or None,
        )


def open_sources(settings: Settings, incident: Path | None = None) -> Sources:
    """Open what answers: the incident folder given, and nothing else; or what is configured.

    Raises:
        ConfigError: a folder is missing, unreadable or malformed, or two recorded sources are configured.
    """
    configured = tuple(
        ServiceInfo(name=name, aliases=service.aliases, depends_on=service.depends_on)
        for name, service in settings.services.items()
    )
    folders = [source.path for source in settings.sources if source.kind == "recorded"]
    runbooks = tuple(source.path for source in settings.sources if source.kind == "runbooks")
    if incident is not None:
        folders, runbooks = [incident], ()
    if len(folders) > 1:
        raise ConfigError("sources: only one source of kind 'recorded' can answer at a time; keep one")
    for path in runbooks:
        if not path.is_dir():
            raise ConfigError(f"{path}: no such folder of runbooks; mend [[sources]] path")
    if folders:
        return _recorded(folders[0], runbooks, configured, settings)
    knowledge = Runbooks(*runbooks) if runbooks else None
    kinds = ("knowledge",) if knowledge else ()
    return Sources(recorded=None, knowledge=knowledge, system=SystemMap(services=configured, kinds=kinds))


def read_incident(folder: Path) -> Incident:
    """What an incident folder says of itself.

    Raises:
        IncidentError: it is missing, unreadable or malformed.
    """
    with _readable(folder):
        return load_incident(folder)


def _recorded(
    folder: Path, runbooks: tuple[Path, ...], configured: tuple[ServiceInfo, ...], settings: Settings
) -> Sources:
    with _readable(folder):
        source = open_recorded(folder, runbooks)
        found = source.system(configured)
    signals = tuple(_titled(signal, settings.signals.get(signal.name)) for signal in found.signals)
    system = found.model_copy(update={"signals": signals})
    return Sources(recorded=source, knowledge=source.knowledge, system=system)


@contextmanager
def _readable(folder: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise IncidentError(f"{folder}: cannot be read: {error.strerror}; check its permissions") from error


def _titled(signal: SignalInfo, own: SignalSettings | None) -> SignalInfo:
    """The signal as its owner describes it; what the owner leaves out is kept."""
    if own is None:
        return signal
    return signal.model_copy(update=own.model_dump(include=own.model_fields_set & {"title", "unit", "worse"}))
