"""The web page and GraphiQL, as built from `api/web`: two documents and their assets.

The documents and assets hold nothing of the memory and load without a key; what they then ask, they ask with it.
"""

import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

BUILT: Final = Path(__file__).parent / "web" / "dist"
"""Where `make page` leaves the bundle."""
PAGE_PATHS: Final = frozenset({"/", "/graphiql", "/assets/"})
"""Open without a key."""

_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))
_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
# Monaco, GraphiQL's editor, writes its colours into style elements of its own; fonts stand in GraphiQL's style sheet.
_GRAPHIQL_POLICY: Final = {**_POLICY, "style-src": "'self' 'unsafe-inline'", "font-src": "'self' data:"}
_SAFETY: Final = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
_NOT_BUILT: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Impressions</title>
<h1>The page has not been built yet</h1>
<p>Run <code>make page</code> in the checkout, then load this again.
The API at <code>/graphql</code> works without it.</p>
<p lang="zh">页面还没有构建。请在项目目录里运行 <code>make page</code>，然后刷新。
<code>/graphql</code> 接口不受影响。</p>
"""


class BrowserVisits:
    """ASGI middleware: a browser that opens `/graphql` gets GraphiQL, which has a path of its own.

    Stands in front of the guard, so that the document needs no key while every query on `/graphql` does.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and scope["path"] in {"/graphql", "/graphql/"}
            and scope["method"] in {"GET", "HEAD"}
        ):
            accepted = Headers(scope=scope).get("accept", "")
            if "text/html" in accepted and b"query=" not in scope["query_string"]:
                scope = {**scope, "path": "/graphiql", "raw_path": b"/graphiql"}
        await self._app(scope, receive, send)


def page_routes(*, browser_url: str | None, bolt_uri: str, built: Path = BUILT) -> Sequence[Route]:
    """Return the routes of the page.

    Args:
        browser_url: Neo4j Browser of the managed server; the page links to it.
        bolt_uri: what Neo4j Browser connects to.
        built: the bundle; it may come into being later.
    """

    async def page(request: Request) -> Response:
        return _document(request, built / "index.html", _POLICY)

    async def graphiql(request: Request) -> Response:
        return _document(request, built / "graphiql.html", _GRAPHIQL_POLICY)

    async def asset(request: Request) -> Response:
        path = built / "assets" / request.path_params["name"]
        # A route's parameter holds no slash; a name that starts with a dot would be the folder or one above.
        if path.name.startswith(".") or not path.is_file():
            raise HTTPException(404)
        lasting = {"cache-control": "public, max-age=31536000, immutable"}
        return _file(request, path, {**_SAFETY, **lasting})

    async def facts(_: Request) -> Response:
        known = {"browserUrl": browser_url, "boltUri": bolt_uri}
        return JSONResponse(known, headers={"cache-control": "no-store"})

    return [
        Route("/", page),
        Route("/graphiql", graphiql),
        Route("/assets/{name}", asset),
        Route("/page/facts", facts),
    ]


def _document(request: Request, path: Path, policy: dict[str, str]) -> Response:
    rules = "; ".join(f"{kind} {sources}" for kind, sources in policy.items())
    # Revalidated every time: it names the assets of the build it belongs to.
    headers = {**_SAFETY, "content-security-policy": rules, "cache-control": "no-cache"}
    if not path.is_file():
        return HTMLResponse(_NOT_BUILT, status_code=503, headers=headers)
    return _file(request, path, headers)


def _file(request: Request, path: Path, headers: dict[str, str]) -> Response:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    headers = {**headers, "vary": "accept-encoding"}
    accepted = _accepted_encodings(request.headers.get("accept-encoding", ""))
    for encoding, suffix in _ENCODINGS:
        packed = path.with_name(path.name + suffix)
        if encoding in accepted and packed.is_file():
            return FileResponse(packed, media_type=kind, headers={**headers, "content-encoding": encoding})
    return FileResponse(path, media_type=kind, headers=headers)


def _accepted_encodings(header: str) -> frozenset[str]:
    offers = (offer.partition(";") for offer in header.lower().split(","))
    return frozenset(name.strip() for name, _, weight in offers if weight.replace(" ", "") not in {"q=0", "q=0.0"})
