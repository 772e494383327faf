"""A Neo4j of our own: started for the first process that needs it, stopped after the last.

Processes agree through a lock and a locked file each in the server's folder, so it does not matter which of them starts
or stops it, nor whether one of them was killed: the operating system unlocks the file of the dead.
"""

import asyncio
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psutil

from graph import neo4j_process as jvm
from graph.neo4j_holders import Holding, living_holders
from graph.neo4j_home import Home, default_home, wrong_password
from graph.neo4j_lifecycle import Lifecycle
from graph.neo4j_ports import HOST
from graph.neo4j_progress import Abandoned, Progress, Stage, silent
from graph.neo4j_record import Record
from graph.process_age import seconds_running

__all__ = ["ManagedServer", "Progress", "ServerAddress", "ServerStatus", "Stage", "default_home", "silent"]

USER = "neo4j"

Result = TypeVar("Result")


@dataclass(frozen=True)
class ServerAddress:
    """Where the server is, and how to log in."""

    bolt_uri: str
    http_uri: str
    """Neo4j Browser is at `/browser/` below it."""
    user: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class ServerStatus:
    """The server as `status` found it."""

    running: bool
    home: Path
    pid: int | None = None
    uptime_seconds: float | None = None
    pinned: bool = False
    attached_pids: tuple[int, ...] = ()
    bolt_uri: str | None = None
    http_uri: str | None = None
    release: str | None = None
    """The Neo4j that last opened the data; `None` before the first start."""
    data_bytes: int = 0


class ManagedServer:
    """One holder of the managed Neo4j in `home`. Nothing happens until a method is called.

    Args:
        home: the server's folder; see `default_home`.
        heap: the JVM's largest heap, as Java writes it.
        page_cache: Neo4j's page cache, outside the heap, as Neo4j writes it.
        jvm_options: further options of the JVM, e.g. for a server that lives for minutes only.
        start_timeout: seconds a server may take until it answers, downloads not counted.
        progress: hears what is going on; called from worker threads.
    """

    def __init__(
        self,
        home: Path,
        *,
        heap: str = "1g",
        page_cache: str = "256m",
        jvm_options: tuple[str, ...] = (),
        start_timeout: float = 120.0,
        progress: Progress = silent,
    ) -> None:
        self._progress = progress
        self._abandoned = threading.Event()
        self._process: psutil.Process | None = None
        self._bolt_port: int | None = None
        self._lifecycle = Lifecycle(
            home=Home(home),
            holding=Holding(Home(home).holders, uuid.uuid4().hex),
            heap=heap,
            page_cache=page_cache,
            jvm_options=jvm_options,
            start_timeout=start_timeout,
            report=self._report,
        )

    async def attach(self) -> ServerAddress:
        """Hold the server, starting it if it does not run, and return when it answers. Repeating it is harmless.

        Raises:
            ServerNotStarted: it did not come up, or could not be downloaded.
            SetupError: its folder cannot be used as it is.
            Unavailable: another process has kept the lock for half an hour.
        """
        reached = await self._in_thread(lambda: self._lifecycle.attach(pin=False), undo=self._lifecycle.detach)
        return self._known(reached)

    async def check(self) -> bool:
        """See at once whether `attach` can work, and return whether the server runs already. Raises as it does."""
        return await asyncio.to_thread(self._lifecycle.check)

    def bolt_address(self) -> tuple[str, int]:
        """Return host and port of the server as it was last reached."""
        assert self._bolt_port is not None, "attach first"
        return HOST, self._bolt_port

    def lives(self) -> bool:
        """Tell whether the server that was last attached to still runs: it may hang, or be of no use, all the same."""
        return self._process is not None and jvm.runs(self._process)

    async def revive(self, *, sick: bool = False) -> ServerAddress | None:
        """Bring the server back that this holder has lost: join the one another process has started, or start it.

        Args:
            sick: it lives and is of no use: it is stopped first, unless another process has done so.

        Returns:
            Where it is now, perhaps on other ports; `None` if it was stopped on purpose (`stop`).

        Raises:
            DiskFull: there is no room to start; nothing was done.
            ServerNotStarted: it did not come up.
            SetupError: its folder cannot be used as it is.
        """
        pid = self._process.pid if sick and self._process else None
        reached = await self._in_thread(lambda: self._lifecycle.revive(sick=pid))
        return None if reached is None else self._known(reached)

    def wrong_password(self) -> str:
        """Return what to tell where the server refuses the password it came with."""
        return wrong_password(self._lifecycle.home)

    async def detach(self) -> None:
        """Let go of the server, stopping it if nobody else holds it and it is not pinned. Repeating it is harmless."""
        await self._in_thread(self._lifecycle.detach)

    async def start_pinned(self) -> ServerAddress:
        """Start the server, to run until `stop` whoever comes and goes. Raises as `attach` does."""
        return self._known(await self._in_thread(lambda: self._lifecycle.attach(pin=True)))

    async def stop(self, *, force: bool = False) -> bool:
        """Unpin the server and stop it, unless living processes hold it; with `force`, stop it all the same.

        Those that hold it then do not start it again: somebody wanted it stopped. The next `attach` or `start_pinned`
        of anybody does.

        Returns:
            Whether a running server was stopped; `status` tells who kept it from being.
        """
        return await self._in_thread(lambda: self._lifecycle.stop(force=force))

    async def status(self) -> ServerStatus:
        """Look at the server without waiting for the lock, and without changing anything."""
        return await asyncio.to_thread(self._status)

    def _status(self) -> ServerStatus:
        home = self._lifecycle.home
        record, server = self._lifecycle.look()
        release = record.release if record else None
        holders = living_holders(home.holders)
        if server is None:
            return ServerStatus(
                running=False,
                home=home.root,
                attached_pids=holders,
                release=release,
                data_bytes=home.data_bytes(),
            )
        uptime = None
        with suppress(psutil.NoSuchProcess):  # ended meanwhile
            uptime = seconds_running(server.pid)
        return ServerStatus(
            running=True,
            home=home.root,
            pid=server.pid,
            uptime_seconds=uptime,
            pinned=home.pinned.exists(),
            attached_pids=holders,
            bolt_uri=_bolt_uri(record) if record else None,
            http_uri=_http_uri(record) if record else None,
            release=release,
            data_bytes=home.data_bytes(),
        )

    async def _in_thread(self, work: Callable[[], Result], *, undo: Callable[[], None] | None = None) -> Result:
        """Run `work` in a thread; if cancelled, make it give up, or undo it if it was too late for that."""
        self._abandoned.clear()
        running = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self._abandoned.set()
            await asyncio.wait([running])
            self._abandoned.clear()
            if running.exception() is None and undo is not None:
                await asyncio.to_thread(undo)
            raise

    def _report(self, stage: Stage, fraction: float | None, /) -> None:
        if self._abandoned.is_set():
            raise Abandoned
        with suppress(OSError):  # a terminal that was closed: the work goes on, above all a stop
            self._progress(stage, fraction)

    def _known(self, reached: tuple[Record, str]) -> ServerAddress:
        record, password = reached
        self._bolt_port = record.bolt_port
        with suppress(psutil.NoSuchProcess):  # ended already: `lives` tells
            self._process = psutil.Process(record.pid) if record.pid else None
        return _address(record, password)


def _address(record: Record, password: str) -> ServerAddress:
    return ServerAddress(_bolt_uri(record), _http_uri(record), USER, password)


def _bolt_uri(record: Record) -> str:
    return f"bolt://{HOST}:{record.bolt_port}"


def _http_uri(record: Record) -> str:
    return f"http://{HOST}:{record.http_port}"
