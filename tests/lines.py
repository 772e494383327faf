"""What stands between a client and the test server: a port of its own, whose connections a test looks after."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from graph.neo4j_server import ServerAddress

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def place_of(address: ServerAddress) -> tuple[str, int]:
    """Return the host and port where the server speaks Bolt."""
    host, _, port = address.bolt_uri.removeprefix("bolt://").partition(":")
    return host, int(port)


@asynccontextmanager
async def listening(serve: Serve, close: Callable[[], Awaitable[None]]) -> AsyncIterator[str]:
    """Hand each connection to `serve`; yield the address, and close everything at the end."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        await close()
        server.close()
        await server.wait_closed()
