"""Run the service until it is told to stop, and leave nothing running behind it."""

import asyncio
import socket
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn

from api.app import create_app
from api.auth import check_bind
from api.connections import ConnectionConfig
from api.ending import handled
from api.readiness import Readiness
from api.settings import Settings
from api.wiring import Service, open_service
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
    """Open the service, listen, tell `on_ready`, and go on until a signal to end; then close everything.

    The managed Neo4j is started again where it ends, and a reindex is waited out.

    Args:
        settings: what to open and where to listen.
        on_ready: is awaited once requests are answered, and need not wait for the server's planning.
        progress: hears of the managed Neo4j's start.
        stay: go on after `on_ready`; else stop.

    Raises:
        NotConfigured: beyond loopback without an API key.
        SetupError: the port is taken, or the database cannot be used as it stands.
        ModelMismatch: the stored vectors are those of another model, also when they become so while it serves.
        Unavailable: the database did not come up.
    """
    check_bind(settings.host, settings.api_key.get_secret_value() if settings.api_key else None)
    with closing(_listen(settings)) as listening, _orderly_end() as end:
        async with open_service(settings, progress=progress) as service:
            readiness = Readiness(service)
            server = uvicorn.Server(ConnectionConfig(
                create_app(service, readiness),
                log_config=None,
                lifespan="on",
                ws_max_size=MAX_SOCKET_MESSAGE,
                timeout_graceful_shutdown=5,
            ))  # fmt: skip
            end.hand_over(server)
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                if await _first(serving, readiness.warm.wait(), readiness.useless.wait()) == 1:
                    await on_ready(service, _address(settings, listening, service))
                    if stay:
                        await _first(serving, readiness.useless.wait())
                if readiness.useless.is_set() and readiness.mismatch:
                    raise readiness.mismatch
            finally:
                server.should_exit = True
                await serving


async def _first(serving: asyncio.Task[None], *others: Coroutine[Any, Any, Any]) -> int:
    """Wait for the first of them to end, and return its place."""
    tasks = [serving, *(asyncio.create_task(other) for other in others)]
    try:
        await asyncio.wait(tasks, return_when=FIRST_COMPLETED)
        return next(place for place, task in enumerate(tasks) if task.done())
    finally:
        for task in tasks[1:]:
            task.cancel()


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


class _End:
    """What a signal to end does: cancels the opening, and once there is a server, makes that stop serving."""

    def __init__(self) -> None:
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        self._server: uvicorn.Server | None = None

    def hand_over(self, server: uvicorn.Server) -> None:
        """Make the server stop from now on."""
        self._server = server

    def __call__(self, *_: object) -> None:
        if self._server is not None:
            self._server.should_exit = True
        elif self._main is not None:
            self._loop.call_soon_threadsafe(self._main.cancel)


@contextmanager
def _orderly_end() -> Iterator[_End]:
    """Keep the signals to end from killing the process before the database is let go.

    While it serves, uvicorn takes SIGTERM and SIGINT, and raises them again when it has stopped serving: by then they
    have done their work. SIGHUP, of a terminal that was closed, it leaves to us.
    """
    end = _End()
    with handled(end):
        yield end
