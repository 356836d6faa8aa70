"""The ranking of services along the topology."""

from hypothesis import given
from hypothesis import strategies as st

from engine.models.builtin.finding import Finding, Kind
from engine.models.builtin.payload import Ref
from engine.models.builtin.suspects import rank, suspicions

CHAIN = {"gateway": ["order"], "order": ["pay"], "pay": ["db"], "db": []}


def _finding(service: str, strength: float, *, own: bool = False, kind: Kind = "metric") -> Finding:
    return Finding(service, kind, strength, own, f"{service} {kind}", Ref("query_metrics", "i", "/series/0", ""), "")


def _order(*findings: Finding) -> list[str]:
    return [suspect.service for suspect in rank(findings, CHAIN)]


def test_the_deepest_anomaly_explains_those_above_it() -> None:
    """Slow all along a chain of calls, the service at its end is the suspect."""
    assert _order(_finding("gateway", 6), _finding("order", 6), _finding("pay", 5))[0] == "pay"


def test_what_arises_in_the_service_itself_is_not_explained() -> None:
    """A service whose own resource is used up stays suspect although a callee is slow, too."""
    assert _order(_finding("order", 6, own=True), _finding("pay", 4))[0] == "order"


def test_a_departure_without_a_slow_callee_is_not_explained_away() -> None:
    """The caller that alone departs is the suspect."""
    assert _order(_finding("order", 5)) == ["order"]


def test_who_explains_what_is_seen_at_the_entry_gains() -> None:
    """Of two equal anomalies, the one on the way of the requests that suffer ranks first."""
    found = _order(_finding("gateway", 5), _finding("pay", 4), _finding("aside", 4.1))
    assert found.index("pay") < found.index("aside")


def test_a_callers_view_of_a_call_ranks_below_the_one_who_answered() -> None:
    """Tracing shows the same failure twice; the named service is meant."""
    assert _order(_finding("search", 5), _finding("lb-search_remote", 6.5)) == ["search", "lb-search_remote"]


def test_noise_gives_no_suspect() -> None:
    """Where even the first is weak, nobody is named; beside a strong one, weaker ones are."""
    assert _order(_finding("pay", 2)) == []
    assert _order(_finding("pay", 6), _finding("aside", 2)) == ["pay", "aside"]


def test_an_alert_or_a_change_alone_is_no_suspicion() -> None:
    """That something was changed, or fires, names no cause by itself."""
    assert _order(_finding("pay", 3, kind="alert"), _finding("pay", 2, kind="change", own=True)) == []


def test_a_change_lifts_a_service_that_departs() -> None:
    """Of two equal anomalies, the one with a deploy ranks first."""
    deploy = _finding("stock", 2, kind="change", own=True)
    assert _order(_finding("aside", 4), _finding("stock", 4), deploy)[0] == "stock"


@given(
    st.lists(
        st.builds(
            _finding,
            st.sampled_from(["gateway", "order", "pay", "db", "aside"]),
            st.floats(0.1, 7),
            own=st.booleans(),
            kind=st.sampled_from(["metric", "log", "edge", "operation", "alert", "change"]),
        ),
        max_size=20,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_does_not_depend_on_the_order_of_the_evidence(findings: list[Finding], chance: object) -> None:
    """Ranking is deterministic, also over a topology with a cycle."""
    shuffled = list(findings)
    chance.shuffle(shuffled)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    cycle = {**CHAIN, "db": ["gateway"]}
    first, second = suspicions(findings, cycle), suspicions(shuffled, cycle)
    assert [item.service for item in first] == [item.service for item in second]
