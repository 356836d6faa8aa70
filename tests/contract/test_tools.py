"""What every tool promises, whatever it looks at (ports.Tool)."""

import json
import re
from pathlib import Path
from typing import cast

import jsonpointer  # pyright: ignore[reportMissingTypeStubs]
import pytest

from engine.base import JsonObject, JsonValue
from engine.errors import BadArguments
from engine.invocation import ToolResult
from engine.ports import Tool
from engine.rendering import render_line
from engine.system import ServiceInfo
from tests.incident_folder import CONTEXT, IncidentFolder, at, log, pay_incident

NAMES = ("query_metrics", "query_logs", "query_alerts", "query_changes", "query_traces", "lookup_knowledge")
TIMED = NAMES[:-1]

LISTS = {
    "query_metrics": "series",
    "query_logs": "groups",
    "query_alerts": "alerts",
    "query_changes": "changes",
    "query_traces": "edges",
    "lookup_knowledge": "chunks",
}

QUIET = {"from": at(-60 * 24), "to": at(-60 * 24 + 5)}
"""A stretch for which the folder holds nothing, however far a tool looks back."""


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, Tool]:
    """All six tools over one incident."""
    return pay_incident(tmp_path).tools(ServiceInfo(name="payment-service", aliases=("支付", "pay")))


def _needed(name: str, arguments: JsonObject | None = None) -> JsonObject:
    given = dict(arguments or {})
    return {"query": "连接池", **given} if name == "lookup_knowledge" else given


def _output(result: ToolResult) -> JsonObject:
    assert isinstance(result.output, dict)
    return result.output


def _texts(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [value] if isinstance(value, str) else []


def _check_refs(result: ToolResult) -> None:
    for ref in result.evidence_refs:
        node = cast("JsonValue", jsonpointer.resolve_pointer(result.output, ref.raw_path))  # pyright: ignore[reportUnknownMemberType]
        assert ref.text == render_line(node)


@pytest.mark.parametrize("name", NAMES)
async def test_every_reference_resolves_to_its_own_text(tools: dict[str, Tool], name: str) -> None:
    """Each ref is a pointer into the output whose place renders to the ref's text; the summary comes first."""
    result = await tools[name].call(_needed(name), CONTEXT)
    assert result.status == "ok"
    assert result.evidence_refs[0].raw_path == "/summary"
    assert f"/{LISTS[name]}/0" in {ref.raw_path for ref in result.evidence_refs}
    _check_refs(result)


@pytest.mark.parametrize("name", NAMES)
async def test_output_is_plain_json(tools: dict[str, Tool], name: str) -> None:
    """An output survives being written and read as strict JSON."""
    result = await tools[name].call(_needed(name), CONTEXT)
    assert json.loads(json.dumps(result.output, allow_nan=False)) == result.output


@pytest.mark.parametrize("name", NAMES)
async def test_null_arguments_count_as_absent(tools: dict[str, Tool], name: str) -> None:
    """A model that sends null for every optional argument gets what it gets without them."""
    properties = cast("JsonObject", tools[name].spec.parameters["properties"])
    nulls: JsonObject = dict.fromkeys(properties)
    if name == "lookup_knowledge":
        del nulls["query"]
    assert await tools[name].call(_needed(name, nulls), CONTEXT) == await tools[name].call(_needed(name), CONTEXT)


@pytest.mark.parametrize("name", NAMES)
async def test_an_unknown_argument_is_refused_by_name(tools: dict[str, Tool], name: str) -> None:
    """The error names the argument and those that exist."""
    with pytest.raises(BadArguments, match=r"'servce'.*did you mean 'service'"):
        await tools[name].call(_needed(name, {"servce": "payment-service"}), CONTEXT)


@pytest.mark.parametrize("name", NAMES)
async def test_an_unknown_service_is_refused_with_the_known_ones(tools: dict[str, Tool], name: str) -> None:
    """The error names the nearest service and the others."""
    with pytest.raises(BadArguments, match=r"did you mean 'payment-service'.*order-service"):
        await tools[name].call(_needed(name, {"service": "payment-servise"}), CONTEXT)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", [5, ["payment-service"], {"a": 1}, True])
async def test_a_mistyped_argument_is_refused(tools: dict[str, Tool], name: str, wrong: JsonValue) -> None:
    """A value of another type is an error that names its argument."""
    with pytest.raises(BadArguments, match="service"):
        await tools[name].call(_needed(name, {"service": wrong}), CONTEXT)


@pytest.mark.parametrize("name", NAMES)
async def test_an_alias_means_its_service(tools: dict[str, Tool], name: str) -> None:
    """A service may be asked for by alias and in any case."""
    by_alias = await tools[name].call(_needed(name, {"service": "支付"}), CONTEXT)
    assert by_alias == await tools[name].call(_needed(name, {"service": "PAYMENT-Service"}), CONTEXT)
    assert by_alias.scope.services == ("payment-service",)


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"from": "2026-12-01T14:00:00"}, "offset"),
        ({"to": "yesterday"}, "RFC 3339"),
        ({"from": at(20), "to": at(10)}, "before"),
        ({"from": "0001-01-01T00:00:00+14:00"}, "range"),
        ({"to": "9999-12-31T23:59:59-12:00"}, "range"),
    ],
)
async def test_times_are_checked(tools: dict[str, Tool], name: str, given: JsonObject, said: str) -> None:
    """A time without offset, no time, an empty stretch or one beyond the calendar is refused, with the reason."""
    with pytest.raises(BadArguments, match=said):
        await tools[name].call(given, CONTEXT)


@pytest.mark.parametrize("name", TIMED)
async def test_times_in_the_output_carry_the_offset_of_the_reader(tools: dict[str, Tool], name: str) -> None:
    """Every time that a tool itself writes is RFC 3339 in the context's zone."""
    result = await tools[name].call({}, CONTEXT)
    stamps = [text for text in _texts(result.output) if re.match(r"\d{4}-\d\d-\d\dT", text)]
    assert stamps
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?\+08:00", text) for text in stamps)


@pytest.mark.parametrize("name", TIMED)
async def test_an_empty_result_can_be_cited(tools: dict[str, Tool], name: str) -> None:
    """Nothing found is a result with one ref that says which stretch was searched, and a Chinese note."""
    result = await tools[name].call(dict(QUIET), CONTEXT)
    assert result.status == "empty"
    assert result.evidence_refs[0].raw_path == "/summary"
    assert "window.from=2026-11-30T" in result.evidence_refs[0].text
    assert result.note is not None
    assert re.search(r"[\u4e00-\u9fff]", result.note)
    assert result.scope.window is not None
    assert result.scope.window.contains(result.scope.window.start)
    _check_refs(result)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("room", [1_000, 1_500, 4_000])
async def test_output_keeps_its_bound(tools: dict[str, Tool], name: str, room: int) -> None:
    """An output is no longer than the context allows, says what it dropped, and is still citeable."""
    result = await tools[name].call(_needed(name), CONTEXT.model_copy(update={"max_bytes": room}))
    assert len(json.dumps(result.output, ensure_ascii=False).encode()) <= room
    dropped = cast("JsonObject", _output(result)["summary"]).get("dropped_items")
    assert (dropped is None) == result.scope.complete
    assert dropped is None or (result.note is not None and str(dropped) in result.note)
    _check_refs(result)


@pytest.mark.parametrize("name", NAMES)
async def test_no_secret_leaves_a_tool(tools: dict[str, Tool], name: str) -> None:
    """A password in the telemetry is a placeholder in output and refs."""
    result = await tools[name].call(_needed(name), CONTEXT)
    assert "hunter2secret" not in result.model_dump_json()
    if name != "query_traces":
        assert "<SECRET:value:" in result.model_dump_json()


async def test_a_secret_cut_in_two_does_not_leave_either(tmp_path: Path) -> None:
    """A secret that lies across the bound of a text leaves no half of it behind."""
    key = "AKIA" + "Z9Y8X7W6V5U4T3S2"
    for shift in range(0, 40, 3):
        body = f"{'x' * (575 + shift)} {key} tail"
        folder = IncidentFolder(tmp_path).logs([log(1, "pay", body, "ERROR")])
        result = await folder.tools()["query_logs"].call({}, CONTEXT)
        assert key[:6] not in result.model_dump_json()


@pytest.mark.parametrize("name", NAMES)
async def test_parameters_are_an_object_schema_that_names_every_argument(tools: dict[str, Tool], name: str) -> None:
    """A model gets a closed JSON Schema in which every argument has a description."""
    parameters = tools[name].spec.parameters
    assert parameters["type"] == "object"
    assert parameters["additionalProperties"] is False
    properties = cast("dict[str, JsonObject]", parameters["properties"])
    assert all(item.get("description") for item in properties.values())
    assert {"from", "to"} <= set(properties) or name == "lookup_knowledge"


async def test_only_knowledge_guides(tools: dict[str, Tool]) -> None:
    """Runbooks are marked as guidance; the other tools witness."""
    assert [name for name, tool in tools.items() if tool.spec.guidance] == ["lookup_knowledge"]
