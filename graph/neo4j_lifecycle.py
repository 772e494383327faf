"""Start, join and stop the one server of a folder. Blocking: `graph.neo4j_server` runs it in threads."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import structlog
from filelock import FileLock, Timeout

from graph import neo4j_ports as ports
from graph import neo4j_process as jvm
from graph.errors import ServerNotStarted, SetupError, Unavailable
from graph.neo4j_home import RELEASE, Home, ensure_password, read_conf_ports, write_conf
from graph.neo4j_jars import class_path
from graph.neo4j_progress import Progress, Stage, silent
from graph.neo4j_record import Record, read_record, this_process, write_record

# Another process may hold the lock for the length of a first download.
LOCK_SECONDS = 1800.0
POLL_SECONDS = 0.1
DYING_SECONDS = 3.0

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Lifecycle:
    """What a holder, known by its `token`, may do to the server in `home`."""

    home: Home
    token: str
    heap: str
    page_cache: str
    jvm_options: tuple[str, ...]
    start_timeout: float
    """Seconds a server may take until it answers."""
    report: Progress

    def attach(self, *, pin: bool) -> tuple[Record, str]:
        """Join or start the server, wait until it answers, and return where it is and its password."""
        self.home.prepare()
        with self._locked():
            password = ensure_password(self.home)
            noted, server = self.look()
            joined = self._join(noted, server) if noted and server else None
            record = joined or self._start(noted, password)
            record = replace(record.pruned(), pinned=record.pinned or pin)
            if not pin:
                record = record.held_by(this_process(self.token))
            write_record(self.home.record, record)
            return record, password

    def detach(self) -> None:
        """Strike this holder and the dead off the record; stop the server if nobody is left."""
        if not self.home.root.exists():
            return
        with self._locked():
            noted, server = self.look()
            if noted is None:
                return
            left = noted.pruned().without(self.token)
            write_record(self.home.record, left)
            if server and not left.holders and not left.pinned:
                self._end(left, server)

    def stop(self, *, force: bool) -> bool:
        """Unpin; stop the server unless living holders are left. Return whether one was stopped."""
        if not self.home.root.exists():
            return False
        with self._locked():
            noted, server = self.look()
            if noted is None:
                return False
            left = replace(noted.pruned(), pinned=False)
            write_record(self.home.record, left)
            if server is None or (left.holders and not force):
                return False
            self._end(left, server)
            return True

    def look(self) -> tuple[Record | None, psutil.Process | None]:
        """Return what is written down and the living server. A lost record is made up from the server's settings."""
        noted = read_record(self.home.record)
        server = jvm.find(self.home, noted.pid if noted else None)
        if noted is None and server is not None and (found := read_conf_ports(self.home)):
            noted = Record(bolt_port=found[0], http_port=found[1])
        return noted, server

    def _end(self, record: Record, server: psutil.Process) -> None:
        jvm.end(server, self.report)
        write_record(self.home.record, replace(record, pid=None))
        log.info("neo4j_stopped", pid=server.pid)

    def _join(self, noted: Record, server: psutil.Process) -> Record | None:
        """Wait for a server that runs already, as its starter may have been killed; `None` if it was just ending."""
        record = replace(noted, pid=server.pid)
        try:
            release = self._await_answer(record, server, jvm.Tail(self.home))
        except ServerNotStarted:
            if jvm.runs(server):
                raise
            return None
        return replace(record, release=release)

    def _start(self, noted: Record | None, password: str) -> Record:
        self._refuse_newer_data(noted)
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
            release = self._await_answer(record, server, tail)
        except BaseException:  # Ctrl-C and a caller that gave up too: no server is left that nobody knows of
            jvm.end(server, silent)
            write_record(self.home.record, replace(record, pid=None))
            raise
        log.info("neo4j_started", pid=server.pid, bolt_port=record.bolt_port, http_port=record.http_port)
        return replace(record, release=release)

    def _await_answer(self, record: Record, server: psutil.Process, tail: jvm.Tail) -> str:
        """Wait until Neo4j answers on both ports, and return its release."""
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
                return release
            if time.monotonic() - began > self.start_timeout:
                raise ServerNotStarted(
                    f"Neo4j (pid {server.pid}) did not answer on ports {record.bolt_port} and {record.http_port} "
                    f"within {self.start_timeout:g} s. If it still runs, `impressions neo4j stop --force` ends it. "
                    f"Its logs are in {self.home.log.parent}; the last lines:",
                    log_tail=str(tail),
                )
            self.report(Stage.START, None)
            time.sleep(POLL_SECONDS)

    def _refuse_newer_data(self, noted: Record | None) -> None:
        if noted and noted.release and _numbers(noted.release) > _numbers(RELEASE):
            raise SetupError(
                f"The data in {self.home.data} were last opened by Neo4j {noted.release}; this version brings "
                f"{RELEASE}, which cannot read them. Update Impressions, or choose another folder for the server.",
            )

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


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
