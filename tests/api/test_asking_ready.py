"""Doctor hears from a running service what keeps it waiting: a full pool is no dead database."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from api.asking_ready import REMEDIES, Answer, ask_ready
from api.checkup import Verdict, examine
from api.readiness import Reason
from api.settings import Settings


@pytest.fixture
def told() -> list[bytes]:
    """Return what the service in the tests says, once for each request."""
    return []


@pytest.fixture
async def settings(told: list[bytes]) -> AsyncIterator[Settings]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%s" % (len(told[0]), told[0]))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield Settings(port=server.sockets[0].getsockname()[1])


async def first_look(settings: Settings) -> tuple[str, Verdict, str, str]:
    checks = examine(settings)
    await anext(checks)
    check = await anext(checks)
    await checks.aclose()  # type: ignore[attr-defined]  # a generator, shown as what it yields
    return check.name, check.verdict, check.found, check.advice


@pytest.mark.parametrize("reason", Reason)
async def test_each_reason_has_its_next_step(settings: Settings, told: list[bytes], reason: Reason) -> None:
    told.append(b'{"ready": false, "reason": "%s"}' % reason.encode())
    assert await ask_ready(settings) == Answer(reason)
    name, verdict, found, advice = await first_look(settings)
    assert (name, advice) == ("service", REMEDIES[reason])
    assert found.endswith(f"is not ready: {reason}")
    assert verdict is not Verdict.FINE


def test_a_full_pool_and_a_dead_database_have_other_remedies() -> None:
    assert "connections" in REMEDIES[Reason.OVERLOADED]
    assert len(set(REMEDIES.values())) == len(Reason)


async def test_one_that_is_ready_is_fine(settings: Settings, told: list[bytes]) -> None:
    told.append(b'{"ready": true}')
    assert (await first_look(settings))[:2] == ("service", Verdict.FINE)


@pytest.mark.parametrize("other", [b"hello", b"[]", b'{"ready": false, "reason": "WHO_KNOWS"}', b"{}"])
async def test_somebody_else_on_the_port_is_told_from_a_service(
    settings: Settings, told: list[bytes], other: bytes
) -> None:
    told.append(other)
    assert (await first_look(settings))[:2] == ("port", Verdict.UNKNOWN)


async def test_one_that_accepts_and_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.asking_ready.SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert await ask_ready(Settings(port=silent.getsockname()[1])) is None
