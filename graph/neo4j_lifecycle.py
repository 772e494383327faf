"""Start, join and stop the one server of a folder. Blocking: `graph.neo4j_server` runs it in threads."""

import errno
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import structlog
from filelock import FileLock, Timeout

from graph import neo4j_ports as ports
from graph import neo4j_process as jvm
from graph.errors import DiskFull, ServerNotStarted, SetupError, Unavailable
from graph.neo4j_holders import Holding, living_holders
from graph.neo4j_home import RELEASE, Home, ensure_password, read_conf_ports, write_conf
from graph.neo4j_jars import class_path
from graph.neo4j_progress import Progress, Stage, silent
from graph.neo4j_record import Record, read_record, write_record

# Another process may hold the lock for the length of a first download.
LOCK_SECONDS = 1800.0
POLL_SECONDS = 0.1
DYING_SECONDS = 3.0

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Lifecycle:
    """What a holder may do to the server in `home`."""

    home: Home
    holding: Holding
    heap: str
    page_cache: str
    jvm_options: tuple[str, ...]
    start_timeout: float
    """Seconds a server may take until it answers."""
    report: Progress

    def check(self) -> bool:
        """Refuse at once what an `attach` would refuse after a wait. Return whether a server runs already.

        Starts nothing, waits for nobody and makes no more than folders. Raises as `attach` does.
        """
        with _told(self.home):
            self.home.prepare()
            if self.home.lock.is_dir():  # else it is found when it is locked: another process may hold it for minutes
                raise SetupError(f"{self.home.lock} is a folder, where a file is expected: move it away")
            ensure_password(self.home)
            noted, server = self.look()
            if server is None:
                _refuse_newer_data(self.home, noted)
                self.home.refuse_full_disk()
            return server is not None

    def attach(self, *, pin: bool) -> tuple[Record, str]:
        """Join or start the server, wait until it answers, and return where it is and its password."""
        with _told(self.home):
            self.home.prepare()
            with self._locked():
                self.home.stopped.unlink(missing_ok=True)
                # Before the start: one that cannot be written down (a full disk) leaves no server behind.
                undo = self._pin() if pin else self._hold()
                try:
                    return self._reach(sick=None)
                except BaseException:  # Ctrl-C and a caller that gave up too
                    undo()
                    raise

    def revive(self, *, sick: int | None) -> tuple[Record, str] | None:
        """Join or start the server as a holder whose server is gone; `None` if it was stopped on purpose.

        Args:
            sick: the pid of a server that lives and is of no use: it is stopped first, if it is still the one.
        """
        with _told(self.home), self._locked():
            _, server = self.look()
            if server is None and self.home.stopped.exists():
                return None
            return self._reach(sick=sick)

    def detach(self) -> None:
        """Hold the server no longer; stop it if nobody is left."""
        if not self.home.root.exists():
            return
        with _told(self.home), self._locked():
            self.holding.release()
            noted, server = self.look()
            if server and not living_holders(self.home.holders) and not self.home.pinned.exists():
                self._end(noted, server)

    def stop(self, *, force: bool) -> bool:
        """Unpin; stop the server unless living holders are left. Return whether one was stopped."""
        if not self.home.root.exists():
            return False
        with _told(self.home), self._locked():
            self.home.pinned.unlink(missing_ok=True)
            noted, server = self.look()
            held = bool(living_holders(self.home.holders))
            if server is None or (held and not force):
                return False
            if held:  # its holders are told so, who would start it again at once
                self.home.stopped.touch(mode=0o600)
            self._end(noted, server)
            return True

    def look(self) -> tuple[Record | None, psutil.Process | None]:
        """Return what is written down and the living server.

        A lost record is made up from the server's settings. What a living server listens on is right, whatever is
        written down.
        """
        noted = read_record(self.home.record)
        server = jvm.find(self.home, noted.pid if noted else None)
        if noted is None and (found := read_conf_ports(self.home)):
            noted = Record(*found)
        if server and not (noted and jvm.listens(server, noted.bolt_port, noted.http_port)):
            served = jvm.served_ports(server)
            noted = replace(noted or Record(*served), bolt_port=served[0], http_port=served[1]) if served else noted
        return noted, server

    def _pin(self) -> Callable[[], None]:
        if self.home.pinned.exists():
            return _nothing
        self.home.pinned.touch(mode=0o600)
        return self.home.pinned.unlink

    def _hold(self) -> Callable[[], None]:
        return self.holding.release if self.holding.take() else _nothing

    def _reach(self, *, sick: int | None) -> tuple[Record, str]:
        """Join the server that runs, or start one; stop the one that is `sick` before."""
        password = ensure_password(self.home)
        noted, server = self.look()
        if server and server.pid == sick:
            self.home.refuse_full_disk()
            self._end(noted, server)
            server = None
        joined = self._join(noted, server) if noted and server else None
        record = joined or self._start(noted, password)
        write_record(self.home.record, record)
        return record, password

    def _end(self, noted: Record | None, server: psutil.Process) -> None:
        jvm.end(server, self.report)
        if noted:
            write_record(self.home.record, replace(noted, pid=None))
        log.info("neo4j_stopped", pid=server.pid)

    def _join(self, noted: Record, server: psutil.Process) -> Record | None:
        """Wait for a server that runs already, as its starter may have been killed; `None` if it was just ending."""
        try:
            return self._await_answer(replace(noted, pid=server.pid), server, jvm.Tail(self.home))
        except ServerNotStarted:
            if jvm.runs(server):
                raise
            return None

    def _start(self, noted: Record | None, password: str) -> Record:
        _refuse_newer_data(self.home, noted)
        self.home.refuse_full_disk()
        jars = class_path(self.report)
        self.report(Stage.START, None)
        if not self.home.holds_database():
            jvm.set_first_password(self.home, jars, password)

        bolt, http = self._ports(noted)
        record = replace(noted or Record(bolt, http), bolt_port=bolt, http_port=http, pid=None)
        try:
            return self._run(record, jars)
        except ServerNotStarted:
            if ports.is_free(bolt) and ports.is_free(http):
                raise
            # Somebody took a port between our look and the server's; any other will do.
            bolt = ports.free_port()
            return self._run(replace(record, bolt_port=bolt, http_port=ports.free_port(other_than=bolt)), jars)

    def _ports(self, noted: Record | None) -> tuple[int, int]:
        """Choose ports, those of the last start first: who has its address finds the server again after a crash."""
        if noted is None:
            bolt = ports.free_port(ports.BOLT_PORT)
            return bolt, ports.free_port(ports.HTTP_PORT, other_than=bolt)
        if noted.pid is not None:
            # It was killed, perhaps just now: a dying process keeps its ports (and locks) a moment longer than its pid.
            ports.await_free(noted.bolt_port, noted.http_port, seconds=DYING_SECONDS)
        bolt = ports.free_port(noted.bolt_port, ports.BOLT_PORT)
        return bolt, ports.free_port(noted.http_port, ports.HTTP_PORT, other_than=bolt)

    def _run(self, record: Record, jars: list[Path]) -> Record:
        write_conf(self.home, bolt_port=record.bolt_port, http_port=record.http_port, page_cache=self.page_cache)
        tail = jvm.Tail(self.home)
        server = jvm.launch(self.home, jars, heap=self.heap, jvm_options=self.jvm_options)
        record = replace(record, pid=server.pid)
        try:
            write_record(self.home.record, record)
            record = self._await_answer(record, server, tail)
        except BaseException:  # Ctrl-C and a caller that gave up too: no server is left that nobody knows of
            jvm.end(server, silent)
            write_record(self.home.record, replace(record, pid=None))
            raise
        log.info("neo4j_started", pid=server.pid, bolt_port=record.bolt_port, http_port=record.http_port)
        return record

    def _await_answer(self, record: Record, server: psutil.Process, tail: jvm.Tail) -> Record:
        """Wait until Neo4j answers on both ports, and return the record with its release."""
        began = time.monotonic()
        while True:
            release = ports.release_at(record.http_port)
            bolt = ports.speaks_bolt(record.bolt_port)
            # Who answers may be another server, on a port that ours will fail to get in a moment.
            ours = jvm.listens(server, record.bolt_port, record.http_port)
            if not jvm.runs(server):
                raise ServerNotStarted(
                    f"Neo4j ended before it answered. Its logs are in {self.home.log.parent}; the last lines:",
                    log_tail=str(tail),
                )
            if release is not None and bolt and ours:
                return replace(record, release=release)
            if not ours and (served := jvm.served_ports(server)):  # what was written down is not so
                record = replace(record, bolt_port=served[0], http_port=served[1])
                continue
            if time.monotonic() - began > self.start_timeout:
                raise ServerNotStarted(
                    f"Neo4j (pid {server.pid}) did not answer on ports {record.bolt_port} and {record.http_port} "
                    f"within {self.start_timeout:g} s. If it still runs, `impressions neo4j stop --force` ends it. "
                    f"Its logs are in {self.home.log.parent}; the last lines:",
                    log_tail=str(tail),
                )
            self.report(Stage.START, None)
            time.sleep(POLL_SECONDS)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = FileLock(self.home.lock, mode=0o600)
        deadline = time.monotonic() + LOCK_SECONDS
        while not lock.is_locked:
            try:
                lock.acquire(timeout=1)
            except Timeout:
                self.report(Stage.WAIT, None)
                if time.monotonic() > deadline:
                    raise Unavailable(
                        f"Another process has held {self.home.lock} for {LOCK_SECONDS:g} s; end it and try again",
                    ) from None
        try:
            yield
        finally:
            lock.release()


@contextmanager
def _told(home: Home) -> Iterator[None]:
    """Say what the operating system refuses in words that name the folder and the way out."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(f"the disk of {home.root} is full: {error}. Make room and start again") from error
        raise SetupError(
            f"The managed Neo4j cannot work in its folder, {home.root}: {error}. Mend or move away what the message "
            "names; or choose another folder"
        ) from error


def _refuse_newer_data(home: Home, noted: Record | None) -> None:
    if noted and noted.release and _numbers(noted.release) > _numbers(RELEASE):
        raise SetupError(
            f"The data in {home.data} were last opened by Neo4j {noted.release}; this version brings {RELEASE}, "
            "which cannot read them. Update Impressions, or choose another folder for the server.",
        )


def _nothing() -> None:
    """Leave what was there before."""


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
