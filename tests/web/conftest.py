"""The real service on the real Neo4j, answering on a port, with the example memory in a space of its own."""

import asyncio
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from playwright.async_api import Page

from api.app import create_app
from api.settings import Settings
from api.wiring import Service, assemble
from graph.neo4j_server import ServerAddress
from resolvers.transfer.importing import import_entities
from tests.fakes import FakeEmbedder
from tests.prepared import prepared_store
from tests.web.browser import chromium, need_bundle, opened

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
        yield assemble(Settings(), store, FakeEmbedder(), browser_url=None, bolt_uri=neo4j_address.bolt_uri)


@asynccontextmanager
async def serving(service: Service, *, port: int = 0) -> AsyncIterator[str]:
    """Answer on a port until the block ends."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        server = uvicorn.Server(
            uvicorn.Config(
                create_app(service),
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
def visit(url: str, tmp_path: Path) -> Open:
    """Return what opens a browser on the service; `tests.web.browser.opened` says with which choices."""
    return lambda **chosen: opened(url, tmp_path / uuid.uuid4().hex, **chosen)


async def ask(url: str, query: str, **variables: Any) -> Any:
    """Ask the API directly, to prepare what the page is to show."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        told = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
    assert "errors" not in told, told
    return told["data"]
