"""Text that every database can hold."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonValue
from engine.errors import StoreError
from engine.store.text import checked_key, clip, is_key, storable

ANY_TEXT = st.text(st.characters(exclude_categories=()))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner), max_leaves=20)


@given(JSON)
def test_any_json_becomes_storable_once(value: JsonValue) -> None:
    """What comes out has no NUL, encodes as UTF-8, and is not changed a second time."""
    kept = storable(value)
    text = json.dumps(kept, ensure_ascii=False)
    assert "\\u0000" not in text.replace("\\\\", "")
    text.encode()
    assert storable(kept) == kept


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_ordinary_text_is_not_changed(text: str) -> None:
    """Text without NUL or surrogates stays as it is."""
    assert storable({text: [text]}) == {text: [text]}


@given(ANY_TEXT, st.integers(1, 30))
def test_a_cut_keeps_the_bound(text: str, length: int) -> None:
    """A line never has more characters than it may, and a short one is not touched."""
    cut = clip(text, length)
    assert len(cut) <= length
    assert cut == text or cut.endswith("…")


@given(ANY_TEXT)
def test_an_identifier_is_itself_or_refused(text: str) -> None:
    """A key that is accepted encodes as UTF-8, is bounded and not empty."""
    if is_key(text):
        assert checked_key("id", text) == text
        assert 0 < len(text.encode()) <= 800
        assert "\0" not in text
    else:
        with pytest.raises(StoreError, match=r"^id must have"):
            checked_key("id", text)
