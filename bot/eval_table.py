"""The table of `verdict eval`."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from bot.terminal import one_line
from engine.evals.run import EvalReport, EvalRow

__all__ = ["eval_table"]


def eval_table(report: EvalReport) -> Group:
    """One line an incident, and the totals."""
    table = Table(box=None)
    for title in ("incident", "outcome", "rank", "confirmed", "unsupported", "note", "calls", "seconds"):
        table.add_column(title, no_wrap=title != "note", overflow="fold")
    for row in report.incidents:
        rank = "-" if row.healthy else str(row.root_cause_rank or "none")
        cells = (
            row.incident,
            row.outcome or "crashed",
            rank,
            str(row.confirmed),
            str(row.confirmed_unsupported),
            _note(row),
            str(row.model_calls),
            f"{row.seconds:.2f}",
        )
        table.add_row(*(Text(one_line(cell)) for cell in cells))
    totals = report.totals
    line = (
        f"root cause at 1/3/5: {totals.root_cause_at_1}/{totals.root_cause_at_3}/{totals.root_cause_at_5} of "
        f"{totals.faulty}; false alarms: {totals.false_alarms} of {totals.incidents - totals.faulty}; "
        f"unsupported confirmed claims: {totals.unsupported_confirmed_claims}; "
        f"forbidden claims: {totals.forbidden_claims}; crashed: {totals.crashed}"
    )
    return Group(table, Text(f"\n{line}"))


def _note(row: EvalRow) -> str:
    notes = [
        "false alarm" if row.false_alarm else "",
        f"missed {', '.join(row.missed)}" if row.missed else "",
        f"forbidden {', '.join(row.forbidden_claims)}" if row.forbidden_claims else "",
        f"unsupported {', '.join(row.unsupported_claims)}" if row.unsupported_claims else "",
        row.error or "",
    ]
    return "; ".join(note for note in notes if note)
