"""Between records and rows: JSON for what is modelled, validation of all that comes back."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from engine.base import Frozen
from engine.errors import StoreError
from engine.invocation import ToolInvocation
from engine.record import RunRecord, RunSummary
from engine.run import RunEvent

__all__ = [
    "columns",
    "event_columns",
    "invocation_columns",
    "record_of",
    "run_columns",
    "summary_of",
]

Row = Mapping[Any, Any]

T = TypeVar("T", bound=Frozen)

_OTHER_TABLES = ("invocations", "events")


def columns(fields: Mapping[str, object]) -> dict[str, object]:
    """Fields of a record as columns of its row: models and tuples become JSON."""
    return {name: _column(value) for name, value in fields.items()}


def run_columns(record: RunRecord) -> dict[str, object]:
    """The row of a run; its invocations and events have tables of their own."""
    fields = {name: getattr(record, name) for name in RunRecord.model_fields if name not in _OTHER_TABLES}
    return columns(fields)


def invocation_columns(position: int, invocation: ToolInvocation) -> dict[str, object]:
    """The row of a tool call, `position` being its place among the run's."""
    fields = {name: getattr(invocation, name) for name in ToolInvocation.model_fields}
    return columns(fields) | {"position": position}


def event_columns(run_id: str, event: RunEvent) -> dict[str, object]:
    """The row of one attempt of a node."""
    fields = {name: getattr(event, name) for name in RunEvent.model_fields}
    return columns(fields) | {"run_id": run_id}


def record_of(run: Row, invocations: Iterable[Row], events: Iterable[Row]) -> RunRecord:
    """The record that the rows hold.

    Raises:
        StoreError: a row is not as this version writes it; the message names the run and the place.
    """
    run_id = str(run["run_id"])
    parts: dict[str, object] = {
        # One by one, because pydantic bounds the depth of JSON from the outermost value.
        "invocations": tuple(_validated(ToolInvocation, row, run_id) for row in invocations),
        "events": tuple(_validated(RunEvent, row, run_id) for row in events),
        "self_evaluation": run["self_evaluation"] or {},
    }
    return _validated(RunRecord, {**run, **parts}, run_id)


def summary_of(run: Row) -> RunSummary:
    """One line of `verdict runs`.

    Raises:
        StoreError: the row is not as this version writes it.
    """
    return _validated(RunSummary, run, str(run["run_id"]))


def _column(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple):
        return [_column(item) for item in cast("tuple[object, ...]", value)]
    return value


def _validated(model: type[T], row: Row, run_id: str) -> T:
    try:
        return model.model_validate({name: row[name] for name in model.model_fields if name in row})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join((model.__name__, *(str(part) for part in first["loc"])))
        raise StoreError(f"the record of run {run_id} cannot be read: {where[:200]} ({first['type']})") from error
