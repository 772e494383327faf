"""A Neo4j of our own: started for the first process that needs it, stopped after the last.

Processes agree through a lock and a small record in the server's folder, so it does not matter which of them starts or
stops it, nor whether one of them was killed: the dead are struck off the record by the next to look.
"""

import asyncio
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import psutil
from filelock import FileLock, Timeout

from graph import neo4j_ports as ports
from graph import neo4j_process as jvm
from graph.errors import ServerNotStarted, SetupError, Unavailable
from graph.neo4j_home import (
    RELEASE,
    Home,
    default_home,
    ensure_password,
    read_conf_ports,
    read_password,
    write_conf,
)
from graph.neo4j_jars import class_path
from graph.neo4j_progress import Progress, Stage, silent
from graph.neo4j_record import Record, read_record, this_process, write_record

__all__ = ["ManagedServer", "Progress", "ServerAddress", "ServerStatus", "Stage", "default_home", "silent"]

USER = "neo4j"
# Another process may hold the lock for the length of a first download.
LOCK_SECONDS = 1800.0
POLL_SECONDS = 0.1

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


class _Abandoned(BaseException):
    """The caller was cancelled while a thread worked for it. Not an error: nobody but this module sees it."""


class ManagedServer:
    """One holder of the managed Neo4j in `home`. Nothing happens until a method is called.

    Args:
        home: the server's folder; see `default_home`.
        heap: the JVM's largest heap, as Java writes it.
        page_cache: Neo4j's page cache, outside the heap, as Neo4j writes it.
        start_timeout: seconds a server may take until it answers, downloads not counted.
        progress: hears what is going on; called from worker threads.
    """

    def __init__(
        self,
        home: Path,
        *,
        heap: str = "1g",
        page_cache: str = "256m",
        start_timeout: float = 120.0,
        progress: Progress = silent,
    ) -> None:
        self._home = Home(home)
        self._heap = heap
        self._page_cache = page_cache
        self._start_timeout = start_timeout
        self._progress = progress
        self._token = uuid.uuid4().hex
        self._abandoned = threading.Event()

    async def attach(self) -> ServerAddress:
        """Hold the server, starting it if it does not run, and return when it answers. Repeating it is harmless.

        Raises:
            ServerNotStarted: it did not come up, or could not be downloaded.
            SetupError: its folder cannot be used as it is.
            Unavailable: another process has kept the lock for half an hour.
        """
        return await self._in_thread(lambda: self._attach(pin=False), undo=self._detach)

    async def detach(self) -> None:
        """Let go of the server, stopping it if nobody else holds it and it is not pinned. Repeating it is harmless."""
        await asyncio.to_thread(self._detach)

    async def start_pinned(self) -> ServerAddress:
        """Start the server, to run until `stop` whoever comes and goes. Raises as `attach` does."""
        return await self._in_thread(lambda: self._attach(pin=True), undo=None)

    async def stop(self, *, force: bool = False) -> bool:
        """Unpin the server and stop it, unless living processes hold it; with `force`, stop it all the same.

        Returns:
            Whether a running server was stopped.
        """
        return await asyncio.to_thread(self._stop, force=force)

    async def status(self) -> ServerStatus:
        """Look at the server without waiting for the lock, and without changing anything."""
        return await asyncio.to_thread(self._status)

    async def _in_thread(self, work: Callable[[], Result], undo: Callable[[], None] | None) -> Result:
        """Run `work` in a thread; if cancelled, make it give up, or undo it if it was too late for that."""
        self._abandoned.clear()
        running = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self._abandoned.set()
            await asyncio.wait([running])
            if undo is not None and running.exception() is None:
                await asyncio.to_thread(undo)
            raise

    def _attach(self, *, pin: bool) -> ServerAddress:
        self._home.prepare()
        with self._locked():
            noted, server = self._look()
            record = self._join(noted, server) if noted and server else self._start(noted)
            record = replace(record.pruned(), pinned=record.pinned or pin)
            if not pin:
                record = record.held_by(this_process(self._token))
            write_record(self._home.record, record)
            return self._address(record, ensure_password(self._home))

    def _detach(self) -> None:
        if not self._home.root.exists():
            return
        with self._locked():
            noted, server = self._look()
            if noted is None:
                return
            left = noted.pruned().without(self._token)
            write_record(self._home.record, left)
            if server and not left.holders and not left.pinned:
                self._end(left, server)

    def _stop(self, *, force: bool) -> bool:
        if not self._home.root.exists():
            return False
        with self._locked():
            noted, server = self._look()
            if noted is None:
                return False
            left = replace(noted.pruned(), pinned=False)
            write_record(self._home.record, left)
            if server is None or (left.holders and not force):
                return False
            self._end(left, server)
            return True

    def _look(self) -> tuple[Record | None, psutil.Process | None]:
        """Return what is written down and the living server; if that is all there is, its settings tell the rest."""
        noted = read_record(self._home.record)
        server = jvm.find(self._home, noted.pid if noted else None)
        if noted is None and server is not None and (found := read_conf_ports(self._home)):
            noted = Record(bolt_port=found[0], http_port=found[1])
        return noted, server

    def _end(self, record: Record, server: psutil.Process) -> None:
        jvm.end(server, self._progress)
        write_record(self._home.record, replace(record, pid=None))

    def _start(self, noted: Record | None) -> Record:
        self._refuse_newer_data(noted)
        password = ensure_password(self._home)
        jars = class_path(self._report)
        self._report(Stage.START, None)
        if not self._home.holds_database():
            jvm.set_first_password(self._home, jars, password)
        holders = noted.pruned().holders if noted else ()
        wanted = (noted.bolt_port, noted.http_port) if noted else ()
        bolt = ports.free_port(*wanted[:1], ports.BOLT_PORT)
        http = ports.free_port(*wanted[1:], ports.HTTP_PORT, other_than=bolt)
        record = Record(bolt_port=bolt, http_port=http, holders=holders, release=noted.release if noted else None)
        write_record(self._home.record, record)
        write_conf(self._home, bolt_port=bolt, http_port=http, page_cache=self._page_cache)
        tail = jvm.Tail(self._home)
        server = jvm.launch(self._home, jars, heap=self._heap)
        try:
            record = replace(record, pid=server.pid)
            write_record(self._home.record, record)
            self._await_answer(record, server, tail)
        except BaseException:
            jvm.end(server, silent)
            write_record(self._home.record, replace(record, pid=None))
            raise
        return replace(record, release=RELEASE)

    def _join(self, noted: Record, server: psutil.Process) -> Record:
        """Wait for a server that runs already: its starter may have been killed before it was up."""
        record = replace(noted, pid=server.pid)
        self._await_answer(record, server, jvm.Tail(self._home))
        return record

    def _await_answer(self, record: Record, server: psutil.Process, tail: jvm.Tail) -> None:
        began = time.monotonic()
        while not (ports.release_at(record.http_port) and ports.speaks_bolt(record.bolt_port)):
            if not jvm.runs(server):
                raise ServerNotStarted(
                    f"Neo4j ended before it answered. Its logs are in {self._home.log.parent}; the last lines:",
                    log_tail=str(tail),
                )
            waited = time.monotonic() - began
            if waited > self._start_timeout:
                raise ServerNotStarted(
                    f"Neo4j (pid {server.pid}) did not answer on ports {record.bolt_port} and {record.http_port} "
                    f"within {self._start_timeout:g} s. `impressions neo4j stop --force` ends it. "
                    f"Its logs are in {self._home.log.parent}; the last lines:",
                    log_tail=str(tail),
                )
            self._report(Stage.START, None)
            time.sleep(POLL_SECONDS)

    def _refuse_newer_data(self, noted: Record | None) -> None:
        if noted and noted.release and _numbers(noted.release) > _numbers(RELEASE):
            raise SetupError(
                f"The data in {self._home.data} were last opened by Neo4j {noted.release}; this version brings "
                f"{RELEASE}, which cannot read them. Update Impressions, or choose another folder for the server.",
            )

    def _status(self) -> ServerStatus:
        noted, server = self._look()
        size = sum(path.stat().st_size for path in self._home.data.rglob("*") if path.is_file())
        if noted is None or server is None:
            return ServerStatus(
                running=False,
                home=self._home.root,
                release=noted.release if noted else None,
                data_bytes=size,
            )
        address = self._address(noted, read_password(self._home) or "")
        return ServerStatus(
            running=True,
            home=self._home.root,
            pid=server.pid,
            uptime_seconds=time.time() - server.create_time(),
            pinned=noted.pinned,
            attached_pids=tuple(holder.pid for holder in noted.pruned().holders),
            bolt_uri=address.bolt_uri,
            http_uri=address.http_uri,
            release=noted.release,
            data_bytes=size,
        )

    def _address(self, record: Record, password: str) -> ServerAddress:
        return ServerAddress(
            bolt_uri=f"bolt://{ports.HOST}:{record.bolt_port}",
            http_uri=f"http://{ports.HOST}:{record.http_port}",
            user=USER,
            password=password,
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = FileLock(self._home.lock, mode=0o600)
        deadline = time.monotonic() + LOCK_SECONDS
        while not lock.is_locked:
            try:
                lock.acquire(timeout=1)
            except Timeout:
                self._report(Stage.WAIT, None)
                if time.monotonic() > deadline:
                    raise Unavailable(f"Another process has held {self._home.lock} for {LOCK_SECONDS:g} s") from None
        try:
            yield
        finally:
            lock.release()

    def _report(self, stage: Stage, fraction: float | None, /) -> None:
        """Pass news on; also the place where work for a caller who went away ends."""
        if self._abandoned.is_set():
            raise _Abandoned
        self._progress(stage, fraction)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
