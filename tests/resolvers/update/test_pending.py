"""Observations that wait: listed, tried again on later runs, decided by a person."""

import pytest

from graph.errors import Conflict, NotFound
from resolvers.update.pipeline import UpdateSettings
from resolvers.update.requests import Message
from resolvers.update.runs import ConfirmMode, RunStatus
from resolvers.update.seen import Decision
from tests.resolvers.update.updating import Updating, seen
from tests.resolvers.world import World, entity

SAID = "Alice moved to Hangzhou last year"


# --- pending ----------------------------------------------------------------------------------------------------------


async def two_alexes(updating: Updating) -> dict[str, str]:
    found = await updating.world.load(
        entity("Alex Smith", aliases=["Alex"], externalId="s"), entity("Alex Jones", aliases=["Alex"], externalId="j")
    )
    assert set(found) == {"Alex Smith", "Alex Jones"}
    return found


PENDING = "Alex plays the violin on Sundays"


async def test_an_ambiguous_observation_waits_with_its_candidates(updating: Updating) -> None:
    known = await two_alexes(updating)
    run = await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    assert run.status is RunStatus.NO_CHANGE
    (waiting,) = await updating.runs.pending(updating.space)
    assert waiting.resolution.code == "AMBIGUOUS"
    assert {each.uuid for each in waiting.resolution.candidates} == set(known.values())
    assert waiting.run_id == run.id


async def test_a_later_run_neither_repeats_nor_loses_what_waits(updating: Updating) -> None:
    await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (before,) = await updating.runs.pending(updating.space)
    later = await updating.learn("Bob", features=["is tall"])
    assert [each.id for each in await updating.runs.pending(updating.space)] == [before.id]
    assert later.dropped == ()
    again = await updating.submit(seen("Alex", PENDING, features=["plays chess"]), said=[PENDING])
    assert [(each.code, each.text) for each in again.dropped] == [("POSTPONED", "Alex")]


async def test_what_waits_lands_when_its_name_becomes_clear(updating: Updating) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, aliases=["Lex"], features=["plays the violin"]), said=[PENDING])
    await updating.curator.add_alias(updating.space, known["Alex Jones"], "Lex", ConfirmMode.AUTO, allow_homonym=False)
    run = await updating.learn("Bob", features=["is tall"])
    assert "plays the violin" in await updating.statements("Alex Jones")
    assert not await updating.runs.pending(updating.space)
    links = await updating.rows("MATCH (s:Feature {space: $space})-[:SUPPORTED_BY]->(e) RETURN e.content AS said")
    assert PENDING in [each["said"] for each in links]
    await updating.check()
    # Taken back, it waits again.
    await updating.undo(run)
    assert [each.resolution.observation.subject for each in await updating.runs.pending(updating.space)] == ["Alex"]


async def test_what_a_manual_plan_decides_waits_until_it_is_confirmed(updating: Updating) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, aliases=["Lex"], features=["plays the violin"]), said=[PENDING])
    await updating.curator.add_alias(updating.space, known["Alex Jones"], "Lex", ConfirmMode.AUTO, allow_homonym=False)
    run = await updating.manual(seen("Bob", SAID, features=["is tall"]), said=[SAID])
    assert len(await updating.runs.pending(updating.space)) == 1
    await updating.confirm(run)
    assert not await updating.runs.pending(updating.space)
    assert "plays the violin" in await updating.statements("Alex Jones")


@pytest.mark.parametrize("elsewhere", [Decision.DISCARDED, Decision.UPDATE])
async def test_a_manual_plan_does_not_land_what_was_decided_elsewhere_meanwhile(
    updating: Updating, elsewhere: Decision
) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, aliases=["Lex"], features=["plays the violin"]), said=[PENDING])
    (waiting,) = await updating.runs.pending(updating.space)
    await updating.curator.add_alias(updating.space, known["Alex Jones"], "Lex", ConfirmMode.AUTO, allow_homonym=False)
    run = await updating.manual(seen("Bob", SAID, features=["is tall"]), said=[SAID])
    chosen = known["Alex Smith"] if elsewhere is Decision.UPDATE else None
    await updating.pipeline.decide(updating.space, waiting.id, elsewhere, chosen)
    stands = await updating.memory()
    stale = await updating.confirm(run)
    assert (stale.status, [each.code for each in stale.violations]) == (RunStatus.PREPARED, ["GRAPH_CHANGED"])
    assert "decided elsewhere" in stale.violations[0].message
    assert await updating.memory() == stands


@pytest.mark.parametrize("decision", [Decision.UPDATE, Decision.CREATE, Decision.DISCARDED])
async def test_a_person_decides_what_waits(updating: Updating, decision: Decision) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (waiting,) = await updating.runs.pending(updating.space)
    chosen = known["Alex Smith"] if decision is Decision.UPDATE else None
    run = await updating.pipeline.decide(updating.space, waiting.id, decision, chosen)
    assert run.status is (RunStatus.NO_CHANGE if decision is Decision.DISCARDED else RunStatus.APPLIED)
    assert not await updating.runs.pending(updating.space)
    bearers = {each.subject for each in await updating.known("Alex")}
    if decision is Decision.UPDATE:
        assert "plays the violin" in await updating.statements("Alex Smith")
    elif decision is Decision.CREATE:
        assert bearers == {"Alex Smith", "Alex Jones", "Alex"}
    else:
        assert bearers == {"Alex Smith", "Alex Jones"}
    with pytest.raises(Conflict, match="decided already"):
        await updating.pipeline.decide(updating.space, waiting.id, decision, chosen)
    await updating.check()
    if run.status is RunStatus.APPLIED:
        await updating.undo(run)
        assert [each.id for each in await updating.runs.pending(updating.space)] == [waiting.id]


@pytest.mark.parametrize("first", ["he", "Alex"])
async def test_what_names_nobody_does_not_keep_others_from_being_tried_again(world: World, first: str) -> None:
    updating = Updating(world, settings=UpdateSettings(most_pending=1))
    known = await two_alexes(updating)
    quotes = {"Alex": PENDING, "he": "he sings on Mondays"}
    for name in (first, *({*quotes} - {first})):
        quote = quotes[name]
        given = seen(name, quote, aliases=["Lex"] if name == "Alex" else [], features=[quote])
        assert (await updating.submit(given, said=[quote])).notes == ()
    listed = await updating.runs.pending(updating.space)
    assert [each.resolution.observation.subject for each in listed][-1] == first  # latest first
    assert await updating.runs.pending(updating.space, first=1, skip=1) == listed[1:]
    assert await updating.runs.count_pending(updating.space) == 2
    await updating.curator.add_alias(updating.space, known["Alex Jones"], "Lex", ConfirmMode.AUTO, allow_homonym=False)
    run = await updating.learn("Bob", features=["is tall"])
    assert PENDING in await updating.statements("Alex Jones")
    assert run.notes == ("2 observations wait for a decision: 1 of them were not tried again",)


async def test_what_waits_again_says_why_it_waits(updating: Updating) -> None:
    known = await two_alexes(updating)
    observed = await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (waiting,) = await updating.runs.pending(updating.space)
    run = await updating.pipeline.decide(updating.space, waiting.id, Decision.UPDATE, known["Alex Smith"])
    ((decided,),) = await updating.runs.observations(updating.space, [observed.id], 10)
    assert (decided.decision, decided.reason) == (Decision.UPDATE, f"decided by run {run.id}")
    await updating.undo(run)
    assert await updating.runs.pending(updating.space) == (waiting,)
    assert waiting.reason == waiting.resolution.reason


async def test_what_was_forgotten_cannot_be_decided(updating: Updating) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (waiting,) = await updating.runs.pending(updating.space)
    await updating.pipeline.forget(updating.space, known["Alex Smith"])
    assert await updating.runs.pending(updating.space) == ()
    with pytest.raises(NotFound):
        await updating.pipeline.decide(updating.space, waiting.id, Decision.DISCARDED, None)


async def test_a_decision_that_cannot_be_carried_out_leaves_no_run_behind(updating: Updating) -> None:
    await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (waiting,) = await updating.runs.pending(updating.space)
    with pytest.raises(NotFound):
        await updating.pipeline.decide(updating.space, waiting.id, Decision.UPDATE, "nobody")
    page = await updating.runs.page(updating.space, first=10, before=None, status=RunStatus.OBSERVING)
    assert page.runs == ()


async def test_a_relation_waits_for_its_target_and_lands_with_it(updating: Updating) -> None:
    said = "Alice works for Zorblatt since May"
    run = await updating.submit(
        seen("Alice", said, features=["has a job"], relations={"Zorblatt": "works for"}), said=[said]
    )
    assert run.status is RunStatus.APPLIED
    assert await updating.relations() == set()
    (waiting,) = await updating.runs.pending(updating.space)
    assert waiting.resolution.code == "TARGET_UNKNOWN"
    await updating.learn("Zorblatt", features=["sells kites"])
    assert await updating.relations() == {("Alice", "works for", "Zorblatt")}
    assert not await updating.runs.pending(updating.space)
    await updating.check()


async def test_an_undone_run_leaves_nothing_waiting(updating: Updating) -> None:
    said = "Alice works for Zorblatt since May"
    given = seen("Alice", said, features=["has a job"], relations={"Zorblatt": "works for"})
    before = await updating.memory()
    await updating.undo(await updating.submit(given, said=[said]))
    assert not await updating.runs.pending(updating.space)
    assert await updating.memory() == before
    await updating.submit(given, said=[said])
    assert len(await updating.runs.pending(updating.space)) == 1


@pytest.mark.parametrize("way", ["later run", "decided"])
async def test_a_relation_to_the_first_person_waits_for_the_speaker(updating: Updating, way: str) -> None:
    """Later runs, and a person, do not know any more who spoke."""
    said = "Casimir taught me to play the cello"
    given = seen("Casimir", said, features=["plays the cello"], relations={"me": "pupil"})
    await updating.submit(given, said=[Message("user", said, speaker="Ottoline")])
    await updating.learn("Bob", features=["is tall"])
    (waiting,) = await updating.runs.pending(updating.space)
    assert [each.target for each in waiting.resolution.observation.relations] == ["Ottoline"]
    if way == "decided":
        casimir, _ = (await updating.entity("Casimir")).uuid, await updating.world.load(entity("Ottoline"))
        await updating.pipeline.decide(updating.space, waiting.id, Decision.UPDATE, casimir)
    else:
        await updating.learn("Ottoline", features=["plays the cello"])
    assert await updating.relations() == {("Casimir", "pupil", "Ottoline")}
    assert not await updating.runs.pending(updating.space)


async def test_a_run_tells_of_nothing_that_an_earlier_one_left_waiting(updating: Updating) -> None:
    await updating.learn("Alice", features=["is tall"])
    said = "Alice is a friend of Nobody Known"
    waits = await updating.submit(seen("Alice", said, relations={"Nobody Known": "friend"}), said=[said])
    assert [each.code for each in waits.dropped] == ["NOTHING_LEFT", "TARGET_UNKNOWN"]
    later = await updating.learn("Bob", features=["is small"])
    assert later.dropped == ()
    assert later.plan is not None
    assert later.plan.dropped == ()
    assert len(await updating.runs.pending(updating.space)) == 1


async def test_names_without_their_separators_and_other_spellings_are_told(updating: Updating) -> None:
    await updating.project("Alice plays the cello")
    said = ["ALICE plays the  cello", "a" + "\u0301" * 40]
    run = await updating.submit(seen("Alice:", said[0], features=["plays the cello"]), said=said)
    assert run.status is RunStatus.APPLIED
    assert run.notes == (
        "a run of 40 combining marks in a message was cut to 30 for comparing",
        "1 messages were said before in another spelling, which stays their evidence",
        "taken without the separators at their end: 'Alice:' as 'Alice'",
    )
