"""Projection on the real server: DESIGN §6, rule by rule."""

import pytest

from graph.values import EvidenceSource
from resolvers.lifetimes import LifecycleSettings
from resolvers.project import Projection
from tests.resolvers.world import World, entity, later

CAFE = "the blue harbour cafe opens on Monday"


def linked(projection: Projection) -> set[tuple[str, float]]:
    return {(each.runtime_id, each.confidence) for each in projection.linked}


# One evidence, one link


async def test_design_6_an_input_activates_the_entity_it_names(world: World) -> None:
    await world.load(entity("Alice Johnson", aliases=["Ali"]))

    projection = await world.project("Ali came by", source=EvidenceSource.ASSISTANT_REPLY, speaker="Bob")

    (active,) = await world.actives()
    assert (active["bound"], active["subject"], active["mentions"]) == ("Alice Johnson", "Alice Johnson", ["Ali"])
    (match,) = [match for match in projection.recall.matches if match.attached]
    assert linked(projection) == {(active["id"], match.score)}
    assert projection.created
    assert await world.rows(
        """
        MATCH (e:Evidence) WHERE e.space = $space
        RETURN e.uuid AS uuid, e.content AS content, e.source AS source, e.speaker AS speaker,
          e.firstAt = e.lastAt AS once
        """
    ) == [
        {
            "uuid": projection.evidence_uuid,
            "content": "Ali came by",
            "source": "ASSISTANT_REPLY",
            "speaker": "Bob",
            "once": True,
        }
    ]


async def test_origin_p1_one_evidence_per_input_per_active_entity_also_when_both_it_and_its_entity_were_hit(
    world: World,
) -> None:
    await world.load(entity("Alice", features=["plays the cello"]))
    await world.project("Alice rehearses a sonata on Friday")

    projection = await world.project("Alice plays cello and sonata", at=later(minutes=1))

    (active,) = await world.actives()
    fields = {signal.text_hit.field for signal in projection.recall.matches[0].signals if signal.text_hit}
    assert {"subject", "feature", "evidence"} <= fields, "both were hit"
    assert [each["text"] for each in active["evidence"]] == [
        "Alice plays cello and sonata",
        "Alice rehearses a sonata on Friday",
    ]
    assert len(projection.linked) == 1
    assert (await world.counts())["HAS_EVIDENCE"] == 2


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        pytest.param("Alice plays the cello", (), id="about an entity"),
        pytest.param("a cello is played", (), id="by text alone"),
        pytest.param(CAFE, (), id="unmatched"),
        pytest.param("we met at Blue Harbour", (), id="unmatched with a name"),
        pytest.param("lunch?", ("Priya",), id="mentioning somebody new"),
        pytest.param("he came", (), id="follow-up"),
        pytest.param("I came", (), id="speaker"),
    ],
)
async def test_origin_p2_repeating_an_input_never_raises_its_confidence_and_creates_nothing(
    world: World, text: str, mentions: tuple[str, ...]
) -> None:
    await world.load(entity("Alice", features=["plays the cello"]), *(entity(f"P{n}") for n in range(9)))
    await world.project("P1 was first", at=later(minutes=-1))
    first = await world.project(text, mentions=mentions, speaker="Carol")
    counts, actives = await world.counts(), await world.actives()
    assert first.linked

    for n in range(1, 5):
        again = await world.project(text.upper(), mentions=mentions, speaker="Carol", at=later(seconds=n))

        assert again.evidence_uuid == first.evidence_uuid
        assert {(each.runtime_id, each.confidence) for each in first.linked} <= linked(again)
        assert not again.created
    assert await world.counts() == counts
    for before, after in zip(actives, await world.actives(), strict=True):
        assert (after["id"], after["evidence"], after["mentions"]) == (
            before["id"],
            before["evidence"],
            before["mentions"],
        )
    moved = await world.rows(
        "MATCH (e:Evidence {uuid: $uuid}) WHERE e.space = $space RETURN e.lastAt AS at, e.firstAt AS first",
        uuid=first.evidence_uuid,
    )
    assert moved == [{"at": later(seconds=4), "first": later()}]


async def test_origin_p2_repeating_an_unmatched_input_at_the_bound_lets_nothing_go(world: World) -> None:
    """What it opened has no name to be found by again, and must not be let go to open another."""
    few = world.but(living=LifecycleSettings(most_unbound=2))
    await few.project(CAFE)
    await few.project("a red bicycle stands outside", at=later(seconds=1))
    before = await world.actives()

    for n in range(2, 5):
        assert not (await few.project(CAFE, at=later(seconds=n))).created

    assert [each["id"] for each in await world.actives()] == [each["id"] for each in before]
    assert await world.actives("EXPIRED") == []


async def test_an_older_input_moves_no_time_backwards(world: World) -> None:
    uuids = await world.load(entity("Alice"))
    await world.project("Alice came")
    await world.project("Alice came", at=later(hours=-5))
    await world.project("Alice left", at=later(hours=-6))

    (active,) = await world.actives()
    assert active["lastMentionedAt"] == later()
    assert await world.rows(
        "MATCH (e:Evidence {content: 'Alice came'}) WHERE e.space = $space RETURN e.lastAt AS at"
    ) == [{"at": later()}]
    found = "MATCH (e:Entity {uuid: $uuid}) WHERE e.space = $space RETURN e.lastMentionedAt AS at"
    assert await world.rows(found, uuid=uuids["Alice"]) == [{"at": later()}]


async def test_design_6_projection_touches_no_revision_but_when_the_entity_was_mentioned(world: World) -> None:
    await world.load(entity("Alice"))
    found = """
        MATCH (e:Entity) WHERE e.space = $space
        RETURN e.revision AS revision, e.updatedAt AS updatedAt, e.lastMentionedAt AS mentioned
    """
    (before,) = await world.rows(found)

    await world.project("Alice came", at=later(hours=1))

    assert await world.rows(found) == [{**before, "mentioned": later(hours=1)}]


async def test_design_6_statement_hits_of_an_attached_entity_are_kept(world: World) -> None:
    await world.load(entity("Alice", features=["plays the cello"], impressions=["fond of the sea"]), entity("Bob"))

    await world.project("Alice plays the cello")
    await world.project("Alice, the cello and the sea", at=later(minutes=1))

    kept = await world.rows(
        """
        MATCH (a:ActiveEntity)-[p:PROJECTS]->(s) WHERE a.space = $space
        RETURN s.text AS text, p.score AS score, p.at AS at ORDER BY text
        """
    )
    assert [(each["text"], each["at"]) for each in kept] == [
        ("fond of the sea", later(minutes=1)),
        ("plays the cello", later(minutes=1)),
    ]
    assert all(0 < each["score"] <= 1 for each in kept)


# Nothing to be about


async def test_origin_p3_an_overlap_of_function_words_only_attaches_nothing_and_writes_nothing(world: World) -> None:
    await world.load(entity("Alice", features=["what it is and how they are"]), entity("他", features=["他们是我们的"]))
    counts = await world.counts()

    for text in ("and what is it, then?", "他们是我们的吗", "ok, thanks", "好的", "哈哈", "🙂"):
        projection = await world.project(text)

        assert projection.linked == ()
        assert projection.evidence_uuid is None
        assert "says too little" in projection.reason
    assert await world.counts() == counts


async def test_origin_p12_an_unmatched_informative_input_opens_exactly_one(world: World) -> None:
    projection = await world.project(CAFE)

    (active,) = await world.actives()
    assert linked(projection) == {(active["id"], 1.0)}
    assert (active["bound"], active["evidence"]) == (None, [{"text": CAFE, "confidence": 1.0, "live": True}])


async def test_origin_p12_a_near_duplicate_joins_and_something_else_does_not(world: World) -> None:
    first = await world.project(CAFE)
    near = await world.project("On Monday the blue harbour cafe opens again, doesn't it", at=later(minutes=1))
    other = await world.project("a red bicycle stands outside the library", at=later(minutes=2))

    assert [each.runtime_id for each in near.linked] == [first.linked[0].runtime_id]
    assert other.created
    assert len(await world.actives()) == 2


async def test_origin_p12_the_same_name_like_word_joins(world: World) -> None:
    first = await world.project("we met at Blue Harbour")
    second = await world.project("they repaint Blue Harbour in green, slowly", at=later(minutes=1))

    assert [each.runtime_id for each in second.linked] == [first.linked[0].runtime_id]
    assert (await world.actives())[0]["subject"] == "Blue Harbour"


# Conversations


async def test_design_1_conversations_share_long_term_memory_but_not_active_entities(world: World) -> None:
    await world.load(entity("Alice"))
    other = world.but(conversation="d")
    first = await world.project("Alice came")
    await world.project(CAFE, at=later(seconds=1))

    second = await other.project("Alice came", at=later(seconds=2))

    assert second.created
    assert {each.runtime_id for each in first.linked}.isdisjoint(each.runtime_id for each in second.linked)
    assert second.evidence_uuid != first.evidence_uuid
    assert (await other.project("did she stay?", at=later(seconds=3))).linked[0].runtime_id == second.linked[
        0
    ].runtime_id
    assert (await other.project(CAFE, at=later(seconds=4))).created
    assert len(await world.actives()) == len(await other.actives()) == 2


async def test_another_spelling_of_what_was_said_before_is_told(world: World) -> None:
    await world.load(entity("Alice"))
    first = await world.project("Alice came by")
    again = await world.project("ALICE  came by")
    assert again.evidence_uuid == first.evidence_uuid
    assert not any("spelling" in note for note in first.notes)
    assert [note for note in again.notes if "another spelling" in note and "'Alice came by'" in note]


async def test_marks_that_are_not_compared_are_told(world: World) -> None:
    text = "Alice wrote a" + "\u0301" * 40
    for notes in ((await world.recall(text)).notes, (await world.project(text)).notes):
        assert "a run of 40 combining marks was cut to 30 for comparing" in notes
