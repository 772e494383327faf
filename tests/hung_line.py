"""A line to the server that can hang: it stays open and carries nothing, as where the server was stopped."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress

from graph.neo4j_server import ServerAddress
from tests.lines import listening, place_of


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
        with closing(target), suppress(ConnectionError):  # either side may hang up
            while chunk := await source.read(65_536):
                await self._carries.wait()
                target.write(chunk)
                await target.drain()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def hung_line(address: ServerAddress) -> AsyncIterator[HungLine]:
    line = HungLine(*place_of(address))
    async with listening(line.serve, line.close) as line.uri:
        yield line
