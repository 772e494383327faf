"""Downloads, from a Maven repository on this machine."""

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from jgo.maven import Artifact, MavenContext
from jgo.parse import Coordinate

from graph import neo4j_jars, neo4j_maven
from graph.errors import ServerNotStarted
from graph.neo4j_progress import silent

JAR = b"not really a jar" * 100_000


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[str]:
    """Serve one jar, and return the address."""
    folder = tmp_path / "remote" / "org" / "example" / "thing" / "1.0"
    folder.mkdir(parents=True)
    (folder / "thing-1.0.jar").write_bytes(JAR)
    (folder / "thing-1.0.jar.sha1").write_text(hashlib.sha1(JAR).hexdigest())
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "remote")))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def thing(repository: str, cache: Path, arrived: list[int], coordinate: str = "org.example:thing:1.0") -> Artifact:
    resolver = neo4j_maven._Downloads(arrived.append)
    context = MavenContext(resolver=resolver, repo_cache=cache, remote_repos={"here": repository})
    return context.create_dependency(replace(Coordinate.parse(coordinate), scope="compile")).artifact


def test_a_jar_is_downloaded_once_and_counted(repository: str, tmp_path: Path) -> None:
    arrived: list[int] = []
    path = thing(repository, tmp_path / "cache", arrived).resolve()
    assert path.read_bytes() == JAR
    assert sum(arrived) == len(JAR)
    assert len(arrived) > 1
    assert thing("http://127.0.0.1:9", tmp_path / "cache", []).resolve() == path


def test_a_wrong_checksum_leaves_nothing_behind(repository: str, tmp_path: Path) -> None:
    (tmp_path / "remote/org/example/thing/1.0/thing-1.0.jar.sha1").write_text("0" * 40)
    with pytest.raises(OSError, match="SHA-1"):
        thing(repository, tmp_path / "cache", []).resolve()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_a_jar_the_repository_lacks_is_named(repository: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"other-1\.0\.jar answered 404"):
        thing(repository, tmp_path / "cache", [], "org.example:other:1.0").resolve()


def test_no_network_at_the_first_start_is_said_with_a_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("M2_REPO", str(tmp_path / "empty"))
    monkeypatch.setattr(neo4j_maven, "MAVEN_CENTRAL_URL", "http://127.0.0.1:9")
    with pytest.raises(ServerNotStarted, match=r"could not be downloaded from http://127\.0\.0\.1:9.*Start again"):
        neo4j_maven.download(neo4j_jars.COORDINATES, silent)


def test_a_noted_class_path_is_not_believed_when_a_jar_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_jars, "_noted", lambda: tmp_path / "noted.json")
    assert neo4j_jars.known_jars() is None
    jar = tmp_path / "a.jar"
    jar.write_bytes(JAR)
    neo4j_jars._note([jar])
    assert neo4j_jars.known_jars() == [jar]
    jar.write_bytes(JAR[:-1])
    assert neo4j_jars.known_jars() is None
    jar.unlink()
    assert neo4j_jars.known_jars() is None
