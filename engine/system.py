"""What the sources know of the running system: its services, signals and who calls whom."""

from typing import Literal

from engine.base import Frozen

__all__ = ["ServiceInfo", "SignalInfo", "SystemMap", "Worse"]

Worse = Literal["up", "down", "either"]
"""The direction in which a signal gets worse."""


class ServiceInfo(Frozen):
    """One service, by the name that telemetry carries."""

    name: str
    aliases: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    """Services it calls: configured ones, and those the topology shows."""


class SignalInfo(Frozen):
    """One kind of measurement that a source can answer."""

    name: str
    title: str
    """Chinese name, such as 错误率."""
    unit: str
    """Canonical unit: `ratio` (0 to 1), `seconds`, `bytes`, `requests_per_second`, `connections`, …"""
    worse: Worse = "either"


class SystemMap(Frozen):
    """The services and signals there are; context for models, never evidence."""

    services: tuple[ServiceInfo, ...] = ()
    signals: tuple[SignalInfo, ...] = ()
    kinds: tuple[str, ...] = ()
    """Kinds of telemetry the sources hold: `metrics`, `logs`, `alerts`, `changes`, `traces`, `knowledge`."""

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """(caller, callee) pairs."""
        return tuple((service.name, callee) for service in self.services for callee in service.depends_on)
