import asyncio
import time
from collections.abc import AsyncIterator

from tests.api.small_service import JSON, client, codes, post, serving, small_app

QUERY = b'{"query": "{ __typename }"}'
LIMIT = 1_000


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def test_a_body_up_to_the_limit_is_read() -> None:
    app = small_app(max_bytes=LIMIT)

    response = await post(app, QUERY.ljust(LIMIT))

    assert response.json() == {"data": {"__typename": "Query"}}


async def test_a_body_beyond_the_limit_is_refused() -> None:
    response = await post(small_app(max_bytes=LIMIT), QUERY.rjust(LIMIT + 1))

    assert response.status_code == 413
    assert codes(response) == ["BODY_LIMIT"]


async def test_a_chunked_body_is_counted_as_it_arrives() -> None:
    async with client(small_app(max_bytes=LIMIT)) as http:
        small = await http.post("/graphql", content=chunks(QUERY, b" " * 10), headers=JSON)
        large = await http.post("/graphql", content=chunks(QUERY, *[b" " * 100] * 10), headers=JSON)

    assert "content-length" not in small.request.headers
    assert small.json() == {"data": {"__typename": "Query"}}
    assert large.status_code == 413
    assert codes(large) == ["BODY_LIMIT"]


async def test_a_chunked_body_is_cut_off_by_the_real_server_too() -> None:
    async with serving(small_app(max_bytes=LIMIT)) as port, client_of(port) as (reader, writer):
        writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"100\r\n" + b" " * 256 + b"\r\n" * 1)
        for _ in range(4):
            writer.write(b"100\r\n" + b" " * 256 + b"\r\n")
        status = await reader.readline()

    assert status.startswith(b"HTTP/1.1 413 ")


async def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async with serving(small_app()) as port, client_of(port) as (reader, writer):
        started = time.perf_counter()
        writer.write(HEAD + b"Content-Length: 1000\r\n\r\n" + QUERY)
        answer = await reader.read()

    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"BODY_TIMEOUT" in answer
    assert time.perf_counter() - started < 5


HEAD = b"POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class client_of:  # noqa: N801 -- used as a verb
    """A bare connection, for requests that no HTTP library would send."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return reader, self._writer

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()
