"""The class path of Neo4j: noted once for all data folders of a user, so that later starts look nothing up."""

import json
from contextlib import suppress
from pathlib import Path

import platformdirs

from graph.neo4j_home import RELEASE, write_private
from graph.neo4j_progress import Progress

COORDINATES = (f"org.neo4j:neo4j:{RELEASE}", "org.neo4j.client:neo4j-browser:5.24.0")


def class_path(progress: Progress) -> list[Path]:
    """Return Neo4j's jars, downloading them at the first start of this release.

    Raises:
        ServerNotStarted: they could not be downloaded.
    """
    jars = known_jars()
    if jars is None:
        # jgo takes half a second to import, and a warm start does not need it.
        from graph import neo4j_maven  # noqa: PLC0415

        jars = neo4j_maven.download(COORDINATES, progress)
        with suppress(OSError):  # a cache that cannot be written costs the next start five seconds, no more
            _note(jars)
    return jars


def known_jars() -> list[Path] | None:
    """Return the noted class path, or `None` if there is none or a jar is missing, cut or of another release."""
    try:
        noted = json.loads(_noted().read_text(encoding="utf-8"))
        if noted["coordinates"] != list(COORDINATES):
            return None
        jars = {Path(path): size for path, size in noted["jars"].items()}
        if any(jar.stat().st_size != size for jar, size in jars.items()):
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # absent or spoilt: it is made again
    return list(jars)


def _note(jars: list[Path]) -> None:
    noted = {"coordinates": list(COORDINATES), "jars": {str(jar): jar.stat().st_size for jar in jars}}
    _noted().parent.mkdir(parents=True, exist_ok=True)
    write_private(_noted(), json.dumps(noted, indent=1))


def _noted() -> Path:
    return platformdirs.user_cache_path("impressions", appauthor=False) / "neo4j-jars.json"
