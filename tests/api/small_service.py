"""A small schema behind the real guards, and ways to reach it in process and over a socket."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import strawberry
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from api.auth import AccessGuard
from api.body_limit import BodyLimit
from api.connections import ConnectionConfig
from api.graphql_view import AnsweringSchema, GraphQLView, RequestContext
from api.limits import LimitQueries, QueryLimits

JSON = {"content-type": "application/json"}


@strawberry.type
class Relation:
    @strawberry.field
    def target(self) -> "Entity":
        return Entity(subject="target")


@strawberry.type
class Entity:
    subject: str

    @strawberry.field
    def relations(self) -> list[Relation]:
        return [Relation()]


@strawberry.input
class RelationInput:
    type: str
    target: str


@strawberry.input
class EntityInput:
    subject: str
    relations: list[RelationInput]


@strawberry.type
class Query:
    @strawberry.field
    def entities(self, limit: int = 10, offset: int = 0, order_by: str = "") -> list[Entity]:
        return [Entity(subject=f"{limit} {offset} {order_by}")]

    @strawberry.field
    def entity_by_id(self, ids: list[strawberry.ID]) -> list[Entity]:
        return [Entity(subject=each) for each in ids]

    @strawberry.field
    def recall(self, text: str, weight: float = 1.0) -> list[Entity]:
        return [Entity(subject=text)] if weight else []


@strawberry.type
class Mutation:
    @strawberry.mutation
    def upsert_entity(self, input: EntityInput) -> Entity:  # noqa: A002 -- the name of the argument in the API
        return Entity(subject=input.subject)


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def ticks(self, count: int) -> AsyncIterator[int]:
        for tick in range(count):
            yield tick


class SmallView(GraphQLView[RequestContext]):
    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> RequestContext:  # noqa: ARG002
        return RequestContext(request)


def build_schema(limits: QueryLimits) -> AnsweringSchema:
    return AnsweringSchema(
        Query, mutation=Mutation, subscription=Subscription, extensions=[lambda: LimitQueries(limits)]
    )


SCHEMA = build_schema(QueryLimits())


def small_app(*, api_key: str | None = None, local_only: bool = True, max_bytes: int = 100_000) -> ASGIApp:
    view = SmallView(
        SCHEMA,
        graphql_ide=None,
        allow_queries_via_get=False,
        subscription_protocols=[GRAPHQL_TRANSPORT_WS_PROTOCOL],
    )

    async def healthz(_: Request) -> Response:
        return PlainTextResponse("ok")

    return Starlette(
        routes=[Route("/graphql", view), WebSocketRoute("/graphql", view), Route("/healthz", healthz)],
        middleware=[
            Middleware(AccessGuard, api_key=api_key, local_only=local_only),
            Middleware(BodyLimit, max_bytes=max_bytes, seconds=0.5),
        ],
    )


def client(app: ASGIApp, *, base_url: str = "http://127.0.0.1:8000") -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=base_url)


async def post(app: ASGIApp, body: Any, **headers: str | bytes) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    encoded = {name.encode(): value.encode() if isinstance(value, str) else value for name, value in headers.items()}
    async with client(app) as http:
        return await http.post("/graphql", content=content, headers={b"content-type": b"application/json", **encoded})


def codes(response: httpx.Response) -> list[str | None]:
    return [error.get("extensions", {}).get("code") for error in response.json().get("errors", [])]


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[int]:
    """Serve on a free port of this machine, by the server that also runs the product."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = ConnectionConfig(app, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.01)
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def socket_to(
    app: ASGIApp, *, origin: str | None = None, authorization: str | None = None
) -> AsyncIterator[ClientConnection]:
    headers = {"Origin": origin, "Authorization": authorization}
    async with (
        serving(app) as port,
        connect(
            f"ws://127.0.0.1:{port}/graphql",
            subprotocols=[Subprotocol(GRAPHQL_TRANSPORT_WS_PROTOCOL)],
            additional_headers={name: value for name, value in headers.items() if value is not None},
            proxy=None,
        ) as connection,
    ):
        yield connection
