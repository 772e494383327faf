"""Logs: where they go, in which form, and what they never tell."""

import asyncio
import json
import logging
from collections.abc import Iterator

import httpx
import pytest
import structlog
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from api import logs
from tests.api.small_service import serving, small_app


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    root, config = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(capture=False)
    structlog.configure(**config)


def test_json_lines_carry_what_both_kinds_of_loggers_say(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("INFO", as_json=True)
    structlog.get_logger("impressions").info("rolled", run="r1", count=2)
    logging.getLogger("elsewhere").warning("odd: %s", "x")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["event"], first["run"], first["count"], first["level"]) == ("rolled", "r1", 2, "info")
    assert (second["event"], second["logger"], second["level"]) == ("odd: x", "elsewhere", "warning")


@pytest.mark.parametrize("as_json", [True, False])
def test_secrets_are_blanked(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    logs.configure("DEBUG", as_json=as_json)
    structlog.get_logger("impressions").info("set", neo4j_password="hunter2", Authorization="Bearer hunter2")
    assert "hunter2" not in capsys.readouterr().err


def test_a_failure_shows_its_traceback_to_who_debugs_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        password = "hunter2"
        assert password
        raise ValueError("no")

    for level, shown in (("INFO", False), ("DEBUG", True)):
        logs.configure(level, as_json=False)
        with pytest.raises(ValueError, match="no") as caught:
            fail()
        logs.log_failure(caught.value)
        told = capsys.readouterr().err
        assert ("Traceback" in told) is shown
        assert "hunter2" not in told


def test_libraries_are_quiet_unless_everything_is_heard(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("INFO", as_json=False)
    logging.getLogger("uvicorn.access").info("GET /")
    assert capsys.readouterr().err == ""
    logs.configure("DEBUG", as_json=False)
    logging.getLogger("uvicorn.access").info("GET /")
    assert "GET /" in capsys.readouterr().err


KEY = "hunter2hunter2"


async def _say_it_everywhere(port: int) -> None:
    """Put a key wherever a client might: the query, the user, the host, headers, the first message of a socket."""
    at = f"127.0.0.1:{port}"
    async with httpx.AsyncClient() as http:
        for query in (f"api_key={KEY}", f"authorization=Bearer%20{KEY}", KEY, f"a=1&token={KEY}"):
            await http.post(f"http://{at}/graphql?{query}", json={"query": "{__typename}"})
        await http.get(f"http://user:{KEY}@{at}/nowhere", headers={"X-Api-Key": KEY, "Cookie": f"key={KEY}"})
        await http.get(f"http://{at}/nowhere", headers={"Host": f"user:{KEY}@{at}"})
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    target = f"http://user:{KEY}@{at}/graphql?api_key={KEY}"
    writer.write(f"GET {target} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n".encode())
    await reader.read()
    writer.close()
    async with connect(
        f"ws://{at}/graphql?api_key={KEY}",
        subprotocols=[Subprotocol("graphql-transport-ws")],
        additional_headers={"Authorization": f"Bearer {KEY}", "X-Api-Key": KEY},
        proxy=None,
    ) as socket:
        await socket.send(json.dumps({"type": "connection_init", "payload": {"authorization": f"Bearer {KEY}"}}))
        await socket.recv()


@pytest.mark.parametrize("as_json", [True, False])
async def test_a_key_that_a_client_sends_anywhere_is_in_no_log(
    capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    logs.configure("DEBUG", as_json=as_json)
    for name in ("httpx", "httpcore", "websockets.client"):  # the client of this test, in the same process
        logging.getLogger(name).setLevel("WARNING")
    async with serving(small_app(api_key=KEY)) as port:
        await _say_it_everywhere(port)
    told = capsys.readouterr().err
    assert "POST /graphql?***" in told
    assert "GET /nowhere" in told
    assert KEY not in told


@pytest.mark.parametrize("as_json", [True, False])
def test_a_log_steers_no_terminal(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    logs.configure("INFO", as_json=as_json)
    structlog.get_logger("impressions").info("said \x9b2J", text="\x1b[2J \u202eevil")
    assert not {"\x9b", "\x1b", "\u202e"} & set(capsys.readouterr().err)


def test_a_traceback_in_json_tells_no_local_variable(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("INFO", as_json=True)

    def fail(given: str) -> None:
        raise ValueError(len(given))

    try:
        fail(KEY)
    except ValueError:
        structlog.get_logger("impressions").exception("failed")
    assert KEY not in capsys.readouterr().err
