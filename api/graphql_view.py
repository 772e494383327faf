"""Strawberry's view with what it lacks against malformed requests and messages. Knows nothing of the schema."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import strawberry
from cross_web import AsyncHTTPRequestAdapter, HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import ASGIWebSocketAdapter, GraphQL
from strawberry.http import GraphQLRequestData
from strawberry.http.exceptions import NonJsonMessageReceived
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType
from strawberry.types.unset import UnsetType

from api.auth import admit_connection
from api.json_body import decode_json
from api.refusals import refuse

_LONGEST_REASON: Final = 123
"""Bytes of a close frame's reason (RFC 6455, 5.5.1): a longer one breaks the connection instead of closing it."""


@dataclass
class RequestContext:
    """What the view itself needs of a context; subclass it for more."""

    request: Request | WebSocket
    connection_params: dict[str, object] | None = None
    """The payload of the WebSocket's connection_init, set by Strawberry."""


ContextT = TypeVar("ContextT", bound=RequestContext)


class AnsweringSchema(strawberry.Schema):
    """A schema that refuses a subscription where one answer is wanted.

    Strawberry takes it by POST for streaming protocols, none of which is on, and would run it as if it were a query.
    """

    async def execute(self, *given: Any, **named: Any) -> ExecutionResult:
        allowed = frozenset(named.get("allowed_operation_types") or OperationType) - {OperationType.SUBSCRIPTION}
        return await super().execute(*given, **{**named, "allowed_operation_types": allowed})


class CheckedWebSocket(ASGIWebSocketAdapter):
    """A WebSocket whose messages have the shape that Strawberry's handler takes for granted.

    Any other ends the connection with close code 4400; left alone they would end it without one, in a traceback.
    """

    async def iter_json(self, *, ignore_parsing_errors: bool = False) -> AsyncGenerator[object, None]:
        async for message in super().iter_json(ignore_parsing_errors=ignore_parsing_errors):
            if not _is_protocol_message(message):
                raise NonJsonMessageReceived
            yield message

    async def close(self, code: int, reason: str) -> None:
        await super().close(code, reason.encode()[:_LONGEST_REASON].decode(errors="ignore"))


def _is_protocol_message(message: object) -> bool:
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        return False
    if message["type"] in {"subscribe", "complete"} and not isinstance(message.get("id"), str):
        return False
    return message["type"] != "subscribe" or _is_request(message.get("payload"))


def _is_request(request: object) -> bool:
    return (
        isinstance(request, dict)
        and isinstance(request.get("query"), str)
        and isinstance(request.get("operationName"), str | None)
        and isinstance(request.get("variables"), dict | None)
        and isinstance(request.get("extensions"), dict | None)
    )


def _check_request(request: GraphQLRequestData) -> None:
    for value, kind, name in (
        (request.query, str, "query"),
        (request.operation_name, str, "operationName"),
        (request.variables, dict, "variables"),
        (request.extensions, dict, "extensions"),
    ):
        if not isinstance(value, kind | None):
            raise HTTPException(400, f"{name} must be {'a string' if kind is str else 'an object'} or null")


class GraphQLView(GraphQL[ContextT, None]):
    """GraphQL over HTTP and WebSocket. What cannot be taken is answered with 4xx and a JSON error, never with a 500.

    Codes: `BAD_REQUEST` for whatever is wrong with method, content type or body. A WebSocket closes with 4400 for a
    malformed message and with 4403 for a missing or wrong key.
    """

    websocket_adapter_class = CheckedWebSocket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        try:
            response = await self.run(Request(scope, receive))
        except HTTPException as refused:
            response = refuse(refused.status_code, "BAD_REQUEST", refused.reason)
        await response(scope, receive, send)

    def decode_json(self, data: str | bytes) -> object:
        return decode_json(data)

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData | list[GraphQLRequestData]:
        body = await super().parse_http_body(request)
        for each in body if isinstance(body, list) else [body]:
            _check_request(each)
        return body

    async def on_ws_connect(self, context: ContextT) -> UnsetType | dict[str, object] | None:
        admit_connection(context.request, context.connection_params)
        return await super().on_ws_connect(context)
