"""The composition root: from settings to everything that a run needs."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.models import open_model, open_standby
from bot.settings import Settings
from bot.sources import open_sources
from engine.gatekeeper.catalog import with_rules
from engine.identity import RandomIds, SystemClock
from engine.models.openai import OpenAIModel
from engine.ports import Deps, Observer, Store
from engine.store import open_store
from engine.tools.redaction import Redactor
from engine.window import TimeFrame

__all__ = ["open_engine"]


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
        ConfigError: a model, a source or a rule is not as it must be, or the database's URL cannot be used.
        StoreError: the database cannot be opened.
    """
    sources = open_sources(settings, incident)
    redactor = Redactor(known_names=[service.name for service in sources.system.services])
    rules = with_rules(settings.rules.disabled, settings.rules.severities)
    model = open_model(settings)
    async with AsyncExitStack() as opened:
        if isinstance(model, OpenAIModel):
            opened.push_async_callback(model.close)
        yield (
            Deps(
                model=model,
                tools=sources.tools(redactor),
                store=store or await opened.enter_async_context(open_store(settings.database.url)),
                clock=SystemClock(),
                ids=RandomIds(),
                observer=observer,
                rules=rules,
                system=sources.system,
                budget=settings.budget,
                standby=open_standby(settings),
                redact=redactor.redact_json,
            ),
            sources.frame,
        )
