"""What the reader sees, still structured."""

from typing import Literal

from engine.base import Frozen
from engine.budget import Usage
from engine.check import Verdict

__all__ = ["Answer", "CitedEvidence", "ConfirmedFact", "Outcome", "Suspect"]

Outcome = Literal["PASS", "LOW_CONFID", "REJECT", "FALLBACK"]


class CitedEvidence(Frozen):
    """The place that carries a confirmed sentence."""

    invocation_id: str
    tool_name: str
    raw_path: str
    excerpt: str


class ConfirmedFact(Frozen):
    """A sentence whose claim is a `direct_observation` (reading.md 16)."""

    text: str
    claim_id: str
    evidence: tuple[CitedEvidence, ...]


class Suspect(Frozen):
    """A possible direction with the service it names, most suspect first."""

    service: str | None = None
    text: str
    score: float | None = None


class Answer(Frozen):
    """The answer's parts, and the same as one Chinese text."""

    outcome: Outcome
    verdict: Verdict | None = None
    """None for a Fallback: no verdict was reached."""
    conclusion: str
    confirmed: tuple[ConfirmedFact, ...] = ()
    possible: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    collected: tuple[str, ...] = ()
    """Fallback only: what was gathered, as data and without a conclusion (reading.md 18)."""
    notes: tuple[str, ...] = ()
    """What the reader must know of how the answer came about, such as that the standby finished the run."""
    hypotheses: tuple[Suspect, ...] = ()
    rendered_by: Literal["model", "template"] = "template"
    template_reason: str | None = None
    """Why the template stands in for the model's text; None where nothing went wrong."""
    text: str = ""
    """The whole answer as a reader sees it in a terminal or a plain message."""
    usage: Usage = Usage()
