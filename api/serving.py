"""Run the service until it is told to stop, and leave nothing running behind it."""

import asyncio
import gc
import signal
import socket
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import uvicorn

from api.app import create_app
from api.auth import check_bind
from api.connections import ConnectionConfig
from api.settings import Settings
from api.wiring import Service, open_service, until_reindexed
from graph.errors import SetupError
from graph.neo4j_server import Progress, silent

MAX_SOCKET_MESSAGE = 1 << 20
"""Bytes of one WebSocket message."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a running service is."""

    url: str
    """Without a trailing slash; GraphQL is at `/graphql` below it."""
    browser_url: str | None
    bolt_uri: str


OnReady = Callable[[Service, Address], Awaitable[None]]


async def serve(settings: Settings, on_ready: OnReady, *, progress: Progress = silent, stay: bool = True) -> None:
    """Open the service, listen, tell `on_ready`, and go on until SIGTERM or SIGINT; then close everything.

    Args:
        settings: what to open and where to listen.
        on_ready: is awaited once requests are answered.
        progress: hears of the managed Neo4j's start.
        stay: go on after `on_ready`; else stop.

    Raises:
        NotConfigured: beyond loopback without an API key.
        SetupError: the port is taken, or the database cannot be used as it stands.
        ModelMismatch: the same, also when a reindex begins while it serves.
        Unavailable: the database did not come up.
    """
    check_bind(settings.host, settings.api_key.get_secret_value() if settings.api_key else None)
    with closing(_listen(settings)) as listening, _orderly_end() as opened:
        async with open_service(settings, progress=progress) as service:
            opened.set()
            # What stands by now, the libraries first of all, is never looked through again: a collection of everything
            # would hold up the loop for as long as all that a large answer takes.
            gc.collect()
            gc.freeze()
            server = _Server(ConnectionConfig(
                create_app(service),
                log_config=None,
                lifespan="on",
                ws_max_size=MAX_SOCKET_MESSAGE,
                timeout_graceful_shutdown=5,
            ))  # fmt: skip
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                await asyncio.wait([serving, asyncio.create_task(server.answering.wait())], return_when=FIRST_COMPLETED)
                if server.answering.is_set():
                    await on_ready(service, _address(settings, listening, service))
                if stay:
                    await _serve_own_vectors(service, serving)
            finally:
                server.should_exit = True
                await serving


async def _serve_own_vectors(service: Service, serving: asyncio.Task[None]) -> None:
    """Wait for the end, or end the service when a reindex makes its vectors those of another model."""
    reindexed = asyncio.create_task(until_reindexed(service))
    try:
        await asyncio.wait([serving, reindexed], return_when=FIRST_COMPLETED)
        if reindexed.done():
            raise reindexed.result()
    finally:
        reindexed.cancel()


class _Server(uvicorn.Server):
    """Uvicorn's server, saying when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answering = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.answering.set()


def _listen(settings: Settings) -> socket.socket:
    try:
        return socket.create_server((settings.host, settings.port), family=_family(settings.host))
    except OSError as error:
        message = f"cannot listen on {settings.host}:{settings.port}: {error.strerror}"
        raise SetupError(f"{message}. Stop what listens there, or set IMPRESSIONS_PORT (0 picks a free one)") from error


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _address(settings: Settings, listening: socket.socket, service: Service) -> Address:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return Address(f"http://{host}:{listening.getsockname()[1]}", service.browser_url, service.bolt_uri)


@contextmanager
def _orderly_end() -> Iterator[asyncio.Event]:
    """Keep SIGTERM and SIGINT from killing the process before the database is let go.

    While the service is being opened, a signal cancels that. Once the yielded event is set, uvicorn takes over both
    signals, and raises them again when it has stopped serving: by then they have done their work.
    """
    opened = asyncio.Event()
    loop, main = asyncio.get_running_loop(), asyncio.current_task()

    def end(*_: object) -> None:
        if not opened.is_set() and main is not None:
            loop.call_soon_threadsafe(main.cancel)

    kept = {each: signal.signal(each, end) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield opened
    finally:
        for each, handler in kept.items():
            signal.signal(each, handler)
