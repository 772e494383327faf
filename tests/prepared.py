"""A store on the test server, ready to use, and plain queries to look behind the door."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, LiteralString

from cypher import Query
from graph.neo4j_server import ServerAddress
from graph.schema import VectorSpace, prepare
from graph.store import Connection, Store
from tests.fakes import FakeEmbedder

VECTORS = VectorSpace(FakeEmbedder().name, FakeEmbedder().dimensions)


def connection(address: ServerAddress, **changed: Any) -> Connection:
    """Return a connection that is patient: on a busy machine a query may take what it never takes in use."""
    given = {"uri": address.bolt_uri, "user": address.user, "password": address.password, "time_limit": 60.0}
    return Connection(**{**given, **changed})


@asynccontextmanager
async def prepared_store(address: ServerAddress) -> AsyncIterator[Store]:
    store = await Store.connect(connection(address), strict=True)
    try:
        await prepare(store, VECTORS)
        yield store
    finally:
        await store.close()


def query(text: LiteralString, *parameters: str, name: str = "test/query") -> Query:
    """Return a query of a test, which no file holds."""
    return Query(name, text, "read", frozenset(parameters), ())


async def rows(store: Store, text: LiteralString, **parameters: object) -> list[dict[str, Any]]:
    return list(await store.read(query(text, *parameters), **parameters))


async def sent(store: Store, name: str) -> None:
    """Return when the store has sent the query of this name and has its answer."""
    seen = asyncio.Event()

    def look(query: str, seconds: float) -> None:  # noqa: ARG001 -- the port's shape
        if query == name:
            seen.set()

    store.observers.append(look)
    try:
        await seen.wait()
    finally:
        store.observers.remove(look)
