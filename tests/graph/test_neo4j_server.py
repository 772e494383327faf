"""The server every test shares, and the parts that need none."""

import http.client
import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from graph.errors import SetupError
from graph.neo4j_server import ManagedServer, ServerAddress
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


def test_a_test_cannot_reach_the_network() -> None:
    with socket.socket() as outside, pytest.raises(NetworkTouchedError):
        outside.connect(("192.0.2.1", 443))
