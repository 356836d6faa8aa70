"""Log lines grouped by what is constant in them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.sources.log_templates import Templates, normalise_level, template_of, text_of

WORDS = st.sampled_from(
    [
        "GET", "/api/v1/orders/12", "status=200", "took=35ms", '"a b"', "id=7", "[x: 1", "C#12", "10:00:00.123",
        '{"a":1}', "deadbeef00112233", "订单12", "-3.5%", 'msg="x 1"', "0x7f", "9x12", "v1.2.3", "user=ab,",
    ]
)  # fmt: skip
LINES = st.lists(WORDS, max_size=9).map(" ".join) | st.text(max_size=120)


@pytest.mark.parametrize(
    ("first", "second", "template"),
    [
        (
            "16:48:16.545 INFO  s.C#57 TraceID: e9f1b60981dfd8ae304c0bdb71b6a301 SpanID: 3174df4039763374 [get][Ask]",
            "16:48:17.001 INFO  s.C#57 TraceID: b0e0f40f7539d2b137c89707c0423cf4 SpanID: bcfe96ec3d262dc9 [get][Ask]",
            "<*> INFO s.C#57 TraceID: <*> SpanID: <*> [get][Ask]",
        ),
        (
            "[query][Request][request: Seat(date=2023-01-29, no=[a, b])]",
            "[query][Request][request: null]",
            "[query][Request][request: <*>",
        ),
        ("took 35 ms", "took 1250 ms", "took <*> ms"),
        ("took=35ms user=41", "took=1250ms user=7", "took=<*> user=<*>"),
        ("order 7c9e6679-7425-40de-944b-e07fc1f90ae7 paid", "order 123456 paid", "order <*> paid"),
        ("peer 10.0.0.1:8080 gone", "peer 10.20.3.45:443 gone", "peer <*> gone"),
        ("订单123支付失败，耗时35毫秒", "订单98765支付失败，耗时9毫秒", "订单<*>支付失败，耗时<*>毫秒"),
        ("GET /api/v1/orders/123/items", "GET /api/v1/orders/99/items", "GET /api/v1/orders/<*>/items"),
        ('open "a b" failed', 'open "c" failed', "open <*> failed"),
        ('body: {"a":1,"b":{"c":2}} done', 'body: {"zz":[]}', "body: {<*>"),
        ("values 1, 2, 3", "values 4, 5", "values <*>"),
        ("pod pay-7d9f8b6c5-x2x9z restarted", "pod pay-7d9f8b6c5-q8w2e restarted", "pod <*> restarted"),
    ],
)
def test_lines_of_one_place_share_a_template(first: str, second: str, template: str) -> None:
    """What varies between two lines of one statement is masked, the rest stays."""
    assert template_of(first) == template
    assert template_of(second) == template


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("s.C#57 [get]", "s.C#58 [get]"),
        ('level=error msg="pool exhausted"', 'level=error msg="card declined"'),
        ('{"msg":"pool exhausted","id":1}', '{"msg":"card declined","id":1}'),
        ('GET "http://pay:80/x" failed', 'GET "http://order:80/x" failed'),
        ("login failed", "login succeeded"),
    ],
)
def test_lines_of_different_places_differ(first: str, second: str) -> None:
    """Code places, messages in structured lines and hosts tell lines apart."""
    assert template_of(first) != template_of(second)


def test_a_stack_trace_stands_for_the_lines_above_its_frames() -> None:
    """Two traces of one exception with different frames share a template."""
    assert (
        template_of("Boom: x\n\tat a.B(B.java:1)") == template_of("Boom: x\n\tat c.D(D.java:77)\n\tat e.F") == "Boom: x"
    )


@given(LINES)
def test_a_template_is_total_bounded_and_its_own_template(message: str) -> None:
    """Any text has a short template on one line, which is its own template."""
    template = template_of(message)
    assert 0 < len(template) <= 240
    assert "\n" not in template
    if len(template) < 240 and not message.startswith("{"):
        assert template_of(template) == template


@given(st.lists(LINES, max_size=8))
@example(["0x12", "9x12"])
@example(["9x12", "0x12"])
@example(["v1", "v2", "id=v1", "id=v22"])
def test_what_was_seen_before_changes_nothing(messages: list[str]) -> None:
    """Remembered words never change a template."""
    templates = Templates()
    assert [templates.of(message) for message in messages] == [template_of(message) for message in messages]


@pytest.mark.parametrize(
    ("severity", "level"),
    [
        ("WARNING", "WARN"), (" error ", "ERROR"), ("CRITICAL", "FATAL"), ("info", "INFO"), ("INFO2", "INFO"),
        ("trace", "DEBUG"), ("?", "INFO"), (None, "INFO"), (17, "ERROR"), (5, "DEBUG"), (99, "INFO"), ([], "INFO"),
    ],
)  # fmt: skip
def test_levels_are_normalised(severity: object, level: str) -> None:
    """Spellings of a level, OpenTelemetry numbers and nonsense become one of five levels."""
    assert normalise_level(severity) == level


@pytest.mark.parametrize(
    ("body", "text"), [("as it is", "as it is"), ({"msg": "支付"}, '{"msg":"支付"}'), (None, "null"), (3, "3")]
)
def test_a_body_becomes_text(body: object, text: str) -> None:
    """A body that is no text is its JSON."""
    assert text_of(body) == text
