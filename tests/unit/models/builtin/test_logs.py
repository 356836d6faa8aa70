"""Findings from log groups."""

from engine.base import JsonObject
from engine.models.builtin.finding import Finding
from engine.models.builtin.logs import lines_lost, read_groups, read_logs
from tests.unit.models.builtin.evidence import call, executor_payload, group, system

NAMES = system(order_service=["payment-service"], payment_service=[], stock_service=[])


def _findings(*rows: JsonObject) -> list[Finding]:
    payload = executor_payload(call("query_logs", *rows), services=NAMES)
    return list(read_logs(payload, read_groups(payload)))


def _line(service: str, template: str, count: int, expected: float) -> JsonObject:
    kind = "usual" if count > 0.4 * expected else "missing" if count == 0 else "fewer"
    return group(service, template, count, expected, level="INFO", kind=kind, score=0 if kind == "usual" else 2.4)


def _strength(findings: list[Finding], service: str) -> float:
    return max((finding.strength for finding in findings if finding.service == service), default=0.0)


def test_a_line_that_stays_away_while_its_twin_comes_is_found() -> None:
    """As many lines of the same request came as ever, and one of them did not."""
    twin = [_line("order-service", "[create][begin]", 60, 44), _line("order-service", "[create][priced]", 0, 44)]
    assert _strength(_findings(*twin), "order-service") > 4


def test_lines_that_fade_with_their_twins_are_less_traffic() -> None:
    """Where everything of a service halves, nothing is missing."""
    rows = [_line("order-service", f"[create][step {number}]", 18, 44) for number in range(4)]
    assert _findings(*rows) == []


def test_lines_that_stay_away_together_are_a_request_that_nobody_sent() -> None:
    """Three lines of one kind of request that are all gone tell much less than one."""
    others = [_line("order-service", "[query]", 120, 110)]
    gone = [_line("order-service", f"[create][step {number}]", 0, 44) for number in range(3)]
    alone = _strength(_findings(*others, gone[0]), "order-service")
    assert _strength(_findings(*others, *gone), "order-service") < 0.7 * alone


def test_lines_that_another_service_lost_too_tell_less() -> None:
    """A kind of request that nobody sent is missed everywhere it passes."""
    rows = [_line("order-service", "[create][begin]", 60, 44), _line("order-service", "[create][priced]", 0, 44)]
    alone = _strength(_findings(*rows), "order-service")
    both = _findings(*rows, _line("stock-service", "[hold]", 0, 46), _line("stock-service", "[list]", 90, 80))
    assert _strength(both, "order-service") < 0.5 * alone


def test_lines_behind_a_call_that_fails_are_explained_by_it() -> None:
    """Who cannot reach a callee does not write what follows the call."""
    rows = [_line("order-service", "[create][begin]", 60, 44), _line("order-service", "[create][priced]", 0, 44)]
    refused = group("order-service", "Connection refused: payment-service", 60, 0)
    lost = [finding for finding in _findings(*rows, refused) if "priced" in finding.text]
    assert lost == []


def test_few_due_lines_prove_nothing() -> None:
    """Three lines that stay away are chance."""
    rows = [_line("order-service", "[create][begin]", 4, 3), _line("order-service", "[create][priced]", 0, 3)]
    assert _findings(*rows) == []


def test_an_own_exception_weighs_more_than_a_report_about_a_callee() -> None:
    """Both are new and as many; the one who reports another is the victim."""
    own = _strength(_findings(group("order-service", "NullPointerException in pricing", 50, 0)), "order-service")
    report = _strength(_findings(group("order-service", "Connection refused", 50, 0)), "order-service")
    assert own > 3 * report


def test_a_report_points_at_the_callee_that_it_names() -> None:
    """The named service gets a share of the suspicion, handed up rather than its own."""
    pointed = [
        finding for finding in _findings(group("order-service", "Connection refused: payment-service:8080", 50, 0))
        if finding.service == "payment-service"
    ]  # fmt: skip
    assert [finding.own for finding in pointed] == [False]


def test_a_report_that_the_baseline_knows_points_at_nobody() -> None:
    """Where such lines are written every day, the named service is not accused."""
    rows = [
        group("order-service", "Connection refused: payment-service:8080", 50, 10, kind="more"),
        group("stock-service", "Connection refused: payment-service:8080", 50, 0),
    ]
    assert _strength(_findings(*rows), "payment-service") == 0


def test_an_exhausted_resource_is_the_services_own() -> None:
    """A pool that times out is no callee that is unavailable."""
    found = _findings(group("order-service", "503: PoolTimeout: couldn't get a connection", 50, 0))
    assert [(finding.service, finding.own) for finding in found] == [("order-service", True)]


def test_an_error_that_went_away_is_no_fault() -> None:
    """Fewer errors than in the baseline accuse nobody."""
    assert _findings(group("order-service", "payment declined", 0, 40, kind="missing", score=5)) == []


def test_a_group_that_two_calls_return_counts_once() -> None:
    """The closer look repeats lines of the first one."""
    row = group("order-service", "payment declined", 50, 0)
    payload = executor_payload(
        call("query_logs", row), call("query_logs", row, arguments={"service": "order-service"}), services=NAMES
    )
    assert len(read_groups(payload)) == 1


def test_filtered_calls_say_nothing_of_what_is_missing() -> None:
    """A search for words or levels is no picture of a service's lines."""
    row = _line("order-service", "[create]", 0, 44)
    payload = executor_payload(call("query_logs", row, arguments={"contains": "x"}), services=NAMES)
    assert list(lines_lost(read_groups(payload))) == []
