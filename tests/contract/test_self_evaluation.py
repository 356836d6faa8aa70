"""The container `self_evaluation`, for every store and for writers at the same time."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import cast

import pytest

from engine.ports import Channel
from tests.contract.conftest import AnyStore, Backend
from tests.unit.store.runs import NOON, a_run


@pytest.mark.spec("S27")
async def test_a_rule_evaluation_keeps_the_verifiers(store: AnyStore) -> None:
    """Writing `rule_evaluation` leaves `verifier_evaluation` as it was, in the run and in its session."""
    await store.begin(a_run())
    await store.merge_evaluation("run-1", "verifier_evaluation", {"verdict": "PASS"})
    await store.merge_evaluation("run-1", "rule_evaluation", {"score": 0.5})
    expected = {"verifier_evaluation": {"verdict": "PASS"}, "rule_evaluation": {"score": 0.5}}
    assert (await store.load("run-1")).self_evaluation == expected
    assert await store.session_evaluation("session-1") == expected


@pytest.mark.spec("S28")
async def test_a_verifier_evaluation_keeps_the_rules(store: AnyStore) -> None:
    """Writing `verifier_evaluation` leaves both rule channels as they were, in the run and in its session."""
    await store.begin(a_run())
    await store.merge_evaluation("run-1", "rule_evaluation", {"score": 0.5})
    await store.merge_evaluation("run-1", "aiops_rule_evaluation", {"score": 0.25})
    await store.merge_evaluation("run-1", "verifier_evaluation", {"verdict": "REJECT"})
    expected = {
        "rule_evaluation": {"score": 0.5},
        "aiops_rule_evaluation": {"score": 0.25},
        "verifier_evaluation": {"verdict": "REJECT"},
    }
    assert (await store.load("run-1")).self_evaluation == expected
    assert await store.session_evaluation("session-1") == expected


@pytest.mark.spec("S29")
async def test_the_container_begins_from_nothing_and_is_never_replaced(store: AnyStore) -> None:
    """The first write makes the container; a later write of a channel replaces that channel alone."""
    await store.begin(a_run())
    assert (await store.load("run-1")).self_evaluation == {}
    await store.merge_evaluation("run-1", "rule_evaluation", {"score": 0.1, "only": "once"})
    await store.merge_evaluation("run-1", "verifier_evaluation", {"verdict": "PASS"})
    await store.merge_evaluation("run-1", "rule_evaluation", {"score": 0.9})
    expected = {"rule_evaluation": {"score": 0.9}, "verifier_evaluation": {"verdict": "PASS"}}
    assert (await store.load("run-1")).self_evaluation == expected


@pytest.mark.spec("S29")
@pytest.mark.parametrize("writers", [2, 20])
async def test_no_writer_undoes_another(backend: Backend, writers: int) -> None:
    """Writers of different channels, each with a connection of its own, all find their last word kept."""
    # because there are three channels only, further ones are made up to tell twenty writers apart
    channels: list[Channel] = [cast("Channel", f"channel_{number}") for number in range(writers)]
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(backend.open()) for _ in channels]
        await stores[0].begin(a_run())

        async def write(store: AnyStore, channel: Channel) -> None:
            for turn in range(3):
                await store.merge_evaluation("run-1", channel, {"turn": turn})

        await asyncio.gather(*(write(each, channel) for each, channel in zip(stores, channels, strict=True)))
        expected = {channel: {"turn": 2} for channel in channels}
        assert (await stores[0].load("run-1")).self_evaluation == expected
        assert await stores[0].session_evaluation("session-1") == expected


async def test_the_session_holds_its_latest_runs_evaluation(store: AnyStore) -> None:
    """A late evaluation of an earlier run stays with that run and does not touch the session's."""
    await store.begin(a_run("run-1"))
    await store.begin(a_run("run-2", started_at=NOON + timedelta(minutes=1)))
    await store.merge_evaluation("run-2", "rule_evaluation", {"of": "run-2"})
    await store.merge_evaluation("run-1", "rule_evaluation", {"of": "run-1"})
    assert await store.session_evaluation("session-1") == {"rule_evaluation": {"of": "run-2"}}
    assert (await store.load("run-1")).self_evaluation == {"rule_evaluation": {"of": "run-1"}}


async def test_runs_that_begin_while_their_session_is_pruned_are_kept(backend: Backend) -> None:
    """A run that begins in a session at the moment retention empties it is kept, with its session."""
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(backend.open()) for _ in range(3)]
        days = timedelta(days=100)
        for number in range(40):
            await stores[0].begin(a_run(f"old-{number}", f"session-{number}", NOON - days))

        async def start(store: AnyStore, numbers: range) -> None:
            for number in numbers:
                await store.begin(a_run(f"new-{number}", f"session-{number}"))
                await store.merge_evaluation(f"new-{number}", "rule_evaluation", {"of": number})

        async def prune(store: AnyStore) -> int:
            return sum([await store.prune(days / 2, NOON) for _ in range(10)])

        pruned, *_ = await asyncio.gather(
            prune(stores[2]), start(stores[0], range(20)), start(stores[1], range(39, 19, -1))
        )
        assert pruned == 40
        assert len(await stores[0].recent(100)) == 40
        for number in range(40):
            expected = {"rule_evaluation": {"of": number}}
            assert await stores[0].session_evaluation(f"session-{number}") == expected
