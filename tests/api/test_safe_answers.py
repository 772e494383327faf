"""A browser takes no answer for anything else than it says it is."""

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from api.safe_answers import SafeStarlette
from tests.api.update_api import Api


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/healthz", 200),
        ("GET", "/nowhere", 404),
        ("DELETE", "/graphql", 405),
        ("POST", "/graphql", 400),
        ("GET", "/metrics", 200),
    ],
)
async def test_every_answer_says_nosniff(api: Api, method: str, path: str, status: int) -> None:
    transport = httpx.ASGITransport(app=api.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.request(method, path, content=b"no JSON" if method == "POST" else None)
        foreign = await client.request(method, path, headers={"host": "example.org"})
    assert answer.status_code == status
    assert foreign.status_code == 421
    for each in (answer, foreign):
        assert each.headers.get_list("x-content-type-options") == ["nosniff"]


async def test_an_internal_error_says_it_too() -> None:
    async def fail(_: Request) -> Response:
        raise ZeroDivisionError

    transport = httpx.ASGITransport(app=SafeStarlette(routes=[Route("/", fail)]), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        answer = await client.get("/")
    assert (answer.status_code, answer.headers["x-content-type-options"]) == (500, "nosniff")
