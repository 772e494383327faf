"""Why not? On the real server: the signals an entity had, and the rule that cut it."""

import pytest

from graph.errors import NotFound
from resolvers.recall.asking import Limits
from resolvers.recall.pipeline import RecallSettings
from resolvers.recall.values import Channel, Rule
from tests.resolvers.world import World, attached, entity, later, round_trips


async def test_why_not_an_attached_entity_is_its_match(world: World) -> None:
    uuids = await world.load(entity("Alice"))

    match = await world.why_not("Alice came", uuids["Alice"])

    assert (match.attached, match.rule, match.subject) == (True, Rule.SCORE, "Alice")


async def test_why_not_one_that_a_rule_attached_below_the_threshold_is_its_match(world: World) -> None:
    uuids = await world.load(entity("Alice", relations=[{"relation": "aunt", "target": "Bo"}]), entity("Bo"))

    match = await world.why_not("Alice's aunt", uuids["Bo"])

    assert (match.attached, match.rule) == (True, Rule.PHRASE)
    assert match.score < 0.23


async def test_why_not_says_what_is_below_the_threshold(world: World) -> None:
    uuids = await world.load(entity("Alice", features=["lives by the sea"]), *(entity(f"P{n}") for n in range(9)))

    match = await world.why_not("we talked about cars, politics, taxes, football and the sea", uuids["Alice"])

    assert (match.attached, match.rule) == (False, Rule.BELOW_THRESHOLD)
    assert f"{match.score:.2f} is below the threshold" in match.reason
    assert match.signals


async def test_why_not_says_what_the_indexes_did_not_hand_over(world: World) -> None:
    crowd = [entity(f"P{n}", features=["sea sea sea"]) for n in range(9)]
    uuids = await world.load(entity("Alice", features=["lives by the wide and stormy sea in a small house"]), *crowd)
    narrow = world.but(recalling=RecallSettings(limits=Limits(texts=3)))

    match = await narrow.why_not("the sea", uuids["Alice"])

    assert (match.attached, match.rule, match.subject) == (False, Rule.OUTSIDE_CANDIDATES, "Alice")
    assert match.signals[0].text_hit
    assert match.score == pytest.approx(sum(signal.contribution for signal in match.signals))


async def test_why_not_reason_and_score_agree_where_the_indexes_handed_over_a_part(world: World) -> None:
    """Its name was handed over, its better statement was not: the threshold it is held against is not what cut it."""
    crowd = [entity(f"Sea {n}", features=["sea storm sea storm"]) for n in range(9)]
    uuids = await world.load(entity("Alice", features=["storm at sea, seen from her house"]), *crowd)
    narrow = world.but(recalling=RecallSettings(limits=Limits(texts=3)))
    await narrow.project("Alice came")

    match = await narrow.why_not("storm at sea", uuids["Alice"], at=later(minutes=1))

    assert {signal.channel for signal in match.signals} == {Channel.TEXT, Channel.RECENCY}
    assert match.rule is Rule.OUTSIDE_CANDIDATES
    assert f"{match.score:.2f}" in match.reason


async def test_why_not_one_without_any_signal(world: World) -> None:
    uuids = await world.load(entity("Alice"))

    match = await world.why_not("the weather", uuids["Alice"])

    assert (match.rule, match.score, match.signals, match.subject) == (Rule.NO_SIGNAL, 0.0, (), "Alice")


async def test_why_not_of_an_entity_of_another_space_is_not_found(world: World) -> None:
    uuids = await world.another_space().load(entity("Alice"))

    for uuid in (uuids["Alice"], "nobody"):
        with pytest.raises(NotFound):
            await world.why_not("Alice", uuid)


async def test_why_not_asks_at_most_twice(world: World) -> None:
    uuids = await world.load(entity("Alice"))

    with round_trips(world.store) as heard:
        await world.why_not("Alice", uuids["Alice"])

    assert heard == ["recall/collect_signals", "recall/examine_entity"]


async def test_a_name_a_conversation_mentioned_first_is_examined_like_any_other(world: World) -> None:
    await world.project("lunch?", mentions=("Priya Nair",))
    uuids = await world.load(entity("Priya Nair"), *(entity(f"Person {n}") for n in range(9)))

    match = await world.why_not("Priya", uuids["Priya Nair"])

    assert match.rule is not Rule.NO_SIGNAL
    assert attached(await world.recall("Where is Priya?")) == {"Priya Nair"}, "also found by a part of its name"
