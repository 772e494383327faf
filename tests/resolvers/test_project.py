"""Projection on the real server: DESIGN §6, rule by rule."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from cypher import Query
from graph.errors import Unavailable
from graph.neo4j_server import ServerAddress
from graph.store import Store
from graph.values import EvidenceSource
from resolvers import lifecycle
from resolvers.lifecycle import LifecycleSettings, expire, roll
from resolvers.project import Projection, Projector
from resolvers.recall.asking import Question
from resolvers.recall.pipeline import RecallPipeline
from resolvers.recall.values import Channel, Recall, Rule
from tests.cut_line import cuttable_line
from tests.prepared import connection
from tests.resolvers.world import World, attached, entity, later

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


# Many at once


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


# Bounds and time


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
    monkeypatch.setattr(lifecycle, "EXPIRED_IN_PASSING", in_passing)
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


async def test_many_at_once_after_expiry_open_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "EXPIRED_IN_PASSING", 0)
    await world.load(entity("Alice"))
    await world.project("Alice came")

    await asyncio.gather(*(world.project(f"Alice came {n} times", at=later(hours=73)) for n in range(10)))

    (active,) = await world.actives()
    assert len(active["evidence"]) == 10
    assert len(await world.actives("EXPIRED")) == 1


async def test_rolled_evidence_leads_nowhere_but_the_active_entity_lives_on(world: World) -> None:
    first = await world.project(CAFE)
    await roll(world.store, space=world.space, evidence=[str(first.evidence_uuid)], run="r", settings=world.living)

    again = await world.project(CAFE, at=later(minutes=1))

    assert [each.runtime_id for each in again.linked] == [each.runtime_id for each in first.linked]


# What happens in between


class Interrupted(RecallPipeline):
    """Something happens after a recall, before its projection is written."""

    def __init__(self, world: World, event: Callable[[], Awaitable[object]], *, times: int) -> None:
        super().__init__(world.store, world.embedder, world.recalling)
        self._event = event
        self.left = times

    async def recall(self, question: Question) -> Recall:
        recall = await super().recall(question)
        if self.left:
            self.left -= 1
            await self._event()
        return recall


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

    async def remember_first(question: Question) -> Recall:
        await world.load(entity("Alice", id=str(len(remembered))))
        remembered.append(question)
        return await Interrupted(world, forget_and_remember, times=1).recall(question)

    remembered: list[Question] = []
    pipeline = world.pipeline
    pipeline.recall = remember_first  # type: ignore[method-assign]

    with pytest.raises(Unavailable, match="send it again"):
        await Projector(world.store, pipeline, world.living).project(world.input("Alice came"))
    assert len(remembered) == 3


async def test_an_unreachable_database_is_unavailable_in_bounded_time(
    world: World, neo4j_address: ServerAddress
) -> None:
    async with cuttable_line(neo4j_address) as line:
        store = await Store.connect(connection(neo4j_address, uri=line.uri, query_timeout=1.0, retry_time=1.0))
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
