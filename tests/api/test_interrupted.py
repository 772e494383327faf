"""A request that the end of the service cuts off is answered, and what it had begun is gone on with."""

import asyncio
import json
import socket
from typing import Any

import httpx
import pytest
import uvicorn

from api.connections import ConnectionConfig
from api.interrupted import AnswerInterrupted
from resolvers.update.seen import Rolling
from tests.api.update_api import ROLL, Apis, project, sees_all, told
from tests.fakes import Labelled, ScriptedObserver


async def test_who_waits_for_an_update_when_the_service_stops_is_told_to_send_it_again(api_with: Apis) -> None:
    asked = asyncio.Event()
    observer = ScriptedObserver(always=sees_all)

    async def endless(rolling: Rolling, labelled: Labelled) -> Any:  # noqa: ARG001 -- the port's shape
        asked.set()
        await asyncio.Event().wait()

    observer.observe = endless  # type: ignore[method-assign] # never answers
    api = api_with(observer)
    await project(api, "Alice brought a cake with cherries", "Alice")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = ConnectionConfig(api.app, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.01)
        async with httpx.AsyncClient(timeout=60) as http:
            body = {"query": ROLL, "variables": {"space": api.space, "rolling": told("a party")}}
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/graphql"
            waiting = asyncio.create_task(
                http.post(url, content=json.dumps(body), headers={"content-type": "application/json"})
            )
            await asked.wait()
            server.should_exit = True
            answer = await waiting
        await serving
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    (error,) = answer.json()["errors"]
    assert error["extensions"] == {"code": "UNAVAILABLE", "retryAfterMs": 5_000}
    # Another process goes on with it at once.
    other = api_with(ScriptedObserver(always=sees_all))
    other.space = api.space
    again = (await other.ask(ROLL, rolling=told("a party")))["it"]
    assert (again["status"], again["created"]) == ("APPLIED", False)


@pytest.mark.parametrize("has_answer", [False, True])
async def test_an_answer_that_was_begun_is_not_begun_again(*, has_answer: bool) -> None:
    sent: list[Any] = []

    async def app(_: Any, __: Any, send: Any) -> None:
        if has_answer:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    task = asyncio.ensure_future(AnswerInterrupted(app)({"type": "http"}, None, send))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() is has_answer
    assert [each.get("status") for each in sent] == ([200] if has_answer else [503, None])
