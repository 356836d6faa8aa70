"""What each command does, from parsed arguments to text on the terminal."""

import argparse
import json
import os
import sys
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.audit_text import audit_text, outcome_zh
from bot.bootstrap import open_engine, recorded_source
from bot.eval_table import eval_table
from bot.progress import NoProgress, TerminalProgress
from bot.settings import Settings
from bot.terminal import safe_text
from engine.diagnose import diagnose
from engine.errors import ConfigError, VerdictError
from engine.evals.run import evaluate_folders
from engine.greetings import HELP_ZH, is_greeting
from engine.identity import SystemClock
from engine.ports import Deps, Observer
from engine.question import Question
from engine.record import RunRecord
from engine.report import ask_object, audit_object
from engine.store import open_store
from engine.window import TimeFrame, TimeWindow
from engine.window_text import read_duration, read_instant

__all__ = ["ask", "audit", "demo", "doctor", "evaluate", "prune", "runs"]

_SAMPLE = Path(__file__).resolve().parents[1] / "engine" / "samples" / "payment-pool-leak"
_QUESTION_CHARS = 4000
_FACTS = 10


async def demo(given: argparse.Namespace, settings: Settings) -> int:
    """`ask` over a shipped incident."""
    incident = given.incident or _SAMPLE
    if given.question is None:
        source = recorded_source(settings, incident)
        if source is None or not source.incident.questions:
            raise ConfigError(f"{incident}: holds no question; give one")
        given.question = source.incident.questions[0]
    given.incident = incident
    return await ask(given, settings)


async def ask(given: argparse.Namespace, settings: Settings) -> int:
    """One diagnosis; returns the exit status."""
    text = _question_text(given.question)
    if is_greeting(text):
        if given.json:
            _print_json({"help": HELP_ZH})
        else:
            _write(HELP_ZH)
        return 0
    async with open_engine(settings, _observer(given), given.incident) as (deps, frame):
        if not deps.tools:
            raise ConfigError("no source is configured: give --incident DIR, or add [[sources]] to verdict.toml")
        now = frame.now or deps.clock.now()
        question = Question(
            text=text,
            asked_at=now,
            timezone=frame.timezone,
            window=_window(given, now, frame),
            session_id=given.session,
            known_facts=await _facts(given.session, deps),
        )
        record = await diagnose(question, deps, frame)
    if given.json:
        _print_json(ask_object(record))
    else:
        _print_answer(record)
    return 3 if record.outcome == "FALLBACK" else 0


async def audit(given: argparse.Namespace, settings: Settings) -> int:
    """The audit of a stored run."""
    async with open_store(settings.database.url) as store:
        record = await store.load(given.run_id)
    if given.json:
        _print_json(audit_object(record))
    else:
        _write(audit_text(record))
    return 0


async def runs(given: argparse.Namespace, settings: Settings) -> int:
    """The newest runs."""
    if given.limit < 1:
        raise ConfigError("--limit: must be at least 1")
    async with open_store(settings.database.url) as store:
        found = await store.recent(min(given.limit, 1000))
    if given.json:
        _print_json([item.model_dump(mode="json") for item in found])
        return 0
    table = Table(box=None, pad_edge=False)
    table.add_column("运行", no_wrap=True, min_width=29)
    for title in ("开始时间", "结果", "问题", "结论"):
        table.add_column(title, overflow="fold")
    for item in found:
        state = outcome_zh(item.outcome) if item.outcome else f"未完成（{item.stage}）"
        started = item.started_at.astimezone().strftime("%m-%d %H:%M:%S")
        cells = (item.run_id, started, state, item.question, item.conclusion or "")
        table.add_row(*(_cell(cell) for cell in cells))
    Console(markup=False, highlight=False).print(table)
    return 0


async def evaluate(given: argparse.Namespace, settings: Settings) -> int:
    """Labelled incidents, scored; 1 when a confirmed claim was not carried."""
    report = await evaluate_folders(
        tuple(given.folders), given.question, lambda folder, store: open_engine(settings, NoProgress(), folder, store)
    )
    if given.json:
        _print_json(report.model_dump(mode="json"))
    else:
        Console(highlight=False).print(eval_table(report))
    return 1 if report.totals.unsupported_confirmed_claims else 0


async def prune(given: argparse.Namespace, settings: Settings) -> int:
    """Delete what is old."""
    async with open_store(settings.database.url) as store:
        deleted = await store.prune(read_duration(given.older_than), SystemClock().now())
    _write(f"删除了 {deleted} 次诊断")
    return 0


async def doctor(given: argparse.Namespace, settings: Settings) -> int:
    """One line a part; 2 when something needed is broken."""
    broken = False
    lines = ["ok    configuration"]
    try:
        async with open_store(settings.database.url) as store:
            await store.recent(1)
        lines.append("ok    database")
    except VerdictError as error:
        broken = True
        lines.append(f"FAIL  database: {error}")
    lines.append(f"ok    model: {settings.model.provider}")
    try:
        source = recorded_source(settings, None)
        if source is None:
            lines.append("warn  sources: none configured; only --incident works")
        else:
            system = source.system()
            kinds = ", ".join(system.kinds)
            lines.append(f"ok    source {source.incident.folder}: {len(system.services)} services; {kinds}")
    except VerdictError as error:
        broken = True
        lines.append(f"FAIL  sources: {error}")
    _write("\n".join(lines))
    return 2 if broken else 0


def _question_text(given: str) -> str:
    raw = sys.stdin.buffer.read(4 * _QUESTION_CHARS + 4) if given == "-" else os.fsencode(given)
    # because whatever the terminal's locale is, a question is UTF-8; what is not becomes a mark, not a crash
    text = raw.decode("utf-8", errors="replace")
    if not text.strip():
        raise ConfigError("the question is empty; ask something like: payment-service 为什么报错？")
    if len(text) > _QUESTION_CHARS:
        raise ConfigError(f"the question is longer than {_QUESTION_CHARS} characters; shorten it")
    return text.strip()


def _window(given: argparse.Namespace, now: datetime, frame: TimeFrame) -> TimeWindow | None:
    if given.since and given.start:
        raise ConfigError("--since and --from both give the start; use one")
    if given.end and not (given.start or given.since):
        raise ConfigError("--to needs --from or --since")
    begin = given.since or given.start
    if not begin:
        return None
    start = read_instant(begin, now, frame.timezone)
    end = read_instant(given.end, now, frame.timezone) if given.end else now
    if start >= end:
        raise ConfigError(f"--from must be before --to: {start.isoformat()} .. {end.isoformat()}")
    return TimeWindow(start=start, end=end)


async def _facts(session: str | None, deps: Deps) -> tuple[str, ...]:
    """What the session's earlier runs confirmed, newest first."""
    if session is None:
        return ()
    facts: list[str] = []
    for summary in await deps.store.recent(3, session_id=session):
        record = await deps.store.load(summary.run_id)
        facts += [fact.text for fact in record.answer.confirmed] if record.answer else []
    return tuple(facts[:_FACTS])


def _observer(given: argparse.Namespace) -> Observer:
    if given.no_progress:
        return NoProgress()
    return TerminalProgress(Console(stderr=True, highlight=False))


def _print_answer(record: RunRecord) -> None:
    text = record.answer.text if record.answer else "没有答案"
    seconds = (record.duration_ms or 0) / 1000
    footer = f"运行 {record.run_id} · {seconds:.1f} 秒 · {len(record.invocations)} 次取证 · 复核：verdict audit {record.run_id}"
    _write(f"{text}\n\n{footer}")


def _write(text: str) -> None:
    sys.stdout.write(f"{safe_text(text)}\n")


def _cell(text: str) -> str:
    return " ".join(safe_text(text).split())[:60]


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
