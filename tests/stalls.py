"""How long a loop is kept from serving others while something is done."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

_BEAT = 0.002
"""Seconds between two looks."""


@dataclass
class Stalls:
    """What was seen."""

    longest: float = 0.0
    """Seconds: the longest time between two turns of the loop in which this process itself was at work.

    Both clocks must have gone on: wall time alone would count what other processes of the machine do, and processor
    time alone what other threads do while the loop goes on beside them.
    """


@contextlib.asynccontextmanager
async def watched() -> AsyncIterator[Stalls]:
    """Look on while something runs on this loop."""
    seen = Stalls()

    async def look() -> None:
        wall, worked = time.perf_counter(), time.process_time()
        while True:
            await asyncio.sleep(_BEAT)
            now, done = time.perf_counter(), time.process_time()
            seen.longest = max(seen.longest, min(now - wall, done - worked))
            wall, worked = now, done

    looking = asyncio.create_task(look())
    try:
        yield seen
    finally:
        await asyncio.sleep(2 * _BEAT)
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking
