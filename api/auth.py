"""Who may talk to the service: the API key, and on loopback the Host and Origin headers.

A service on loopback needs no key, but a web page that happens to be open must not reach it through the browser:
neither by a request of its own (Origin) nor under a name that it lets point to this machine (Host).
"""

import hmac
import ipaddress
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send
from strawberry.exceptions import ConnectionRejectionError

from api.refusals import refuse
from graph.errors import NotConfigured

API_KEY_SETTING: Final = "IMPRESSIONS_API_KEY"
OPEN_PATHS: Final = frozenset({"/healthz", "/readyz"})

_LOOPBACK: Final = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
_HOST_AND_PORT: Final = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9.-]+))(?::[0-9]{1,5})?", re.IGNORECASE)
_WEB_ORIGIN: Final = re.compile(r"https?://(?P<host>[^/?#@\s]+)", re.IGNORECASE)
_ADMISSION: Final = "impressions.admission"


def check_bind(host: str, api_key: str | None) -> None:
    """Refuse to listen beyond this machine without a key.

    Raises:
        NotConfigured: when `host` is no loopback address and there is no key.
    """
    if not is_loopback(host) and not _has_key(api_key):
        message = f"listening on {host!r} needs an API key: set {API_KEY_SETTING}, or bind to 127.0.0.1"
        raise NotConfigured(API_KEY_SETTING, message)


def is_loopback(host: str) -> bool:
    """Return whether a host name or address can only mean this machine: `localhost`, 127.0.0.0/8 or `::1`."""
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return any(address.version == network.version and address in network for network in _LOOPBACK)


def _has_key(api_key: str | None) -> bool:
    return bool(api_key and api_key.strip())


@dataclass(frozen=True)
class _Admission:
    """What the guard leaves in the scope of a WebSocket for its connection_init."""

    guard: "AccessGuard"
    is_admitted: bool


class AccessGuard:
    """ASGI middleware that lets in who may come in, over HTTP and WebSocket alike.

    With `api_key`: `Authorization: Bearer KEY`, else 401 `UNAUTHORIZED`; `open_paths` need none, and one that ends in a
    slash (other than `/` itself) opens all below it. A WebSocket may also bring it in the payload of its
    connection_init as `{"authorization": "Bearer KEY"}`, which `admit_connection` checks.

    With `local_only`: a Host header that is not this machine is refused with 421 `HOST_NOT_LOCAL`, an Origin that is
    not with 403 `ORIGIN_NOT_LOCAL`, on every path. A WebSocket is refused before it is accepted: a client sees 403.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        api_key: str | None,
        local_only: bool,
        open_paths: Collection[str] = OPEN_PATHS,
    ) -> None:
        self._app = app
        self._key = _digest(api_key.encode()) if api_key and _has_key(api_key) else None
        self._local_only = local_only
        self._open_paths = frozenset(open_paths)
        self._open_folders = tuple(path for path in open_paths if path.endswith("/") and path != "/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        is_websocket = scope["type"] == "websocket"
        refusal = self._refusal(scope, is_websocket=is_websocket)
        if refusal is None:
            await self._app(scope, receive, send)
        elif is_websocket:
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})
        else:
            status, code, message = refusal
            headers = {"www-authenticate": 'Bearer realm="impressions"'} if status == 401 else None  # noqa: PLR2004
            await refuse(status, code, message, headers=headers)(scope, receive, send)

    def _refusal(self, scope: Scope, *, is_websocket: bool) -> tuple[int, str, str] | None:
        if self._local_only:
            hosts, origins = _header(scope, b"host"), _header(scope, b"origin")
            if len(hosts) != 1 or not _is_local_host(hosts[0].decode("latin-1")):
                return 421, "HOST_NOT_LOCAL", "this service answers under the names of this machine only"
            if not all(_is_local_origin(origin.decode("latin-1")) for origin in origins):
                return 403, "ORIGIN_NOT_LOCAL", "pages of other origins may not use this service"
        credentials = _header(scope, b"authorization")
        is_admitted = self._key is None or (len(credentials) == 1 and self.accepts(credentials[0]))
        if is_websocket:
            scope[_ADMISSION] = _Admission(self, is_admitted)
            may_still_show_it = not credentials
            is_admitted = is_admitted or may_still_show_it
        if is_admitted or self._is_open(scope["path"]):
            return None
        return 401, "UNAUTHORIZED", "an API key is needed: Authorization: Bearer KEY"

    def _is_open(self, path: str) -> bool:
        return path in self._open_paths or path.startswith(self._open_folders)

    def accepts(self, authorization: bytes) -> bool:
        """Return whether these are the right credentials, in a time that says nothing about the key."""
        scheme, _, token = authorization.partition(b" ")
        return (
            self._key is not None
            and scheme.lower() == b"bearer"
            and hmac.compare_digest(_digest(token.strip()), self._key)
        )


def admit_connection(connection: HTTPConnection, payload: Mapping[str, object] | None) -> None:
    """Let a WebSocket's connection_init through that may come in; to be called in `on_ws_connect`.

    Raises:
        ConnectionRejectionError: when the guard asked for a key and neither handshake nor payload has it. Strawberry
            closes the socket with 4403.
    """
    admission = connection.scope.get(_ADMISSION)
    if admission is None or admission.is_admitted:
        return
    given = [value for name, value in (payload or {}).items() if name.lower() == "authorization"]
    if len(given) != 1 or not isinstance(given[0], str) or not admission.guard.accepts(given[0].encode()):
        raise ConnectionRejectionError


def _digest(secret: bytes) -> bytes:
    # Digests of equal length: comparing the keys themselves would tell their length.
    return sha256(secret).digest()


def _header(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key.lower() == name]


def _is_local_host(host: str) -> bool:
    parts = _HOST_AND_PORT.fullmatch(host)
    return parts is not None and is_loopback(parts["v6"] or parts["name"])


def _is_local_origin(origin: str) -> bool:
    parts = _WEB_ORIGIN.fullmatch(origin)
    return parts is not None and _is_local_host(parts["host"])
