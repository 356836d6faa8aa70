"""Typed arguments of tools."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonValue
from engine.errors import BadArguments
from engine.system import ServiceInfo, SignalInfo, SystemMap
from engine.tools.arguments import (
    SpanArguments,
    read_arguments,
    resolve_service,
    resolve_signal,
    resolve_window,
    unknown,
)
from engine.tools.output import stamp
from tests.incident_folder import CONTEXT, WINDOW, at

SYSTEM = SystemMap(
    services=(
        ServiceInfo(name="pay", aliases=("支付", "order")),
        ServiceInfo(name="order", aliases=("下单",)),
        ServiceInfo(name="Order", aliases=()),
    ),
    signals=(
        SignalInfo(name="error_ratio", title="错误率", unit="ratio"),
        SignalInfo(name="in_bytes", title="流量", unit="bytes"),
        SignalInfo(name="out_bytes", title="流量", unit="bytes"),
    ),
)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("pay", "pay"), (" PAY ", "pay"), ("支付", "pay"), ("order", "order"), ("Order", "Order"), ("ORDER", "order")],
)
def test_a_name_means_more_than_an_alias(asked: str, meant: str) -> None:
    """The exact name first, then the name in any case, then an alias."""
    assert resolve_service(asked, SYSTEM) == meant


def test_no_service_is_no_service() -> None:
    """Absent stays absent; an empty name is unknown."""
    assert resolve_service(None, SYSTEM) is None
    with pytest.raises(BadArguments, match="pay, order, Order"):
        resolve_service("", SYSTEM)


def test_a_signal_may_be_asked_for_by_its_title() -> None:
    """A Chinese title that one signal has means it; one that several have lists them."""
    assert resolve_signal(None, SYSTEM) is None
    assert resolve_signal("error_ratio", SYSTEM) == "error_ratio"
    assert resolve_signal("错误率", SYSTEM) == "error_ratio"
    with pytest.raises(BadArguments, match=r"there are: in_bytes, out_bytes$"):
        resolve_signal("流量", SYSTEM)
    with pytest.raises(BadArguments, match="did you mean 'error_ratio'"):
        resolve_signal("error_rate", SYSTEM)


def test_what_exists_is_listed_up_to_a_bound() -> None:
    """At most thirty names, the nearest first, and how many more there are."""
    said = unknown("svc-77", [f"svc-{number}" for number in range(100)])
    assert said.startswith("did you mean 'svc-77'? there are: svc-77, svc-0, ")
    assert said.endswith(" and 70 more")
    assert unknown("x", []) == "there are: none"


def test_each_end_of_the_window_stands_in_for_the_asked_one() -> None:
    """Only what a call gives replaces the run's window."""
    whole = resolve_window(SpanArguments(), CONTEXT)
    later = resolve_window(read_arguments(SpanArguments, {"from": at(10)}), CONTEXT)
    assert whole == WINDOW
    assert (later.start.isoformat(), later.end) == (at(10), WINDOW.end)


def test_arguments_have_their_json_names_only() -> None:
    """`start` is a name of the code, not of the tool."""
    with pytest.raises(BadArguments, match=r"unknown argument 'start'.*from"):
        read_arguments(SpanArguments, {"start": at(1)})


@given(
    st.dictionaries(
        st.sampled_from(["service", "from", "to", "other"]),
        st.none() | st.text(max_size=40) | st.integers() | st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
    )
)
def test_whatever_a_model_sends_is_a_window_or_refused(arguments: dict[str, JsonValue]) -> None:
    """Any arguments give a window that can be shown, or BadArguments with a bounded message."""
    try:
        window = resolve_window(read_arguments(SpanArguments, arguments), CONTEXT)
    except BadArguments as error:
        message = str(error)
    else:
        message = f"{stamp(window.start, 'Pacific/Apia')} {stamp(window.end, 'Pacific/Pago_Pago')}"
    assert 0 < len(message) < 600
