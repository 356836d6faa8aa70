"""What each command does, from parsed arguments to text on the terminal."""

import argparse
import json
import os
import sys
from datetime import datetime
from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot.audit_text import audit_text, outcome_zh
from bot.bootstrap import open_engine
from bot.doctor import examine
from bot.eval_table import eval_table
from bot.progress import NoProgress, TerminalProgress
from bot.settings import Settings
from bot.sources import read_incident
from bot.terminal import PlainPipes, console, one_line, safe_text, write_answer
from engine.diagnose import diagnose
from engine.errors import ConfigError
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
_SESSION_CHARS = 200
_YEARS = range(1970, 2200)


async def demo(given: argparse.Namespace, settings: Settings) -> int:
    """`ask` over a shipped incident."""
    incident = given.incident or _SAMPLE
    if given.question is None:
        questions = read_incident(incident).questions
        if not questions:
            raise ConfigError(f"{incident}: holds no question; give one")
        given.question = questions[0]
    given.incident = incident
    return await ask(given, settings)


async def ask(given: argparse.Namespace, settings: Settings) -> int:
    """One diagnosis; returns the exit status."""
    text = _question_text(given.question)
    _check_session(given.session)
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
    table.add_column("运行", no_wrap=True, min_width=26)
    table.add_column("开始时间", no_wrap=True, min_width=14)
    table.add_column("结果", no_wrap=True, min_width=10)
    for title in ("问题", "结论"):
        table.add_column(title, no_wrap=True, overflow="ellipsis", ratio=1)
    for item in found:
        state = outcome_zh(item.outcome) if item.outcome else f"停在 {item.stage}"
        started = item.started_at.astimezone().strftime("%m-%d %H:%M:%S")
        cells = (item.run_id, started, state, item.question, item.conclusion or "")
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    console().print(table)
    return 0


async def evaluate(given: argparse.Namespace, settings: Settings) -> int:
    """Labelled incidents, scored; 1 when a confirmed claim was not carried, or a run crashed."""
    report = await evaluate_folders(
        tuple(given.folders), given.question, lambda folder, store: open_engine(settings, NoProgress(), folder, store)
    )
    if given.json:
        _print_json(report.model_dump(mode="json"))
    else:
        console().print(eval_table(report))
    return 1 if report.totals.unsupported_confirmed_claims or report.totals.crashed else 0


async def prune(given: argparse.Namespace, settings: Settings) -> int:
    """Delete what is old."""
    async with open_store(settings.database.url) as store:
        deleted = await store.prune(read_duration(given.older_than), SystemClock().now())
    _write(f"删除了 {deleted} 次诊断")
    return 0


async def doctor(given: argparse.Namespace, settings: Settings) -> int:
    """One line a part; 2 when something needed is broken."""
    lines, sound = await examine(settings)
    _write("\n".join(lines))
    return 0 if sound else 2


def _question_text(given: str) -> str:
    raw = sys.stdin.buffer.read(4 * _QUESTION_CHARS + 4) if given == "-" else os.fsencode(given)
    # because whatever the terminal's locale is, a question is UTF-8; what is not becomes a mark, not a crash
    text = raw.decode("utf-8", errors="replace")
    if not text.strip():
        raise ConfigError("the question is empty; ask something like: payment-service 为什么报错？")
    if len(text) > _QUESTION_CHARS:
        raise ConfigError(f"the question is longer than {_QUESTION_CHARS} characters; shorten it")
    return text.strip()


def _check_session(session: str | None) -> None:
    if session is None:
        return
    if not session.isprintable() or one_line(session) != session or not 1 <= len(session) <= _SESSION_CHARS:
        raise ConfigError(f"--session: must be 1 to {_SESSION_CHARS} printable characters on one line")


def _window(given: argparse.Namespace, now: datetime, frame: TimeFrame) -> TimeWindow | None:
    for option, value in (("--since", given.since), ("--from", given.start), ("--to", given.end)):
        if value is not None and not value.strip():
            raise ConfigError(f"{option}: is empty; write a time such as 1h or 2026-12-01T14:00:00+08:00")
    if given.since and given.start:
        raise ConfigError("--since and --from both give the start; use one")
    if given.end and not (given.start or given.since):
        raise ConfigError("--to needs --from or --since")
    begin = given.since or given.start
    if not begin:
        return None
    start = read_instant(begin, now, frame.timezone)
    end = read_instant(given.end, now, frame.timezone) if given.end else now
    if start.year not in _YEARS or end.year not in _YEARS:
        raise ConfigError(f"--from and --to must lie between the years {_YEARS.start} and {_YEARS.stop - 1}")
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
    return TerminalProgress(PlainPipes(stderr=True, highlight=False))


def _print_answer(record: RunRecord) -> None:
    text = record.answer.text if record.answer else "没有答案"
    seconds = (record.duration_ms or 0) / 1000
    footer = f"运行 {record.run_id} · {seconds:.1f} 秒 · {len(record.invocations)} 次取证 · 复核：verdict audit {record.run_id}"
    write_answer(text, footer)


def _write(text: str) -> None:
    sys.stdout.write(f"{safe_text(text)}\n")


def _print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
