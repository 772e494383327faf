"""What is served for the page, with a made-up bundle and without any. Needs no browser and no database."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from api.auth import OPEN_PATHS, AccessGuard
from api.page import PAGE_PATHS, BrowserVisits, page_routes

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SCRIPT = b"console.log('here')"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    built = tmp_path / "dist"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<!doctype html><title>Page</title>")
    (built / "graphiql.html").write_text("<!doctype html><title>GraphiQL</title>")
    (built / "assets" / "page-1a2b.js").write_bytes(SCRIPT)
    (built / "assets" / "page-1a2b.js.gz").write_bytes(gzip.compress(SCRIPT))
    (built / "assets" / "page-1a2b.js.br").write_bytes(b"not really brotli")
    (tmp_path / "secret.txt").write_text("outside")
    return built


@pytest.fixture
async def client(bundle: Path) -> AsyncIterator[httpx.AsyncClient]:
    async def graphql(_: object) -> PlainTextResponse:
        return PlainTextResponse("graphql")

    app = Starlette(
        routes=[
            Route("/graphql", graphql, methods=["GET", "POST"]),
            *page_routes(browser_url=None, bolt_uri="bolt://127.0.0.1:7687", built=bundle),
        ],
        middleware=[
            Middleware(BrowserVisits),
            Middleware(AccessGuard, api_key="the key", local_only=True, open_paths=OPEN_PATHS | PAGE_PATHS),
        ],
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as client:
        yield client


async def test_the_page_comes_without_a_key_and_with_a_strict_policy(client: httpx.AsyncClient) -> None:
    answer = await client.get("/")
    assert answer.status_code == 200
    assert "<title>Page" in answer.text
    policy = dict(rule.split(" ", 1) for rule in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-cache"


async def test_assets_are_kept_for_good_and_sent_as_they_were_compressed(client: httpx.AsyncClient) -> None:
    answer = await client.get("/assets/page-1a2b.js", headers={"accept-encoding": "gzip"})
    assert answer.content == SCRIPT
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["vary"] == "accept-encoding"
    assert answer.headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    ("offered", "taken"),
    [("br, gzip", "br"), ("gzip;q=0.5", "gzip"), ("br;q=0, gzip;q=0", None), ("identity", None), ("", None)],
)
async def test_the_client_says_which_encodings_it_reads(
    client: httpx.AsyncClient, offered: str, taken: str | None
) -> None:
    answer = await client.head("/assets/page-1a2b.js", headers={"accept-encoding": offered})
    assert answer.status_code == 200
    assert answer.headers.get("content-encoding") == taken


@pytest.mark.parametrize("name", ["missing.js", "%2e%2e", "%2e%2e%2fsecret.txt", "..%5csecret.txt", ""])
async def test_nothing_else_is_an_asset(client: httpx.AsyncClient, name: str) -> None:
    answer = await client.get(f"/assets/{name}", headers={"authorization": "Bearer the key"})
    assert answer.status_code == 404
    assert "outside" not in answer.text


async def test_a_browser_that_opens_graphql_gets_graphiql(client: httpx.AsyncClient) -> None:
    answer = await client.get("/graphql", headers=BROWSER)
    assert "<title>GraphiQL" in answer.text
    assert "script-src 'self';" in answer.headers["content-security-policy"]


async def test_everything_that_asks_needs_the_key(client: httpx.AsyncClient) -> None:
    assert (await client.post("/graphql", headers=BROWSER)).status_code == 401
    assert (await client.get("/graphql?query={__typename}", headers=BROWSER)).status_code == 401
    assert (await client.get("/graphql", headers={"accept": "application/json"})).status_code == 401
    assert (await client.get("/page/facts")).status_code == 401
    told = await client.get("/page/facts", headers={"authorization": "Bearer the key"})
    assert told.json() == {"browserUrl": None, "boltUri": "bolt://127.0.0.1:7687"}


async def test_the_page_answers_under_local_names_only(client: httpx.AsyncClient) -> None:
    for path in ("/", "/graphql", "/assets/page-1a2b.js"):
        assert (await client.get(path, headers={**BROWSER, "host": "evil.example"})).status_code == 421


async def test_without_a_bundle_the_page_says_what_to_do(tmp_path: Path) -> None:
    routes = page_routes(browser_url=None, bolt_uri="bolt://127.0.0.1:7687", built=tmp_path / "nowhere")
    transport = httpx.ASGITransport(app=Starlette(routes=routes))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for path in ("/", "/graphiql"):
            answer = await client.get(path)
            assert answer.status_code == 503
            assert "make page" in answer.text
        assert (await client.get("/assets/page.js")).status_code == 404
