"""Connections that say nothing, or take nothing, are closed, and there are only so many of them."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import connect

from api.connections import ConnectionConfig, ConnectionLimits
from api.seats import Seats

QUICK = ConnectionLimits(head_seconds=0.3, stalled_seconds=0.3, most=8, most_of_one_client=8)
GET = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


async def _say(_: Request) -> Response:
    return PlainTextResponse("here")


async def _say_much(_: Request) -> Response:
    return PlainTextResponse("a" * 50_000_000)


async def _talk(websocket: WebSocket) -> None:
    await websocket.accept()
    try:
        while True:
            await websocket.send_text(await websocket.receive_text())
    except WebSocketDisconnect:
        pass


APP = Starlette(routes=[Route("/", _say), Route("/much", _say_much), WebSocketRoute("/talk", _talk)])


@asynccontextmanager
async def listening(limits: ConnectionLimits = QUICK) -> AsyncIterator[tuple[int, Seats]]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = ConnectionConfig(APP, limits=limits, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.01)
        try:
            yield listening.getsockname()[1], config.seats
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_000)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def until_empty(seats: Seats) -> None:
    async with asyncio.timeout(30):
        while seats.taken:  # noqa: ASYNC110 -- counted, not told
            await asyncio.sleep(0.01)


async def is_closed(reader: asyncio.StreamReader) -> bytes:
    """Return what came until the other side hung up."""
    async with asyncio.timeout(30):
        return await reader.read()


async def test_a_connection_that_never_says_a_word_is_closed() -> None:
    async with listening() as (port, seats):
        async with connected(port) as (reader, _):
            await asyncio.sleep(0.05)
            assert seats.taken == 1
            assert await is_closed(reader) == b""
        await until_empty(seats)


@pytest.mark.parametrize("before", [b"", GET], ids=["first", "second"])
async def test_a_head_that_never_ends_is_cut_off_however_steadily_it_comes(before: bytes) -> None:
    async with listening() as (port, _), connected(port) as (reader, writer):
        writer.write(before + b"GET / HTTP/1.1\r\n")
        dripping = asyncio.create_task(_drip(writer))
        assert (b"here" in await is_closed(reader)) is bool(before)
        dripping.cancel()
        await asyncio.wait([dripping])


async def _drip(writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while True:
            writer.write(b"a: b\r\n")
            await writer.drain()
            await asyncio.sleep(0.05)


async def test_one_request_after_another_is_answered_on_one_connection() -> None:
    async with listening() as (port, seats):
        async with connected(port) as (reader, writer):
            for pause in (0.0, 0.2, 0.4, 0.0):
                await asyncio.sleep(pause)
                writer.write(GET)
                assert (await reader.readuntil(b"here")).startswith(b"HTTP/1.1 200")
            writer.write(GET[:10])
            await asyncio.sleep(0.1)
            writer.write(GET[10:])
            assert (await reader.readuntil(b"here")).startswith(b"HTTP/1.1 200"), "a head in two pieces"
        await until_empty(seats)


async def test_a_client_that_leaves_its_answer_unread_is_let_go() -> None:
    async with listening() as (port, seats), connected(port) as (reader, writer):
        writer.write(GET.replace(b"/ ", b"/much ", 1))
        await reader.readexactly(1_000)
        assert seats.taken == 1
        await until_empty(seats)


async def test_more_connections_than_there_are_seats_are_refused_and_say_so() -> None:
    async with listening(ConnectionLimits(most=4, most_of_one_client=3)) as (port, seats):
        async with AsyncExitStack() as opened:
            for _ in range(2):
                await opened.enter_async_context(connected(port))
            talking = await opened.enter_async_context(connect(f"ws://127.0.0.1:{port}/talk", proxy=None))
            await talking.send("a")
            assert await talking.recv() == "a"
            assert seats.taken == 3, "a WebSocket holds the seat of the connection it was made on"
            async with connected(port) as (reader, _):
                refused = await is_closed(reader)
            assert refused.startswith(b"HTTP/1.1 503 ")
            assert b"\r\nretry-after: 5\r\n" in refused
            body = json.loads(refused.partition(b"\r\n\r\n")[2])
            assert body["errors"][0]["extensions"] == {"code": "TOO_MANY_CONNECTIONS"}
        await until_empty(seats)
        async with connected(port) as (reader, writer):
            writer.write(GET)
            assert (await reader.readuntil(b"here")).startswith(b"HTTP/1.1 200")


def test_seats_are_counted_for_each_client_and_in_all() -> None:
    seats = Seats(most=3, most_of_one_client=2)
    assert [seats.take("a"), seats.take("a"), seats.take("a")] == [True, True, False]
    assert [seats.take("b"), seats.take("b")] == [True, False]
    seats.leave("a")
    assert (seats.take("b"), seats.take("b"), seats.taken) == (True, False, 3)
