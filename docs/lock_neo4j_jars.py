"""Writes graph/neo4j-jars.lock: every jar of the managed Neo4j with its size and SHA-256.

python docs/lock_neo4j_jars.py (`make lock-jars`) resolves the coordinates anew and downloads everything, about 200 MB,
into a folder that is thrown away; with --check it only compares, and fails where the lock says something else.
"""  # noqa: INP001 -- a script

import hashlib
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from jgo.constants import MAVEN_CENTRAL_URL
from jgo.maven import Artifact, MavenContext, PythonResolver
from jgo.parse import Coordinate
from jgo.util import http

from graph.neo4j_jars import COORDINATES, LOCK, Jar

HEAD: Final = """\
# The jars of the managed Neo4j in the order of its class path: coordinate, bytes, SHA-256.
# Written by `make lock-jars`; graph/neo4j_jars.py takes no other jar.
"""
_PARALLEL: Final = 6
_TIMEOUT_SECONDS: Final = 60


def lock(repository: Path) -> Iterator[str]:
    """Yield the lock as lines, using `repository` for what is downloaded."""
    context = MavenContext(
        resolver=PythonResolver(),
        repo_cache=repository,
        remote_repos={"central": MAVEN_CENTRAL_URL},
        timeout=_TIMEOUT_SECONDS,
    )
    wanted = [context.create_dependency(replace(Coordinate.parse(text), scope="compile")) for text in COORDINATES]
    named, transitive = context.resolver.resolve(wanted)
    artifacts = [d.artifact for d in named + [d for d in transitive if d.scope in {"compile", "runtime"}]]
    with ThreadPoolExecutor(_PARALLEL) as pool:
        for jar in pool.map(_locked, artifacts):
            yield f"{jar.coordinate} {jar.size} {jar.sha256}\n"


def _locked(artifact: Artifact) -> Jar:
    content = artifact.resolve().read_bytes()
    url = f"{MAVEN_CENTRAL_URL}/{artifact.component.path_prefix.as_posix()}/{artifact.filename}.sha1"
    published = http.get(url, timeout=_TIMEOUT_SECONDS)
    published.raise_for_status()
    found = hashlib.sha1(content, usedforsecurity=False).hexdigest()  # what every Maven repository publishes
    if published.text.split()[:1] != [found]:
        sys.exit(f"{artifact} arrived with the SHA-1 {found}, published is {published.text!r}")
    parts = [artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier]
    jar = Jar(":".join(filter(None, parts)), len(content), hashlib.sha256(content).hexdigest())
    assert jar.path.name == artifact.filename, artifact
    return jar


def main() -> None:
    """Write the lock, or compare it."""
    with tempfile.TemporaryDirectory(prefix="neo4j-jars-") as folder:
        text = HEAD + "".join(lock(Path(folder)))
    if sys.argv[1:] == ["--check"]:
        if text != LOCK.read_text(encoding="utf-8"):
            sys.exit(f"{LOCK} is not what is published: make lock-jars")
    else:
        LOCK.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
