"""A line to the server that can hang: it stays open and carries nothing, as where the server was stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graph.neo4j_server import ServerAddress


class HungLine:
    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._carries = asyncio.Event()
        self._carries.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.uri = ""

    def hang(self) -> None:
        self._carries.clear()

    def go_on(self) -> None:
        self._carries.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(*self._to)
        for source, target in ((reader, back), (there, writer)):
            task = asyncio.create_task(self._pump(source, target))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while chunk := await source.read(65_536):
                await self._carries.wait()
                target.write(chunk)
                await target.drain()
        except ConnectionError:
            pass  # either side has hung up
        finally:
            target.close()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def hung_line(address: ServerAddress) -> AsyncIterator[HungLine]:
    host, _, port = address.bolt_uri.removeprefix("bolt://").partition(":")
    line = HungLine(host, int(port))
    server = await asyncio.start_server(line.serve, "127.0.0.1", 0)
    line.uri = f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield line
    finally:
        await line.close()
        server.close()
        await server.wait_closed()
