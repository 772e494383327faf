"""Whatever is cancelled, whenever: no connection is lost, and nothing goes on on the server (decision 0040)."""

import asyncio
from collections.abc import AsyncIterator
from random import Random
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.errors import PoolExhausted, Unavailable
from graph.neo4j_server import ServerAddress
from graph.store import Store, Transaction
from tests.faulty_line import faulty_line
from tests.hung_line import hung_line
from tests.prepared import connection, query, rows

MOST: Final = 4
SLOW: Final = query(
    "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a % (b + 1) AS c "
    "RETURN sum(c) AS never_in_time, $mark AS mark",
    "mark",
)
GOING_ON: Final = (
    "SHOW TRANSACTIONS YIELD currentQuery, parameters WHERE currentQuery CONTAINS 'never_in_time' "
    "RETURN parameters.mark AS mark"
)


@pytest.fixture
async def small(neo4j_address: ServerAddress) -> AsyncIterator[Store]:
    """Return a store of few connections: one that is lost is missed at once."""
    store = await Store.connect(connection(neo4j_address, most_connections=MOST))
    yield store
    await store.close()


async def all_places_are_free(store: Store) -> None:
    await store.idle()
    assert store.pool.in_use == 0
    together = await asyncio.gather(*(rows(store, "RETURN 1 AS one") for _ in range(MOST)))
    assert together == [[{"one": 1}]] * MOST


async def some_work(store: Store, kind: int) -> None:
    async def twice(transaction: Transaction) -> None:
        await transaction.run(query("RETURN 1"))
        await transaction.run(query("RETURN 2"))

    match kind % 3:
        case 0:
            await store.read(query("RETURN 1"))
        case 1:
            await store.write(query("RETURN 1"))
        case _:
            await store.transaction("twice", twice)


async def cancelled_after(turns: int, store: Store, kind: int) -> None:
    """Let some work go on for so many turns of the loop, then cancel it."""
    task = asyncio.create_task(some_work(store, kind))
    for _ in range(turns):
        await asyncio.sleep(0)
        if task.done():
            break
    task.cancel()
    await asyncio.wait([task])


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 60), min_size=1, max_size=3 * MOST), st.integers(0, 2))
async def test_a_cancellation_at_any_await_costs_no_connection(small: Store, turns: list[int], kind: int) -> None:
    await asyncio.gather(*(cancelled_after(each, small, kind + place) for place, each in enumerate(turns)))
    await all_places_are_free(small)


async def test_cancellations_at_random_moments_cost_no_connection(small: Store) -> None:
    chance = Random(9)
    for _ in range(100):
        tasks = [asyncio.create_task(some_work(small, kind)) for kind in range(2 * MOST)]
        for task in tasks:
            await asyncio.sleep(chance.random() / 1_000)
            task.cancel()
        await asyncio.wait(tasks)
    await all_places_are_free(small)


@pytest.mark.parametrize("how", ["cancelled", "time is up"])
async def test_what_nobody_waits_for_ends_on_the_server(
    store: Store, neo4j_address: ServerAddress, space: str, how: str
) -> None:
    limit = 60.0 if how == "cancelled" else 5.0
    asking = await Store.connect(connection(neo4j_address, most_connections=MOST, time_limit=limit))
    try:
        task = asyncio.create_task(asking.read(SLOW, mark=space))
        while {"mark": space} not in await rows(store, GOING_ON):  # noqa: ASYNC110 -- the server has no event for it
            await asyncio.sleep(0.02)
        if how == "cancelled":
            task.cancel()
        await asyncio.wait([task])
        while {"mark": space} in await rows(store, GOING_ON):  # noqa: ASYNC110 -- the same
            await asyncio.sleep(0.02)
        await all_places_are_free(asking)
    finally:
        await asking.close()


async def test_a_write_that_was_cancelled_is_written_whole_or_not_at_all(small: Store, space: str) -> None:
    pair = query("CREATE (:Conversation {space: $space}), (:Conversation {space: $space})", "space")
    for turns in range(0, 60, 2):
        task = asyncio.create_task(small.write(pair, space=f"{space}-{turns}"))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    await small.idle()
    found = await rows(
        small,
        "MATCH (n:Conversation) WHERE n.space STARTS WITH $space RETURN n.space AS space, count(*) AS nodes",
        space=space,
    )
    assert {row["nodes"] for row in found} <= {2}
    await small.write(query("MATCH (n:Conversation) WHERE n.space STARTS WITH $space DELETE n", "space"), space=space)


async def test_more_calls_than_connections_wait_their_turn_or_are_told_that_all_are_in_use(small: Store) -> None:
    await asyncio.gather(*(some_work(small, kind) for kind in range(10 * MOST)))

    holding = [asyncio.create_task(small.read(SLOW, mark="holds")) for _ in range(MOST)]
    while not small.pool.is_exhausted:  # noqa: ASYNC110 -- the pool has no event for it
        await asyncio.sleep(0.01)
    with pytest.raises(PoolExhausted, match="all connections to Neo4j are in use"):
        await small.read(query("RETURN 1"))
    for task in holding:
        task.cancel()
    await asyncio.wait(holding)
    await all_places_are_free(small)


@pytest.mark.parametrize("message", range(1, 9))
async def test_a_line_that_breaks_while_work_is_cancelled_costs_no_connection(
    neo4j_address: ServerAddress, message: int
) -> None:
    async with faulty_line(neo4j_address) as line:
        # Retried, as in use: whoever first meets a connection that was cut while nobody looked has to try once more.
        store = await Store.connect(connection(neo4j_address, uri=line.uri, retry_time=5.0, most_connections=MOST))
        try:
            line.break_at(message, answer_lost=bool(message % 2))
            tasks = [asyncio.create_task(some_work(store, kind)) for kind in range(MOST)]
            for place, task in enumerate(tasks):
                for _ in range(3 * place * message):
                    await asyncio.sleep(0)
                task.cancel()
            await asyncio.wait(tasks)
            line.mend()
            await all_places_are_free(store)
        finally:
            await store.close()


async def test_a_server_that_hangs_keeps_no_caller_and_no_connection(neo4j_address: ServerAddress) -> None:
    """Between us and the server stands a line that carries nothing for a while, and is not cut."""
    async with hung_line(neo4j_address) as line:
        limited = connection(neo4j_address, uri=line.uri, retry_time=0.0, most_connections=MOST, time_limit=1.0)
        store = await Store.connect(limited)
        try:
            line.hang()
            outcomes = await asyncio.gather(
                *(some_work(store, kind) for kind in range(2 * MOST)), return_exceptions=True
            )
            assert {type(outcome) for outcome in outcomes} == {Unavailable}
            line.go_on()
            await all_places_are_free(store)
        finally:
            await store.close()


async def test_a_store_is_closed_while_the_server_hangs(neo4j_address: ServerAddress) -> None:
    async with hung_line(neo4j_address) as line:
        store = await Store.connect(connection(neo4j_address, uri=line.uri, retry_time=0.0))
        await store.read(query("RETURN 1"))
        line.hang()
        waiting = asyncio.create_task(store.read(query("RETURN 1")))
        await asyncio.sleep(0.05)
        waiting.cancel()
        async with asyncio.timeout(60):
            await store.close()
