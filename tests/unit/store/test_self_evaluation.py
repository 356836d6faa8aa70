"""The merge of one channel."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base import JsonObject
from engine.ports import Channel
from engine.store.self_evaluation import merge_channel

CHANNELS = st.sampled_from(["rule_evaluation", "aiops_rule_evaluation", "verifier_evaluation"])
VALUES = st.dictionaries(st.text("abc"), st.integers())


@pytest.mark.spec("S29")
@given(st.none() | st.dictionaries(CHANNELS, VALUES), CHANNELS, VALUES)
def test_one_channel_is_written_and_the_others_kept(
    container: JsonObject | None, channel: Channel, value: JsonObject
) -> None:
    """The merged container has the new value in its channel, every other channel as before, and no more."""
    before = dict(container or {})
    merged = merge_channel(container, channel, value)
    assert merged == {**before, channel: value}
    assert (container or {}) == before
