"""The server every test shares, and the parts that need none."""

import http.client
import os
import re
import socket
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from graph.errors import SetupError
from graph.neo4j_doctor import doctor_facts
from graph.neo4j_home import Home
from graph.neo4j_ports import free_port
from graph.neo4j_record import Record, read_record, this_process, write_record
from graph.neo4j_server import ManagedServer, ServerAddress, ServerStatus
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


def test_a_spoilt_record_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text('{"bolt_port": 7687, "http')
    assert read_record(tmp_path / "server.json") is None


def test_a_holder_whose_pid_was_reused_is_dead() -> None:
    me = this_process("token")
    assert me.lives()
    assert not replace(me, created=me.created - 3600).lives()


def test_a_test_cannot_reach_the_network() -> None:
    with socket.socket() as outside, pytest.raises(NetworkTouchedError):
        outside.connect(("192.0.2.1", 443))
