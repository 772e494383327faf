"""A bound on the size of a request body and on the time it takes to arrive."""

import asyncio
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.refusals import refuse

MAX_BODY: Final = 4 * 1024 * 1024
BODY_SECONDS: Final = 30.0


class _TooLarge(Exception):
    pass


class _TooSlow(Exception):
    pass


class BodyLimit:
    """ASGI middleware that refuses a larger body with 413 `BODY_LIMIT` and a slower one with 408 `BODY_TIMEOUT`.

    The bytes are counted as they arrive, whatever `Content-Length` says and also where there is none; an honest one
    that is too large is refused before any byte is read.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int = MAX_BODY, seconds: float = BODY_SECONDS) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("content-length", "")
        if announced.isdecimal() and (len(announced) > len(str(self._max_bytes)) or int(announced) > self._max_bytes):
            await self._refuse_size(scope, receive, send)
            return
        body = _BoundedBody(receive, max_bytes=self._max_bytes, seconds=self._seconds)
        try:
            await self._app(scope, body.receive, send)
        except _TooLarge:
            await self._refuse_size(scope, receive, send)
        except _TooSlow:
            message = f"the body did not arrive within {self._seconds:g} seconds"
            await refuse(408, "BODY_TIMEOUT", message, headers={"connection": "close"})(scope, receive, send)

    async def _refuse_size(self, scope: Scope, receive: Receive, send: Send) -> None:
        # What is left of the body will not be read, so the connection cannot serve another request.
        message = f"a body has at most {self._max_bytes} bytes"
        await refuse(413, "BODY_LIMIT", message, headers={"connection": "close"})(scope, receive, send)


class _BoundedBody:
    def __init__(self, receive: Receive, *, max_bytes: int, seconds: float) -> None:
        self._receive = receive
        self._left = max_bytes
        self._deadline = asyncio.get_running_loop().time() + seconds
        self._complete = False

    async def receive(self) -> Message:
        if self._complete:
            # What follows is the wait for the client to leave, which may take as long as it likes.
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise _TooSlow from None
        self._complete = message["type"] != "http.request" or not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise _TooLarge
        return message
