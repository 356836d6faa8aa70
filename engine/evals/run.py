"""Runs labelled incidents and scores each."""

import logging
import re
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from engine.base import Frozen
from engine.diagnose import diagnose
from engine.errors import ConfigError
from engine.evals.independent_check import unsupported_facts
from engine.ports import Deps, Store
from engine.question import Question
from engine.record import RunRecord
from engine.sources.incident import Incident, Truth, load_incident
from engine.store.memory import MemoryStore
from engine.window import TimeFrame

__all__ = ["EvalReport", "EvalRow", "EvalTotals", "evaluate_folders"]

_INTERNAL = "internal."
"""What the reason of a Fallback begins with where a node crashed."""

_log = logging.getLogger(__name__)

Opener = Callable[[Path, Store], AbstractAsyncContextManager[tuple[Deps, TimeFrame]]]


class EvalRow(Frozen):
    """One incident and question (interfaces.md)."""

    incident: str
    question: str
    healthy: bool
    outcome: str
    root_cause_rank: int | None
    mentioned: tuple[str, ...]
    missed: tuple[str, ...]
    forbidden_claims: tuple[str, ...]
    confirmed: int
    confirmed_unsupported: int
    unsupported_claims: tuple[str, ...]
    """The ids behind that number."""
    false_alarm: bool
    verdict_expected: bool
    """Whether the outcome is one that the label allows; true where it names none."""
    model_calls: int
    seconds: float
    error: str | None = None
    """Why the run crashed, or the sources could not be read; None where it came to its end."""


class EvalTotals(Frozen):
    """Over all rows; rates count faulty incidents only."""

    incidents: int
    faulty: int
    root_cause_at_1: int
    root_cause_at_3: int
    root_cause_at_5: int
    false_alarms: int
    unsupported_confirmed_claims: int
    forbidden_claims: int
    crashed: int


class EvalReport(Frozen):
    """What `verdict eval --json` prints."""

    incidents: tuple[EvalRow, ...]
    totals: EvalTotals


async def evaluate_folders(folders: tuple[Path, ...], which: str, opener: Opener) -> EvalReport:
    """Run each incident's question over its own sources, in memory.

    Args:
        folders: incident folders, or folders of such.
        which: the question's number from 1, or `all`.
        opener: makes everything a run needs from a folder and a store.

    Raises:
        ConfigError: a folder holds no labelled incident, or no question of that number.
    """
    rows: list[EvalRow] = []
    for folder in _incidents(folders):
        incident = load_incident(folder)
        for question in _questions(incident, which):
            rows.append(await _score(incident, question, opener))
    return EvalReport(incidents=tuple(rows), totals=_totals(rows))


def _incidents(folders: tuple[Path, ...]) -> list[Path]:
    found: list[Path] = []
    for folder in folders:
        inner = [path.parent for path in sorted(folder.glob("*/incident.toml"))]
        if not (folder / "incident.toml").is_file() and not inner:
            raise ConfigError(f"{folder}: holds no incident.toml, nor do its folders")
        found += [folder] if (folder / "incident.toml").is_file() else inner
    return found


def _questions(incident: Incident, which: str) -> tuple[str, ...]:
    if incident.truth is None:
        raise ConfigError(f"{incident.folder}: has no [truth]; eval needs labelled incidents")
    if not all(incident.truth.must_mention):
        raise ConfigError(f"{incident.folder}: truth.must_mention: a list of alternatives is empty; name one")
    if which == "all":
        return incident.questions
    if not which.isdigit() or not 1 <= int(which) <= len(incident.questions):
        raise ConfigError(f"--question {which}: {incident.folder.name} has questions 1 to {len(incident.questions)}")
    return (incident.questions[int(which) - 1],)


async def _score(incident: Incident, text: str, opener: Opener) -> EvalRow:
    assert incident.truth is not None
    began = time.monotonic()
    try:
        async with opener(incident.folder, MemoryStore()) as (deps, frame):
            question = Question(text=text, asked_at=incident.window.end, timezone=incident.timezone)
            record = await diagnose(question, deps, frame)
    except Exception as error:  # noqa: BLE001  # because one incident's failure must not lose the others' scores
        _log.debug("eval of %s failed", incident.folder, exc_info=True)
        return _crashed(incident, text, f"{type(error).__name__}: {error}"[:300], time.monotonic() - began)
    return _row(incident, incident.truth, record, time.monotonic() - began)


def _row(incident: Incident, truth: Truth, record: RunRecord, seconds: float) -> EvalRow:
    said, claimed, unsupported = _said(record), _claimed(record), unsupported_facts(record)
    ranked = [suspect.service for suspect in record.hypotheses]
    mentioned = [any(word.casefold() in said for word in words) for words in truth.must_mention]
    reason = record.fallback_reason or ""
    return EvalRow(
        incident=incident.folder.name,
        question=record.question.text,
        healthy=truth.healthy,
        outcome=record.outcome or "",
        root_cause_rank=next((rank for rank, name in enumerate(ranked, start=1) if name in truth.root_cause), None),
        mentioned=tuple(words[0] for words, held in zip(truth.must_mention, mentioned, strict=True) if held),
        missed=tuple(words[0] for words, held in zip(truth.must_mention, mentioned, strict=True) if not held),
        forbidden_claims=tuple(
            pattern for pattern in truth.must_not_claim if re.search(pattern, claimed, re.IGNORECASE)
        ),
        confirmed=len(record.answer.confirmed) if record.answer else 0,
        confirmed_unsupported=len(unsupported),
        unsupported_claims=unsupported,
        false_alarm=truth.healthy and _alarms(record),
        verdict_expected=not truth.verdicts or record.outcome in truth.verdicts,
        model_calls=record.usage.model_calls,
        seconds=round(seconds, 2),
        error=reason if reason.startswith(_INTERNAL) else None,
    )


def _crashed(incident: Incident, text: str, error: str, seconds: float) -> EvalRow:
    assert incident.truth is not None
    return EvalRow(
        incident=incident.folder.name,
        question=text,
        healthy=incident.truth.healthy,
        outcome="",
        root_cause_rank=None,
        mentioned=(),
        missed=tuple(words[0] for words in incident.truth.must_mention),
        forbidden_claims=(),
        confirmed=0,
        confirmed_unsupported=0,
        unsupported_claims=(),
        false_alarm=False,
        verdict_expected=False,
        model_calls=0,
        seconds=round(seconds, 2),
        error=error,
    )


def _claimed(record: RunRecord) -> str:
    """What the answer asserts or suspects."""
    if record.answer is None:
        return ""
    facts = (fact.text for fact in record.answer.confirmed)
    suspects = (suspect.text for suspect in record.hypotheses)
    return " ".join((record.answer.conclusion, *facts, *record.answer.possible, *suspects)).casefold()


def _said(record: RunRecord) -> str:
    """What a reader is told; not the evidence below it, because a dump of telemetry mentions everything."""
    steps = record.answer.next_steps if record.answer else ()
    return " ".join((_claimed(record), *steps)).casefold()


def _alarms(record: RunRecord) -> bool:
    """Whether a run accuses somebody: a suspect, or a confirmed symptom or root cause."""
    evaluation = record.self_evaluation.get("verifier_evaluation")
    checks = evaluation.get("claim_checks") if isinstance(evaluation, dict) else None
    accusing = [
        check
        for check in (checks if isinstance(checks, list) else [])
        if isinstance(check, dict)
        and check.get("claim_type") in {"root_cause", "symptom", "impact", "risk"}
        and check.get("verification") == "direct_observation"
    ]
    return bool(record.hypotheses) or bool(accusing)


def _totals(rows: list[EvalRow]) -> EvalTotals:
    faulty = [row for row in rows if not row.healthy]
    ranks = [row.root_cause_rank for row in faulty if row.root_cause_rank is not None]
    return EvalTotals(
        incidents=len(rows),
        faulty=len(faulty),
        root_cause_at_1=sum(rank <= 1 for rank in ranks),
        root_cause_at_3=sum(rank <= 3 for rank in ranks),
        root_cause_at_5=sum(rank <= 5 for rank in ranks),
        false_alarms=sum(row.false_alarm for row in rows),
        unsupported_confirmed_claims=sum(row.confirmed_unsupported for row in rows),
        forbidden_claims=sum(len(row.forbidden_claims) for row in rows),
        crashed=sum(row.error is not None for row in rows),
    )
