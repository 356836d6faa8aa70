"""The table of `verdict eval`."""

from rich.console import Group
from rich.table import Table
from rich.text import Text

from engine.evals.run import EvalReport

__all__ = ["eval_table"]


def eval_table(report: EvalReport) -> Group:
    """One line an incident, and the totals."""
    table = Table("incident", "outcome", "rank", "confirmed", "unsupported", "missed", "calls", "seconds", box=None)
    for row in report.incidents:
        rank = "-" if row.healthy else str(row.root_cause_rank or "none")
        note = "false alarm" if row.false_alarm else ", ".join((*row.missed, *row.forbidden_claims))
        cells = (
            row.incident,
            row.outcome,
            rank,
            str(row.confirmed),
            str(row.confirmed_unsupported),
            note,
            str(row.model_calls),
            f"{row.seconds:.2f}",
        )
        table.add_row(*(Text(cell) for cell in cells))
    totals = report.totals
    line = (
        f"root cause at 1/3/5: {totals.root_cause_at_1}/{totals.root_cause_at_3}/{totals.root_cause_at_5} of "
        f"{totals.faulty}; false alarms: {totals.false_alarms} of {totals.incidents - totals.faulty}; "
        f"unsupported confirmed claims: {totals.unsupported_confirmed_claims}; "
        f"forbidden claims: {totals.forbidden_claims}"
    )
    return Group(table, Text(f"\n{line}"))
