"""Reads `composer_v1` (interfaces.md)."""

from engine.base import Frozen, JsonObject
from engine.contracts.fields import identifier, items, objects, sentences, text
from engine.contracts.json_object import read_object

__all__ = ["ComposedFact", "ComposerReply", "read_composition"]

_MOST = 50


class ComposedFact(Frozen):
    """One confirmed claim in the Composer's words."""

    claim_id: str
    text: str


class ComposerReply(Frozen):
    """A legal Composer reply, not yet checked against the material."""

    conclusion: str
    confirmed: tuple[ComposedFact, ...] = ()
    possible: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every sentence that a reader would see."""
        facts = (fact.text for fact in self.confirmed)
        return (self.conclusion, *facts, *self.possible, *self.gaps, *self.next_steps)


def read_composition(reply: str) -> ComposerReply:
    """Parse the Composer's text.

    Raises:
        BadModelOutput: not one JSON object, no conclusion, a mistyped list, or a confirmed item without id
            or text.
    """
    source, _ = read_object(reply, allow_fence=True)
    confirmed = objects(source, "confirmed", "reply", most=_MOST) if "confirmed" in source else []
    return ComposerReply(
        conclusion=text(source, "conclusion", "reply", limit=2000),
        confirmed=tuple(
            ComposedFact(
                claim_id=identifier(item, "claim_id", f"confirmed[{number}]"),
                text=text(item, "text", f"confirmed[{number}]", limit=2000),
            )
            for number, item in enumerate(confirmed)
        ),
        possible=_list(source, "possible"),
        gaps=_list(source, "gaps"),
        next_steps=_list(source, "next_steps"),
    )


def _list(source: JsonObject, key: str) -> tuple[str, ...]:
    if source.get(key) is None:
        return ()
    # because a gap or a step that is cut off would be missing from the answer, too many are refused
    return sentences(items(source, key, "reply", most=_MOST))
