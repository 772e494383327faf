"""Who runs: the small file by which processes agree on one managed Neo4j. Written under the lock only."""

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import psutil
from pydantic import TypeAdapter, ValidationError

from graph.neo4j_home import write_private

# Create times are compared across processes; a stepped clock may move them a little, a reused pid moves them more.
SAME_START_SECONDS = 2.0


@dataclass(frozen=True)
class Holder:
    """A process that needs the server; `token` tells apart two that live in one process."""

    pid: int
    created: float
    """When the process started, in seconds since the epoch: a pid alone may be reused."""
    token: str

    def lives(self) -> bool:
        process = living(self.pid)
        try:
            return process is not None and abs(process.create_time() - self.created) < SAME_START_SECONDS
        except psutil.NoSuchProcess:
            return False


@dataclass(frozen=True)
class Record:
    """The server as last written down. Outlives the server: its ports and release are remembered."""

    bolt_port: int
    http_port: int
    pid: int | None = None
    pinned: bool = False
    holders: tuple[Holder, ...] = ()
    release: str | None = None
    """The Neo4j that last opened the data."""

    def pruned(self) -> "Record":
        return replace(self, holders=tuple(holder for holder in self.holders if holder.lives()))

    def held_by(self, holder: Holder) -> "Record":
        return replace(self, holders=(*self.without(holder.token).holders, holder))

    def without(self, token: str) -> "Record":
        return replace(self, holders=tuple(holder for holder in self.holders if holder.token != token))


_RECORD = TypeAdapter(Record)


def read_record(path: Path) -> Record | None:
    """Return what is written down, or `None` when there is nothing or it is spoilt."""
    try:
        return _RECORD.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def write_record(path: Path, record: Record) -> None:
    write_private(path, _RECORD.dump_json(_RECORD.validate_python(asdict(record)), indent=1).decode())


def this_process(token: str) -> Holder:
    return Holder(pid=os.getpid(), created=psutil.Process().create_time(), token=token)


def living(pid: int) -> psutil.Process | None:
    """Return the process with this `pid`, unless there is none or it is dead and only not yet reaped."""
    try:
        process = psutil.Process(pid)
        return None if process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD} else process
    except psutil.NoSuchProcess:
        return None
