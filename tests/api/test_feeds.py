"""However many follow, the database is looked at once; one that falls behind is let go, and nothing is left running."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from gql import gql
from gql.transport.exceptions import TransportQueryError

from api.feeds import MOST_UNREAD, Shared
from api.seats import Seats
from graph.errors import NotFound, Unavailable
from tests.api.update_api import Api, plan, submit

FOLLOWERS = 60


class Script:
    """A source that tells what a test puts in, and how often it was begun."""

    def __init__(self) -> None:
        self.begun = Counter[str]()
        self.running = Counter[str]()
        self.things: asyncio.Queue[int | Exception] = asyncio.Queue()

    async def source(self, space: str) -> AsyncGenerator[int, None]:
        self.begun[space] += 1
        self.running[space] += 1
        try:
            while True:
                thing = await self.things.get()
                if isinstance(thing, Exception):
                    raise thing
                yield thing
        finally:
            self.running[space] -= 1


async def take(shared: Shared[int], space: str, count: int) -> list[int]:
    taken: list[int] = []
    async with aclosing(shared.follow(space)) as things:
        async for thing in things:
            taken.append(thing)
            if len(taken) == count:
                break
    return taken


async def test_all_who_follow_a_space_share_one_source_which_ends_with_the_last() -> None:
    script = Script()
    shared = Shared(script.source)
    following = [asyncio.create_task(take(shared, "a", 2 + place % 2)) for place in range(10)]
    await asyncio.sleep(0)
    for thing in (1, 2, 3):
        script.things.put_nowait(thing)
    assert [tuple(each) for each in await asyncio.gather(*following)] == [(1, 2), (1, 2, 3)] * 5
    await asyncio.sleep(0)
    assert (script.begun["a"], script.running["a"]) == (1, 0)
    script.things.put_nowait(4)
    assert await take(shared, "a", 1) == [4]
    assert script.begun["a"] == 2


async def test_an_outage_ends_all_of_them_and_the_next_begins_anew() -> None:
    script = Script()
    shared = Shared(script.source)
    following = [asyncio.create_task(take(shared, "a", 1)) for _ in range(3)]
    await asyncio.sleep(0)
    script.things.put_nowait(Unavailable("gone"))
    outcomes = await asyncio.gather(*following, return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["gone"] * 3
    script.things.put_nowait(5)
    assert await take(shared, "a", 1) == [5]


async def test_one_that_does_not_read_is_let_go_and_the_others_are_told_everything() -> None:
    script = Script()
    shared = Shared(script.source)
    lazy = shared.follow("a")
    first = asyncio.create_task(anext(lazy))
    eager = asyncio.create_task(take(shared, "a", MOST_UNREAD + 2))
    await asyncio.sleep(0)
    for thing in range(MOST_UNREAD + 2):
        script.things.put_nowait(thing)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert await first == 0
    assert len(await eager) == MOST_UNREAD + 2
    with pytest.raises(Unavailable, match="read faster"):
        await anext(lazy)


async def test_many_subscribers_cost_as_many_looks_as_one(api: Api) -> None:
    looks: list[str] = []
    watching = gql("subscription($space: String!) { entityChanged(space: $space) { kind } }")
    watching.variable_values = {"space": api.space}
    async with api.listening() as client, client as session, asyncio.timeout(60):
        events = [session.subscribe(watching).__aiter__() for _ in range(FOLLOWERS)]
        firsts = [asyncio.create_task(anext(each)) for each in events]
        await asyncio.sleep(1.0)
        api.service.store.observers.append(lambda name, _: looks.append(name))
        await asyncio.sleep(1.6)
        before = looks.count("update/list_changes_since")
        await submit(api, plan())
        told = await asyncio.gather(*firsts)
    assert [each["entityChanged"]["kind"] for each in told] == ["CREATE"] * FOLLOWERS
    assert 1 <= before <= 8, f"looked {before} times in a second and a half for {FOLLOWERS} subscribers"


async def test_a_run_that_is_gone_is_not_waited_for(api: Api) -> None:
    run = await submit(api, plan())
    watching = gql('subscription($space: String!) { updateRunProgress(runId: "none", space: $space) { status } }')
    watching.variable_values = {"space": api.space}
    async with api.listening() as client, client as session, asyncio.timeout(60):
        with pytest.raises(TransportQueryError, match="no run 'none'"):
            await anext(session.subscribe(watching).__aiter__())
    with pytest.raises(NotFound):
        await anext(api.service.progress.follow("another-space", run["id"]))


async def test_only_so_many_subscriptions_are_open(api: Api) -> None:
    watching = gql("subscription($space: String!) { entityChanged(space: $space) { kind } }")
    watching.variable_values = {"space": api.space}
    object.__setattr__(api.service, "subscribers", Seats(most=2, most_of_one_client=2))
    async with api.listening() as client, client as session, asyncio.timeout(60):
        waiting = [asyncio.create_task(anext(session.subscribe(watching).__aiter__())) for _ in range(2)]
        while api.service.subscribers.taken < 2:  # noqa: ASYNC110 -- counted, not told
            await asyncio.sleep(0.01)
        with pytest.raises(TransportQueryError, match="too many subscriptions are open") as refused:
            await anext(session.subscribe(watching).__aiter__())
        assert (refused.value.errors or [{}])[0]["extensions"] == {"code": "UNAVAILABLE", "retryAfterMs": 5_000}
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    assert api.service.subscribers.taken == 0
