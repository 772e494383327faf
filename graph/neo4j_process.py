"""The JVM that is Neo4j: launched, recognised, stopped, and quoted when it fails."""

import os
import subprocess
import threading
import time
from pathlib import Path

import psutil
import structlog

from graph import neo4j_ports as ports
from graph.errors import ServerNotStarted
from graph.neo4j_home import Home, write_private
from graph.neo4j_java import java
from graph.neo4j_progress import Progress, Stage
from graph.neo4j_record import living

SERVER_CLASS = "org.neo4j.server.Neo4jCommunity"
# What `neo4j-admin` starts in a second JVM, with its arguments in plain sight. Called directly, one JVM does.
ADMIN_CLASS = "org.neo4j.cli.AdminTool"

JVM_FLAGS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    # A server out of memory that ends is started again by the next attach; one that limps is not.
    "-XX:+ExitOnOutOfMemoryError",
)

STOP_SECONDS = 60.0
KILL_SECONDS = 10.0
ADMIN_SECONDS = 60.0
POLL_SECONDS = 0.1
TAIL_LINES = 40

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


def set_first_password(home: Home, jars: list[Path], password: str) -> None:
    """Make `password` that of user `neo4j`; has an effect before the first start only.

    Raises:
        ServerNotStarted: Neo4j's tool failed.
    """
    arguments = home.root / "first-password.args"
    write_private(arguments, f"{password}\n")  # the tool reads `@file`: a password on a command line is seen by all
    command = [str(java()), *JVM_FLAGS, ADMIN_CLASS, "dbms", "set-initial-password", f"@{arguments}"]
    try:
        done = subprocess.run(  # noqa: S603 - our own executable and arguments
            command,
            cwd=home.neo4j,
            env=_environment(home, jars),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=ADMIN_SECONDS,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ServerNotStarted(f"Neo4j's first password could not be set: {error}") from error
    finally:
        arguments.unlink(missing_ok=True)
    if done.returncode:
        raise ServerNotStarted(
            f"Neo4j's first password could not be set: its tool ended with {done.returncode}",
            log_tail=done.stdout.replace(password, "***"),
        )


def launch(home: Home, jars: list[Path], *, heap: str, jvm_options: tuple[str, ...] = ()) -> psutil.Process:
    """Start the server in a session of its own and return at once.

    Raises:
        ServerNotStarted: Java could not be run.
    """
    command = [
        str(java()),
        f"-Xmx{heap}",
        *JVM_FLAGS,
        *jvm_options,
        SERVER_CLASS,
        _home_argument(home),
        f"--config-dir={home.conf}",
    ]
    try:
        with home.console.open("wb") as console:
            # Own session: neither Ctrl-C in our terminal nor our death reaches it; it ends by `detach` alone.
            server = subprocess.Popen(  # noqa: S603 - our own executable and arguments
                command,
                cwd=home.neo4j,
                env=_environment(home, jars),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        raise ServerNotStarted(f"Java could not be run: {error}") from error
    # Somebody must take note of its end, or it stays a zombie for as long as this process lives.
    threading.Thread(target=server.wait, name="neo4j-reaper", daemon=True).start()
    return psutil.Process(server.pid)


def find(home: Home, pid: int | None) -> psutil.Process | None:
    """Return this home's living server: `pid` if it is the one, else looked for among all processes.

    The search finds a server whose starter was killed before it could write the pid down.
    """
    noted = living(pid) if pid is not None else None
    if noted is not None and _is_ours(home, noted):
        return noted
    candidates = (process for process in psutil.process_iter() if _is_ours(home, process))
    return next((process for process in candidates if living(process.pid)), None)


def runs(server: psutil.Process) -> bool:
    """Tell whether this very process still lives."""
    return server.is_running() and living(server.pid) is not None


def listens(server: psutil.Process, *wanted: int) -> bool:
    """Tell whether this very process listens on all the `wanted` ports."""
    try:
        found = {held.laddr.port for held in server.net_connections("tcp") if held.status == psutil.CONN_LISTEN}
    except psutil.Error:  # ended meanwhile
        return False
    return found.issuperset(wanted)


def served_ports(server: psutil.Process) -> tuple[int, int] | None:
    """Return the Bolt and HTTP ports this very process answers on, or `None` if it does not answer yet."""
    try:
        found = {held.laddr.port for held in server.net_connections("tcp") if held.status == psutil.CONN_LISTEN}
    except psutil.Error:  # ended meanwhile
        return None
    bolt = next(filter(ports.speaks_bolt, sorted(found)), None)
    http = next((port for port in sorted(found) if port != bolt and ports.release_at(port)), None)
    return (bolt, http) if bolt and http else None


def end(server: psutil.Process, progress: Progress) -> None:
    """Stop the server: ask, wait for up to a minute, then kill."""
    try:
        server.terminate()
        if server.status() == psutil.STATUS_STOPPED:  # by SIGSTOP: it takes note of nothing until it goes on
            server.resume()
        if _gone(server, STOP_SECONDS, progress):
            return
        log.warning("neo4j_killed", pid=server.pid, seconds=STOP_SECONDS, reason="did not stop when asked")
        server.kill()
        if not _gone(server, KILL_SECONDS, progress):
            log.error("neo4j_undead", pid=server.pid, reason="survived SIGKILL")
    except psutil.NoSuchProcess:
        return


class Tail:
    """The last lines of what the server writes to its logs from now on, read when it is turned into a string."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._since = home.log.stat().st_size if home.log.exists() else 0

    def __str__(self) -> str:
        lines = _lines(self._home.console, 0) + _lines(self._home.log, self._since)
        return "\n".join(lines[-TAIL_LINES:])


def _lines(path: Path, since: int) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(since)
            return file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _gone(server: psutil.Process, seconds: float, progress: Progress) -> bool:
    deadline = time.monotonic() + seconds
    while runs(server):
        if time.monotonic() > deadline:
            return False
        progress(Stage.STOP, None)
        time.sleep(POLL_SECONDS)
    return True


def _is_ours(home: Home, process: psutil.Process) -> bool:
    try:
        command = process.cmdline()
    except psutil.Error:  # ended meanwhile, or another user's
        return False
    return SERVER_CLASS in command and _home_argument(home) in command


def _home_argument(home: Home) -> str:
    return f"--home-dir={home.neo4j}"


def _environment(home: Home, jars: list[Path]) -> dict[str, str]:
    # Nothing inherited: JDK_JAVA_OPTIONS and the like would change the server. The locale is for paths beyond ASCII.
    return {
        "CLASSPATH": os.pathsep.join(map(str, jars)),
        "LC_ALL": "C.UTF-8",
        "NEO4J_CONF": str(home.conf),
        "NEO4J_HOME": str(home.neo4j),
    }
