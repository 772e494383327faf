"""What is remembered of the managed Neo4j between its starts. Written under the lock only.

Nothing depends on it that could not be found out again: a running server is recognised by its command line, its ports
stand in its settings, who holds it is in files of their own (`graph.neo4j_holders`), and so are a pin and a stop on
purpose. A record that is lost or spoilt costs the order of a few looks, never a server somebody uses.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import psutil
import structlog
from pydantic import Field, TypeAdapter, ValidationError

from graph.neo4j_home import write_private

Port = Annotated[int, Field(ge=1, le=65_535)]

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Record:
    """The server as last written down. Outlives the server: its ports and release are remembered."""

    bolt_port: Port
    http_port: Port
    pid: int | None = None
    release: Annotated[str, Field(pattern=r"^\d+(\.\d+)*$")] | None = None
    """The Neo4j that last opened the data."""


_RECORD = TypeAdapter(Record)


def read_record(path: Path) -> Record | None:
    """Return what is written down, or `None` when there is nothing or it is spoilt."""
    try:
        return _RECORD.validate_json(path.read_bytes())
    except (OSError, ValidationError):  # absent, a folder in its place, not to be read; cut, garbage, of another form
        return None


def write_record(path: Path, record: Record) -> None:
    """Write it down, if it can be: on a full disk, or with a folder in its place, the server is found without it."""
    try:
        write_private(path, _RECORD.dump_json(_RECORD.validate_python(asdict(record)), indent=1).decode())
    except OSError as error:
        log.warning("neo4j_not_written_down", path=str(path), error=str(error))


def living(pid: int) -> psutil.Process | None:
    """Return the process with this `pid`, unless there is none or it is dead and only not yet reaped."""
    with suppress(psutil.NoSuchProcess, ValueError, OverflowError):  # a spoilt record may hold any number
        process = psutil.Process(pid)
        if process.status() not in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}:
            return process
    return None
