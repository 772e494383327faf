"""The lock, and downloads from a Maven repository on this machine."""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from graph import neo4j_jars, neo4j_maven
from graph.errors import ServerNotStarted, SetupError
from graph.neo4j_jars import Jar
from graph.neo4j_progress import Stage, silent

CONTENT = b"not really a jar" * 100_000
THING = Jar("org.example:thing:1.0", len(CONTENT), hashlib.sha256(CONTENT).hexdigest())
NATIVE = Jar("org.example:thing:1.0:linux-x86_64", len(CONTENT), THING.sha256)


@dataclass
class Remote:
    """A Maven repository that serves on loopback."""

    folder: Path
    url: str = ""
    asked: list[str] = field(default_factory=list)
    breaks: int = 0
    """How many of the next answers break off half-way."""

    def publish(self, jar: Jar, content: bytes = CONTENT) -> None:
        (self.folder / jar.path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / jar.path).write_bytes(content)
        # Whoever can alter a jar on a server can alter what stands beside it.
        (self.folder / f"{jar.path}.sha1").write_text(hashlib.sha1(content).hexdigest())


class Handler(SimpleHTTPRequestHandler):
    def __init__(self, remote: Remote, *arguments: Any, **options: Any) -> None:
        self.remote = remote
        super().__init__(*arguments, directory=str(remote.folder), **options)

    def do_GET(self) -> None:
        self.remote.asked.append(self.path.lstrip("/"))
        if self.remote.breaks:
            self.remote.breaks -= 1
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT[: len(CONTENT) // 2])
        else:
            super().do_GET()

    def log_message(self, *_arguments: Any) -> None:
        pass


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[str], Remote]]:
    running: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def start(name: str) -> Remote:
        remote = Remote(tmp_path / name)
        remote.folder.mkdir()
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, remote))
        remote.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        running.append((server, thread))
        return remote

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's Maven repository, still empty; no settings of this machine's user count."""
    monkeypatch.setattr("jgo.config._settings.get_settings_path", lambda: tmp_path / "jgo.conf")
    monkeypatch.setenv("M2_REPO", str(tmp_path / "local"))
    return tmp_path / "local"


@pytest.fixture
def remote(serve: Callable[[str], Remote], local: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    assert not local.exists()
    remote = serve("remote")
    remote.publish(THING)
    remote.publish(NATIVE)
    monkeypatch.setattr(neo4j_maven, "MAVEN_CENTRAL_URL", remote.url)
    return remote


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_jars_are_downloaded_once_and_counted(remote: Remote, local: Path) -> None:
    told: list[tuple[Stage, float | None]] = []
    assert neo4j_maven.provide([THING, NATIVE], lambda stage, part: told.append((stage, part))) == local
    assert {path.relative_to(local): path.read_bytes() for path in files(local)} == {
        Path(THING.path): CONTENT,
        Path(NATIVE.path): CONTENT,
    }
    assert len(told) > 2
    assert told[-1] == (Stage.DOWNLOAD, 1.0)
    # Nothing else is asked for: no POM, and no checksum of the server's own.
    assert sorted(remote.asked) == sorted([str(THING.path), str(NATIVE.path)])

    told.clear()
    neo4j_maven.provide([THING, NATIVE], lambda stage, part: told.append((stage, part)))
    assert told[-1] == (Stage.CHECK, 1.0)
    assert len(remote.asked) == 2


@pytest.mark.parametrize(
    "served",
    [
        pytest.param(bytes([CONTENT[0] ^ 1]) + CONTENT[1:], id="one bit altered"),
        pytest.param(CONTENT + b"!", id="longer"),
        pytest.param(CONTENT[:-1], id="shorter"),
    ],
)
def test_another_jar_than_the_locked_one_is_never_put_down(remote: Remote, local: Path, served: bytes) -> None:
    remote.publish(THING, served)
    with pytest.raises(ServerNotStarted, match=r"thing-1\.0\.jar handed out .*, the lock says .*Start again"):
        neo4j_maven.provide([THING], silent)
    assert files(local) == []
    assert len(remote.asked) == neo4j_maven.ATTEMPTS


def test_a_download_that_breaks_off_is_begun_anew(remote: Remote, local: Path) -> None:
    remote.breaks = 1
    neo4j_maven.provide([THING], silent)
    assert [path.read_bytes() for path in files(local)] == [CONTENT]
    assert len(remote.asked) == 2


def test_another_repository_of_the_user_is_asked_when_the_first_has_it_not(
    serve: Callable[[str], Remote], remote: Remote, local: Path, tmp_path: Path
) -> None:
    mirror = serve("mirror")
    mirror.publish(THING)
    (tmp_path / "jgo.conf").write_text(f"[repositories]\ncompany = {mirror.url}/\n")
    remote.publish(THING, b"altered")
    neo4j_maven.provide([THING], silent)
    assert [path.read_bytes() for path in files(local)] == [CONTENT]
    assert mirror.asked == [str(THING.path)]


def test_an_altered_jar_that_is_here_is_refused_and_left(remote: Remote, local: Path) -> None:
    neo4j_maven.provide([THING, NATIVE], silent)
    altered = local / THING.path
    altered.write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(SetupError, match="Delete them, and the next start downloads them anew") as refused:
        neo4j_maven.provide([THING, NATIVE], silent)
    assert str(altered) in str(refused.value)
    assert str(local / NATIVE.path) not in str(refused.value)
    assert altered.read_bytes() == CONTENT[:-1] + b"!"
    altered.write_bytes(CONTENT + b"!")
    with pytest.raises(SetupError, match=f"more than {len(CONTENT)} bytes"):
        neo4j_maven.provide([THING], silent)
    assert len(remote.asked) == 2

    altered.unlink()
    neo4j_maven.provide([THING, NATIVE], silent)
    assert altered.read_bytes() == CONTENT


def test_the_beginning_of_a_jar_is_downloaded_anew(remote: Remote, local: Path) -> None:
    neo4j_maven.provide([THING], silent)
    (local / THING.path).write_bytes(CONTENT[:-1])
    neo4j_maven.provide([THING], silent)
    assert (local / THING.path).read_bytes() == CONTENT
    assert len(remote.asked) == 2


@pytest.mark.usefixtures("remote")
def test_a_jar_the_repository_lacks_is_named() -> None:
    with pytest.raises(ServerNotStarted, match=r"other-1\.0\.jar answered 404"):
        neo4j_maven.provide([replace(THING, coordinate="org.example:other:1.0")], silent)


@pytest.mark.usefixtures("local")
def test_no_network_at_the_first_start_is_said_with_a_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_maven, "MAVEN_CENTRAL_URL", "http://127.0.0.1:9")
    with pytest.raises(ServerNotStarted, match=r"could not be downloaded from http://127\.0\.0\.1:9.*Start again"):
        neo4j_maven.provide(neo4j_jars.locked(), silent)


@pytest.fixture
def of_thing(remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Remote:
    """Let the lock name one jar; nothing is noted yet."""
    monkeypatch.setattr(neo4j_jars, "_noted", lambda: tmp_path / "cache/noted.json")
    monkeypatch.setattr(neo4j_jars, "LOCK", tmp_path / "of-thing.lock")
    lock(THING)
    return remote


def lock(*jars: Jar) -> None:
    lines = [f"{jar.coordinate} {jar.size} {jar.sha256}\n" for jar in jars]
    neo4j_jars.LOCK.write_text("".join(["# jars\n", *lines]))


def test_a_jar_that_is_not_in_the_lock_is_never_used(of_thing: Remote, local: Path) -> None:
    """A repository's POM may name more, and so may what lies beside it here."""
    of_thing.publish(THING)
    (of_thing.folder / THING.path.with_suffix(".pom")).write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>thing</artifactId>"
        "<version>1.0</version><dependencies><dependency><groupId>org.example</groupId><artifactId>other</artifactId>"
        "<version>1.0</version></dependency></dependencies></project>"
    )
    other = replace(THING, coordinate="org.example:other:1.0")
    of_thing.publish(other)
    (local / other.path).parent.mkdir(parents=True)
    (local / other.path).write_bytes(CONTENT)
    assert neo4j_jars.class_path(silent) == [local / THING.path]
    assert neo4j_jars.class_path(silent) == [local / THING.path]
    assert of_thing.asked == [str(THING.path)]


def test_a_noted_class_path_is_believed_while_no_jar_and_no_lock_is_touched(of_thing: Remote, local: Path) -> None:
    jar = local / THING.path
    assert neo4j_jars.known_jars() is None
    assert neo4j_jars.class_path(silent) == [jar]
    assert neo4j_jars.known_jars() == [jar]

    jar.write_bytes(CONTENT[:-1] + b"!")
    os.utime(jar, (0, 0))  # a file system may tell two moments close together by one time
    assert neo4j_jars.known_jars() is None
    with pytest.raises(SetupError, match=r"thing-1\.0\.jar"):
        neo4j_jars.class_path(silent)
    jar.write_bytes(CONTENT[:-1])
    assert neo4j_jars.known_jars() is None
    jar.unlink()
    assert neo4j_jars.known_jars() is None

    assert neo4j_jars.class_path(silent) == [jar]
    lock(THING, NATIVE)
    assert neo4j_jars.known_jars() is None
    assert neo4j_jars.class_path(silent) == [jar, local / NATIVE.path]
    neo4j_jars._noted().write_text('{"repository": 1}')
    assert neo4j_jars.known_jars() is None
    assert len(of_thing.asked) == 3


def test_the_tracked_lock_is_that_of_the_release() -> None:
    jars = neo4j_jars.locked()
    assert tuple(jar.coordinate for jar in jars[:2]) == neo4j_jars.COORDINATES
    assert len({jar.path for jar in jars}) == len(jars) > 200
    assert all(len(bytes.fromhex(jar.sha256)) == 32 for jar in jars)
    assert "://" not in neo4j_jars.LOCK.read_text(encoding="utf-8")


def test_what_this_run_uses_is_what_the_lock_names() -> None:
    """The class path of every server these tests start, read again from the disk."""
    found = neo4j_jars.class_path(silent)
    assert [hashlib.sha256(path.read_bytes()).hexdigest() for path in found] == [
        jar.sha256 for jar in neo4j_jars.locked()
    ]
