"""Bounds on connections that uvicorn itself has none for: how many, and how long one may be silent or stalled.

A head (request line and headers) has to be there soon after its first byte, and the first byte soon after the
connection; a client that stops reading its answer is let go. Bodies have their own limit in `api.body_limit`, idle
connections uvicorn's keep-alive, WebSockets its pings and Strawberry's wait for the connection_init.
"""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from api.seats import Seats

HEAD_SECONDS: Final = 10.0
"""From the connection, or the first byte of a further request, to the end of its head."""
STALLED_SECONDS: Final = 30.0
"""How long a client may leave its answer unread."""
MOST_CONNECTIONS: Final = 512
"""Open at once, WebSockets included: with the database's connections and files half of the usual 1,024 descriptors."""
MOST_OF_ONE_CLIENT: Final = 256
"""The same from one address."""
RETRY_AFTER_SECONDS: Final = 5

_BODY: Final = json.dumps(
    {"errors": [{"message": "too many connections are open", "extensions": {"code": "TOO_MANY_CONNECTIONS"}}]}
).encode()
_REFUSAL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n"
    b"retry-after: %d\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (RETRY_AFTER_SECONDS, len(_BODY), _BODY)
)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """All that can be set about connections."""

    head_seconds: float = HEAD_SECONDS
    stalled_seconds: float = STALLED_SECONDS
    most: int = MOST_CONNECTIONS
    most_of_one_client: int = MOST_OF_ONE_CLIENT


class ConnectionConfig(uvicorn.Config):
    """Uvicorn's configuration with our bounds."""

    def __init__(self, app: Any, *, limits: ConnectionLimits | None = None, **options: Any) -> None:
        super().__init__(app, http=BoundedHTTP, ws=BoundedWebSocket, **options)
        self.limits = limits or ConnectionLimits()
        self.seats = Seats(self.limits.most, self.limits.most_of_one_client)


class BoundedHTTP(H11Protocol):
    """One HTTP connection."""

    def __init__(
        self,
        config: ConnectionConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._limits = config.limits
        self._seats = config.seats
        self._seat: str | None = None
        self._head_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        client = self.client[0] if self.client else ""
        if not self._seats.take(client):
            transport.write(_REFUSAL)
            transport.close()
            return
        self._seat = client
        self._head_timer = self.loop.call_later(self._limits.head_seconds, self._close)

    def connection_lost(self, exc: Exception | None) -> None:
        self._leave()
        self._stop_waiting_for_head()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting_for_head()
        elif self._head_timer is None:
            self._head_timer = self.loop.call_later(self._limits.head_seconds, self._close)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._leave()  # for the WebSocket, which takes it in the same breath
        self._stop_waiting_for_head()
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall_timer = self.loop.call_later(self._limits.stalled_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_stall_timer()
        super().resume_writing()

    def _leave(self) -> None:
        if self._seat is not None:
            self._seats.leave(self._seat)
            self._seat = None

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _stop_waiting_for_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """One WebSocket, which has taken over the connection, and the seat, of an HTTP request."""

    def __init__(
        self,
        config: ConnectionConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._seats = config.seats
        self._seat: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._seat = self.client[0] if self.client else ""
        self._seats.take(self._seat)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._seat is not None:
            self._seats.leave(self._seat)
            self._seat = None
        super().connection_lost(exc)
