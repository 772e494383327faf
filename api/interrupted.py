"""What a client is told whose request is cut off because the service stops."""

import asyncio
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.refusals import refuse

RETRY_AFTER_MS: Final = 5_000
"""About what a service takes to come back."""


class AnswerInterrupted:
    """ASGI middleware that answers with 503 `UNAVAILABLE` where the server cancels a request that has no answer yet.

    What the request had begun is stored so far, or not at all: the same sent again goes on with it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_answer = False

        async def noting(message: Message) -> None:
            nonlocal has_answer
            has_answer = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except asyncio.CancelledError:
            if has_answer:
                raise
            # Nobody else ends this task once more: the server has only its end to wait for, and that is here.
            message = "the service is stopping: send the same again, what was begun is gone on with"
            headers = {"retry-after": str(RETRY_AFTER_MS // 1000), "connection": "close"}
            answer = refuse(503, "UNAVAILABLE", message, headers=headers, retryAfterMs=RETRY_AFTER_MS)
            await answer(scope, receive, send)
