"""One question over the folder given, measured in a process of its own."""

import asyncio
import json
import resource
import sys
import time
from pathlib import Path

from bot.bootstrap import open_engine
from bot.progress import NoProgress
from bot.settings import Settings
from engine.diagnose import diagnose
from engine.question import Question
from engine.store.memory import MemoryStore


async def main() -> None:
    """Ask, and print seconds and peak memory as JSON."""
    began = time.perf_counter()
    async with open_engine(Settings(), NoProgress(), Path(sys.argv[1]), MemoryStore()) as (deps, frame):
        assert frame.now is not None
        record = await diagnose(Question(text="哪个服务有问题？", asked_at=frame.now), deps, frame)
    assert record.invocations
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(json.dumps({"seconds": time.perf_counter() - began, "megabytes": megabytes}))


if __name__ == "__main__":
    asyncio.run(main())
