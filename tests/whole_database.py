"""A second Neo4j for tests that work on whole databases, emptied before each of them.

A plugin of the tests (see `conftest.py`), so that a worker starts it once for all modules.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cypher import Query, load
from graph.neo4j_server import ServerAddress
from graph.schema import define_vector_index, prepare
from graph.store import Store
from tests.prepared import VECTORS, connection
from tests.servers import brief_server

_EMPTY = Query("test/empty", "MATCH (n) WHERE NOT n:ServiceMeta DETACH DELETE n", "write", frozenset(), ())
_AS_PREPARED = Query(
    "test/as_prepared",
    """
    MATCH (meta:ServiceMeta {name: 'service'})
    SET meta = {name: 'service', schemaVersion: meta.schemaVersion, embeddingModel: $model, dimensions: $dimensions}
    """,
    "write",
    frozenset({"model", "dimensions"}),
    (),
)


@pytest.fixture(scope="session")
async def own_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerAddress]:
    home: Path = tmp_path_factory.mktemp("own")
    server = brief_server(home)
    address = await server.start_pinned()
    try:
        store = await Store.connect(connection(address))
        try:
            await prepare(store, VECTORS)
        finally:
            await store.close()
        yield address
    finally:
        await server.stop(force=True)


@pytest.fixture
async def whole(own_server: ServerAddress) -> AsyncIterator[Store]:
    """Return a store of an empty database, prepared for the vectors of the fake embedder."""
    store = await Store.connect(connection(own_server), strict=True)
    try:
        await store.write(_EMPTY)
        await store.write(_AS_PREPARED, model=VECTORS.model, dimensions=VECTORS.dimensions)
        await store.write(load("admin/drop_statement_vectors"))
        await define_vector_index(store, VECTORS.dimensions)
        await store.read(load("admin/await_indexes"), seconds=30)
        yield store
    finally:
        await store.close()
