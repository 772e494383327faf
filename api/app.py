"""The ASGI application: GraphQL behind its guards, health and metrics."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL

from api.auth import OPEN_PATHS, AccessGuard, is_loopback
from api.body_limit import BodyLimit
from api.connections import HEAD_SECONDS
from api.context import Context, Loaders
from api.graphql_view import GraphQLView
from api.interrupted import AnswerInterrupted
from api.metrics import Metrics
from api.page import PAGE_PATHS, BrowserVisits, page_routes
from api.readiness import Readiness
from api.safe_answers import SafeStarlette
from api.schema import SCHEMA
from api.wiring import Service, finish_abandoned, keep_house


class ServiceView(GraphQLView[Context]):
    """GraphQL over one service; every request has loaders of its own."""

    def __init__(self, service: Service) -> None:
        super().__init__(
            SCHEMA,
            graphql_ide=None,
            allow_queries_via_get=False,
            subscription_protocols=[GRAPHQL_TRANSPORT_WS_PROTOCOL],
            connection_init_wait_timeout=timedelta(seconds=HEAD_SECONDS),
        )
        self._service = service

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Context:  # noqa: ARG002
        """Return the context of one request."""
        return Context(request, service=self._service, loaders=Loaders(self._service.reader, self._service.runs))


def create_app(service: Service, readiness: Readiness | None = None, *, takes_over: bool = True) -> Starlette:
    """Return the application over an open service; its lifespan keeps house, the service is closed by its owner.

    Args:
        service: what it serves.
        readiness: of the service, for who wants to know of it; the lifespan watches.
        takes_over: go on with runs of any space that a killed process has left.
    """
    settings = service.settings
    view = ServiceView(service)
    ready = readiness or Readiness(service)
    metrics = Metrics(service.store)
    metrics.tell_standing(ready)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.store.observers.append(metrics.database)
        # What was loaded until here stays: to look through it for garbage takes a tenth of a second each time, in which
        # nobody is served.
        gc.collect()
        gc.freeze()
        service.store.gates.append(ready.gate)
        works = [keep_house, *([finish_abandoned] if takes_over else [])]
        tasks = [asyncio.create_task(ready.watch()), *(asyncio.create_task(work(service)) for work in works)]
        try:
            async with service.store.watched():
                yield
        finally:
            for task in tasks:
                task.cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task
            service.store.observers.remove(metrics.database)
            service.store.gates.remove(ready.gate)

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_: Request) -> Response:
        reason = await ready.reason()
        if reason is not None:
            return JSONResponse({"ready": False, "reason": reason.value}, status_code=503)
        return JSONResponse({"ready": True})

    async def show_metrics(_: Request) -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    key = settings.api_key.get_secret_value() if settings.api_key else None
    return SafeStarlette(
        routes=[
            # Both spellings answer: a redirect would turn some clients' POST into a GET.
            *(Route(path, view, methods=["GET", "POST"]) for path in ("/graphql", "/graphql/")),
            *(WebSocketRoute(path, view) for path in ("/graphql", "/graphql/")),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", show_metrics),
            *page_routes(browser_url=service.browser_url, bolt_uri=service.bolt_uri),
        ],
        middleware=[
            Middleware(metrics.middleware),
            Middleware(AnswerInterrupted),
            Middleware(BrowserVisits),
            Middleware(
                AccessGuard,
                api_key=key,
                local_only=is_loopback(settings.host),
                open_paths=OPEN_PATHS | PAGE_PATHS,
            ),
            Middleware(BodyLimit),
        ],
        lifespan=lifespan,
    )
