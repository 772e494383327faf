"""How long the event loop is held up meanwhile: by its own work, whatever else the machine does."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass
class Watch:
    """What a watcher saw, in seconds of the processor."""

    longest: float = 0.0
    total: float = 0.0


@asynccontextmanager
async def watching() -> AsyncIterator[Watch]:
    """Watch how much is done between two turns of a task that wants to run again at once."""
    watch = Watch()

    async def look() -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            watch.longest = max(watch.longest, now - before)
            before = now

    task = asyncio.create_task(look())
    await asyncio.sleep(0)
    started = time.thread_time()
    try:
        yield watch
        await asyncio.sleep(0)  # what was done last is seen, too
    finally:
        watch.total = time.thread_time() - started
        task.cancel()
