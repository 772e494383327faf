"""Servers of their own, started, shared, killed and stopped."""

import asyncio
import json
import os
import signal
import socket
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from graph.errors import ServerNotStarted
from graph.neo4j_home import RELEASE, Home
from graph.neo4j_ports import free_port
from graph.neo4j_record import Record, living, write_record
from graph.neo4j_server import ManagedServer, Stage
from graph.store import Connection, Store
from tests.servers import brief_server

pytestmark = pytest.mark.slow

# A service in small: attaches, says so, detaches when its input ends.
SERVICE = """
import asyncio, json, sys
from pathlib import Path
from tests.servers import brief_server

async def main():
    server = brief_server(Path(sys.argv[1]))
    address = await server.attach()
    print(json.dumps({"uri": address.bolt_uri, "server": (await server.status()).pid}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.detach()

asyncio.run(main())
"""


class Service:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def attached(self) -> dict[str, Any]:
        assert self._process.stdout
        while not (line := await self._process.stdout.readline()).startswith(b"{"):  # log lines come before
            assert line, "the service ended before it was attached"
        told: dict[str, Any] = json.loads(line)
        return told

    async def ends(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        assert await self._process.wait() == 0

    async def is_killed(self) -> None:
        self._process.kill()
        await self._process.wait()


async def service(home: Path) -> Service:
    pipe = asyncio.subprocess.PIPE
    return Service(
        await asyncio.create_subprocess_exec(sys.executable, "-c", SERVICE, str(home), stdin=pipe, stdout=pipe)
    )


@asynccontextmanager
async def managed(home: Path, **options: Any) -> AsyncIterator[ManagedServer]:
    server = brief_server(home, **options)
    try:
        yield server
    finally:
        await server.stop(force=True)


async def test_two_processes_share_one_server_and_the_last_one_stops_it(tmp_path: Path) -> None:
    async with managed(tmp_path) as server:
        first, second = await asyncio.gather(service(tmp_path), service(tmp_path))
        one, other = await asyncio.gather(first.attached(), second.attached())
        assert one == other
        assert len((await server.status()).attached_pids) == 2

        await first.ends()
        assert (await server.status()).running

        await second.is_killed()
        assert (await server.status()).running, "Neo4j must outlive a killed service"
        assert (await server.status()).attached_pids == ()

        await server.attach()
        status = await server.status()
        assert status.pid == one["server"]
        assert status.release == RELEASE
        assert status.attached_pids == (os.getpid(),)
        assert status.uptime_seconds is not None
        assert status.uptime_seconds > 0

        await server.detach()
        assert not (await server.status()).running
        assert living(one["server"]) is None


async def test_a_pinned_server_survives_its_holders_and_is_replaced_when_killed(tmp_path: Path) -> None:
    async with managed(tmp_path) as server:
        address = await server.start_pinned()
        killed = (await server.status()).pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)

        assert await server.attach() == address, "the ports of the last start are taken again"
        assert (await server.status()).pid not in {None, killed}

        assert await server.stop() is False, "a living process is attached"
        await server.start_pinned()
        await server.detach()
        assert (await server.status()).pinned
        assert await server.stop() is True
        assert not (await server.status()).running
        assert await server.stop() is False


async def test_taken_ports_and_a_reused_pid_are_no_obstacle(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as bolt, socket.create_server(("127.0.0.1", 0)) as http:
        taken = {bolt.getsockname()[1], http.getsockname()[1]}
        write_record(tmp_path / "server.json", Record(bolt.getsockname()[1], http.getsockname()[1], pid=os.getpid()))
        async with managed(tmp_path) as server:
            # With the jars there, a start needs no network: `only_loopback` would refuse a connection of ours.
            address = await server.attach()
            assert int(address.bolt_uri.rpartition(":")[2]) not in taken
            assert int(address.http_uri.rpartition(":")[2]) not in taken

            pid = (await server.status()).pid
            assert pid not in {None, os.getpid()}
            process = psutil.Process(pid)
            hosts = {connection.laddr.ip.removeprefix("::ffff:") for connection in process.net_connections("inet")}
            assert hosts == {"127.0.0.1"}
            assert not any(address.password in argument for argument in process.cmdline())


async def test_two_servers_that_want_the_same_ports_end_up_with_their_own(tmp_path: Path) -> None:
    bolt = free_port()
    record = Record(bolt, free_port(other_than=bolt))
    homes = [tmp_path / "one", tmp_path / "other"]
    for home in homes:
        Home(home).prepare()
        write_record(home / "server.json", record)
    async with managed(homes[0]) as one, managed(homes[1]) as other:
        for address in await asyncio.gather(one.attach(), other.attach()):
            # The passwords differ: whoever took the other's server for its own is refused.
            store = await Store.connect(Connection(address.bolt_uri, address.user, address.password))
            await store.close()


async def test_a_lost_record_is_made_up_from_the_running_server(tmp_path: Path) -> None:
    async with managed(tmp_path) as server:
        address = await server.attach()
        Home(tmp_path).record.unlink()
        async with managed(tmp_path) as other:
            assert await other.attach() == address
            await other.detach()
        assert not (await server.status()).running, "the first holder was on the lost record"


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ({"page_cache": "a lot"}, "server.memory.pagecache.size"),
        ({"heap": "a lot"}, "Invalid maximum heap size: -Xmxa lot"),
    ],
)
async def test_the_tail_of_the_log_tells_why_a_server_does_not_come_up(
    tmp_path: Path, option: dict[str, str], complaint: str
) -> None:
    async with managed(tmp_path, **option) as server:
        with pytest.raises(ServerNotStarted, match="Neo4j ended before it answered") as caught:
            await server.attach()
        assert complaint in caught.value.log_tail
        assert not (await server.status()).running


async def test_a_server_that_does_not_answer_in_time_is_stopped(tmp_path: Path) -> None:
    async with managed(tmp_path, start_timeout=0.5) as server:
        with pytest.raises(ServerNotStarted, match=r"within 0\.5 s"):
            await server.attach()
        assert not (await server.status()).running
        password = (tmp_path / "password").stat()
        assert stat.S_IMODE(password.st_mode) == 0o600


async def test_cancelling_a_start_leaves_no_server(tmp_path: Path) -> None:
    launched = asyncio.Event()
    loop = asyncio.get_running_loop()

    def told(stage: Stage, _fraction: float | None) -> None:
        if stage is Stage.START and (tmp_path / "neo4j" / "logs" / "console.log").exists():
            loop.call_soon_threadsafe(launched.set)

    async with managed(tmp_path, progress=told) as server:
        attaching = asyncio.ensure_future(server.attach())
        await launched.wait()
        assert (await server.status()).running
        attaching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await attaching
        assert not (await server.status()).running
