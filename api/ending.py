"""The signals that mean the end, and who hears of them."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

ENDING: Final = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGINT", "SIGHUP")
    if hasattr(signal, name)  # Windows has no SIGHUP
)
"""Asked to end; Ctrl-C; the terminal was closed."""


@contextmanager
def handled(handler: Callable[[int, FrameType | None], object], *, but: tuple[int, ...] = ()) -> Iterator[None]:
    """Call `handler` for every signal to end.

    One that is ignored stays so: `nohup` is how a person says that the terminal's end is not ours.

    Args:
        handler: is called in the main thread, between two of its instructions.
        but: signals that are left to whoever has them.
    """
    taken = [each for each in ENDING if each not in but and signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, handler) for each in taken}
    try:
        yield
    finally:
        for each, handler_before in before.items():
            signal.signal(each, handler_before)
