"""Whatever clients send and however they leave: the service keeps all of its connections to the database."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from api.settings import Settings
from api.wiring import assemble
from graph.neo4j_server import ServerAddress
from graph.store import Store
from tests.api.small_service import serving
from tests.api.update_api import Api
from tests.fakes import FakeEmbedder
from tests.prepared import connection, rows

FAILING = (
    '{a:entity(uuid:"x",space:"s"){subject} b:entity(uuid:"y",space:"t"){subject}}',
    (
        '{a:entity(uuid:"x",space:"s"){subject} b:stats(space:"t"){entities} '
        'entities(space:"s",after:"bad"){edges{node{subject}}}}'
    ),
    '{a:stats(space:"s"){entities} b:stats(space:"no space"){entities} c:stats(space:"u"){entities}}',
    '{a:stats(space:"s"){entities} entities(space:"s",first:0){edges{node{subject}}}}',
)
CHANGED = "subscription($space: String!) { entityChanged(space: $space) { kind } }"


@pytest.fixture
async def small(store: Store, neo4j_address: ServerAddress, space: str) -> AsyncIterator[Api]:  # noqa: ARG001 -- prepared
    """Return the application on few connections: ten lost ones would stop it."""
    own = await Store.connect(connection(neo4j_address, most_connections=10), strict=True)
    service = assemble(Settings(), own, FakeEmbedder(), browser_url=None, bolt_uri="bolt://127.0.0.1")
    yield Api(service, space)
    await own.close()


async def all_connections_are_there(api: Api) -> None:
    store = api.service.store
    await store.idle()
    assert store.pool.in_use == 0
    together = await asyncio.gather(*(rows(store, "RETURN 1 AS one") for _ in range(10)))
    assert together == [[{"one": 1}]] * 10


async def test_a_thousand_failing_documents_cost_no_connection(small: Api) -> None:
    transport = httpx.ASGITransport(app=small.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=60) as http:

        async def send(place: int) -> bool:
            answer = (await http.post("/graphql", json={"query": FAILING[place % len(FAILING)]})).json()
            return "errors" in answer

        for start in range(0, 1_000, 8):
            failed = await asyncio.gather(*(send(place) for place in range(start, start + 8)))
            assert sum(failed) == 6, "the first of the four kinds finds nobody, which is no failure"
    await all_connections_are_there(small)


async def test_a_thousand_subscriptions_opened_and_closed_cost_no_connection(small: Api) -> None:
    async with serving(small.app) as port:
        for left in range(50):
            async with _socket(port) as socket:
                for number in range(20):
                    payload = {"query": CHANGED, "variables": {"space": small.space}}
                    await _say(socket, type="subscribe", id=f"{number}", payload=payload)
                    if number % 2:
                        await asyncio.sleep(0.001 * (left % 7))
                        await _say(socket, type="complete", id=f"{number}")
                if left % 3 == 0:
                    socket.transport.abort()
    await all_connections_are_there(small)


async def test_a_client_that_hangs_up_costs_no_connection(small: Api) -> None:
    body = json.dumps({"query": FAILING[1]}).encode()
    request = (
        b"POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n%s" % (len(body), body)
    )
    async with serving(small.app) as port:
        for wait in range(100):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            await asyncio.sleep(0.0002 * wait)
            writer.transport.abort()
    await all_connections_are_there(small)


def _socket(port: int) -> connect:
    return connect(f"ws://127.0.0.1:{port}/graphql", subprotocols=[Subprotocol("graphql-transport-ws")], proxy=None)


async def _say(socket: ClientConnection, **message: object) -> None:
    if message["type"] == "subscribe" and message["id"] == "0":
        await socket.send(json.dumps({"type": "connection_init"}))
        assert json.loads(await socket.recv())["type"] == "connection_ack"
    await socket.send(json.dumps(message))
