"""The jars of Neo4j in the local Maven repository: those that are there are checked, the rest is downloaded once.

Nothing is resolved here: the lock names every jar. jgo knows the user's settings (where the local repository is, which
remote ones there are) and asks servers again that want fewer requests. Importing it costs half a second, so this module
is imported on a first start only.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TypeVar

import structlog
from jgo.config import GlobalSettings
from jgo.constants import MAVEN_CENTRAL_URL
from jgo.util import http

from graph.errors import ServerNotStarted, SetupError
from graph.neo4j_jars import Jar
from graph.neo4j_progress import Progress, Stage

TIMEOUT_SECONDS = 30
PARALLEL = 6
ATTEMPTS = 2
"""How often a repository is asked for a jar that arrives broken."""
CHUNK_BYTES = 1 << 17
HTTP_OK = 200

Result = TypeVar("Result")

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class _Broken(OSError):
    """What a repository handed out is not whole, or not what the lock names: it is asked once more."""


@dataclass(frozen=True)
class _Source:
    """Remote repositories, and the local one that jars are put into."""

    repositories: dict[str, str]
    """Address by name, in the order in which they are asked."""
    local: Path

    def fetch(self, jar: Jar, arrived: Callable[[int], None]) -> None:
        """Download `jar`. It appears only when it is whole and what the lock names; raise `OSError` if it never is."""
        refusals: list[str] = []
        for repository in self.repositories.values():
            url = f"{repository.rstrip('/')}/{jar.path}"
            for _ in range(ATTEMPTS):
                try:
                    self._fetch_from(url, jar, arrived)
                except _Broken as error:
                    refusals.append(f"{url} {error}")
                except OSError as error:  # requests' errors are OSErrors
                    refusals.append(f"{url} {error}")
                    break
                else:
                    return
        raise OSError("; ".join(dict.fromkeys(refusals)))

    def _fetch_from(self, url: str, jar: Jar, arrived: Callable[[int], None]) -> None:
        with http.get(url, stream=True, timeout=TIMEOUT_SECONDS) as response:
            if response.status_code != HTTP_OK:
                raise OSError(f"answered {response.status_code}")
            with _appearing(self.local / jar.path) as part:
                try:
                    size, digest = _save(part, response.iter_content(CHUNK_BYTES), jar.size, arrived)
                except OSError as error:  # the connection broke, or the disk is full
                    raise _Broken(f"broke off: {error}") from error
                if (size, digest) != (jar.size, jar.sha256):
                    raise _Broken(f"handed out {_differs(jar, size, digest)}")


def _save(part: Path, chunks: Iterable[bytes], most: int, arrived: Callable[[int], None]) -> tuple[int, str]:
    """Write `chunks` down, to `most` bytes and one chunk; return how many bytes they are and their SHA-256."""
    digest, size = hashlib.sha256(), 0
    with part.open("wb") as file:
        for chunk in chunks:
            file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
            arrived(len(chunk))
            if size > most:
                break
    return size, digest.hexdigest()


@contextmanager
def _appearing(target: Path) -> Iterator[Path]:
    """Hand out a path beside `target` that becomes `target` at the end, or vanishes on an error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{uuid.uuid4().hex}.part")
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def provide(jars: Sequence[Jar], progress: Progress) -> Path:
    """Return the local Maven repository once it holds all `jars`: what is there is checked, the rest downloaded.

    Raises:
        ServerNotStarted: a repository could not be reached or the disk not be written; what arrived is kept.
        SetupError: a jar that is there is not the one of the lock.
    """
    settings = GlobalSettings.load()
    source = _Source({"central": MAVEN_CENTRAL_URL, **settings.repositories}, settings.repo_cache.absolute())
    try:
        missing = _check(source.local, jars, progress)
        _download(source, missing, progress)
    except OSError as error:
        raise ServerNotStarted(
            f"Neo4j could not be downloaded from {', '.join(source.repositories.values())} "
            f"into {source.local}: {error}. "
            "The first start needs the internet (a proxy is taken from HTTPS_PROXY) and 200 MB of disk. "
            "Start again when both are there: what has arrived is kept. "
            "Or use a Neo4j of your own: set NEO4J_URI.",
        ) from error
    return source.local


def _check(local: Path, jars: Sequence[Jar], progress: Progress) -> list[Jar]:
    """Return the jars that are not there, or only the beginning of them; refuse those that are others."""
    checked = _Count(progress, Stage.CHECK, sum(jar.size for jar in jars))
    present = [jar for jar in jars if (local / jar.path).exists()]
    altered, cut = [], []
    for jar, (size, digest) in zip(
        present, _in_parallel(lambda jar: _digest(local / jar.path, checked.add), present), strict=True
    ):
        if size < jar.size:
            # Another tool's download that was broken off: nobody misses it.
            log.warning("neo4j_jar_cut", path=str(local / jar.path), size=size, whole=jar.size)
            cut.append(jar)
        elif (size, digest) != (jar.size, jar.sha256):
            altered.append(f"{local / jar.path} is {_differs(jar, size, digest)}")
    if altered:
        raise SetupError(
            f"Jars in the local Maven repository are not the ones that belong to Neo4j, and are not used: "
            f"{'; '.join(altered)}. Delete them, and the next start downloads them anew; if you did not alter them, "
            "find out who did. Or use a Neo4j of your own: set NEO4J_URI.",
        )
    return [jar for jar in jars if jar not in set(present) or jar in cut]


def _digest(path: Path, done: Callable[[int], None]) -> tuple[int, str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        size = file.tell()
    done(size)
    return size, digest


def _differs(jar: Jar, size: int, digest: str) -> str:
    if size != jar.size:
        return f"{size if size < jar.size else f'more than {jar.size}'} bytes, the lock says {jar.size}"
    return f"a file with the SHA-256 {digest}, the lock says {jar.sha256}"


def _download(source: _Source, missing: Sequence[Jar], progress: Progress) -> None:
    arrived = _Count(progress, Stage.DOWNLOAD, sum(jar.size for jar in missing))
    for _ in _in_parallel(lambda jar: source.fetch(jar, arrived.add), missing):
        pass


def _in_parallel(work: Callable[[Jar], Result], jars: Sequence[Jar]) -> list[Result]:
    """Do `work` for each of the jars; at the first failure what has not begun is left."""
    with ThreadPoolExecutor(PARALLEL, thread_name_prefix="neo4j-jars") as pool:
        pending = [pool.submit(work, jar) for jar in jars]
        try:
            return [future.result() for future in pending]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class _Count:
    """Adds up the bytes that several threads report, and passes on what part of all they are."""

    def __init__(self, progress: Progress, stage: Stage, due: int) -> None:
        self._progress = progress
        self._stage = stage
        self._due = due
        self._lock = Lock()
        self._bytes = 0

    def add(self, size: int) -> None:
        with self._lock:
            self._bytes += size
            self._progress(self._stage, min(1.0, self._bytes / self._due))
