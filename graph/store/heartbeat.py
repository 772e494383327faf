"""Whether the database answers at all, seen apart from what callers ask of it.

A caller that waits for an answer cannot tell a long query from a server that hangs. The heartbeat asks for nothing, on
a connection of its own: where two beats in a row stay unanswered nobody needs to wait any longer, and nobody who comes
later needs to begin, until a beat is answered again.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from graph.errors import DatabaseGone, ImpressionsError

BEAT_SECONDS: Final = 1.0
"""From one answered beat to the next."""
PATIENCE_SECONDS: Final = 3.0
"""How long one beat may stay unanswered: a hundred times what it takes under load. Two of them are less than the ten
seconds within which every caller is answered."""
AGAIN_SECONDS: Final = 0.5
"""From a beat that was not answered to the next."""
MOST_WAIT_MS: Final = 30_000

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class Heartbeat:
    """What is known of the database from moment to moment; alive until it was found not to be.

    Args:
        on_silence: is told, once an outage, the error for those who wait.
    """

    def __init__(self, on_silence: Callable[[Callable[[], Exception]], None]) -> None:
        self._on_silence = on_silence
        self._silent_since: float | None = None
        self.cause: ImpressionsError | None = None
        """Why it does not answer, while it does not."""

    @property
    def is_alive(self) -> bool:
        """Whether the database answered when it was last asked, or never was."""
        return self._silent_since is None

    def check(self) -> None:
        """Raise DatabaseGone at once where the database is known not to answer."""
        if self._silent_since is not None:
            raise self._gone()

    async def run(self, beat: Callable[[], Awaitable[None]]) -> None:
        """Ask, over and over, until cancelled.

        Args:
            beat: asks for nothing and returns when it is answered; raises Unavailable after `PATIENCE_SECONDS`.
        """
        missed = False
        while True:
            try:
                await beat()
            except ImpressionsError as error:
                # A refusal is no answer, either: a password changed meanwhile, a database gone from its server.
                # One miss alone may be a connection that was cut while nobody looked.
                if missed and self.is_alive:
                    self._fall_silent(error)
                missed = True
                await asyncio.sleep(AGAIN_SECONDS)
            else:
                if self._silent_since is not None:
                    log.info("database_answers_again", seconds=round(time.monotonic() - self._silent_since, 1))
                missed, self._silent_since, self.cause = False, None, None
                await asyncio.sleep(BEAT_SECONDS)

    def _fall_silent(self, error: ImpressionsError) -> None:
        self._silent_since, self.cause = time.monotonic(), error
        log.warning("database_silent", error=str(error))
        self._on_silence(self._gone)

    def _gone(self) -> DatabaseGone:
        assert self._silent_since is not None
        seconds = time.monotonic() - self._silent_since
        # An outage that has lasted a while goes on for a while: half of it is a fair guess at what is left.
        wait = min(MOST_WAIT_MS, max(1_000, int(500 * seconds)))
        return DatabaseGone(f"Neo4j has not answered for {seconds:.0f} s: {self.cause}", wait)
