"""Log lines gathered into groups by template as they come, bounded however many there are."""

from collections.abc import Iterable

from engine.sources.log_templates import Templates, normalise_level
from engine.sources.stretches import seconds_apart
from engine.telemetry import LogDigest, LogGroup, LogLine, LogQuery

__all__ = ["Grouping"]

_MAX_GROUPS = 5000
_MAX_ALIKE = 500
"""Templates of one service and level; further ones are `(other)`, so that one chatty service leaves room for all."""

_MAX_SERVICES = 2000
_EXAMPLES = 3
_MESSAGE_CHARS = 2000
_OTHER = "(other)"


class Grouping:
    """What one reading of lines found, over all services and levels.

    Args:
        query: whose window and baselines the lines are counted in; its services and levels are for `digest`.
    """

    def __init__(self, query: LogQuery) -> None:
        self._start, self._end = query.window.start.timestamp(), query.window.end.timestamp()
        self._spans = [(span.start.timestamp(), span.end.timestamp()) for span in query.baselines]
        self._needle = query.contains.lower() if query.contains else None
        self._template_of = Templates().of
        self._groups: dict[tuple[str, str, str], LogGroup] = {}
        self._sizes: dict[tuple[str, str], int] = {}
        self._overflowed = False
        self.services: set[str] = set()
        """The services whose lines were seen, inside any stretch or not; bounded."""

    def take(self, service: str, severity: object, message: str, moment: float) -> None:
        """Count one line, where its time lies in the window or a baseline and it holds what is looked for.

        Args:
            service: who wrote it.
            severity: as it was written; see `normalise_level`.
            message: what it says.
            moment: epoch seconds.
        """
        if service not in self.services and len(self.services) < _MAX_SERVICES:
            self.services.add(service)
        inside = self._start <= moment < self._end
        if not inside and not any(low <= moment < high for low, high in self._spans):
            return
        if self._needle is not None and self._needle not in message.lower():
            return
        level = normalise_level(severity)
        key = (service, level, self._template_of(message))
        group = self._groups.get(key) or self._new_group(key)
        _count(group, LogLine(moment, service, level, message[:_MESSAGE_CHARS]), inside=inside)

    def digest(
        self, query: LogQuery, services: set[str], *, warnings: Iterable[str] = (), complete: bool = True
    ) -> LogDigest:
        """The groups of the query's services and levels.

        Args:
            query: the same window and baselines as at the beginning.
            services: the services that have lines at all, whatever they contain.
            warnings: what the reader of the lines has to say.
            complete: whether every line was read.
        """
        groups = tuple(
            group
            for group in self._groups.values()
            if (not query.services or group.service in query.services)
            and (not query.levels or group.level in query.levels)
        )
        errors = [group for group in groups if group.level in {"ERROR", "FATAL"}]
        said = list(warnings)
        if self._overflowed:
            said.append(f"日志模板过多（每个服务与级别至多 {_MAX_ALIKE} 种），其余并入 {_OTHER}")
        return LogDigest(
            groups=groups,
            total=sum(group.count for group in groups),
            baseline_total=sum(group.baseline_count for group in groups),
            errors=sum(group.count for group in errors),
            baseline_errors=sum(group.baseline_count for group in errors),
            baseline_seconds=seconds_apart(query.baselines, query.window),
            matched_streams=not query.services or bool(services.intersection(query.services)),
            complete=complete,
            warnings=tuple(said),
        )

    def _new_group(self, key: tuple[str, str, str]) -> LogGroup:
        """A group for a template not seen before, or the one that takes in what has no room."""
        service, level, _ = key
        size = self._sizes.get((service, level), 0)
        if size >= _MAX_ALIKE or len(self._groups) >= _MAX_GROUPS:
            self._overflowed = True
            if service not in self.services:
                service = _OTHER
            key = (service, level, _OTHER)
            known = self._groups.get(key)
            if known is not None:
                return known
        self._sizes[service, level] = size + 1
        group = LogGroup(*key)
        self._groups[key] = group
        return group


def _count(group: LogGroup, line: LogLine, *, inside: bool) -> None:
    if not inside:
        group.baseline_count += 1
        if not group.examples:
            group.examples.append(line)
        return
    group.count += 1
    if group.first is None or line.time < group.first:
        group.first = line.time
    if group.last is None or line.time > group.last:
        group.last = line.time
    if group.count == 1:
        # because a line of the window tells more than one of the baseline
        group.examples.clear()
    if len(group.examples) < _EXAMPLES:
        group.examples.append(line)
