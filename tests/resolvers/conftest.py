from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from graph.neo4j_server import ServerAddress
from graph.store import Store
from resolvers.project import Projector
from resolvers.recall.pipeline import RecallPipeline
from tests.fakes import FakeEmbedder
from tests.prepared import prepared_store
from tests.resolvers.world import World, load_rows


@pytest.fixture(scope="session")
async def store(neo4j_address: ServerAddress) -> AsyncIterator[Store]:
    async with prepared_store(neo4j_address) as store:
        yield store


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def remote_embedder() -> FakeEmbedder:
    return FakeEmbedder(local=False)


@pytest.fixture
def world(store: Store, embedder: FakeEmbedder, space: str) -> World:
    return World(store, embedder, space)


@pytest.fixture
def pipeline(world: World) -> RecallPipeline:
    return world.pipeline


@pytest.fixture
def projector(world: World) -> Projector:
    return world.projector


@pytest.fixture
def load_memory(store: Store, embedder: FakeEmbedder) -> Callable[..., Awaitable[dict[str, str]]]:
    """Import rows into a space; returns the uuids of its entities by their subjects."""

    async def load(space: str, *rows: dict[str, object]) -> dict[str, str]:
        return await load_rows(store, embedder, space, rows)

    return load
