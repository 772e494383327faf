"""A managed Neo4j that is killed, of no use, stopped on purpose, or without room: who brings it back, and when."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from graph import neo4j_home
from graph.errors import DiskFull
from graph.neo4j_home import Home
from graph.neo4j_server import ManagedServer, ServerAddress
from graph.neo4j_supervisor import Patience, ServerState, Supervisor
from graph.store import Connection, Store
from tests.graph.test_neo4j_server import SPOILT, spoil
from tests.prepared import rows
from tests.servers import brief_server

pytestmark = pytest.mark.slow

QUICK = Patience(look=0.05, first=0.02, most=3, within=60.0, rarely=0.3, elsewhere=0.05)
HANG_GUARD = 200


@asynccontextmanager
async def attached(home: Path) -> AsyncIterator[tuple[ManagedServer, ServerAddress]]:
    server = brief_server(home)
    try:
        yield server, await server.attach()
        await server.detach()
    finally:
        await server.stop(force=True)


@asynccontextmanager
async def supervised(server: ManagedServer) -> AsyncIterator[Supervisor]:
    supervisor = Supervisor(server, moved=lambda _: None, patience=QUICK)
    watching = asyncio.create_task(supervisor.watch())
    try:
        async with asyncio.timeout(HANG_GUARD):
            yield supervisor
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


async def reaches(supervisor: Supervisor, state: ServerState, *, restarts: int = 0) -> None:
    while supervisor.state is not state or supervisor.restarts < restarts:  # noqa: ASYNC110 -- told to logs only
        await asyncio.sleep(0.02)


async def pid_of(server: ManagedServer) -> int:
    status = await server.status()
    assert status.pid is not None
    return status.pid


async def test_what_two_services_share_is_brought_back_once_and_not_fought_over(tmp_path: Path) -> None:
    async with attached(tmp_path) as (one, address), attached(tmp_path) as (other, _):
        connection = Connection(address.bolt_uri, address.user, address.password, located=one.bolt_address)
        store = await Store.connect(connection)
        async with supervised(one) as first, supervised(other) as second:
            # Killed, and its port taken meanwhile: the store follows to another one.
            killed = await pid_of(one)
            os.kill(killed, signal.SIGKILL)
            with socket.socket() as taken:
                taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                while True:
                    with suppress(OSError):
                        taken.bind(one.bolt_address())
                        break
                    await asyncio.sleep(0.01)
                taken.listen()
                for supervisor in (first, second):
                    await reaches(supervisor, ServerState.UP, restarts=1)
                assert await pid_of(one) != killed
                assert one.bolt_address() == other.bolt_address() != taken.getsockname()
                assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]

            # Of no use: stopped and started again, once, whoever says so, and not for news of the server before.
            sick = await pid_of(one)
            first.panicked(0)
            await asyncio.sleep(0.3)
            assert (first.state, await pid_of(one)) == (ServerState.UP, sick)
            first.panicked(1)
            second.panicked(1)
            for supervisor in (first, second):
                await reaches(supervisor, ServerState.UP, restarts=2)
            well = await pid_of(one)
            assert well != sick
            assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]

            # Stopped on purpose: it stays down until somebody starts it.
            assert await brief_server(tmp_path).stop() is False
            assert await brief_server(tmp_path).stop(force=True) is True
            for supervisor in (first, second):
                await reaches(supervisor, ServerState.STOPPED)
                assert "impressions neo4j start" in supervisor.why
            await asyncio.sleep(0.5)
            assert not (await one.status()).running
            assert len((await one.status()).attached_pids) == 2
            await brief_server(tmp_path).start_pinned()
            for supervisor in (first, second):
                await reaches(supervisor, ServerState.UP, restarts=3)
            assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]
        await store.close()
        await brief_server(tmp_path).stop()


async def test_one_that_cannot_start_is_given_up_but_not_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with attached(tmp_path) as (server, address), supervised(server) as supervisor:
        needed = neo4j_home.START_BYTES
        monkeypatch.setattr(neo4j_home, "START_BYTES", 10**18)
        os.kill(await pid_of(server), signal.SIGKILL)
        await reaches(supervisor, ServerState.DISK_FULL)
        assert "make room" in supervisor.why

        conf = Home(tmp_path).conf / "neo4j.conf"
        conf.unlink()
        conf.mkdir()
        monkeypatch.setattr(neo4j_home, "START_BYTES", needed)
        await reaches(supervisor, ServerState.GIVEN_UP)
        assert "impressions doctor" in supervisor.why
        conf.rmdir()
        await reaches(supervisor, ServerState.UP, restarts=1)
        assert await server.attach() == address


async def test_a_spoilt_record_lets_nobody_stop_a_server_in_use(tmp_path: Path) -> None:
    async with attached(tmp_path) as (server, address):
        pid = await pid_of(server)
        for content in (*SPOILT.values(), b"{}"):
            other = brief_server(tmp_path, start_timeout=30)
            spoil(tmp_path / "server.json", content)
            await other.detach()
            assert await other.attach() == address
            if content is not None:
                spoil(tmp_path / "server.json", content)
            await other.detach()
            assert await other.stop() is False
            assert await pid_of(server) == pid
            if content is None:
                (tmp_path / "server.json").rmdir()


async def test_a_start_without_room_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j_home, "START_BYTES", 10**18)
    server = ManagedServer(tmp_path)
    for start in (server.check, server.attach, server.start_pinned):
        with pytest.raises(DiskFull, match="Make room"):
            await start()
    status = await server.status()
    assert (status.running, status.attached_pids, status.pinned) == (False, (), False)
