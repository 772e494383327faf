"""What every answer carries, refusals and errors too: a browser must not take it for anything else than it says."""

from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NAME: Final = "x-content-type-options"


class NoSniffing:
    """ASGI middleware that adds `X-Content-Type-Options: nosniff` to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def marked(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message)[_NAME] = "nosniff"
            await send(message)

        await self._app(scope, receive, marked)


class SafeStarlette(Starlette):
    """Starlette with that middleware around all others: its own comes after the one that answers internal errors."""

    def build_middleware_stack(self) -> ASGIApp:
        """Return what handles a request."""
        return NoSniffing(super().build_middleware_stack())
