"""A line to the server that breaks at a chosen message: before it arrives, or after, when only the answer is lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from graph.neo4j_server import ServerAddress
from tests.lines import listening, place_of


class FaultyLine:
    """Counts what clients send; breaks for good at the chosen one, until it is mended."""

    def __init__(self, host: str, port: int) -> None:
        self._to = (host, port)
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._left = 0
        self._answer_lost = False
        self._swallowing = False
        self.broken = False
        self.uri = ""

    def break_at(self, message: int, *, answer_lost: bool) -> None:
        """Break at the n-th message from now; with `answer_lost` the server still gets it."""
        self._left, self._answer_lost, self._swallowing = message, answer_lost, False

    def mend(self) -> None:
        self._left, self._swallowing, self.broken = 0, False, False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.broken:
            writer.close()
            return
        there, back = await asyncio.open_connection(*self._to)
        self._writers |= {writer, back}
        for pumping in (self._ask(reader, back), self._answer(there, writer)):
            task = asyncio.create_task(pumping)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _ask(self, reader: asyncio.StreamReader, server: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(65_536):
            if self._left:
                self._left -= 1
                if not self._left and not self._answer_lost:
                    self._break()
                    return
                self._swallowing = not self._left
            server.write(chunk)
            await server.drain()
        server.close()

    async def _answer(self, there: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        while chunk := await there.read(65_536):
            if self._swallowing:
                self._break()
                return
            client.write(chunk)
            await client.drain()
        client.close()

    def _break(self) -> None:
        self.broken, self._swallowing = True, False
        for writer in self._writers:
            writer.close()
        self._writers.clear()

    async def close(self) -> None:
        self._break()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def faulty_line(address: ServerAddress) -> AsyncIterator[FaultyLine]:
    line = FaultyLine(*place_of(address))
    async with listening(line.serve, line.close) as line.uri:
        yield line
