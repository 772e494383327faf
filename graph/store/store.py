"""The one gate to Neo4j: queries in, plain rows out, with retries, time limits and our own errors.

Nothing connects in a constructor; `connect` does, and checks that the server answers and can serve us.
"""

import asyncio
import copy
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final, Protocol, TypeVar

from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction, AsyncResult, AsyncSession, unit_of_work
from neo4j.vector import Vector

from cypher import Query
from graph.errors import ImpressionsError, Unavailable, UnsupportedServer
from graph.rows import Rows
from graph.store.answers import fetch
from graph.store.connection import Connection, PoolUse, open_driver
from graph.store.driver_errors import translated
from graph.store.heartbeat import PATIENCE_SECONDS, Heartbeat
from graph.store.unit_of_work import Progress, UnitsOfWork

T = TypeVar("T")

OLDEST_SERVER: Final = (2026, 1)
"""Cypher 25 with vector search and its filters inside the search."""


def vector_parameter(numbers: Sequence[float]) -> Vector:
    """Return a vector as a parameter; a query stores `toFloatList($it)`.

    A list of floats crosses Bolt number by number: 1,500 vectors of 512 take 1.2 seconds (0.7 with the driver's Rust
    extension), as vector values of 32-bit floats 0.07. Community's store formats cannot keep vector values, so what is
    stored is the list.
    """
    return Vector(numbers, "f32")


class Observer(Protocol):
    """Is told of every round trip: for metrics, and for tests that count them."""

    def __call__(self, query: str, seconds: float) -> None: ...


_Fetch = Callable[[str, AsyncResult], Awaitable[Rows]]


class Transaction:
    """An open managed transaction. It may run more than once: keep side effects out of it."""

    def __init__(self, transaction: AsyncManagedTransaction, fetch: _Fetch) -> None:
        self._transaction = transaction
        self._fetch = fetch

    async def run(self, query: Query, /, **parameters: object) -> Rows:
        """Run one query in this transaction and fetch all of its rows."""
        query.check(frozenset(parameters))
        return await self._fetch(query.name, await self._transaction.run(query.text, parameters))


class Store:
    """Runs queries. One for the process; safe for concurrent use within one event loop."""

    def __init__(self, driver: AsyncDriver, connection: Connection, *, strict: bool = False) -> None:
        self._driver = driver
        self._connection = connection
        self._strict = strict
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self._units = UnitsOfWork()
        self._heartbeat = Heartbeat(self._units.give_up)
        self._time_limit = connection.time_limit
        self.observers: list[Observer] = []
        self.gates: list[Callable[[str], None]] = []
        """Are asked, by the query's name, before each round trip and after one without an answer: they raise what the
        caller is to hear while the database is known not to serve."""

    @classmethod
    async def connect(cls, connection: Connection, *, strict: bool = False) -> "Store":
        """Open a store, having seen the server answer.

        Args:
            connection: where to.
            strict: make an unexpected notification of the server an error (for tests).

        Raises:
            Unavailable: nothing answers at the address.
            SetupError: wrong password, unknown database, malformed address.
            UnsupportedServer: the server is older than `OLDEST_SERVER`.
        """
        driver = open_driver(connection, strict=strict, most_connections=connection.most_connections)
        store = cls(driver, connection, strict=strict)
        try:
            await store._check_server()
        except BaseException:  # a cancelled start too: its connections are not left open
            await driver.close()
            raise
        return store

    async def close(self) -> None:
        """Wait for what is under way, then close all connections. The store cannot be used afterwards."""
        await self._units.close()
        await self._driver.close()

    def within(self, seconds: float) -> "Store":
        """Return the same store with a time limit of at least so much, for work that is known to take long."""
        patient = copy.copy(self)
        patient._time_limit = max(seconds, self._time_limit)  # noqa: SLF001 -- of its own class
        return patient

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Look every second whether the database answers, so that nobody waits for one that does not.

        While it does not, calls are refused at once with DatabaseGone, and so are those under way.
        """
        driver = open_driver(self._connection, strict=False, most_connections=1)

        async def beat() -> None:
            async def ask(progress: Progress) -> None:
                async with driver.session(database=self._connection.database) as session:
                    progress.hang_up = session.cancel
                    with progress.statements():
                        await (await session.run("RETURN 1")).consume()

            with translated("heartbeat"):
                await self._units.run(ask, PATIENCE_SECONDS)

        beating = asyncio.create_task(self._heartbeat.run(beat))
        try:
            yield
        finally:
            beating.cancel()
            await asyncio.wait([beating])
            await self._units.close()
            await driver.close()

    @property
    def is_answering(self) -> bool:
        """Whether the database answered when it was last asked; true where it is not `watched`."""
        return self._heartbeat.is_alive

    @property
    def why_silent(self) -> ImpressionsError | None:
        """What was the matter when the database was last asked; None while it answers."""
        return self._heartbeat.cause

    async def idle(self) -> None:
        """Return when nothing is under way, what was left behind included."""
        await self._units.ended()

    @property
    def pool(self) -> PoolUse:
        """The connections as they are now."""
        pool = self._driver._pool  # noqa: SLF001 -- the driver publishes no count of its connections
        connections = [connection for each in pool.connections.values() for connection in each]
        in_use = sum(connection.in_use for connection in connections) + sum(pool.connections_reservations.values())
        return PoolUse(in_use, len(connections), self._connection.most_connections)

    @property
    def driver(self) -> AsyncDriver:
        """The driver, for `graph.schema` to hand to neomodel; nobody else needs it."""
        return self._driver

    async def read(self, query: Query, /, **parameters: object) -> Rows:
        """Run a reading query in a retried transaction of its own.

        Raises:
            Unavailable: the database did not answer in time.
        """
        return await self._run(query.name, self._single(query, parameters), write=False)

    async def write(self, query: Query, /, **parameters: object) -> Rows:
        """Run a writing query in a retried transaction of its own.

        Raises:
            Unavailable: the database did not answer in time; whether it wrote is not known.
            Conflict: a uniqueness constraint refused the write.
        """
        return await self._run(query.name, self._single(query, parameters), write=True)

    async def transaction(self, name: str, work: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run several queries in one retried writing transaction.

        Raises:
            Unavailable: the database did not answer in time.
            Conflict: a uniqueness constraint refused the write.
        """

        async def inner(transaction: AsyncManagedTransaction) -> T:
            return await work(Transaction(transaction, self._fetch))

        return await self._run(name, inner, write=True)

    async def explain(self, query: Query) -> tuple[str, ...]:
        """Return the columns the server sees in a query, without running it.

        Raises:
            SetupError: the server does not accept the query.
        """
        with translated(query.name):
            async with self._session() as session:
                result = await session.run(f"EXPLAIN {query.text}", dict.fromkeys(query.parameters))
                columns = tuple(result.keys())
                await self._fetch(query.name, result)
        return columns

    async def profile(self, query: Query, **parameters: object) -> dict[str, Any]:
        """Run a query and return the operators the server used, for tests of its plan."""
        with translated(query.name):
            async with self._session() as session:
                result = await session.run(f"PROFILE {query.text}", parameters)
                summary = await result.consume()
        return dict(summary.profile or {})

    def _single(
        self, query: Query, parameters: dict[str, object]
    ) -> Callable[[AsyncManagedTransaction], Awaitable[Rows]]:
        query.check(frozenset(parameters))

        async def work(transaction: AsyncManagedTransaction) -> Rows:
            return await self._fetch(query.name, await transaction.run(query.text, parameters))

        return work

    async def _run(self, name: str, work: Callable[[AsyncManagedTransaction], Awaitable[T]], *, write: bool) -> T:
        self._ask_gates(name)
        self._heartbeat.check()
        started = time.perf_counter()

        async def unit(progress: Progress) -> T:
            async def statements(transaction: AsyncManagedTransaction) -> T:
                with progress.statements():
                    return await work(transaction)

            timed = unit_of_work(timeout=self._time_limit)(statements)
            async with self._session() as session:
                progress.hang_up = session.cancel
                return await (session.execute_write(timed) if write else session.execute_read(timed))

        with self._explained(name), translated(name, is_exhausted=lambda: self.pool.is_exhausted):
            result = await self._units.run(unit, self._time_limit)
        seconds = time.perf_counter() - started
        for observer in self.observers:
            observer(name, seconds)
        return result

    def _ask_gates(self, name: str) -> None:
        for gate in self.gates:
            gate(name)

    @contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        """Say why there was no answer, where that has become known meanwhile."""
        try:
            yield
        except Unavailable:
            self._ask_gates(name)
            raise

    def _session(self) -> AsyncSession:
        return self._driver.session(database=self._connection.database, bookmark_manager=self._bookmarks)

    async def _fetch(self, name: str, result: AsyncResult) -> Rows:
        return await fetch(name, result, strict=self._strict)

    async def _check_server(self) -> None:
        with translated("connect"):
            async with asyncio.timeout(20):
                info = await self._driver.get_server_info()
                async with self._session() as session:
                    await (await session.run("RETURN 1")).consume()
        release = info.agent.removeprefix("Neo4j/")
        parts = tuple(int(part) for part in release.split("-")[0].split(".")[:2] if part.isdigit())
        if parts < OLDEST_SERVER:
            raise UnsupportedServer(
                f"the Neo4j at {self._connection.uri} is {release}; this service needs "
                f"{OLDEST_SERVER[0]}.{OLDEST_SERVER[1]:02d} or newer: "
                "upgrade it, or unset NEO4J_URI to use the managed one"
            )
