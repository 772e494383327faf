"""The real service on the real Neo4j, answering on a port, with the example memory in a space of its own."""

import asyncio
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.async_api import Page

from api.app import create_app
from api.settings import Settings
from api.wiring import Service, assemble, warm_up
from graph.neo4j_server import ServerAddress
from resolvers.transfer.importing import import_entities
from tests.fakes import FakeEmbedder
from tests.prepared import prepared_store
from tests.web.browser import chromium, need_bundle, opened
from tests.web.scenes import LONDON, TIRED, WHO, submit, uuid_of

EXAMPLES = Path(__file__).parents[2] / "examples"
MEMORIES = ("three_kingdoms.jsonl", "sherlock_holmes.jsonl")

Serve = Callable[..., AbstractAsyncContextManager[str]]
Open = Callable[..., AbstractAsyncContextManager[Page]]
Fill = Callable[[str], Awaitable[None]]


@pytest.fixture(scope="package")
async def service(neo4j_address: ServerAddress) -> AsyncIterator[Service]:
    need_bundle()
    chromium()
    async with prepared_store(neo4j_address) as store:
        service = assemble(Settings(), store, FakeEmbedder(), browser_url=None, bolt_uri=neo4j_address.bolt_uri)
        await warm_up(service)  # as a service does before it answers: a first query is planned for seconds
        yield service


@asynccontextmanager
async def serving(service: Service, *, port: int = 0) -> AsyncIterator[str]:
    """Answer on a port until the block ends."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        server = uvicorn.Server(
            uvicorn.Config(
                create_app(service, takes_over=False),  # the database is every test's
                log_config=None,
                lifespan="on",
                ws="websockets-sansio",
                timeout_graceful_shutdown=1,
            )
        )
        running = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.02)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await running


@pytest.fixture(scope="package")
async def url(service: Service) -> AsyncIterator[str]:
    async with serving(service) as address:
        yield address


@pytest.fixture(scope="package")
async def filled(service: Service) -> str:
    """Return a space that holds the example memory, for tests that only read."""
    name = f"web-{uuid.uuid4().hex[:12]}"
    await fill(service, name)
    return name


async def fill(service: Service, space: str) -> None:
    for memory in MEMORIES:
        lines = (EXAMPLES / memory).read_bytes().splitlines()
        await import_entities(service.store, service.embedder, service.clock, lines, space=space)


@pytest.fixture
async def own(service: Service) -> str:
    """Return a space that holds the example memory, for a test that writes."""
    name = f"web-{uuid.uuid4().hex[:12]}"
    await fill(service, name)
    return name


@pytest.fixture
async def run(url: str, own: str) -> str:
    """Return a run of the own space whose plan waits for a word."""
    return await submit(url, own, LONDON, (TIRED, WHO))


@pytest.fixture
async def addresses(url: str, own: str, run: str) -> dict[str, str]:
    """Return the address of every view and what is there once it is at rest."""
    card = await uuid_of(url, own, "Sherlock Holmes")
    return {
        f"recall?q=And Sherlock's brother stayed at home in Pall Mall.&space={own}": ".match",
        f"recall?q=刘备的弟弟是谁？&space={own}": ".match",
        f"recall?space=web-{uuid.uuid4().hex[:12]}": ".welcome",
        f"graph?space={own}": ".graph-stage[data-busy=false]:has(.graph-canvas canvas)",
        f"entities?space={own}": ".name",
        f"entity/{card}?space={own}": ".statement",
        f"runs?space={own}": ".run-line",
        f"runs/{run}?space={own}": ".plan-step",
    }


@pytest.fixture
def visit(url: str, tmp_path: Path) -> Open:
    """Return what opens a browser on the service; `tests.web.browser.opened` says with which choices."""
    return lambda **chosen: opened(url, tmp_path / uuid.uuid4().hex, **chosen)
