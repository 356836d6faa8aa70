"""A process that works on one store: `begin URL RUN`, `diagnose URL RUN` or `evaluate URL CHANNEL TIMES`."""

import asyncio
import sys
from typing import cast

from engine.ports import Channel
from engine.run import NodeName
from engine.store import SqlStore, open_store
from tests.unit.store.runs import a_call, a_run, an_event

NODES: tuple[NodeName, ...] = ("planner", "executor", "gatekeeper", "verifier", "composer")


async def _begin(store: SqlStore, run_id: str) -> None:
    await store.begin(a_run(run_id))


async def _diagnose(store: SqlStore, first: str) -> None:
    """Run after run, say each step once it is kept, until the process is killed."""
    number = 0
    while True:
        number += 1
        run = a_run(f"{first}-{number}")
        await store.begin(run)
        for node in NODES:
            await store.enter(run.run_id, node)
            sys.stdout.write(f"{run.run_id} {node}\n")
            sys.stdout.flush()
            if node == "executor":
                run = run.evolve(invocations=(a_call(output="x" * 20_000, run_id=run.run_id),))
            await store.checkpoint(run, node, (an_event(node),))


async def _evaluate(store: SqlStore, channel: str, times: str) -> None:
    for turn in range(1, int(times) + 1):
        await store.merge_evaluation("run-1", cast("Channel", channel), {"turn": turn})


async def _main(task: str, url: str, *arguments: str) -> None:
    async with open_store(url) as store:
        await {"begin": _begin, "diagnose": _diagnose, "evaluate": _evaluate}[task](store, *arguments)


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
