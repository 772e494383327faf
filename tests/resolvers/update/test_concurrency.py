"""Many at once: no name twice, nothing lost, one live active entity a conversation."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from graph.neo4j_server import ServerAddress
from graph.store import Store
from resolvers.update.pipeline import Outcome, UpdatePipeline
from resolvers.update.runs import RunStatus
from resolvers.update.seen import Decision
from tests.prepared import connection
from tests.resolvers.update.updating import Updating, plan_of, rolled, seen
from tests.resolvers.world import entity

AT_ONCE = 16


@pytest.fixture
async def other_store(neo4j_address: ServerAddress) -> AsyncIterator[Store]:
    store = await Store.connect(connection(neo4j_address), strict=True)
    yield store
    await store.close()


async def no_name_twice(updating: Updating) -> None:
    twice = await updating.rows(
        """
        MATCH (a:Alias {space: $space})<-[:KNOWN_AS]-(e:Entity)
        WITH a, count(DISTINCT e) AS bearers WHERE bearers > 1 RETURN a.key AS key, bearers
        """
    )
    assert twice == []
    await updating.check()


async def test_sixteen_runs_that_create_the_same_leave_no_duplicate_and_lose_nothing(
    updating: Updating, other_store: Store
) -> None:
    people = ("Alice", "Bob", "Carol", "Dan")
    pipelines = [updating.pipeline, updating.another(other_store)]

    async def one(number: int) -> Outcome:
        order = [people[(number + place) % 4] for place in range(4)]
        said = [f"{name} told story number {number} to everybody" for name in order]
        plan = [
            seen(name, text, features=[f"told story {number}"], aliases=[f"{name} the Great"] if number % 2 else [])
            for name, text in zip(order, said, strict=True)
        ]
        pipeline = pipelines[number % 2]
        return await pipeline.submit(updating.space, "c", [plan_of(*plan)], rolling=rolled(*said))

    runs = [outcome.run for outcome in await asyncio.gather(*map(one, range(AT_ONCE)))]
    assert {run.status for run in runs} == {RunStatus.APPLIED}
    await no_name_twice(updating)
    for name in people:
        told = await updating.statements(name)
        waiting = await updating.runs.pending(updating.space)
        assert len(told) + len(waiting) == AT_ONCE, (name, sorted(told), waiting)
        assert await updating.names(name) == {f"{name} the Great"}


async def test_overlapping_aliases_land_or_are_postponed_with_a_reason(updating: Updating, other_store: Store) -> None:
    pipelines = [updating.pipeline, updating.another(other_store)]
    names = ("Robert", "Bob", "Bobby", "Rob")

    async def one(number: int) -> Outcome:
        subject, alias = names[number % 4], names[(number + 1) % 4]
        said = f"{subject}, whom some call {alias}, ran lap {number}"
        return await pipelines[number % 2].submit(
            updating.space, "c", [plan_of(seen(subject, said, aliases=[alias], features=[f"ran lap {number}"]))],
            rolling=rolled(said),
        )  # fmt: skip

    outcomes = await asyncio.gather(*map(one, range(AT_ONCE)))
    await no_name_twice(updating)
    stand = await updating.rows("MATCH (s:Feature {space: $space}) RETURN s.text AS text")
    landed = {row["text"] for row in stand}
    assert len(landed) == len(stand)
    waiting = {
        statement.text: each.reason
        for each in await updating.runs.pending(updating.space)
        for statement in each.resolution.observation.statements
    }
    for number, outcome in enumerate(outcomes):
        text = f"ran lap {number}"
        if outcome.run.status in {RunStatus.APPLIED, RunStatus.NO_CHANGE}:
            assert text in landed or waiting[text], (number, outcome.run.resolutions)
        else:
            assert outcome.run.status is RunStatus.FAILED
            assert outcome.run.reason


async def test_the_same_sent_sixteen_times_at_once_is_one_run(updating: Updating, other_store: Store) -> None:
    pipelines = [updating.pipeline, updating.another(other_store)]
    said = "Alice moved to Hangzhou last year"
    plan = plan_of(seen("Alice", said, features=["lives in Hangzhou"]))
    told = rolled(said)
    outcomes = await asyncio.gather(
        *(pipelines[n % 2].submit(updating.space, "c", [plan], rolling=told) for n in range(AT_ONCE))
    )
    assert len({outcome.run.id for outcome in outcomes}) == 1
    assert sum(outcome.created for outcome in outcomes) == 1
    assert await updating.statements("Alice") == {"lives in Hangzhou": 0.8}
    await no_name_twice(updating)


async def test_projections_and_updates_at_once_leave_one_live_active_entity(
    updating: Updating, other_store: Store
) -> None:
    """P11."""
    await updating.world.load(entity("Bob"))
    pipelines = [updating.pipeline, updating.another(other_store)]
    first = "Alice and Bob went sailing together"
    await updating.project(first, mentions=["Alice", "Bob"])

    async def project(number: int) -> None:
        await updating.project(f"Alice sailed leg {number} and Bob slept", mentions=["Alice", "Bob"])

    async def submit(number: int) -> None:
        said = f"Alice won race {number} alone"
        plan = plan_of(seen("Alice", said, features=[f"won race {number}"], sources=["Alice"]))
        await pipelines[number % 2].submit(updating.space, "c", [plan], rolling=rolled(said))

    await asyncio.gather(*(each(number) for number in range(8) for each in (project, submit)))
    await no_name_twice(updating)
    actives = await updating.world.actives()
    assert sorted(each["bound"] for each in actives if each["bound"]) == ["Alice", "Bob"]
    told = {evidence["text"] for active in actives for evidence in active["evidence"]}
    assert {f"Alice sailed leg {number} and Bob slept" for number in range(8)} <= told
    again = await updating.project("Alice sails on")
    assert not any(each.opened for each in again.linked)


async def test_confirmed_sixteen_times_at_once_it_lands_once(updating: Updating, other_store: Store) -> None:
    said = "Alice moved to Hangzhou last year"
    run = await updating.manual(seen("Alice", said, features=["lives in Hangzhou"]), said=[said])
    pipelines: list[UpdatePipeline] = [updating.pipeline, updating.another(other_store)]
    outcomes = await asyncio.gather(
        *(pipelines[n % 2].confirm(updating.space, run.id) for n in range(AT_ONCE)), return_exceptions=True
    )
    assert (await updating.pipeline.read(updating.space, run.id)).status is RunStatus.APPLIED
    assert any(not isinstance(each, BaseException) and each.status is RunStatus.APPLIED for each in outcomes)
    assert await updating.statements("Alice") == {"lives in Hangzhou": 0.8}
    await no_name_twice(updating)


async def test_one_waiting_observation_decided_twice_at_once_makes_one(updating: Updating) -> None:
    await updating.world.load(entity("Alex Smith", aliases=["Alex"]), entity("Alex Jones", aliases=["Alex"]))
    said = "Alex plays the violin on Sundays"
    await updating.submit(seen("Alex", said, features=["plays the violin"]), said=[said])
    (waiting,) = await updating.runs.pending(updating.space)
    outcomes = await asyncio.gather(
        *(updating.pipeline.decide(updating.space, waiting.id, Decision.CREATE, None) for _ in range(4)),
        return_exceptions=True,
    )
    landed = [each for each in outcomes if not isinstance(each, BaseException) and each.status is RunStatus.APPLIED]
    assert len(landed) == 1, outcomes
    assert len(await updating.known("Alex")) == 3
