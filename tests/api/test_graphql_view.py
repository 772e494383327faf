import json
import logging

import pytest
from websockets.exceptions import ConnectionClosed

from tests.api.small_service import client, codes, post, small_app, socket_to

APP = small_app()
INIT = '{"type": "connection_init"}'


@pytest.mark.parametrize(
    "body",
    [
        b"", b"5", b"null", b'"x"', b"[5]", b"\xff", b"[" * 100_000, b'{"query": NaN}',
        b'{"query": ' + b"9" * 5_000 + b"}",
        b"[null, 1, {}]",
        b'[{"query": "{ __typename }"}]',
        b"{}",
        b'{"query": null}',
        b'{"query": 5}',
        b'{"query": ["{ __typename }"]}',
        b'{"query": "{ __typename }", "variables": "x"}',
        b'{"query": "{ __typename }", "variables": []}',
        b'{"query": "{ __typename }", "operationName": 7}',
        b'{"query": "{ __typename }", "extensions": 7}',
        b'{"query": "query A { __typename }", "operationName": "B"}',
        b'{"query": "subscription { ticks(count: 2) }"}',
        b'{"query": "query($t: String!) { recall(text: $t) { subject } }", "variables": {"t": "\\ud800"}}',
    ],
)  # fmt: skip
async def test_a_malformed_request_is_the_clients_error(body: bytes) -> None:
    response = await post(APP, body)

    assert response.status_code == 400
    assert codes(response) == ["BAD_REQUEST"]


async def test_only_json_by_post_is_taken() -> None:
    async with client(APP) as http:
        query = "query{__typename}"
        refused = [
            await http.get("/graphql", params={"query": query}),
            await http.get("/graphql", params={"query": "mutation{__typename}"}),
            await http.get("/graphql", params={"query": query, "variables": "5"}),
            await http.post("/graphql", data={"query": query}),
            await http.post("/graphql", content=f"query={query}", headers={"content-type": "text/plain"}),
            await http.post("/graphql", content=b"", headers={"content-type": ""}),
            await http.post("/graphql", files={"operations": b"{}"}),
        ]
        put = await http.put("/graphql", json={"query": query})
        page = await http.get("/graphql", headers={"accept": "text/html"})

    assert [(each.status_code, codes(each)) for each in refused] == [(400, ["BAD_REQUEST"])] * len(refused)
    assert (put.status_code, page.status_code) == (405, 404)


async def test_a_number_too_large_for_its_type_is_an_error_of_that_variable() -> None:
    query = 'query($w: Float!) { recall(text: "x", weight: $w) { subject } }'

    response = await post(APP, {"query": query, "variables": {"w": 10**39}})
    integer = await post(
        APP, {"query": "query($l: Int!) { entities(limit: $l) { subject } }", "variables": {"l": 2**31}}
    )

    assert (response.status_code, integer.status_code) == (200, 200)
    assert "errors" in integer.json()


@pytest.mark.parametrize(
    "message",
    [
        "5", "[]", "null", '"x"', "{", "", "[{}]", "{}", '{"type": 5}', '{"type": ["subscribe"]}',
        '{"type": "unknown ' + "é" * 200 + '"}',
        '{"type": "subscribe"}',
        '{"type": "subscribe", "id": "1"}',
        '{"type": "subscribe", "id": [], "payload": {"query": "{ __typename }"}}',
        '{"type": "subscribe", "id": "1", "payload": 5}',
        '{"type": "subscribe", "id": "1", "payload": {"query": 5}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "variables": "x"}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "operationName": {}}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "operationName": "B"}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ ' + "é" * 200 + ' }"}}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "query \\"' + "é" * 200 + '\\""}}',
        '{"type": "complete", "id": {}}',
        '{"type": "ping", "payload": "\\ud800"}',
        b"\x00\x01",
    ],
)  # fmt: skip
async def test_a_malformed_message_closes_the_websocket_and_nothing_else(
    message: str | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with socket_to(APP) as connection:
        await connection.send(INIT)
        await connection.recv()
        await connection.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            await connection.recv()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4400
    assert [record.getMessage() for record in caplog.records if is_the_servers_fault(record)] == []


def is_the_servers_fault(record: logging.LogRecord) -> bool:
    # Strawberry logs what it tells the client as an error, too.
    return record.levelno >= logging.ERROR and record.name != "strawberry.execution"


async def test_a_subscription_and_a_query_run_over_one_websocket() -> None:
    async with socket_to(APP) as connection:
        await connection.send(INIT)
        await connection.recv()
        for id_, query in (("1", "subscription { ticks(count: 2) }"), ("2", "{ __typename }")):
            await connection.send(json.dumps({"type": "subscribe", "id": id_, "payload": {"query": query}}))
        received = [json.loads(await connection.recv()) for _ in range(5)]

    assert [each["payload"]["data"] for each in received if each["type"] == "next" and each["id"] == "1"] == [
        {"ticks": 0},
        {"ticks": 1},
    ]
    assert sorted(each["id"] for each in received if each["type"] == "complete") == ["1", "2"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("query A { __typename } query B { __typename }", "OPERATION_NAME_REQUIRED"),
        ("{ entities { " + "relations { target { " * 6 + "subject " + "} } " * 6 + "} }", "DEPTH_LIMIT"),
    ],
)
async def test_the_bounds_hold_over_a_websocket(query: str, code: str) -> None:
    async with socket_to(APP) as connection:
        await connection.send(INIT)
        await connection.recv()
        await connection.send(json.dumps({"type": "subscribe", "id": "1", "payload": {"query": query}}))
        received = json.loads(await connection.recv())

    assert received["type"] == "error"
    assert [error["extensions"]["code"] for error in received["payload"]] == [code]
