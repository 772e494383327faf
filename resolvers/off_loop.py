"""Work on a text beside the event loop, where the text is long enough for others to wait for it."""

import asyncio
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SHORT: Final = 256
"""Characters that are read on the loop: they take 2 to 8 ms, a change of threads a tenth of one."""


async def off_loop(text: str, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what some pure work on a text comes to; in a thread of its own where the text is long."""
    if len(text) <= SHORT:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)
