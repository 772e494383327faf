from typing import Any

import pytest
from starlette.types import Message
from websockets.exceptions import ConnectionClosed, InvalidStatus

from api.auth import API_KEY_SETTING, AccessGuard, check_bind, is_loopback
from graph.errors import NotConfigured
from tests.api.small_service import client, codes, post, small_app, socket_to

KEY = "a key of many words é"
BEARER = f"Bearer {KEY}"
QUERY = {"query": "{ __typename }"}
INIT = '{"type": "connection_init"}'


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "::1", "0:0:0:0:0:0:0:1"])
def test_loopback_needs_no_key(host: str) -> None:
    assert is_loopback(host)
    check_bind(host, None)


@pytest.mark.parametrize(
    "host",
    ["0.0.0.0", "::", "", "192.168.1.2", "10.0.0.1", "example.com", "localhost.example.com", "127.1", "::1.2.3.4"],
)
def test_other_addresses_need_a_key(host: str) -> None:
    assert not is_loopback(host)
    check_bind(host, KEY)
    for missing in (None, "", "  "):
        with pytest.raises(NotConfigured) as refused:
            check_bind(host, missing)
        assert refused.value.setting == API_KEY_SETTING


async def test_the_right_key_is_let_in() -> None:
    app = small_app(api_key=KEY, local_only=False)

    for authorization in (BEARER, f"bearer {KEY}", f"BEARER  {KEY} "):
        response = await post(app, QUERY, authorization=authorization.encode())
        assert response.json() == {"data": {"__typename": "Query"}}


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer ", "Bearer a key", f"Basic {KEY}", KEY, f"{BEARER}x"]
)
async def test_any_other_credentials_are_refused(authorization: str | None) -> None:
    app = small_app(api_key=KEY, local_only=False)
    headers = {} if authorization is None else {"authorization": authorization.encode()}

    response = await post(app, QUERY, **headers)

    assert response.status_code == 401
    assert response.headers["www-authenticate"] == 'Bearer realm="impressions"'
    assert codes(response) == ["UNAUTHORIZED"]


async def test_probes_need_no_key() -> None:
    async with client(small_app(api_key=KEY, local_only=False)) as http:
        assert (await http.get("/healthz")).text == "ok"
        assert (await http.get("/healthz/")).status_code == 401
        assert (await http.get("/")).status_code == 401


async def test_open_paths_are_exact_or_folders() -> None:
    async def reached(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    guard = AccessGuard(reached, api_key=KEY, local_only=False, open_paths=["/", "/assets/"])
    async with client(guard) as http:
        statuses = {path: (await http.get(path)).status_code for path in ("/", "/assets/a.js", "/assets", "/graphql")}

    assert statuses == {"/": 204, "/assets/a.js": 204, "/assets": 401, "/graphql": 401}


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:80", "127.1.2.3", "[::1]", "[::1]:8000"])
async def test_local_host_names_are_served(host: str) -> None:
    response = await post(small_app(), QUERY, host=host, origin=f"http://{host}")

    assert response.status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "localhost.example.com",
        "localhost:80@example.com",
        "0.0.0.0:8000",
        "[::]",
        "",
        "[::1",
        "local host",
    ],
)
async def test_other_host_names_are_misdirected(host: str) -> None:
    response = await post(small_app(), QUERY, host=host)

    assert response.status_code == 421
    assert codes(response) == ["HOST_NOT_LOCAL"]


@pytest.mark.parametrize(
    "origin",
    ["null", "", "https://example.com", "http://localhost.example.com", "http://localhost@example.com", "file://localhost",
     "http://localhost/path", "localhost"],
)  # fmt: skip
async def test_pages_of_other_origins_are_refused(origin: str) -> None:
    response = await post(small_app(), QUERY, origin=origin)

    assert response.status_code == 403
    assert codes(response) == ["ORIGIN_NOT_LOCAL"]


async def test_host_and_origin_are_free_where_a_key_is_asked_for() -> None:
    app = small_app(api_key="key", local_only=False)

    response = await post(
        app, QUERY, host="memory.example.com", origin="https://example.com", authorization="Bearer key"
    )

    assert response.status_code == 200


async def test_a_local_service_with_a_key_asks_for_both() -> None:
    app = small_app(api_key="key", local_only=True)

    assert (await post(app, QUERY, authorization="Bearer key")).status_code == 200
    assert (await post(app, QUERY)).status_code == 401
    assert (await post(app, QUERY, authorization="Bearer key", host="example.com")).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://example.com"}, {"origin": "null"}, {"authorization": "Bearer x"}],
)
async def test_a_websocket_is_refused_before_it_is_accepted(headers: dict[str, str]) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with socket_to(small_app(api_key="key"), **headers):
            pass

    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("hosts", [[], [b"example.com"], [b"localhost", b"example.com"]])
async def test_a_websocket_to_another_host_name_is_refused_before_it_is_accepted(hosts: list[bytes]) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "websocket", "path": "/graphql", "headers": [(b"host", host) for host in hosts]}
    await small_app()(scope, receive_nothing, send)

    assert [message["type"] for message in sent] == ["websocket.close"]


async def receive_nothing() -> Message:
    raise AssertionError("nothing should be read of a connection that is refused")


async def test_a_websocket_shows_its_key_in_the_handshake() -> None:
    async with socket_to(small_app(api_key="key"), authorization="Bearer key") as connection:
        await connection.send(INIT)

        assert await connection.recv() == '{"type":"connection_ack"}'


@pytest.mark.parametrize("name", ["authorization", "Authorization"])
async def test_a_websocket_shows_its_key_in_its_first_message(name: str) -> None:
    async with socket_to(small_app(api_key="key")) as connection:
        await connection.send(f'{{"type": "connection_init", "payload": {{"{name}": "Bearer key"}}}}')

        assert await connection.recv() == '{"type":"connection_ack"}'


@pytest.mark.parametrize(
    "payload",
    [
        "{}",
        '{"authorization": "Bearer x"}',
        '{"authorization": 5}',
        '{"authorization": "Bearer key", "Authorization": "x"}',
    ],
)
async def test_a_websocket_without_the_key_is_closed(payload: str) -> None:
    async with socket_to(small_app(api_key="key")) as connection:
        await connection.send(f'{{"type": "connection_init", "payload": {payload}}}')

        with pytest.raises(ConnectionClosed) as closed:
            await connection.recv()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4403


async def test_a_websocket_cannot_subscribe_before_it_has_shown_its_key() -> None:
    async with socket_to(small_app(api_key="key")) as connection:
        await connection.send('{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }"}}')

        with pytest.raises(ConnectionClosed) as closed:
            await connection.recv()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401
