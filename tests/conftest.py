"""One real Neo4j for the whole run, and no network beyond this machine.

The server is a managed one in a temporary folder. The first test that asks for it starts it, pinned, in whichever
process that test runs; the process that controls the run (of several with `-n`) made the folder and stops the server.
Set IMPRESSIONS_TEST_NEO4J_URI, _USER and _PASSWORD to run against another server: each test writes to a space of its
own.
"""

import asyncio
import ipaddress
import os
import shutil
import signal
import socket
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hypothesis
import pytest

from graph.neo4j_jars import class_path
from graph.neo4j_server import ManagedServer, ServerAddress, silent
from tests.servers import brief_server

pytest_plugins = ["tests.whole_database"]
# How long an example takes says nothing on a machine that does other things, too.
hypothesis.settings.register_profile("tests", deadline=None)
hypothesis.settings.load_profile("tests")
SERVER_HOME = pytest.StashKey[Path]()
GIVEN_URI = os.environ.get("IMPRESSIONS_TEST_NEO4J_URI")


def pytest_configure(config: pytest.Config) -> None:
    given: str | None = getattr(config, "workerinput", {}).get("neo4j_home")
    config.stash[SERVER_HOME] = Path(given or tempfile.mkdtemp(prefix="impressions-test-"))
    if given is None and not GIVEN_URI:
        class_path(silent)  # the first run on a machine downloads Neo4j: here, where no test is guarded yet
    if given is None and threading.current_thread() is threading.main_thread():
        # As Ctrl-C does: pytest ends in order, and the server is stopped below.
        signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell an xdist worker where the server lives."""
    node.workerinput["neo4j_home"] = str(node.config.stash[SERVER_HOME])


def pytest_unconfigure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput") or SERVER_HOME not in config.stash:
        return
    home = config.stash[SERVER_HOME]
    asyncio.run(ManagedServer(home).stop(force=True))
    shutil.rmtree(home)


@pytest.fixture(scope="session")
async def neo4j_address(pytestconfig: pytest.Config) -> ServerAddress:
    if GIVEN_URI:
        return ServerAddress(
            bolt_uri=GIVEN_URI,
            http_uri="",
            user=os.environ.get("IMPRESSIONS_TEST_NEO4J_USER", "neo4j"),
            password=os.environ["IMPRESSIONS_TEST_NEO4J_PASSWORD"],
        )
    # Pinned, not attached: a worker that ends early must not take the server from the others.
    return await brief_server(pytestconfig.stash[SERVER_HOME], page_cache="64m").start_pinned()


@pytest.fixture
def space() -> str:
    """Return the name of a space nobody else uses."""
    return f"test-{uuid.uuid4().hex}"


class NetworkTouchedError(AssertionError):
    """A test tried to reach beyond this machine."""


@pytest.fixture(scope="session", autouse=True)
def only_loopback() -> Iterator[None]:
    given_host = urlsplit(GIVEN_URI).hostname if GIVEN_URI else None
    allowed = {info[4][0] for info in socket.getaddrinfo(given_host, None)} if given_host else set()

    def guarded(connect: Callable[[socket.socket, Any], Any]) -> Callable[[socket.socket, Any], Any]:
        def checked(self: socket.socket, address: Any) -> Any:
            internet = self.family in {socket.AF_INET, socket.AF_INET6}
            if internet and not _is_local(address[0]) and address[0] not in allowed:
                raise NetworkTouchedError(f"a test tried to connect to {address!r}")
            return connect(self, address)

        return checked

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
        yield


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
