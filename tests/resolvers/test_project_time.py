"""Bounds and expiry of what a conversation is about: DESIGN §6."""

from datetime import timedelta

import pytest

from resolvers import lifetimes
from resolvers.lifetimes import LifecycleSettings
from resolvers.project import Projection
from resolvers.recall.values import Channel
from tests.resolvers.world import World, entity, later, roll

CAFE = "the blue harbour cafe opens on Monday"


def linked(projection: Projection) -> set[tuple[str, float]]:
    return {(each.runtime_id, each.confidence) for each in projection.linked}


async def test_design_6_unbound_ones_are_bounded_and_the_weakest_expires_first(world: World) -> None:
    few = world.but(living=LifecycleSettings(most_unbound=3))
    things = ["copper kettle whistles", "velvet curtain falls", "granite staircase echoes", "walnut cabinet creaks"]
    await world.load(entity("Alice"))
    await few.project("Alice came")

    opened = [(await few.project(text, at=later(minutes=n))).linked[0].runtime_id for n, text in enumerate(things)]

    assert {each["id"] for each in await world.actives() if each["bound"] is None} == set(opened[1:])
    assert [each["id"] for each in await world.actives("EXPIRED")] == opened[:1]
    assert "Alice" in {each["bound"] for each in await world.actives()}


async def test_design_6_what_is_not_mentioned_for_three_days_is_recalled_no_more(world: World) -> None:
    await world.load(entity("Alice"))
    await world.project("Alice came")
    await world.project(CAFE)

    just_before = await world.recall("blue harbour cafe", at=later(hours=72) - timedelta(seconds=1))
    after = await world.recall("blue harbour cafe", at=later(hours=72))

    assert {signal.channel for match in just_before.matches for signal in match.signals} == {
        Channel.TEXT,
        Channel.RECENCY,
    }
    assert after.matches == ()
    assert await world.actives("EXPIRED") == [], "a recall writes nothing"


async def test_design_6_projection_writes_expiry_in_passing_and_evidence_leaves_the_live_index(world: World) -> None:
    await world.load(entity("Alice"))
    await world.project("Alice came")
    await world.project(CAFE)
    ids = {each["id"] for each in await world.actives()}

    await world.project("a red bicycle stands outside", at=later(hours=73))

    assert {each["id"] for each in await world.actives("EXPIRED")} == ids
    assert not any(each["live"] for row in await world.actives("EXPIRED") for each in row["evidence"])
    assert {row["liveKey"] for row in await world.actives("EXPIRED")} == {None}


@pytest.mark.parametrize(
    ("text", "mentions"), [("Alice came", ()), ("lunch?", ("Priya",)), (CAFE, ()), ("we met at Blue Harbour", ())]
)
@pytest.mark.parametrize("in_passing", [0, 32])
async def test_design_6_a_new_mention_after_that_opens_a_new_one(
    world: World, text: str, mentions: tuple[str, ...], in_passing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where so many are overdue that this one would not have been let go yet."""
    monkeypatch.setattr(lifetimes, "EXPIRED_IN_PASSING", in_passing)
    await world.load(entity("Alice"))
    old = await world.project(text, mentions=mentions)

    new = await world.project(text, mentions=mentions, at=later(hours=73))

    assert new.created
    assert [each["id"] for each in await world.actives()] == [each.runtime_id for each in new.linked]
    assert [each["id"] for each in await world.actives("EXPIRED")] == [each.runtime_id for each in old.linked]
    assert (new.evidence_uuid, [each["live"] for row in await world.actives() for each in row["evidence"]]) == (
        old.evidence_uuid,
        [True],
    ), "the same words are the same evidence, live again"


async def test_rolled_evidence_leads_nowhere_but_the_active_entity_lives_on(world: World) -> None:
    first = await world.project(CAFE)
    await roll(world.store, space=world.space, evidence=[str(first.evidence_uuid)], run="r", settings=world.living)

    again = await world.project(CAFE, at=later(minutes=1))

    assert [each.runtime_id for each in again.linked] == [each.runtime_id for each in first.linked]
