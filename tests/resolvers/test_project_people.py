"""Whom mentions, the speaker and pronouns stand for in a projection: DESIGN §6."""

import pytest

from resolvers.project import Projection
from resolvers.recall.values import Rule
from tests.resolvers.world import World, attached, entity, later


def linked(projection: Projection) -> set[tuple[str, float]]:
    return {(each.runtime_id, each.confidence) for each in projection.linked}


# Mentions


async def test_design_6_a_known_mention_attaches_with_certainty_though_the_text_does_not_name_it(world: World) -> None:
    await world.load(entity("Alice", aliases=[{"text": "Ally", "deprecated": True}]), entity("Bob"))

    for text, name in (("lunch?", "alice"), ("dinner?", "Ally")):
        projection = await world.project(text, mentions=(name,))

        (active,) = await world.actives()
        assert (active["bound"], linked(projection)) == ("Alice", {(active["id"], 1.0)})
        assert [match.rule for match in projection.recall.matches if match.attached] == [Rule.MENTION]


async def test_design_6_an_unknown_mention_opens_with_that_subject_and_is_found_by_it_from_then_on(
    world: World,
) -> None:
    first = await world.project("lunch?", mentions=("Priya Nair",))
    second = await world.project("is priya nair coming to the party tonight", at=later(minutes=1))
    third = await world.project("dinner?", mentions=("ＰＲＩＹＡ nair",), at=later(minutes=2))

    (active,) = await world.actives()
    assert (active["subject"], active["bound"]) == ("Priya Nair", None)
    assert first.created
    assert not second.created and not third.created  # noqa: PT018
    assert {each.runtime_id for projection in (first, second, third) for each in projection.linked} == {active["id"]}


async def test_design_6_an_ambiguous_mention_is_reported_with_its_candidates_and_attaches_to_none(world: World) -> None:
    uuids = await world.load(
        entity("Sherlock Holmes", aliases=["Holmes"]), entity("Mycroft Holmes", aliases=["Holmes"])
    )

    projection = await world.project("the violin was heard again tonight", mentions=("Holmes",))

    (ambiguous,) = projection.recall.ambiguous_names
    assert {each.uuid for each in ambiguous.candidates} == set(uuids.values())
    assert projection.linked == ()
    assert "'Holmes' may be any of several" in projection.reason
    assert await world.actives() == []


async def test_design_6_an_ambiguous_mention_keeps_nobody_else_out(world: World) -> None:
    await world.load(
        entity("Sherlock Holmes", aliases=["Holmes"]), entity("Mycroft Holmes", aliases=["Holmes"]), entity("Watson")
    )

    projection = await world.project("the violin again", mentions=("Holmes", "Watson"))

    assert attached(projection.recall) == {"Watson"}
    assert [each.name for each in projection.recall.ambiguous_names] == ["Holmes"]


async def test_several_mentions_of_one_text_each_get_their_own(world: World) -> None:
    await world.load(entity("Alice"))

    projection = await world.project("party tonight", mentions=("Alice", "Priya", "priya", "Quentin"))

    assert {(each["subject"], each["bound"]) for each in await world.actives()} == {
        ("Alice", "Alice"), ("Priya", None), ("Quentin", None),
    }  # fmt: skip
    assert len(projection.linked) == 3
    assert (await world.counts())["Evidence"] == 1


# The speaker


async def test_design_6_first_person_words_stand_for_the_speaker(world: World) -> None:
    await world.load(entity("Carol", aliases=["小卡"]))

    for text, name in (("I am tired of my job", "Carol"), ("我的工作太累了", "小卡")):
        projection = await world.project(text, speaker=name)

        (active,) = await world.actives()
        assert (active["bound"], linked(projection)) == ("Carol", {(active["id"], 1.0)})
        assert projection.recall.matches[0].rule is Rule.SPEAKER


async def test_design_6_without_first_person_words_the_speaker_is_nobody(world: World) -> None:
    await world.load(entity("Carol"))

    projection = await world.project("the job is tiring", speaker="Carol")

    assert attached(projection.recall) == set()
    assert "Carol" not in {each["bound"] for each in await world.actives()}


async def test_design_6_an_unknown_speaker_opens_under_its_name(world: World) -> None:
    await world.project("I am tired", speaker="Dora")
    await world.project("my day was long", speaker="dora", at=later(minutes=1))

    (active,) = await world.actives()
    assert (active["subject"], len(active["evidence"])) == ("Dora", 2)


async def test_design_6_without_a_speaker_first_person_words_stand_for_nothing(world: World) -> None:
    projection = await world.project("I am, and my own, too")

    assert projection.linked == ()
    assert await world.actives() == []


async def test_design_6_an_ambiguous_speaker_is_reported_and_attaches_to_none(world: World) -> None:
    await world.load(entity("Sherlock", aliases=["Holmes"]), entity("Mycroft", aliases=["Holmes"]))

    projection = await world.project("I am tired", speaker="Holmes")

    assert attached(projection.recall) == set()
    assert [each.name for each in projection.recall.ambiguous_names] == ["Holmes"]


# Follow-up


async def test_design_6_a_pronoun_follows_up_on_the_latest_with_three_tenths(world: World) -> None:
    await world.load(entity("Alice"), entity("Bob"))
    await world.project("Bob came")
    await world.project("Alice came", at=later(seconds=1))

    for text in ("what did she do then?", "她后来呢"):
        projection = await world.project(text, at=later(seconds=2))

        assert attached(projection.recall) == {"Alice"}
        assert [each.confidence for each in projection.linked] == [0.3]


@pytest.mark.parametrize("text", ["其他的呢", "会弹吉他吗", "and then?", "there it goes"])
async def test_design_6_other_words_do_not_follow_up(world: World, text: str) -> None:
    await world.load(entity("Alice"))
    await world.project("Alice came")

    assert attached((await world.project(text, at=later(seconds=1))).recall) == set()


async def test_design_6_a_direct_hit_keeps_the_pronoun_to_itself(world: World) -> None:
    await world.load(entity("Alice"), entity("Bob"))
    await world.project("Alice came")

    projection = await world.project("Bob said he left", at=later(seconds=1))

    assert attached(projection.recall) == {"Bob"}


async def test_design_6_the_speaker_is_not_whom_a_pronoun_follows_up_on(world: World) -> None:
    await world.load(entity("Alice"), entity("Carol"))
    await world.project("Alice came")
    await world.project("I came", speaker="Carol", at=later(seconds=1))

    projection = await world.project("I like her", speaker="Carol", at=later(seconds=2))

    assert attached(projection.recall) == {"Alice", "Carol"}
    assert sorted(each.confidence for each in projection.linked) == [0.3, 1.0]
