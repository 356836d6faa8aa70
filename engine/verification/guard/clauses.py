"""A claim cut into clauses, each with the services it speaks of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.verification.guard.entities import QUOTED, Entity, holds, read_entities
from engine.verification.guard.records import GuardScope
from engine.verification.guard.words import ABSENCE, ABSENCE_LOOKALIKES, DOWN, UP
from engine.verification.quantities import Quantity, fold, read_quantities

__all__ = ["Clause", "read_clauses"]

_BREAK = re.compile(r"[。；;！？!?\n]|,(?!\d{3})|、(?=[^0-9a-z])")
"""Where a clause ends, in folded text: full-width punctuation has become ASCII there."""
_DENIED_BEFORE = re.compile(r"(?:没有|并未|并没有|未|not|no)\s*(?:明显|显著|再|significantly)?\s*$")


@dataclass(frozen=True)
class Clause:
    """One clause, folded.

    Attributes:
        text: the clause.
        services: the services it speaks of, by telemetry name; carried over from the clause before when it
            names none.
        named: whether it names them itself.
        entities: every other name.
        quantities: its numbers.
        direction: 1 up, -1 down, 0 none said; with `denied` the direction is said not to be.
        denied: whether the direction is negated.
        absence: whether it says that something is not there.
    """

    text: str
    services: tuple[str, ...]
    named: bool
    entities: tuple[Entity, ...]
    quantities: tuple[Quantity, ...]
    direction: int
    denied: bool
    absence: bool


def read_clauses(text: str, scope: GuardScope) -> tuple[Clause, ...]:
    """Cut a claim at its punctuation; quoted words and brackets stay with their clause."""
    known = scope.names
    found: list[Clause] = []
    carried: tuple[str, ...] = ()
    folded = fold(text)
    for piece, quoted in _pieces(folded):
        quantities = read_quantities(piece)
        entities = (*read_entities(piece, quantities), *quoted)
        services = _services(piece, entities, known, scope)
        direction, denied, span = _direction(piece)
        found.append(
            Clause(
                text=piece,
                services=services or carried,
                named=bool(services),
                entities=tuple(entity for entity in entities if entity.name not in known),
                quantities=quantities,
                direction=direction,
                denied=denied,
                absence=_absence(piece, span),
            )
        )
        carried = services or carried
    return tuple(found)


def _pieces(text: str) -> Iterator[tuple[str, tuple[Entity, ...]]]:
    """Each clause with what it quotes; quoted words are blanked, because they assert nothing by themselves."""
    quotes = list(QUOTED.finditer(text))
    blanked = QUOTED.sub(lambda match: "□" * len(match.group()), text)
    begin = 0
    for end, after in (*(match.span() for match in _BREAK.finditer(blanked)), (len(text), len(text))):
        piece = blanked[begin:end]
        inside = (match for match in quotes if begin <= match.start() < end)
        named = tuple(Entity(" ".join(match.group(1).split()), match.start() - begin, quoted=True) for match in inside)
        if piece.strip():
            yield piece, named
        begin = after


def _services(piece: str, entities: Sequence[Entity], known: dict[str, str], scope: GuardScope) -> tuple[str, ...]:
    named = [entity.name for entity in entities if entity.name in known]
    named += [name for name in known if name not in named and name in piece and holds(piece, name)]
    for alias, service in scope.aliases.items():
        folded = fold(alias)
        if folded and fold(service) not in named and folded in piece and (not folded.isascii() or holds(piece, folded)):
            named.append(fold(service))
    return tuple(named)


def _direction(piece: str) -> tuple[int, bool, tuple[int, int]]:
    for sign, pattern in ((1, UP), (-1, DOWN)):
        match = pattern.search(piece)
        if match:
            denied = bool(_DENIED_BEFORE.search(piece[: match.start()]))
            return sign, denied, match.span()
    return 0, False, (-1, -1)


def _absence(piece: str, direction: tuple[int, int]) -> bool:
    plain = ABSENCE_LOOKALIKES.sub(lambda match: "□" * len(match.group()), piece)
    for match in ABSENCE.finditer(plain):
        before_direction = match.start() <= direction[0] <= match.end() + 2
        inside_direction = direction[0] <= match.start() < direction[1]
        if not before_direction and not inside_direction:
            return True
    return False
