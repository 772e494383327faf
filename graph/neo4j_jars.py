"""The class path of Neo4j: the jars that the lock names, each seen to hold what the lock says before it is used.

`neo4j-jars.lock` is tracked and made by `make lock-jars`. Where the jars were seen, and when each was last changed, is
noted once for all data folders of a user, so that later starts read no jar.
"""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import platformdirs

from graph.neo4j_home import RELEASE, write_private
from graph.neo4j_progress import Progress

COORDINATES = (f"org.neo4j:neo4j:{RELEASE}", "org.neo4j.client:neo4j-browser:5.24.0")
"""What the lock is made from."""
LOCK = Path(__file__).with_name("neo4j-jars.lock")


@dataclass(frozen=True, slots=True)
class Jar:
    """A line of the lock."""

    coordinate: str
    """`group:artifact:version`, and `:classifier` where there is one."""
    size: int
    """In bytes."""
    sha256: str
    """In hexadecimal digits."""

    @property
    def path(self) -> PurePosixPath:
        """Where it lies in any Maven repository, local or remote."""
        group, artifact, version, *classifier = self.coordinate.split(":")
        name = "-".join([artifact, version, *classifier])
        return PurePosixPath(*group.split("."), artifact, version, f"{name}.jar")


def locked() -> tuple[Jar, ...]:
    """Return all jars of Neo4j, in the order of the class path."""
    lines = (line.split() for line in LOCK.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return tuple(Jar(coordinate, int(size), sha256) for coordinate, size, sha256 in lines)


def class_path(progress: Progress) -> list[Path]:
    """Return Neo4j's jars, downloading what is not here yet at the first start of this release.

    Raises:
        ServerNotStarted: they could not be downloaded.
        SetupError: one that is here is not what the lock names.
    """
    jars = known_jars()
    if jars is None:
        # jgo takes half a second to import, and a warm start does not need it.
        from graph import neo4j_maven  # noqa: PLC0415

        repository = neo4j_maven.provide(locked(), progress)
        with suppress(OSError):  # a cache that cannot be written costs the next start a second, no more
            _note(repository)
        jars = _paths(repository)
    return jars


def known_jars() -> list[Path] | None:
    """Return the class path if each of its jars was seen to be the locked one and has not been touched since."""
    try:
        noted = json.loads(_noted().read_text(encoding="utf-8"))
        if noted["lock"] != _lock_digest():
            return None
        jars = _paths(Path(noted["repository"]))
        if [_state(jar) for jar in jars] != noted["seen"]:
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # absent or spoilt: it is made again
    return jars


def _note(repository: Path) -> None:
    seen = [_state(jar) for jar in _paths(repository)]
    noted = {"lock": _lock_digest(), "repository": str(repository), "seen": seen}
    _noted().parent.mkdir(parents=True, exist_ok=True)
    write_private(_noted(), json.dumps(noted))


def _state(jar: Path) -> list[int]:
    found = jar.stat()
    return [found.st_size, found.st_mtime_ns]


def _paths(repository: Path) -> list[Path]:
    return [repository / jar.path for jar in locked()]


def _lock_digest() -> str:
    return hashlib.sha256(LOCK.read_bytes()).hexdigest()


def _noted() -> Path:
    return platformdirs.user_cache_path("impressions", appauthor=False) / "neo4j-jars.json"
