"""A database that does not answer is known not to, apart from what callers ask of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from graph.errors import DatabaseGone, Unavailable
from graph.neo4j_server import ServerAddress
from graph.store import Store
from graph.store.heartbeat import MOST_WAIT_MS, Heartbeat
from tests.cut_line import cuttable_line
from tests.hung_line import hung_line
from tests.prepared import connection, query, rows


@asynccontextmanager
async def watched(address: ServerAddress, uri: str) -> AsyncIterator[Store]:
    store = await Store.connect(connection(address, uri=uri, time_limit=60.0, retry_time=60.0))
    try:
        async with store.watched():
            yield store
    finally:
        await store.close()


async def until(store: Store, *, answering: bool) -> None:
    async with asyncio.timeout(60):
        while store.is_answering is not answering:  # noqa: ASYNC110 -- it is asked, as a health check does
            await asyncio.sleep(0.02)


async def test_callers_of_a_server_that_went_away_are_told_at_once_and_served_when_it_is_back(
    neo4j_address: ServerAddress,
) -> None:
    async with cuttable_line(neo4j_address) as line, watched(neo4j_address, line.uri) as store:
        assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]
        await line.cut()
        waiting = asyncio.create_task(store.read(query("RETURN 1")))
        await until(store, answering=False)
        with pytest.raises(DatabaseGone, match="Neo4j has not answered for"):
            await waiting  # its own time limit and retries would have taken a minute
        with pytest.raises(DatabaseGone) as refused:
            await store.read(query("RETURN 1"))
        assert 1_000 <= refused.value.retry_after_ms <= MOST_WAIT_MS
        with pytest.raises(DatabaseGone):
            await store.within(300).write(query("RETURN 1"))
        await line.mend()
        await until(store, answering=True)
        assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]


@pytest.mark.slow
async def test_a_server_that_hangs_is_found_out_within_the_time_a_caller_may_wait(neo4j_address: ServerAddress) -> None:
    async with hung_line(neo4j_address) as line, watched(neo4j_address, line.uri) as store:
        assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]
        line.hang()
        began = asyncio.get_running_loop().time()
        with pytest.raises(Unavailable):
            await store.read(query("RETURN 1"))
        await until(store, answering=False)
        assert asyncio.get_running_loop().time() - began < 20, "two beats of three seconds; the call itself has sixty"
        line.go_on()
        await until(store, answering=True)
        assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]
        await store.idle()
        assert store.pool.in_use == 0


async def test_a_store_that_nobody_watches_takes_its_database_for_alive(store: Store) -> None:
    assert store.is_answering


async def test_one_missed_beat_is_no_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph.store.heartbeat.AGAIN_SECONDS", 0.0)
    monkeypatch.setattr("graph.store.heartbeat.BEAT_SECONDS", 0.0)
    told: list[Exception] = []
    script = iter([None, Unavailable("cut"), None, Unavailable("cut"), Unavailable("dead"), Unavailable("dead"), None])
    states: list[bool] = []
    heart = Heartbeat(lambda error: told.append(error()))

    async def beat() -> None:
        states.append(heart.is_alive)
        answer = next(script, asyncio.CancelledError())
        if answer is not None:
            raise answer

    with pytest.raises(asyncio.CancelledError):
        await heart.run(beat)
    assert states == [True, True, True, True, True, False, False, True]
    assert [str(error) for error in told] == ["Neo4j has not answered for 0 s: dead"]
    heart.check()


async def test_a_hang_costs_no_connection_and_is_over_when_the_server_goes_on(neo4j_address: ServerAddress) -> None:
    async with hung_line(neo4j_address) as line:
        store = await Store.connect(connection(neo4j_address, uri=line.uri, most_connections=10, time_limit=8.0))
        try:
            async with store.watched():
                await asyncio.gather(*(rows(store, "RETURN 1 AS one") for _ in range(10)))
                line.hang()
                told = await asyncio.gather(*(store.read(query("RETURN 1")) for _ in range(20)), return_exceptions=True)
                assert all(isinstance(each, Unavailable) for each in told)
                await until(store, answering=False)
                line.go_on()
                await until(store, answering=True)
                await store.idle()
                assert store.pool.in_use == 0
                together = await asyncio.gather(*(rows(store, "RETURN 1 AS one") for _ in range(10)))
                assert together == [[{"one": 1}]] * 10
        finally:
            await store.close()
