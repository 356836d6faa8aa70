"""`verdict doctor`: one line a part, and whether something needed is broken."""

from collections.abc import Callable, Iterator
from pathlib import Path

from bot.settings import Settings, SourceSettings
from bot.sources import open_sources
from bot.terminal import one_line
from engine.errors import VerdictError
from engine.gatekeeper.catalog import with_rules
from engine.sources.runbooks import Runbooks
from engine.store import open_store

__all__ = ["examine"]


async def examine(settings: Settings) -> tuple[list[str], bool]:
    """Look at every part, whatever the others are like.

    Returns:
        The lines, and whether all that is needed works.
    """
    lines = [
        _line("configuration", lambda: _configuration(settings)),
        await _database(settings),
        _line("model", lambda: f"{settings.model.provider}; fallback {settings.model.fallback}"),
        *_sources(settings),
    ]
    return lines, not any(line.startswith("FAIL") for line in lines)


def _line(part: str, look: Callable[[], str]) -> str:
    try:
        found = look()
    except VerdictError as error:
        return f"FAIL  {part}: {one_line(str(error))}"
    return f"ok    {part}: {one_line(found)}"


def _configuration(settings: Settings) -> str:
    rules = with_rules(settings.rules.disabled, settings.rules.severities)
    enabled = sum(rule.enabled for rule in rules.rules)
    return f"{len(settings.sources)} sources, {len(settings.services)} services, {enabled} Gatekeeper rules"


async def _database(settings: Settings) -> str:
    try:
        async with open_store(settings.database.url) as store:
            await store.recent(1)
    except VerdictError as error:
        return f"FAIL  database: {one_line(str(error))}"
    return f"ok    database: {settings.database.url.partition(':')[0]}"


def _sources(settings: Settings) -> Iterator[str]:
    if not settings.sources:
        yield "warn  sources: none configured; only --incident works"
        return
    for number, source in enumerate(settings.sources):
        name = source.name or f"{number} ({source.kind})"
        yield _line(f"source {name}", lambda source=source: _source(settings, source))
    if sum(source.kind == "recorded" for source in settings.sources) > 1:
        yield _line("sources", lambda: str(open_sources(settings)))


def _source(settings: Settings, source: SourceSettings) -> str:
    alone = open_sources(settings.model_copy(update={"sources": (source,)}))
    if alone.recorded is None:
        return _runbooks(source.path)
    kinds = ", ".join(alone.system.kinds)
    return f"{source.path}: {len(alone.system.services)} services; {kinds or 'no telemetry'}"


def _runbooks(path: Path) -> str:
    return f"{path}: {Runbooks(path).files} runbooks"
