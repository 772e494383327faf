"""Whether a service can serve now, and if not, why: watched in the background, told to callers, shown at `/readyz`.

A stranger hears one word of a closed set (`Reason`); who calls with a key hears in words what there is to do. The
database is asked at most once a second, however many ask, and nobody waits for its answer longer than a second.
"""

import asyncio
import time
from contextlib import suppress
from enum import StrEnum
from typing import Final

import structlog

from api.wiring import Service, warm_up
from graph.errors import ImpressionsError, ModelMismatch, Panicked, PoolExhausted, Unavailable
from graph.neo4j_server import ServerAddress
from graph.neo4j_supervisor import Patience, ServerState, Supervisor
from graph.schema import READ_MADE, VectorSpace, check_vectors, read_made

log = structlog.get_logger("impressions")

LOOK_SECONDS: Final = 5.0
"""How often a service looks by itself: well within the time that a reindex waits for old writers."""
_UNREADY_SECONDS: Final = 1.0
"""The same while it cannot serve."""
_FRESH_SECONDS: Final = 1.0
"""How long a look holds for those who ask."""
_ANSWER_SECONDS: Final = 0.8
"""Who asks has an answer within a second, the rest of which is the way to and fro."""
_MOST_COLD_STARTS: Final = 3
"""Tries to plan ahead that may fail while the database answers."""
_REINDEX_RETRY_MS: Final = 10_000


class Reason(StrEnum):
    """Why a service is not ready. Nothing that a stranger may not know."""

    STARTING = "STARTING"
    """The first requests would wait for seconds."""
    DATABASE_UNAVAILABLE = "DATABASE_UNAVAILABLE"
    """It does not answer, or not in time."""
    OVERLOADED = "OVERLOADED"
    """All connections to the database are in use; it may be well."""
    DATABASE_RESTARTING = "DATABASE_RESTARTING"
    """The managed one comes back by itself."""
    DATABASE_DOWN = "DATABASE_DOWN"
    """The managed one needs somebody: the log says for what."""
    REINDEXING = "REINDEXING"
    """It goes on by itself when that is done."""
    OTHER_MODEL = "OTHER_MODEL"
    """The stored vectors are another model's: it needs another setting."""


class Readiness:
    """Watches one service. Nothing happens until `watch` or `reason`."""

    def __init__(self, service: Service, *, every: float = LOOK_SECONDS, patience: Patience | None = None) -> None:
        self._service = service
        self._every = every
        self.supervisor = (
            Supervisor(service.server, moved=self._follow, patience=patience) if service.server is not None else None
        )
        self.warm = asyncio.Event()
        """Set once the first requests need not wait."""
        self.useless = asyncio.Event()
        """Set when the stored vectors have become those of another model."""
        self.mismatch: ModelMismatch | None = None
        self._found: Reason | None = Reason.STARTING
        self._looked_at = float("-inf")
        self._cold_starts = 0
        self._looking: asyncio.Task[None] | None = None

    @property
    def known(self) -> Reason | None:
        """Why it is not ready, as far as is known; None where it is. Asks nobody."""
        if self.supervisor is not None and self.supervisor.state is not ServerState.UP:
            restarting = self.supervisor.state is ServerState.RESTARTING
            return Reason.DATABASE_RESTARTING if restarting else Reason.DATABASE_DOWN
        if self._found is None and not self.warm.is_set():
            return Reason.STARTING
        return self._found

    async def reason(self) -> Reason | None:
        """Return why it is not ready, seen within the last second; None where it is."""
        if self.supervisor is not None and self.supervisor.state is not ServerState.UP:
            return self.known
        now = time.monotonic()
        if self._looking is None and now - self._looked_at > _FRESH_SECONDS:
            self._looked_at = now
            self._looking = asyncio.create_task(self._look())
        if self._looking is not None:
            # Not cancelled when time is up: whoever asks next may still have its answer.
            await asyncio.wait({self._looking}, timeout=max(0.0, self._looked_at + _ANSWER_SECONDS - now))
        if self._looking is not None:
            return self.known if self.known not in {None, Reason.STARTING} else Reason.DATABASE_UNAVAILABLE
        return self.known

    def gate(self, query: str) -> None:
        """Let a query pass, or tell its caller what it waits for (a gate of the store).

        Raises:
            Unavailable: the database is known to be down, or a reindex is under way.
            ModelMismatch: the stored vectors are another model's.
        """
        if self.supervisor is not None and self.supervisor.state is not ServerState.UP:
            raise Unavailable(self.supervisor.why, retry_after_ms=round(self.supervisor.retry_after * 1000))
        if self.mismatch is None or query == READ_MADE:
            return
        if self.useless.is_set():
            raise self.mismatch
        raise Unavailable(f"{self.mismatch}. This service goes on by itself then", retry_after_ms=_REINDEX_RETRY_MS)

    async def watch(self) -> None:
        """Keep the managed server up, look, and warm up what is cold, until cancelled."""
        supervising = asyncio.create_task(self.supervisor.watch()) if self.supervisor else None
        try:
            while True:
                if await self.reason() is Reason.STARTING:
                    await self._warm_up()
                if supervising is not None and supervising.done():
                    await supervising  # never but by a bug, which is told
                await asyncio.sleep(self._every if self.known is None else min(self._every, _UNREADY_SECONDS))
        finally:
            for task in (supervising, self._looking):
                if task is not None:
                    task.cancel()
                    with suppress(asyncio.CancelledError):
                        await task

    async def _look(self) -> None:
        restarts = self.supervisor.restarts if self.supervisor else 0
        made = None
        try:
            made = await read_made(self._service.store)
            model = self._service.embedder
            check_vectors(made, VectorSpace(model.name, model.dimensions))
        except ModelMismatch as mismatch:
            self._find(Reason.OTHER_MODEL if made is None or made.target is None else Reason.REINDEXING, mismatch)
        except ImpressionsError as error:
            exhausted = isinstance(error, PoolExhausted)
            self._find(Reason.OVERLOADED if exhausted else Reason.DATABASE_UNAVAILABLE, error)
            # Once the heartbeat knows, it answers in the database's place.
            panicked = isinstance(error, Panicked) or isinstance(self._service.store.why_silent, Panicked)
            if panicked and self.supervisor is not None:
                self.supervisor.panicked(restarts)
        else:
            self._find(None, None)
        finally:
            self._looked_at, self._looking = time.monotonic(), None

    def _find(self, reason: Reason | None, error: ImpressionsError | None) -> None:
        if reason is not self._found:
            if reason is None:
                log.info("ready", before=self._found)
            else:
                log.warning("not ready", reason=reason.value, why=str(error))
        if isinstance(error, ModelMismatch):
            self.mismatch = error
            self.warm.clear()  # the plans go with the index
        elif reason is None:
            self.mismatch = None
        if reason is Reason.OTHER_MODEL:
            self.useless.set()
        elif reason in {None, Reason.REINDEXING}:
            self.useless.clear()
        self._found = reason

    async def _warm_up(self) -> None:
        try:
            await warm_up(self._service)
        except ImpressionsError as error:
            # An outage is waited out. A server that answers and is too slow to plan in time is not kept from serving.
            self._cold_starts += self._service.store.is_answering or not isinstance(error, Unavailable)
            if self._cold_starts < _MOST_COLD_STARTS:
                log.warning("nothing could be planned ahead yet", error=str(error))
                return
            log.warning("the first requests will be slow: nothing could be planned ahead", error=str(error))
        self._cold_starts = 0
        self.warm.set()

    def _follow(self, _: ServerAddress) -> None:
        self.warm.clear()  # a new server has planned nothing
        self._looked_at = float("-inf")
