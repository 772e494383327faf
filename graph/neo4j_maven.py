"""The jars of Neo4j, resolved by jgo and downloaded once per user.

jgo's own environments are not used: to build one it may fetch a whole JDK 11, only to sort jars between class path and
module path. Here jgo resolves the coordinates, and the jars stay in the local Maven repository, where it keeps them.
Importing this module costs half a second, so it is imported on a first start only.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock

from jgo.config import GlobalSettings
from jgo.constants import MAVEN_CENTRAL_URL
from jgo.maven import Artifact, MavenContext, PythonResolver
from jgo.parse import Coordinate
from jgo.util import http

from graph.errors import ServerNotStarted
from graph.neo4j_progress import Progress, Stage

# What these coordinates come to, so that a progress bar knows its end. A guess that is off only makes the bar jump.
EXPECTED_POMS = 361
EXPECTED_JAR_BYTES = 195_129_969

TIMEOUT_SECONDS = 30
PARALLEL_DOWNLOADS = 6
CHUNK_BYTES = 1 << 17
HTTP_OK = 200


class _Incomplete(OSError):
    """A repository did not hand out a file, or not the whole of it."""


class _Downloads(PythonResolver):
    """jgo's resolver, except that a file appears in the repository only when it is whole and its checksum is right.

    jgo's own download leaves half a file behind when it is interrupted and takes it for good the next time.
    """

    def __init__(self, arrived: Callable[[int], None]) -> None:
        super().__init__()
        self._arrived = arrived

    def download(self, artifact: Artifact) -> Path:
        """Fetch `artifact` from the first repository that has it; raise `OSError` when none has."""
        target = artifact.cached_path
        assert target is not None
        refusals = []
        for repository in artifact.context.remote_repos.values():
            url = f"{repository}/{Path(artifact.component.path_prefix).as_posix()}/{artifact.filename}"
            with http.get(url, stream=True, timeout=TIMEOUT_SECONDS) as response:
                if response.status_code != HTTP_OK:
                    refusals.append(f"{url} answered {response.status_code}")
                    continue
                with _appearing(target) as part:
                    self._save(part, response.iter_content(CHUNK_BYTES), url)
                return target
        raise _Incomplete("; ".join(refusals))

    def _save(self, part: Path, chunks: Iterator[bytes], url: str) -> None:
        digest = hashlib.sha1(usedforsecurity=False)  # what Maven repositories publish
        with part.open("wb") as file:
            for chunk in chunks:
                file.write(chunk)
                digest.update(chunk)
                self._arrived(len(chunk))
        published = http.get(f"{url}.sha1", timeout=TIMEOUT_SECONDS)
        # Some mirrors publish no checksums; Maven Central always does.
        if published.status_code == HTTP_OK and published.text.split()[:1] != [digest.hexdigest()]:
            raise _Incomplete(f"{url} arrived with the SHA-1 {digest.hexdigest()}, published is {published.text!r}")


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


def download(coordinates: tuple[str, ...], progress: Progress) -> list[Path]:
    """Return the class path of `coordinates`, downloading what the local Maven repository lacks.

    Raises:
        ServerNotStarted: a repository could not be reached or the disk not be written; what arrived is kept.
    """
    settings = GlobalSettings.load()
    repositories = {"central": MAVEN_CENTRAL_URL, **settings.repositories}
    try:
        return _download(coordinates, settings.repo_cache, repositories, progress)
    except (OSError, RuntimeError) as error:  # requests' errors are OSErrors; jgo raises RuntimeError
        raise ServerNotStarted(
            f"Neo4j could not be downloaded from {', '.join(repositories.values())} "
            f"into {settings.repo_cache}: {error}. "
            "The first start needs the internet (a proxy is taken from HTTPS_PROXY) and 200 MB of disk. "
            "Start again when both are there: what has arrived is kept. "
            "Or use a Neo4j of your own: set NEO4J_URI.",
        ) from error


def _download(
    coordinates: tuple[str, ...], cache: Path, repositories: dict[str, str], progress: Progress
) -> list[Path]:
    poms = _Count(lambda _bytes, files: progress(Stage.RESOLVE, min(1.0, files / EXPECTED_POMS)))
    progress(Stage.RESOLVE, None)
    context = MavenContext(resolver=_Downloads(poms.add), repo_cache=cache, remote_repos=repositories)
    wanted = [context.create_dependency(replace(Coordinate.parse(text), scope="compile")) for text in coordinates]
    named, transitive = context.resolver.resolve(wanted)
    artifacts = [d.artifact for d in named + [d for d in transitive if d.scope in {"compile", "runtime"}]]

    paths = {artifact: artifact.cached_path for artifact in artifacts}
    present = sum(path.stat().st_size for path in paths.values() if path and path.exists())
    missing = max(1, EXPECTED_JAR_BYTES - present)
    jars = _Count(lambda size, _files: progress(Stage.DOWNLOAD, min(1.0, size / missing)))
    context.resolver = _Downloads(jars.add)
    with ThreadPoolExecutor(PARALLEL_DOWNLOADS, thread_name_prefix="neo4j-download") as pool:
        pending = [pool.submit(artifact.resolve) for artifact in artifacts]
        try:
            return [future.result() for future in pending]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class _Count:
    """Adds up what several threads report, and passes the sums on."""

    def __init__(self, told: Callable[[int, int], None]) -> None:
        self._told = told
        self._lock = Lock()
        self._bytes = 0
        self._calls = 0

    def add(self, size: int) -> None:
        with self._lock:
            self._bytes += size
            self._calls += 1
            self._told(self._bytes, self._calls)
