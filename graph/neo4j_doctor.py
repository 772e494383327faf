"""What `impressions doctor` tells about the managed Neo4j. Only looks; starts and changes nothing."""

import asyncio
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import psutil

from graph import neo4j_ports as ports
from graph import neo4j_process as jvm
from graph.errors import ServerNotStarted
from graph.neo4j_holders import living_holders
from graph.neo4j_home import Home
from graph.neo4j_jars import known_jars
from graph.neo4j_java import java
from graph.neo4j_record import read_record

JAVA_SECONDS = 20.0


@dataclass(frozen=True)
class PortFact:
    """A port the server would use."""

    port: int
    taken_by: str | None
    """Who listens there, in words; `None` if nobody does."""


@dataclass(frozen=True)
class DoctorFacts:
    """Whether the managed server could start here, and if not, why."""

    home: Path
    java: str
    """The first line of `java --version`, or why it could not be run."""
    java_works: bool
    jars_present: bool
    """If not, the first start downloads about 200 MB."""
    bolt: PortFact
    http: PortFact
    free_disk_bytes: int
    """On the disk the data are or will be on."""
    password_is_private: bool | None
    """Whether only its owner can read the password file; `None` before the first start."""
    holders: tuple[int, ...]
    """Processes that need the server, whether it runs or not."""
    stopped: bool
    """Whether it was stopped on purpose while processes needed it."""
    server_pid: int | None
    """The server, where it runs."""
    answers: bool
    """Whether it answers on its Bolt port."""


async def doctor_facts(home: Path) -> DoctorFacts:
    """Look at everything the managed server in `home` needs."""
    return await asyncio.to_thread(_facts, Home(home))


def _facts(home: Home) -> DoctorFacts:
    java, java_works = _java()
    noted = read_record(home.record)
    server = jvm.find(home, noted.pid if noted else None)
    ours = server.pid if server else None
    return DoctorFacts(
        home=home.root,
        java=java,
        java_works=java_works,
        jars_present=known_jars() is not None,
        bolt=_port(noted.bolt_port if noted else ports.BOLT_PORT, ours),
        http=_port(noted.http_port if noted else ports.HTTP_PORT, ours),
        free_disk_bytes=shutil.disk_usage(_existing(home.root)).free,
        password_is_private=_is_private(home.password),
        holders=living_holders(home.holders),
        stopped=home.stopped.exists(),
        server_pid=ours,
        answers=noted is not None and ours is not None and ports.speaks_bolt(noted.bolt_port),
    )


def _java() -> tuple[str, bool]:
    try:
        told = subprocess.run(  # noqa: S603 - our own executable
            [str(java()), "--version"],
            env={},
            capture_output=True,
            timeout=JAVA_SECONDS,
            check=True,
            text=True,
        )
    except (OSError, subprocess.SubprocessError, ServerNotStarted) as error:
        return str(error), False
    return told.stdout.partition("\n")[0], True


def _port(port: int, ours: int | None) -> PortFact:
    if ports.is_free(port):
        return PortFact(port, taken_by=None)
    try:
        listeners = [c for c in psutil.net_connections("tcp") if c.laddr and c.laddr.port == port]
        pid = next((c.pid for c in listeners if c.status == psutil.CONN_LISTEN), None)
        if pid is None:
            return PortFact(port, taken_by="a process of another user")
        name = "the managed Neo4j" if pid == ours else psutil.Process(pid).name()
    except psutil.Error:  # not all systems let one user see another's connections
        return PortFact(port, taken_by="an unknown process")
    return PortFact(port, taken_by=f"{name} (pid {pid})")


def _existing(path: Path) -> Path:
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())


def _is_private(password: Path) -> bool | None:
    try:
        return not password.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    except FileNotFoundError:
        return None
