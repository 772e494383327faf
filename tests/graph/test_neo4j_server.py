"""The server every test shares, and the parts that need none."""

import asyncio
import http.client
import os
import re
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from graph.errors import SetupError
from graph.neo4j_doctor import doctor_facts
from graph.neo4j_holders import Holding, living_holders
from graph.neo4j_home import Home
from graph.neo4j_ports import free_port, speaks_bolt
from graph.neo4j_record import Record, read_record, write_record
from graph.neo4j_server import ManagedServer, ServerAddress, ServerStatus
from graph.process_age import seconds_running
from tests.conftest import NetworkTouchedError


def test_the_password_is_not_in_the_repr(neo4j_address: ServerAddress) -> None:
    assert neo4j_address.password
    assert neo4j_address.password not in repr(neo4j_address)
    assert neo4j_address.password not in str(neo4j_address)


def test_browser_answers(neo4j_address: ServerAddress) -> None:
    if not neo4j_address.http_uri:
        pytest.skip("a server given by IMPRESSIONS_TEST_NEO4J_URI may lack Browser")
    connection = http.client.HTTPConnection(urlsplit(neo4j_address.http_uri).netloc, timeout=10)
    connection.request("GET", "/browser/")
    answer = connection.getresponse()
    page = answer.read().decode()
    connection.close()
    assert answer.status == 200
    assert re.search(r"<title>Neo4j Browser</title>", page)


async def test_a_folder_that_cannot_be_written_is_refused_with_a_next_step(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match="choose another folder"):
        await ManagedServer(tmp_path / "file" / "home").attach()


async def test_data_of_a_newer_neo4j_are_refused(tmp_path: Path) -> None:
    write_record(tmp_path / "server.json", Record(7687, 7474, release="2099.01.0"))
    with pytest.raises(SetupError, match=r"last opened by Neo4j 2099\.01\.0.*Update Impressions"):
        await ManagedServer(tmp_path).attach()


async def test_a_lost_password_is_said_with_the_way_out(tmp_path: Path) -> None:
    (Home(tmp_path).data / "databases" / "system").mkdir(parents=True)
    with pytest.raises(SetupError, match="Put the password back"):
        await ManagedServer(tmp_path).attach()


async def test_looking_at_a_server_that_never_ran_changes_nothing(tmp_path: Path) -> None:
    server = ManagedServer(tmp_path / "home")
    assert await server.status() == ServerStatus(running=False, home=tmp_path / "home")
    assert await server.stop() is False
    await server.detach()
    assert not (tmp_path / "home").exists()


async def test_the_doctor_names_who_has_a_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        write_record(tmp_path / "server.json", Record(port, free_port(other_than=port)))
        facts = await doctor_facts(tmp_path)
    assert facts.java_works
    assert facts.java.startswith("openjdk 25")
    assert str(os.getpid()) in str(facts.bolt.taken_by)
    assert facts.http.taken_by is None
    assert facts.free_disk_bytes > 0
    assert facts.password_is_private is None


SPOILT = {
    "cut": b'{"bolt_port": 7687, "http',
    "garbage": bytes(range(256)),
    "empty": b"",
    "another document": b"[1, 2]",
    "wrong types": b'{"bolt_port": "many", "http_port": 7474}',
    "no such ports": b'{"bolt_port": -1, "http_port": 99999999999999999999}',
    "no such release": b'{"bolt_port": 7687, "http_port": 7474, "release": "the latest"}',
    "a pid beyond all pids": b'{"bolt_port": 7687, "http_port": 7474, "pid": 99999999999999999999}',
    "a folder": None,
}


def spoil(record: Path, content: bytes | None) -> None:
    if content is None:
        record.unlink(missing_ok=True)
        record.mkdir(exist_ok=True)
    else:
        record.write_bytes(content)


@pytest.mark.parametrize("content", SPOILT.values(), ids=SPOILT)
async def test_a_spoilt_record_is_no_record(tmp_path: Path, content: bytes | None) -> None:
    spoil(tmp_path / "server.json", content)
    server = ManagedServer(tmp_path)
    assert not (await server.status()).running
    assert await server.stop(force=True) is False
    await server.detach()
    write_record(tmp_path / "server.json", Record(7687, 7474))
    assert read_record(tmp_path / "server.json") == (None if content is None else Record(7687, 7474))


def test_a_holder_lives_until_it_lets_go(tmp_path: Path) -> None:
    one, other = Holding(tmp_path, "one"), Holding(tmp_path, "other")
    assert living_holders(tmp_path) == ()
    assert one.take()
    assert not one.take()
    assert other.take()
    assert living_holders(tmp_path) == (os.getpid(), os.getpid())
    one.release()
    assert living_holders(tmp_path) == (os.getpid(),)
    other.release()
    other.release()
    assert living_holders(tmp_path) == ()
    assert list(tmp_path.iterdir()) == []


HOLDER = "import sys; from graph.neo4j_holders import Holding; from pathlib import Path"
HOLDS = f"{HOLDER}; h = Holding(Path(sys.argv[1]), 'token'); h.take(); print('held', flush=True); sys.stdin.read()"


async def test_a_killed_holder_is_dead_and_its_file_goes(tmp_path: Path) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDS, str(tmp_path), stdin=pipe, stdout=pipe, cwd=Path(__file__).parents[2]
    )
    assert process.stdout
    assert await process.stdout.readline() == b"held\n"
    assert living_holders(tmp_path) == (process.pid,)
    process.kill()
    await process.wait()
    assert living_holders(tmp_path) == ()
    assert living_holders(tmp_path) == ()


async def test_how_long_a_process_runs_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The date of the boot is what Linux tells after the clock was set: a start counted from it is two hours ahead."""
    before = seconds_running(os.getpid())
    real = psutil.boot_time()
    monkeypatch.setattr("psutil._psplatform.boot_time", lambda: real + 7200.0)
    assert psutil.Process().create_time() > real + 7200
    await asyncio.sleep(0.05)
    assert before < seconds_running(os.getpid()) < before + 60


@pytest.mark.parametrize("name", ["server.lock", "password", "neo4j/conf/neo4j.conf"])
async def test_a_folder_in_the_place_of_a_file_is_named_at_once(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir(parents=True)
    server = ManagedServer(tmp_path)

    async def start() -> None:
        if not await server.check():
            await server.attach()

    with pytest.raises(SetupError, match=str(tmp_path / name)):
        await start()
    assert not (await server.status()).running
    assert (await server.status()).attached_pids == ()


async def test_the_cheap_checks_find_what_a_start_would(tmp_path: Path) -> None:
    (tmp_path / "newer").mkdir()
    write_record(tmp_path / "newer" / "server.json", Record(7687, 7474, release="2099.01.0"))
    (Home(tmp_path / "lost").data / "databases" / "system").mkdir(parents=True)
    (tmp_path / "file").touch()
    for home, complaint in {"newer": "last opened by", "lost": "Put the password back", "file": "written"}.items():
        with pytest.raises(SetupError, match=complaint):
            await ManagedServer(tmp_path / home).check()
    assert await ManagedServer(tmp_path / "new").check() is False


def test_a_web_server_does_not_speak_bolt(neo4j_address: ServerAddress) -> None:
    bolt, http = (urlsplit(uri).port for uri in (neo4j_address.bolt_uri, neo4j_address.http_uri or "http://x:0"))
    assert speaks_bolt(bolt or 0)
    assert not speaks_bolt(http or 0)


def test_a_test_cannot_reach_the_network() -> None:
    with socket.socket() as outside, pytest.raises(NetworkTouchedError):
        outside.connect(("192.0.2.1", 443))
