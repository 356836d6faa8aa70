"""The composition root: from settings to everything that a run needs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.settings import Settings
from engine.errors import ConfigError
from engine.gatekeeper.catalog import with_rules
from engine.identity import RandomIds, SystemClock
from engine.models.builtin import BuiltinModel
from engine.ports import Deps, Observer, Store
from engine.sources.recorded import RecordedSource, open_recorded
from engine.store import open_store
from engine.system import ServiceInfo, SystemMap
from engine.tools.catalog import build_tools
from engine.tools.redaction import Redactor
from engine.window import TimeFrame

__all__ = ["open_engine", "recorded_source"]


@asynccontextmanager
async def open_engine(
    settings: Settings, observer: Observer, incident: Path | None = None, store: Store | None = None
) -> AsyncGenerator[tuple[Deps, TimeFrame]]:
    """Everything a diagnosis needs, closed again afterwards.

    Args:
        settings: the configuration.
        observer: who watches.
        incident: an incident folder that stands in for all configured sources.
        store: used instead of the configured database, and not closed.

    Raises:
        ConfigError: a source or the database cannot be opened.
    """
    source = recorded_source(settings, incident)
    system = source.system(_services(settings)) if source else SystemMap(services=_services(settings))
    redactor = Redactor(known_names=[service.name for service in system.services])
    tools = (
        build_tools(
            system,
            redactor,
            metrics=source.metrics,
            logs=source.logs,
            alerts=source.alerts,
            changes=source.changes,
            traces=source.traces,
            knowledge=source.knowledge,
            log_baselines=source.incident.log_stretches() or None,
        )
        if source
        else {}
    )
    rules = with_rules(settings.rules.disabled, settings.rules.severities)
    model, clock, ids = BuiltinModel(), SystemClock(), RandomIds()
    frame = source.frame if source else TimeFrame()
    if store is not None:
        yield (
            Deps(model, tools, store, clock, ids, observer, rules, system, settings.budget, redactor.redact_json),
            frame,
        )
        return
    async with open_store(settings.database.url) as opened:
        yield (
            Deps(model, tools, opened, clock, ids, observer, rules, system, settings.budget, redactor.redact_json),
            frame,
        )


def recorded_source(settings: Settings, incident: Path | None) -> RecordedSource | None:
    """The incident folder that answers: the one given, else the configured one."""
    runbooks = tuple(source.path for source in settings.sources if source.kind == "runbooks")
    if incident is not None:
        return open_recorded(incident)
    folders = [source.path for source in settings.sources if source.kind == "recorded"]
    if len(folders) > 1:
        raise ConfigError("sources: only one source of kind 'recorded' can answer at a time; keep one")
    return open_recorded(folders[0], runbooks) if folders else None


def _services(settings: Settings) -> tuple[ServiceInfo, ...]:
    return tuple(
        ServiceInfo(name=name, aliases=service.aliases, depends_on=service.depends_on)
        for name, service in settings.services.items()
    )
