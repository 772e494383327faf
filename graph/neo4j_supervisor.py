"""Keeps the managed Neo4j running for as long as a service needs it.

A server that has ended is started again; one that lives and refuses everything (a database that panicked on a full
disk) is stopped first. Every service does so for itself: the lock lets one of them start it, the others join it. A
server that was stopped on purpose is not fought over: it stays down until somebody starts it. One that hangs is left
alone as well, for it may only be slow, and killing it would end what others wait for.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import structlog

from graph.errors import DiskFull, ImpressionsError
from graph.neo4j_server import ManagedServer, ServerAddress

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)

Moved = Callable[[ServerAddress], None]


class ServerState(StrEnum):
    """How the managed server stands, as its supervisor knows it."""

    UP = "UP"
    """It runs; whether it answers is for those to say who ask it."""
    RESTARTING = "RESTARTING"
    DISK_FULL = "DISK_FULL"
    """It is started again as soon as there is room."""
    STOPPED = "STOPPED"
    """On purpose: somebody has to start it."""
    GIVEN_UP = "GIVEN_UP"
    """It ended, or did not start, too often; it is tried again now and then."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long, in seconds. The waits are guesses of what a person would do by hand."""

    look: float = 0.5
    """Between two looks whether it lives."""
    first: float = 1.0
    """Before the first start; each further one within `within` waits twice as long."""
    most: int = 5
    """Starts within `within`."""
    within: float = 600.0
    rarely: float = 300.0
    """Between two starts once it was given up."""
    elsewhere: float = 2.0
    """Between two looks for what is not ours to do: room on the disk, a start on purpose."""


class Supervisor:
    """Watches the server that `server` is attached to. Nothing happens until `watch`.

    Args:
        server: attached.
        moved: is told after each return of the server, with its address: its ports may be others.
        patience: how often and how long.
    """

    def __init__(self, server: ManagedServer, *, moved: Moved, patience: Patience | None = None) -> None:
        self._server = server
        self._moved = moved
        self._patience = patience or Patience()
        self._starts: list[float] = []
        self._sick = False
        self.state = ServerState.UP
        self.restarts = 0
        """How often the server was brought back, by this process or another, since this one watches."""

    @property
    def why(self) -> str:
        """What there is to know for who waits, and what to do."""
        match self.state:
            case ServerState.UP:
                return "the managed Neo4j runs"
            case ServerState.RESTARTING:
                return "the managed Neo4j ended unexpectedly and is being started again"
            case ServerState.DISK_FULL:
                return "the disk of the managed Neo4j is full: make room there, and it starts again by itself"
            case ServerState.STOPPED:
                return "the managed Neo4j was stopped on purpose: `impressions neo4j start` starts it again"
            case ServerState.GIVEN_UP:
                return (
                    "the managed Neo4j does not stay up: `impressions doctor` and its logs say more. It is tried "
                    f"again every {self._patience.rarely:.0f} s; `impressions neo4j start` tries at once"
                )

    @property
    def retry_after(self) -> float:
        """Seconds after which it is worth asking again."""
        return self._patience.rarely if self.state is ServerState.GIVEN_UP else 5.0

    def panicked(self, restarts: int) -> None:
        """Take note that the server, as it was after so many `restarts`, refuses everything."""
        self._sick = self._sick or restarts == self.restarts

    async def watch(self) -> None:
        """Look, and bring the server back where it is gone, until cancelled."""
        while True:
            await asyncio.sleep(self._patience.look)
            if self._sick or not self._server.lives():
                await self._bring_back()

    async def _bring_back(self) -> None:
        log.error("neo4j_panicked" if self._sick else "neo4j_died", next="it is started again")
        self._stand(ServerState.RESTARTING)
        began, wait = time.monotonic(), self._wait()
        while True:
            await asyncio.sleep(wait)
            try:
                address = await self._server.revive(sick=self._sick)
            except DiskFull as error:
                self._stand(ServerState.DISK_FULL, error=str(error))
                wait = self._patience.elsewhere
            except ImpressionsError as error:
                self._starts.append(time.monotonic())
                log.warning("neo4j_not_restarted", error=str(error))
                wait = self._wait()
            else:
                if address is not None:
                    break
                self._stand(ServerState.STOPPED)
                wait = self._patience.elsewhere
        self._starts.append(time.monotonic())
        self._moved(address)
        self._sick, self.state = False, ServerState.UP
        self.restarts += 1
        log.warning("neo4j_restarted", bolt_uri=address.bolt_uri, seconds=round(time.monotonic() - began, 1))

    def _wait(self) -> float:
        """Return how long to wait before the next start, and say so where that is long."""
        since = time.monotonic() - self._patience.within
        self._starts = [each for each in self._starts if each > since]
        if len(self._starts) < self._patience.most:
            if self.state is not ServerState.GIVEN_UP:  # one that was given up is restarting once it is back
                self._stand(ServerState.RESTARTING)
            return self._patience.first * 2.0 ** len(self._starts)
        self._stand(ServerState.GIVEN_UP)
        return self._patience.rarely

    def _stand(self, state: ServerState, **told: str) -> None:
        if state is not self.state:
            self.state = state
            tell = log.warning if state is ServerState.RESTARTING else log.error
            tell("neo4j_down", state=state.value, next=self.why, **told)
