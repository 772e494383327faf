"""What `/readyz` tells a stranger, what it costs, and how soon it is told."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.readiness import Readiness, Reason
from api.settings import Settings
from api.wiring import Service, assemble
from graph.errors import ModelMismatch, Panicked, PoolExhausted, Unavailable
from graph.neo4j_server import ServerAddress
from graph.store import Store
from tests.fakes import FakeEmbedder
from tests.hung_line import HungLine, hung_line
from tests.prepared import connection, query

LOOK = "admin/read_service_meta"


@asynccontextmanager
async def service_at(address: ServerAddress, uri: str) -> AsyncIterator[Service]:
    store = await Store.connect(connection(address, uri=uri))
    try:
        yield assemble(Settings(), store, FakeEmbedder(), browser_url=None, bolt_uri=uri)
    finally:
        await store.close()


@pytest.fixture
async def line(neo4j_address: ServerAddress, store: Store) -> AsyncIterator[HungLine]:  # noqa: ARG001 -- prepared
    async with hung_line(neo4j_address) as line:
        yield line


@pytest.fixture
async def service(neo4j_address: ServerAddress, line: HungLine) -> AsyncIterator[Service]:
    async with service_at(neo4j_address, line.uri) as service:
        yield service


async def ask(service: Service, readiness: Readiness, times: int) -> tuple[list[tuple[int, Any]], float]:
    """Return what so many at once are told, and after how many seconds the last of them is."""
    transport = httpx.ASGITransport(app=create_app(service, readiness))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=60) as http:
        began = time.monotonic()
        answers = await asyncio.gather(*(http.get("/readyz") for _ in range(times)))
        return [(answer.status_code, answer.json()) for answer in answers], time.monotonic() - began


async def test_many_at_once_cost_one_look(service: Service) -> None:
    looks: list[str] = []
    service.store.observers.append(lambda name, _: looks.append(name))
    readiness = Readiness(service)
    readiness.warm.set()
    told, _ = await ask(service, readiness, 100)
    assert told == [(200, {"ready": True})] * 100
    assert looks == [LOOK]


async def test_it_is_not_ready_before_it_is_warm(service: Service) -> None:
    readiness = Readiness(service)
    told, _ = await ask(service, readiness, 1)
    assert told == [(503, {"ready": False, "reason": "STARTING"})]
    watching = asyncio.create_task(readiness.watch())
    async with asyncio.timeout(120):
        await readiness.warm.wait()
    watching.cancel()
    await asyncio.wait([watching])
    told, _ = await ask(service, readiness, 1)
    assert told == [(200, {"ready": True})]


async def test_nobody_waits_for_a_database_that_hangs(service: Service, line: HungLine) -> None:
    readiness = Readiness(service)
    readiness.warm.set()
    line.hang()
    told, first = await ask(service, readiness, 20)
    assert told == [(503, {"ready": False, "reason": "DATABASE_UNAVAILABLE"})] * 20
    told, later = await ask(service, readiness, 20)
    assert told == [(503, {"ready": False, "reason": "DATABASE_UNAVAILABLE"})] * 20
    assert first + later < 10, "a hang guard: two looks would be 20"
    assert later < first
    line.go_on()
    async with asyncio.timeout(60):
        while (await readiness.reason()) is not None:  # noqa: ASYNC110 -- it is asked, as a health check does
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Unavailable("Neo4j at bolt://10.0.0.1:7687 did not answer"), Reason.DATABASE_UNAVAILABLE),
        (Panicked("the database refuses everything"), Reason.DATABASE_UNAVAILABLE),
        (PoolExhausted("all 100 connections are in use", 2_000), Reason.OVERLOADED),
        (ModelMismatch("made by 'secret/model'"), Reason.OTHER_MODEL),
    ],
)
async def test_a_stranger_hears_one_word(service: Service, error: Exception, reason: Reason) -> None:
    readiness = Readiness(service)
    readiness.warm.set()

    def refuse(_query: str) -> None:
        raise error

    service.store.gates.append(refuse)
    told, _ = await ask(service, readiness, 1)
    assert told == [(503, {"ready": False, "reason": reason.value})]


async def test_a_caller_is_told_what_to_do_while_the_vectors_are_not_its_own(service: Service) -> None:
    readiness = Readiness(service)
    service.store.gates.append(readiness.gate)
    await service.store.read(query("RETURN 1"))
    readiness.mismatch = ModelMismatch("a reindex is running")
    with pytest.raises(Unavailable, match="goes on by itself") as waiting:
        await service.store.read(query("RETURN 1"))
    assert waiting.value.retry_after_ms > 1_000
    assert await readiness.reason() in {None, Reason.STARTING}, "its own look passes, and sees that all is well"
    await service.store.read(query("RETURN 1"))
