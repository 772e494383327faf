"""The application in a space of its own."""

from collections.abc import AsyncIterator

import pytest

from api.settings import Settings
from api.wiring import assemble
from graph.neo4j_server import ServerAddress
from graph.store import Store
from tests.api.update_api import Api, Apis
from tests.fakes import FakeEmbedder, ScriptedObserver
from tests.prepared import prepared_store


@pytest.fixture(scope="session")
async def store(neo4j_address: ServerAddress) -> AsyncIterator[Store]:
    async with prepared_store(neo4j_address) as store:
        yield store


@pytest.fixture
def api_with(store: Store, space: str) -> Apis:
    def build(observer: ScriptedObserver | None = None) -> Api:
        service = assemble(
            Settings(), store, FakeEmbedder(), observer=observer, browser_url=None, bolt_uri="bolt://127.0.0.1"
        )
        return Api(service, space)

    return build


@pytest.fixture
def api(api_with: Apis) -> Api:
    return api_with()
