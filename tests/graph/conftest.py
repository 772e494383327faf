from collections.abc import AsyncIterator

import pytest

from graph.neo4j_server import ServerAddress
from graph.store import Store
from tests.prepared import prepared_store


@pytest.fixture(scope="session")
async def store(neo4j_address: ServerAddress) -> AsyncIterator[Store]:
    async with prepared_store(neo4j_address) as store:
        yield store
