"""How long the runtime remembers: DESIGN §6."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from cypher import Query, load
from graph.store import Transaction
from resolvers.lifecycle import expire, expire_overdue
from resolvers.lifetimes import EXPIRED_IN_PASSING, LifecycleSettings, to_expire
from resolvers.recall.values import LiveActive
from tests.fakes import NOON
from tests.resolvers.recall.examples import active
from tests.resolvers.world import World, entity, later, roll

SETTINGS = LifecycleSettings()


def test_design_6_the_defaults() -> None:
    assert SETTINGS.time_to_live == timedelta(hours=72)
    assert SETTINGS.evidence_half_life == timedelta(hours=24)
    assert (SETTINGS.most_unbound, SETTINGS.most_rolled, SETTINGS.rolling_due) == (32, 64, 256)
    assert EXPIRED_IN_PASSING == 32


def test_design_6_the_weakest_unbound_goes_first_by_confidence_and_age() -> None:
    settings = LifecycleSettings(most_unbound=2)
    sure_and_old = active("000000000001", confidence=0.9, age=timedelta(hours=48))  # .225
    unsure = active("000000000002", confidence=0.3)
    sure = active("000000000003", confidence=0.9)
    bound = active("000000000004", confidence=0.0, bound="alice")
    given_actives = [sure, sure_and_old, bound, unsure]

    assert to_expire(given_actives, settings, at=NOON, opening=0) == ("000000000001",)
    assert to_expire(given_actives, settings, at=NOON, opening=1) == ("000000000001", "000000000002")


def test_design_6_at_most_thirty_two_go_in_passing() -> None:
    overdue = [active(f"{n:012}", live=False) for n in range(40)]
    crowd = [active(f"1{n:011}") for n in range(40)]

    assert len(to_expire(overdue, SETTINGS, at=NOON, opening=0)) == 32
    gone = to_expire([*overdue, *crowd], SETTINGS, at=NOON, opening=0)
    assert len(gone) == 32
    assert sum(each.startswith("1") for each in gone) == 8, "the bound first"


actives = st.lists(
    st.builds(
        active,
        st.integers(0, 10**9).map(lambda n: f"{n:012}"),
        bound=st.none() | st.just("alice"),
        age=st.timedeltas(timedelta(minutes=-5), timedelta(hours=100)),
        confidence=st.floats(0, 1),
        live=st.booleans(),
    ),
    max_size=60,
    unique_by=lambda each: each.runtime_id,
)


@given(actives, st.integers(0, 5))
def test_nothing_alive_and_bound_is_ever_let_go(given_actives: list[LiveActive], opening: int) -> None:
    gone = to_expire(given_actives, SETTINGS, at=NOON, opening=opening)

    by_id = {each.runtime_id: each for each in given_actives}
    assert len(set(gone)) == len(gone) <= EXPIRED_IN_PASSING
    assert all(not by_id[each].live or by_id[each].bound_uuid is None for each in gone)
    if len(gone) < EXPIRED_IN_PASSING:
        assert set(to_expire(list(reversed(given_actives)), SETTINGS, at=NOON, opening=opening)) == set(gone)


async def test_housekeeping_lets_go_what_is_overdue_in_whatever_space(world: World) -> None:
    """Long ago, lest it let go what other tests hold."""
    long_ago = NOON - timedelta(days=9000)
    others = world.another_space()
    await world.project("the blue harbour cafe opens", at=long_ago)
    await others.project("the red harbour cafe opens", at=long_ago + timedelta(hours=1))
    ids = [(await each.actives())[0]["id"] for each in (world, others)]

    assert await expire_overdue(world.store, SETTINGS, now=long_ago + timedelta(hours=72)) == 1

    assert [each["id"] for each in await world.actives("EXPIRED")] == ids[:1]
    assert [each["id"] for each in await others.actives()] == ids[1:]
    assert await expire(world.store, ids) == 1, "the one that still lived"
    assert await expire(world.store, ids) == 0
    assert await expire(world.store, []) == 0


async def test_design_3_evidence_leaves_the_live_index_with_the_last_that_held_it(world: World) -> None:
    await world.load(entity("Alice"), entity("Bob"))
    await world.project("Alice met Bob")
    alice, bob = (await world.actives())[0]["id"], (await world.actives())[1]["id"]

    await expire(world.store, [alice])
    assert [each["live"] for active_row in await world.actives() for each in active_row["evidence"]] == [True]
    await expire(world.store, [bob])
    assert [each["live"] for active_row in await world.actives("EXPIRED") for each in active_row["evidence"]] == [
        False
    ] * 2


async def test_rolled_evidence_leaves_the_live_index_and_is_marked_once(world: World) -> None:
    first = await world.project("the blue harbour cafe opens")
    uuids = [str(first.evidence_uuid)]

    assert await roll(world.store, space=world.space, evidence=uuids, run="r1", settings=SETTINGS) == 1
    assert await roll(world.store, space=world.space, evidence=uuids, run="r2", settings=SETTINGS) == 0
    assert await roll(world.store, space=world.another_space().space, evidence=uuids, run="r", settings=SETTINGS) == 0

    found = await world.rows(
        "MATCH (e:Evidence) WHERE e.space = $space RETURN e.rolledIn AS run, e:LiveEvidence AS live"
    )
    assert found == [{"run": "r1", "live": False}]
    assert not [s for m in (await world.recall("harbour cafe")).matches for s in m.signals if s.text_hit]


async def test_rolled_evidence_said_again_stays_rolled(world: World) -> None:
    text = "the blue harbour cafe opens"
    first = await world.project(text)
    await roll(world.store, space=world.space, evidence=[str(first.evidence_uuid)], run="r", settings=SETTINGS)

    again = await world.project(text, at=later(minutes=1))

    assert again.evidence_uuid == first.evidence_uuid
    found = await world.rows("MATCH (e:Evidence) WHERE e.space = $space RETURN e:LiveEvidence AS live")
    assert found == [{"live": False}]


async def test_origin_p16_an_active_entity_keeps_its_latest_rolled_evidence_and_all_unrolled(world: World) -> None:
    await world.load(entity("Alice"))
    settings = LifecycleSettings(most_rolled=3)
    said = [await world.project(f"Alice came {n} times", at=later(minutes=n)) for n in range(8)]
    rolled = [str(each.evidence_uuid) for each in said[:6]]

    assert await roll(world.store, space=world.space, evidence=rolled, run="r", settings=settings) == 6
    assert (await world.counts())["Evidence"] == 8, "what a run has rolled stays until the next: it may be taken back"
    next_one = [str(said[6].evidence_uuid)]
    assert await roll(world.store, space=world.space, evidence=next_one, run="s", settings=settings) == 1

    (alice,) = await world.actives()
    assert [each["text"] for each in alice["evidence"]] == [f"Alice came {n} times" for n in range(4, 8)]
    assert sum(each["live"] for each in alice["evidence"]) == 1
    assert (await world.counts())["Evidence"] == 4, "what nothing leads to any more is gone"


async def test_rolled_evidence_that_another_still_holds_or_a_statement_rests_on_stays(world: World) -> None:
    await world.load(entity("Alice", features=["plays cello"]), entity("Bob"))
    settings = LifecycleSettings(most_rolled=1)
    both = await world.project("Alice met Bob", at=later(minutes=1))
    behind = await world.project("Alice came first", at=later(minutes=2))
    last = await world.project("Alice came last", at=later(minutes=3))
    support = "MATCH (f:Feature) WHERE f.space = $space MATCH (e:Evidence {uuid: $uuid}) MERGE (f)-[:SUPPORTED_BY]->(e)"
    async with world.store.driver.session() as session:
        await (await session.run(support, space=world.space, uuid=behind.evidence_uuid)).consume()

    for run, rolled in (("r", (both, behind)), ("s", (last,))):
        evidence = [str(each.evidence_uuid) for each in rolled]
        await roll(world.store, space=world.space, evidence=evidence, run=run, settings=settings)

    held = {row["bound"]: [each["text"] for each in row["evidence"]] for row in await world.actives()}
    assert held == {"Alice": ["Alice came last"], "Bob": ["Alice met Bob"]}
    assert (await world.counts())["Evidence"] == 3


async def test_design_6_a_warning_says_when_a_rolling_is_due(world: World) -> None:
    await world.load(entity("Alice"))
    quick = world.but(living=LifecycleSettings(rolling_due=2))

    notes = [(await quick.project(f"Alice came {n} times", at=later(minutes=n))).notes for n in range(3)]

    (alice,) = await world.actives()
    assert not any("rolling is due" in note for note in (*notes[0], *notes[1]))
    assert any(f"{alice['id']} has more than 2 pieces of unrolled evidence" in note for note in notes[2])
    assert len(alice["evidence"]) == 3, "never dropped"


async def test_rolled_evidence_beyond_the_bound_stays_while_a_relation_or_a_pending_observation_cites_it(
    world: World,
) -> None:
    await world.load(entity("Alice", relations=[{"relation": "friend", "target": "Bob"}]), entity("Bob"))
    settings = LifecycleSettings(most_rolled=1)
    said = [await world.project(f"Alice came {n} times", at=later(minutes=n)) for n in range(5)]
    uuids = [str(each.evidence_uuid) for each in said]
    cite = """
    MATCH (:Entity {space: $space, subject: 'Alice'})-[r:RELATES_TO]->() SET r.evidence = [$other, $related]
    CREATE (o:Observation {observationId: $space, space: $space, pending: true})
    WITH o MATCH (e:Evidence {uuid: $pending}) CREATE (o)-[:CITES]->(e)
    """

    async def work(transaction: Transaction) -> None:
        # As an update does: what is rolled is decided beside what was written a moment ago.
        given = {"space": world.space, "other": "elsewhere", "related": uuids[0], "pending": uuids[1]}
        await transaction.run(Query("test/cite", cite, "write", frozenset(given), ()), **given)
        for run, evidence in (("r", sorted(uuids[:4])), ("s", uuids[4:])):
            await transaction.run(
                load("project/roll_evidence"), space=world.space, evidence=evidence, run=run, mostRolled=1
            )

    await world.store.transaction("roll", work)

    left = await world.rows("MATCH (e:Evidence) WHERE e.space = $space RETURN e.uuid AS uuid, e.content AS text")
    assert {row["uuid"] for row in left} == {uuids[0], uuids[1], uuids[4]}, "cited ones, and the latest"
    (alice,) = await world.actives()
    assert [each["text"] for each in alice["evidence"]] == ["Alice came 4 times"]

    uncite = "MATCH (:Entity {space: $space, subject: 'Alice'})-[r:RELATES_TO]->() SET r.evidence = []"
    await world.store.write(Query("test/uncite", uncite, "write", frozenset({"space"}), ()), space=world.space)
    relink = "MATCH (a:ActiveEntity {space: $space}) MATCH (e:Evidence {uuid: $uuid}) MERGE (a)-[:HAS_EVIDENCE]->(e)"
    given = {"space": world.space, "uuid": uuids[0]}
    await world.store.write(Query("test/relink", relink, "write", frozenset(given), ()), **given)
    last = await world.project("Alice came at last", at=later(minutes=9))
    await roll(world.store, space=world.space, evidence=[str(last.evidence_uuid)], run="t", settings=settings)
    left = await world.rows("MATCH (e:Evidence) WHERE e.space = $space RETURN e.uuid AS uuid")
    assert {row["uuid"] for row in left} == {uuids[1], last.evidence_uuid}, "nothing names the first any more"
