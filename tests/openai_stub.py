"""A small server that speaks OpenAI's chat completions over real HTTP and answers what a test wrote down."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says; a plan or any other value is written as JSON."""

    content: Any
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = (100, 20)
    """Tokens of the prompt and of the completion."""
    after_seconds: float = 0.0
    after: asyncio.Event | None = None
    """What the model waits for, where a test is to see what is so until then."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Any HTTP response."""

    status: int
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Dribble:
    """A blank every now and then, for so long: no single read ever times out."""

    seconds: float
    every: float = 0.02


Scripted = Answer | Reply | Dribble
Writer = Callable[[dict[str, Any]], Scripted]
"""Writes the answer to a request, given its body."""


class OpenAiStub:
    """Answers in the order of its script; the last entry answers every further request, too."""

    def __init__(self, *script: Scripted | Writer) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        """Bodies, in order of arrival."""
        self.headers: list[Mapping[str, str]] = []
        self.under_way = 0
        self.most_under_way = 0

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve on a free port of this machine and return the base URL."""
        app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])
        with socket.create_server(("127.0.0.1", 0)) as listening:
            config = uvicorn.Config(app, lifespan="off", log_config=None, ws="none", timeout_graceful_shutdown=1)
            server = uvicorn.Server(config)
            task = asyncio.create_task(server.serve(sockets=[listening]))
            while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
                await asyncio.sleep(0.01)
            try:
                yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
            finally:
                server.should_exit = True
                await task

    async def _complete(self, request: Request) -> Response:
        body = await request.json()
        scripted = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(body)
        self.headers.append(request.headers)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            return await self._respond(scripted(body) if callable(scripted) else scripted)
        finally:
            self.under_way -= 1

    async def _respond(self, scripted: Scripted) -> Response:
        match scripted:
            case Answer():
                await asyncio.sleep(scripted.after_seconds)
                if scripted.after:
                    await scripted.after.wait()
                return Response(json.dumps(_completion(scripted)), media_type="application/json")
            case Reply():
                return Response(scripted.body, scripted.status, dict(scripted.headers), scripted.media_type)
            case Dribble():
                return StreamingResponse(_blanks(scripted), media_type="application/json")


async def _blanks(dribble: Dribble) -> AsyncIterator[str]:
    for _ in range(int(dribble.seconds / dribble.every)):
        yield " "
        await asyncio.sleep(dribble.every)


def _completion(answer: Answer) -> dict[str, Any]:
    content = (
        answer.content if answer.content is None or isinstance(answer.content, str) else json.dumps(answer.content)
    )
    message = {"role": "assistant", "content": content, "refusal": answer.refusal}
    completion: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
    }
    if answer.usage is not None:
        prompt, written = answer.usage
        completion["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": written,
            "total_tokens": prompt + written,
        }
    return completion
