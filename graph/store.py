"""The one gate to Neo4j: queries in, plain rows out, with retries, time limits and our own errors.

Nothing connects in a constructor; `connect` does, and checks that the server answers and can serve us. Values that come
back are plain Python: the driver's dates are turned into `datetime`, nodes stay nodes for `graph.nodes` to inflate.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any, Final, Protocol, TypeVar

from neo4j import (
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncResult,
    AsyncSession,
    GqlStatusObject,
    NotificationMinimumSeverity,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)
from neo4j.time import DateTime
from neo4j.vector import Vector

from cypher import Query
from graph.errors import (
    Conflict,
    ImpressionsError,
    LoginRefused,
    Panicked,
    SetupError,
    Unavailable,
    UnsupportedServer,
)
from graph.rows import Counters, Rows

T = TypeVar("T")

OLDEST_SERVER: Final = (2026, 1)
"""Cypher 25 with vector search and its filters inside the search."""

_TIMED_OUT: Final = "TransactionTimedOut"
_ENTITY_GONE: Final = "Neo.ClientError.Statement.EntityNotFound"
_PANICKED: Final = "Neo.DatabaseError.Transaction.TransactionStartFailed"
"""What a database answers to everything once it could not write its log: it must be restarted."""
_NO_INDEX: Final = "Neo.ClientError.Schema.IndexNotFound"
_NO_FULLTEXT_INDEX: Final = "There is no such fulltext schema index"
"""The procedure that is asked has no code of its own for it."""


def vector_parameter(numbers: Sequence[float]) -> Vector:
    """Return a vector as a parameter; a query stores `toFloatList($it)`.

    A list of floats crosses Bolt number by number: 1,500 vectors of 512 take 1.2 seconds (0.7 with the driver's Rust
    extension), as vector values of 32-bit floats 0.07. Community's store formats cannot keep vector values, so what is
    stored is the list.
    """
    return Vector(numbers, "f32")


def _open_to_all(_query: str) -> None:
    """Let every query pass."""


class Observer(Protocol):
    """Is told of every round trip: for metrics, and for tests that count them."""

    def __call__(self, query: str, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the database is and how long to wait for it."""

    uri: str
    user: str
    password: str
    database: str | None = None
    """None means the user's home database."""
    query_timeout: float = 15.0
    """Seconds the server may work on one transaction."""
    retry_time: float = 5.0
    """Seconds over which a transaction is retried when the server is busy or restarting."""

    def __repr__(self) -> str:
        return f"Connection({self.uri!r}, user={self.user!r}, database={self.database!r})"


_Finish = Callable[[str, AsyncResult], Awaitable[Rows]]


class Transaction:
    """An open managed transaction. It may run more than once: keep side effects out of it."""

    def __init__(self, transaction: AsyncManagedTransaction, finish: _Finish) -> None:
        self._transaction = transaction
        self._finish = finish

    async def run(self, query: Query, /, **parameters: object) -> Rows:
        """Run one query in this transaction and fetch all of its rows."""
        query.check(frozenset(parameters))
        return await self._finish(query.name, await self._transaction.run(query.text, parameters))


class Store:
    """Runs queries. One for the process; safe for concurrent use within one event loop."""

    def __init__(self, driver: AsyncDriver, connection: Connection, *, strict: bool = False) -> None:
        self._driver = driver
        self._connection = connection
        self._strict = strict
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self.observers: list[Observer] = []
        self.gate: Callable[[str], None] = _open_to_all
        """Is asked, by the query's name, before each round trip and after one without an answer: raises what the caller
        is to hear while the database is known not to serve."""

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
        try:
            driver = _driver(connection, strict=strict)
        except (ConfigurationError, ValueError) as error:
            raise SetupError(f"cannot use the address {connection.uri!r}: {error}") from error
        store = cls(driver, connection, strict=strict)
        try:
            await store._check_server()
        except BaseException:  # a cancelled start too: its connections are not left open
            await driver.close()
            raise
        return store

    async def close(self) -> None:
        """Close all connections. The store cannot be used afterwards."""
        await self._driver.close()

    async def move(self, uri: str) -> None:
        """Go on at another address of the same server: a managed one may come back on other ports."""
        if uri != self._connection.uri:
            self._connection, left = replace(self._connection, uri=uri), self._driver
            self._driver = _driver(self._connection, strict=self._strict)
            await left.close()

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
            return await work(Transaction(transaction, self._finish))

        return await self._run(name, inner, write=True)

    async def explain(self, query: Query) -> tuple[str, ...]:
        """Return the columns the server sees in a query, without running it.

        Raises:
            SetupError: the server does not accept the query.
        """
        with _translated(query.name):
            async with self._session() as session:
                result = await session.run(f"EXPLAIN {query.text}", dict.fromkeys(query.parameters))
                columns = tuple(result.keys())
                await self._finish(query.name, result)
        return columns

    async def profile(self, query: Query, **parameters: object) -> dict[str, Any]:
        """Run a query and return the operators the server used, for tests of its plan."""
        with _translated(query.name):
            async with self._session() as session:
                result = await session.run(f"PROFILE {query.text}", parameters)
                summary = await result.consume()
        return dict(summary.profile or {})

    def _single(
        self, query: Query, parameters: dict[str, object]
    ) -> Callable[[AsyncManagedTransaction], Awaitable[Rows]]:
        query.check(frozenset(parameters))

        async def work(transaction: AsyncManagedTransaction) -> Rows:
            return await self._finish(query.name, await transaction.run(query.text, parameters))

        return work

    async def _run(self, name: str, work: Callable[[AsyncManagedTransaction], Awaitable[T]], *, write: bool) -> T:
        self.gate(name)
        limit = self._connection.query_timeout + self._connection.retry_time
        started = time.perf_counter()
        timed = unit_of_work(timeout=self._connection.query_timeout)(work)
        with self._explained(name), _translated(name):
            # The outer limit is for a peer that accepts and never answers: the driver has none for that.
            async with asyncio.timeout(limit), self._session() as session:
                result = await (session.execute_write(timed) if write else session.execute_read(timed))
        seconds = time.perf_counter() - started
        for observer in self.observers:
            observer(name, seconds)
        return result

    @contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        """Say why there was no answer, where that has become known meanwhile."""
        try:
            yield
        except Unavailable:
            self.gate(name)
            raise

    def _session(self) -> AsyncSession:
        return self._driver.session(database=self._connection.database, bookmark_manager=self._bookmarks)

    async def _finish(self, name: str, result: AsyncResult) -> Rows:
        keys = result.keys()
        rows = tuple([dict(zip(keys, map(_plain, record.values()), strict=True)) async for record in result])
        summary = await result.consume()
        if self._strict:
            _refuse_notifications(name, summary.gql_status_objects)
        counts = summary.counters
        return Rows(name, rows, Counters(*(getattr(counts, each) for each in Counters.__slots__)))

    async def _check_server(self) -> None:
        with _translated("connect"):
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


def _driver(connection: Connection, *, strict: bool) -> AsyncDriver:
    return AsyncGraphDatabase.driver(
        connection.uri,
        auth=(connection.user, connection.password),
        max_transaction_retry_time=connection.retry_time,
        connection_timeout=5.0,
        connection_acquisition_timeout=5.0,
        liveness_check_timeout=0,
        # An empty database does not know our labels and properties yet; nothing to warn of.
        notifications_disabled_classifications=["UNRECOGNIZED"],
        notifications_min_severity=(
            NotificationMinimumSeverity.INFORMATION if strict else NotificationMinimumSeverity.WARNING
        ),
    )


@contextmanager
def _translated(query: str) -> Iterator[None]:
    """Turn what the driver raises into this service's errors, the query's name in the message."""
    try:
        yield
    except (TimeoutError, ServiceUnavailable, SessionExpired) as error:
        raise Unavailable(f"Neo4j did not answer ({query}): {str(error) or 'time is up'}") from error
    except ConstraintError as error:
        raise Conflict(f"the graph changed meanwhile ({query}): {error.message}") from error
    except AuthError as error:
        raise LoginRefused(
            f"Neo4j refused the user or password: {error.message}. Check NEO4J_USER and NEO4J_PASSWORD"
        ) from (error)
    except (TransientError, ConfigurationError) as error:
        raise Unavailable(f"Neo4j is busy or changing hands ({query}): {error}") from error
    except Neo4jError as error:
        raise _refusal(query, error) from error
    except DriverError as error:
        raise Unavailable(f"the connection to Neo4j failed ({query}): {error}") from error


def _refusal(query: str, error: Neo4jError) -> ImpressionsError:
    """Return our error for one that the server gave its reason for."""
    code, message = error.code or "", error.message or ""
    if code == _ENTITY_GONE:
        return Conflict(f"what {query} writes to was deleted meanwhile: {message}")
    if code == _NO_INDEX or _NO_FULLTEXT_INDEX in message:
        return Unavailable(
            f"Neo4j has no such index as {query} asks for: a reindex may be running; else start the service again, "
            f"which makes what is missing: {message}"
        )
    if _TIMED_OUT in code:
        return Unavailable(f"Neo4j ran out of time ({query})")
    if "DatabaseNotFound" in code:
        return SetupError(f"{message} Check NEO4J_DATABASE")
    if code.startswith("Neo.DatabaseError"):
        return _failure(query, code, message)
    return SetupError(f"Neo4j refused {query}: {message}")


def _failure(query: str, code: str, message: str) -> Unavailable:
    if code == _PANICKED:
        return Panicked(
            f"the database refuses {query} until its server is restarted, after a full disk for instance: make room. "
            "The service restarts a managed Neo4j by itself; your own one is yours to restart"
        )
    return Unavailable(f"Neo4j failed at {query}, its log says more: {message}")


_PLAIN_ALREADY: Final = frozenset({str, int, float, bool, NoneType})


def _plain(value: Any) -> Any:
    # Nearly everything that comes back is one of these.
    if type(value) in _PLAIN_ALREADY:
        return value
    if isinstance(value, DateTime):
        return value.to_native()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


_EXPECTED_STATUS: Final = frozenset({"00000", "00001", "00N50", "02000"})
"""Success, success with nothing to return, and an index or constraint that stands already."""


def _refuse_notifications(query: str, statuses: Sequence[GqlStatusObject]) -> None:
    for status in statuses:
        if status.gql_status not in _EXPECTED_STATUS and not status.gql_status.startswith("00N"):
            raise SetupError(f"Neo4j remarks on {query}: {status.gql_status} {status.status_description}")
