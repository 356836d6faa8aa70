"""What counts as one JSON object, and what of it no later reader could hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonValue
from engine.contracts.json_object import FENCE_WARNING, MAX_DEPTH, read_object
from engine.errors import BadModelOutput


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```',
        '```JSON \r\n{"a": 1}\r\n```\r\n',
        '\n\n  ```json\n{"a": 1}\n  ```  \n',
    ],
)
def test_one_fence_is_tolerated_where_allowed(text: str) -> None:
    """A fence around the whole object is read with a warning where it may be, and is no JSON elsewhere."""
    assert read_object(text, allow_fence=True) == ({"a": 1}, (FENCE_WARNING,))
    with pytest.raises(BadModelOutput, match="not_json"):
        read_object(text, allow_fence=False)


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"a": 1}',
        '{"a": 1}\n```',
        '```json\n{"a": 1}```',
        '```json {"a": 1}\n```',
        '``````json\n{"a": 1}\n``````',
        '结果：\n```json\n{"a": 1}\n```',
        '```json\n{"a": 1}\n```\n以上',
        '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
        "```",
        "```\n```",
        "```json\n" + "\n" * 300_000 + "x",
        "```json\n" + "\n" * 300_000 + "\n```",
    ],
)
def test_anything_but_one_whole_fence_is_refused(text: str) -> None:
    """Half a fence, two fences, prose beside one, or a fence around nothing is no JSON object."""
    with pytest.raises(BadModelOutput) as caught:
        read_object(text, allow_fence=True)
    assert caught.value.reason == "not_json"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e999}',
        '{"a": [-1e999]}',
        '{"a": Infinity}',
        '{"a": -Infinity}',
        '{"a": NaN}',
        '{"a": "\\u0000"}',
        '{"\\u0000": 1}',
        '{"a": ["\\ud800"]}',
        '{"\\udfff": 1}',
        '{"a": "\ud800"}',
        '{"a": ' + "9" * 5000 + "}",
        '\ufeff{"a": 1}',
        '{"a": "\n"}',
    ],
)
def test_what_no_later_reader_could_hold_is_refused(text: str) -> None:
    """Numbers that are not finite, NUL, lone surrogates and endless integers are refused wherever they stand."""
    with pytest.raises(BadModelOutput) as caught:
        read_object(text, allow_fence=True)
    assert caught.value.reason == "not_json"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")], ids=["lists", "objects"])
def test_depth_is_bounded_at_one_place(opening: str, closing: str) -> None:
    """The deepest nesting that is read is read, one more level is refused, and so is any number of them."""

    def nested(levels: int) -> str:
        return '{"a":' + opening * (levels - 1) + "1" + closing * (levels - 1) + "}"

    value, _ = read_object(nested(MAX_DEPTH), allow_fence=False)
    assert list(value) == ["a"]
    for levels in (MAX_DEPTH + 1, MAX_DEPTH + 200, 900, 5_000, 100_000):
        with pytest.raises(BadModelOutput, match="nested too deeply"):
            read_object(nested(levels), allow_fence=False)


@pytest.mark.parametrize("text", ['{"a": {"b": 1, "b": 1}}', '[{"b": 1, "b": 2}]'])
def test_a_repeated_key_is_refused_at_any_depth(text: str) -> None:
    """Two values under one key are refused even where they are equal."""
    with pytest.raises(BadModelOutput) as caught:
        read_object(text, allow_fence=False)
    assert caught.value.reason == "repeated_key"


plain_json: st.SearchStrategy[JsonValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(st.sampled_from("abcd"), plain_json, max_size=4), st.booleans())
def test_a_plain_object_comes_out_as_it_went_in(value: dict[str, JsonValue], ascii_only: bool) -> None:
    """Whatever JSON can say plainly is read unchanged, fenced or bare."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_object(text, allow_fence=False) == (value, ())
    assert read_object(f"```json\n{text}\n```", allow_fence=True) == (value, (FENCE_WARNING,))
