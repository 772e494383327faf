"""Projections at once, and what changes between the recall and the write: DESIGN §6."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from cypher import Query
from graph.errors import Unavailable
from graph.neo4j_server import ServerAddress
from graph.store import Store
from resolvers import lifetimes
from resolvers.lifecycle import expire
from resolvers.project import Projection, Projector
from resolvers.recall.asking import Reading
from resolvers.recall.pipeline import RecallPipeline
from resolvers.recall.values import Recall
from tests.cut_line import cuttable_line
from tests.prepared import connection
from tests.resolvers.world import World, entity, later

CAFE = "the blue harbour cafe opens on Monday"
FORGET = Query(
    "test/forget",
    "MATCH (entity:Entity {space: $space}) OPTIONAL MATCH (active)-[:BOUND_TO]->(entity) DETACH DELETE entity, active",
    "write",
    frozenset({"space"}),
    (),
)


def linked(projection: Projection) -> set[tuple[str, float]]:
    return {(each.runtime_id, each.confidence) for each in projection.linked}


class Interrupted(RecallPipeline):
    """Something happens after a recall, before its projection is written."""

    def __init__(self, world: World, event: Callable[[], Awaitable[object]], *, times: int) -> None:
        super().__init__(world.store, world.embedder, world.recalling)
        self._event = event
        self.left = times

    async def answer(self, reading: Reading) -> Recall:
        recall = await super().answer(reading)
        if self.left:
            self.left -= 1
            await self._event()
        return recall


async def test_origin_p11_twenty_projections_of_one_entity_leave_one_active_entity(world: World) -> None:
    await world.load(entity("Alice"))

    done = await asyncio.gather(*(world.project(f"Alice came {n} times") for n in range(20)))

    (active,) = await world.actives()
    assert {each.runtime_id for projection in done for each in projection.linked} == {active["id"]}
    assert sum(projection.created for projection in done) == 1
    assert len(active["evidence"]) == 20


@pytest.mark.parametrize("text", [CAFE, "we met at Blue Harbour", "Alice came"])
async def test_design_6_twenty_projections_of_one_input_leave_one_evidence_and_one_active_entity(
    world: World, text: str
) -> None:
    await world.load(entity("Alice"))

    done = await asyncio.gather(*(world.project(text) for _ in range(20)))

    (active,) = await world.actives()
    assert len(active["evidence"]) == 1
    assert {projection.evidence_uuid for projection in done} == {done[0].evidence_uuid}
    assert sum(projection.created for projection in done) == 1


async def test_design_6_twenty_inputs_that_mention_one_unknown_name_leave_one_active_entity(world: World) -> None:
    done = await asyncio.gather(*(world.project(f"lunch number {n}?", mentions=("Priya Nair",)) for n in range(20)))

    (active,) = await world.actives()
    assert (active["subject"], len(active["evidence"])) == ("Priya Nair", 20)
    assert sum(projection.created for projection in done) == 1


async def test_projections_of_several_entities_crosswise_all_land(world: World) -> None:
    names = [f"Person{n}" for n in range(6)]
    await world.load(*(entity(name) for name in names))

    await asyncio.gather(
        *(world.project(f"{' and '.join(names[n % 6 :] + names[: n % 6])} met {n}") for n in range(12))
    )

    assert [len(each["evidence"]) for each in await world.actives()] == [12] * 6


async def test_many_at_once_after_expiry_open_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifetimes, "EXPIRED_IN_PASSING", 0)
    await world.load(entity("Alice"))
    await world.project("Alice came")

    await asyncio.gather(*(world.project(f"Alice came {n} times", at=later(hours=73)) for n in range(10)))

    (active,) = await world.actives()
    assert len(active["evidence"]) == 10
    assert len(await world.actives("EXPIRED")) == 1


async def test_an_entity_forgotten_meanwhile_is_looked_for_again(world: World) -> None:
    await world.load(entity("Alice"))
    pipeline = Interrupted(world, lambda: world.store.write(FORGET, space=world.space), times=1)

    projection = await Projector(world.store, pipeline, world.living).project(world.input("Alice came to see the sea"))

    (active,) = await world.actives()
    assert (active["bound"], linked(projection)) == (None, {(active["id"], 1.0)})


async def test_an_unbound_active_entity_let_go_meanwhile_is_looked_for_again(world: World) -> None:
    first = await world.project(CAFE)
    gone = [each.runtime_id for each in first.linked]
    pipeline = Interrupted(world, lambda: expire(world.store, gone), times=1)

    projection = await Projector(world.store, pipeline, world.living).project(
        world.input("is the blue harbour cafe nice?", at=later(minutes=1))
    )

    assert projection.created
    assert [each["id"] for each in await world.actives("EXPIRED")] == gone


async def test_a_conversation_that_changes_all_the_time_is_unavailable(world: World) -> None:
    await world.load(entity("Alice"))

    async def forget_and_remember() -> None:
        await world.store.write(FORGET, space=world.space)

    async def remember_first(reading: Reading) -> Recall:
        await world.load(entity("Alice", id=str(len(remembered))))
        remembered.append(reading)
        return await Interrupted(world, forget_and_remember, times=1).answer(reading)

    remembered: list[Reading] = []
    pipeline = world.pipeline
    pipeline.answer = remember_first  # type: ignore[method-assign]

    with pytest.raises(Unavailable, match="send it again"):
        await Projector(world.store, pipeline, world.living).project(world.input("Alice came"))
    assert len(remembered) == 3


async def test_an_unreachable_database_is_unavailable_in_bounded_time(
    world: World, neo4j_address: ServerAddress
) -> None:
    async with cuttable_line(neo4j_address) as line:
        store = await Store.connect(connection(neo4j_address, uri=line.uri, retry_time=1.0))
        try:
            cut_off = replace(world, store=store)
            await line.cut()
            async with asyncio.timeout(60):
                with pytest.raises(Unavailable):
                    await cut_off.recall("Alice came")
                with pytest.raises(Unavailable):
                    await cut_off.project("Alice came")
            await line.mend()
            assert (await cut_off.project(CAFE)).created, "usable when it is back"
        finally:
            await store.close()
