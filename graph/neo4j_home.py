"""The folder of the managed Neo4j: where everything lies, its settings, its password."""

import errno
import os
import re
import secrets
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from graph.errors import DiskFull, SetupError

RELEASE = "2026.09.0"

# One transaction log, and what Neo4j writes of itself: with less, a start fails half way or the database stops soon.
START_BYTES = 80_000_000

CONF = """\
# Written by Impressions at every start: changes here are lost.
server.default_listen_address=127.0.0.1
server.default_advertised_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{bolt_port}
server.bolt.advertised_address=127.0.0.1:{bolt_port}
server.http.listen_address=127.0.0.1:{http_port}
server.http.advertised_address=127.0.0.1:{http_port}
dbms.security.auth_enabled=true
server.memory.pagecache.size={page_cache}

# One empty database would take half a gigabyte of disk with the defaults.
db.tx_log.preallocate=false
db.tx_log.rotation.size=64M
db.tx_log.rotation.retention_policy=100M size

# Nothing leaves this machine, and nothing is announced on its networks.
dbms.usage_report.enabled=false
client.allow_telemetry=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
server.http.x_forward.enabled=false

# Netty waits this long for new connections before it closes: with the default a stop takes ten seconds, not half a one.
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s
"""


@dataclass(frozen=True)
class Home:
    """Paths in the folder of one managed Neo4j."""

    root: Path

    @property
    def lock(self) -> Path:
        """Held while the server is started, stopped, attached to or detached from."""
        return self.root / "server.lock"

    @property
    def record(self) -> Path:
        """Who ran last; see `graph.neo4j_record`."""
        return self.root / "server.json"

    @property
    def holders(self) -> Path:
        """The folder of those who need the server; see `graph.neo4j_holders`."""
        return self.root / "holders"

    @property
    def pinned(self) -> Path:
        """Stands while the server is to run whoever comes and goes."""
        return self.root / "pinned"

    @property
    def stopped(self) -> Path:
        """Stands from a stop on purpose, whoever held the server, to the next start on purpose."""
        return self.root / "stopped"

    @property
    def password(self) -> Path:
        return self.root / "password"

    @property
    def neo4j(self) -> Path:
        """What Neo4j calls its home. Symbolic links resolved: it stands in the command line we know our server by."""
        return (self.root / "neo4j").resolve()

    @property
    def conf(self) -> Path:
        return self.neo4j / "conf"

    @property
    def data(self) -> Path:
        return self.neo4j / "data"

    @property
    def log(self) -> Path:
        """Neo4j's own account of starts, stops and errors."""
        return self.neo4j / "logs" / "neo4j.log"

    @property
    def console(self) -> Path:
        """What the JVM wrote to its standard streams since the last start."""
        return self.neo4j / "logs" / "console.log"

    def prepare(self) -> None:
        """Create the folders, readable by their owner only.

        Raises:
            SetupError: the place cannot be written.
            OSError: its disk is full.
        """
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in (self.neo4j, self.conf, self.log.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            write_private(self.root / ".writable", "")
            (self.root / ".writable").unlink(missing_ok=True)  # another process may do the same
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            raise SetupError(
                f"The folder of the managed Neo4j, {self.root}, cannot be written: {error}. "
                "Make it writable for this user or choose another folder; or use a Neo4j of your own: set NEO4J_URI.",
            ) from error

    def refuse_full_disk(self) -> None:
        """See that a start has the room it writes to before it answers.

        Raises:
            DiskFull: it has not.
        """
        free = shutil.disk_usage(self.root).free
        if free < START_BYTES:
            raise DiskFull(
                f"the disk of {self.root} is full: {free / 1e6:.0f} MB are free, and Neo4j needs "
                f"{START_BYTES / 1e6:.0f} MB to start. Make room: nothing else needs to be done for what is stored"
            )

    def holds_database(self) -> bool:
        return (self.data / "databases" / "system").exists()

    def data_bytes(self) -> int:
        """Return the size of the data; files that come and go meanwhile may or may not count."""
        size = 0
        for folder, _, names in os.walk(self.data):
            for name in names:
                with suppress(FileNotFoundError):
                    size += (Path(folder) / name).stat().st_size
        return size


def default_home() -> Path:
    """Return the folder used when the caller names none: in the user's data folder."""
    return platformdirs.user_data_path("impressions", appauthor=False) / "neo4j"


def write_private(path: Path, text: str) -> None:
    """Write `text` to `path` at once and with mode 0600, so that no reader sees half of it or too much."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp's mode is 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:  # Ctrl-C too: half a secret is not left behind, and whatever it was goes on
        Path(name).unlink(missing_ok=True)
        raise


def write_conf(home: Home, *, bolt_port: int, http_port: int, page_cache: str) -> None:
    text = CONF.format(bolt_port=bolt_port, http_port=http_port, page_cache=page_cache)
    write_private(home.conf / "neo4j.conf", text)


def read_conf_ports(home: Home) -> tuple[int, int] | None:
    """Return the Bolt and HTTP ports of the last start, or `None` if its settings are gone or spoilt."""
    try:
        text = (home.conf / "neo4j.conf").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    bolt, http = (
        re.search(rf"^server\.{name}\.listen_address=\S+:(\d+)$", text, re.MULTILINE) for name in ("bolt", "http")
    )
    return (int(bolt[1]), int(http[1])) if bolt and http else None


def read_password(home: Home) -> str | None:
    """Return the password of user `neo4j`, or `None` where there is none.

    Raises:
        SetupError: something else is in its place.
    """
    try:
        return home.password.read_text(encoding="utf-8").strip() or None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(
            f"The password of the managed Neo4j cannot be read from {home.password}: {error}. It is one line of text "
            "in a file that this user can read: put it back there",
        ) from error


def ensure_password(home: Home) -> str:
    """Return the password of user `neo4j`, generating it before the first start.

    Raises:
        SetupError: there is a database, but the file with its password is gone.
    """
    password = read_password(home)
    if password is None:
        if home.holds_database():
            raise SetupError(
                f"{home.data} holds a database, but the file with its password, {home.password}, is missing or empty. "
                f"Put the password back into that file. {_lost(home)}",
            )
        password = secrets.token_hex(24)
        write_private(home.password, f"{password}\n")
    return password


def wrong_password(home: Home) -> str:
    """Return what to tell where the database refuses the password of the file."""
    return (
        f"The password in {home.password} is not that of the database in {home.data}: the file or the folder comes "
        "from elsewhere, or the password was changed in Neo4j. Put the right one into that file "
        f"(`impressions neo4j status --password` shows what is there). {_lost(home)}"
    )


def _lost(home: Home) -> str:
    return f"If it is lost, move {home.neo4j} elsewhere: the next start makes a new, empty database."
