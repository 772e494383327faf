"""A space to import into and to look at."""

import json
import uuid
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any, LiteralString

import pytest

from cypher import Query
from graph.neo4j_server import ServerAddress
from graph.schema import VectorSpace, prepare
from graph.store import Store
from resolvers.transfer.exporting import export_entities
from resolvers.transfer.importing import import_entities
from resolvers.transfer.report import ImportReport
from tests.fakes import FakeEmbedder, FixedClock
from tests.prepared import connection

Line = dict[str, Any] | str | bytes


@dataclass(frozen=True)
class Space:
    """One space of the shared server."""

    store: Store
    name: str
    embedder: FakeEmbedder
    clock: FixedClock

    async def load(self, *lines: Line, **options: Any) -> ImportReport:
        return await import_entities(self.store, self.embedder, self.clock, encoded(lines), space=self.name, **options)

    async def dump(self) -> list[str]:
        return [line async for line in export_entities(self.store, space=self.name)]

    async def told(self) -> dict[str, dict[str, Any]]:
        """Return what an export says, by id."""
        return {told["id"]: told for told in map(json.loads, await self.dump())}

    async def rows(self, text: LiteralString) -> list[dict[str, Any]]:
        """Run a reading query with the parameter `space`."""
        query = Query("test", text, "read", frozenset({"space"}), ())
        return list(await self.store.read(query, space=self.name))

    def another(self) -> "Space":
        return Space(self.store, f"test-{uuid.uuid4().hex}", self.embedder, self.clock)


def encoded(lines: Iterable[Line]) -> list[bytes]:
    return [
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]


@pytest.fixture(scope="session")
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture(scope="session")
async def store(neo4j_address: ServerAddress, embedder: FakeEmbedder) -> AsyncIterator[Store]:
    store = await Store.connect(connection(neo4j_address), strict=True)
    await prepare(store, VectorSpace(embedder.name, embedder.dimensions))
    yield store
    await store.close()


@pytest.fixture
def memory(store: Store, embedder: FakeEmbedder, space: str) -> Space:
    return Space(store, space, embedder, FixedClock())
