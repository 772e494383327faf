"""Recall on the real server: DESIGN §5."""

import operator
from functools import partial

import pytest

from cypher import load
from graph.ports import Vector
from graph.text import scope_token
from resolvers.recall.asking import Limits
from resolvers.recall.pipeline import RecallSettings
from resolvers.recall.values import Channel, Rule, SignalSource, TargetType, VectorPolicy
from tests.fakes import NOON, FakeEmbedder
from tests.resolvers.world import World, attached, entity, later, match_of, round_trips

SENTENCE = "yesterday after the long meeting about the budget we all went to see how {} was doing with the new house"


# TEXT


async def test_origin_p5_an_exact_name_inside_a_long_sentence_is_found(world: World) -> None:
    await world.load(entity("Alice Johnson", aliases=["AJ"]), entity("Bob"), *(entity(f"P{n}") for n in range(30)))

    for name in ("Alice Johnson", "AJ", "alice johnson's dog"):
        recall = await world.recall(SENTENCE.format(name))

        assert attached(recall) == {"Alice Johnson"}
        (hit, *_) = match_of(recall, "Alice Johnson").signals
        assert (hit.channel, hit.source, hit.direct) == (Channel.NAME, SignalSource.TEXT, True)


async def test_design_5_part_of_a_name_is_found_by_text_alone(world: World) -> None:
    await world.load(entity("Alice Johnson"), entity("Bob Miller"))

    match = match_of(await world.recall("Where is Alice?"), "Alice Johnson")

    assert {signal.channel for signal in match.signals} == {Channel.TEXT}
    assert match.attached
    assert not any(signal.direct for signal in match.signals)


async def test_origin_p15_a_deprecated_name_counts_as_text_only_and_says_so(world: World) -> None:
    await world.load(entity("Zanzibar Airways", aliases=[{"text": "Coastal Wings", "deprecated": True}]))

    match = match_of(await world.recall("Is Coastal Wings late?"), "Zanzibar Airways")

    assert {signal.channel for signal in match.signals} == {Channel.TEXT}
    assert [signal.text_hit.field for signal in match.signals if signal.text_hit] == ["deprecated alias"]
    assert "deprecated alias" in match.signals[0].reason


async def test_design_5_a_weak_best_hit_stays_weak(world: World) -> None:
    await world.load(*(entity(f"P{n}", features=[f"likes number {n} and the sea"]) for n in range(20)))

    recall = await world.recall("we sat by the sea all afternoon and talked about cars, politics, taxes and football")

    assert recall.matches
    assert recall.matches[0].score < 0.15
    assert attached(recall) == set()


async def test_origin_p3_function_words_alone_attach_nothing_and_ask_no_vector(
    world: World, embedder: FakeEmbedder
) -> None:
    await world.load(
        entity("The Who", features=["what it is and how they are"]), entity("我们", features=["他们是我们的"])
    )
    embedder.embedded.clear()

    for text in ("and what of it, then?", "他们是我们的吗", "the who", "好的，谢谢"):
        recall = await world.recall(text, vector=VectorPolicy.ALWAYS)

        assert attached(recall) == set()
        assert not recall.vector_used
    assert embedder.embedded == []


async def test_design_5_ambiguous_names_are_reported_with_their_candidates(world: World) -> None:
    uuids = await world.load(
        entity("Sherlock Holmes", aliases=["Holmes"]), entity("Mycroft Holmes", aliases=["Holmes"]), entity("Watson")
    )

    recall = await world.recall("Holmes or Watson?")

    (ambiguous,) = recall.ambiguous_names
    assert ambiguous.name == "Holmes"
    assert {each.subject: each.uuid for each in ambiguous.candidates} == {
        subject: uuids[subject] for subject in ("Mycroft Holmes", "Sherlock Holmes")
    }
    assert (await world.recall("Sherlock Holmes or Watson?")).ambiguous_names == ()


# Spaces


async def test_design_3_nothing_crosses_a_space_not_even_as_one_of_a_thousand(world: World) -> None:
    text = "Alice plays the cello on Sundays"
    other = world.another_space()
    homonyms = [
        entity(
            "Alice", id=f"a{n}", features=["plays the cello on Sundays"], relations=[{"type": "teacher", "target": "b"}]
        )
        for n in range(1000)
    ]
    homonyms.append(entity("Alice", id="b"))
    await other.load(*homonyms)
    uuids = await world.load(entity("Alice", features=["plays the cello on Sundays"]))
    settings = RecallSettings(limits=Limits(texts=5, relations=5, vectors=5))

    for policy in (VectorPolicy.NEVER, VectorPolicy.ALWAYS):
        recall = await world.but(recalling=settings).recall(text + ", said her teacher", vector=policy)

        assert [match.target.id for match in recall.matches] == [uuids["Alice"]]
        channels = {signal.channel for signal in recall.matches[0].signals}
        assert channels == {Channel.NAME, Channel.TEXT, *([Channel.VECTOR] if recall.vector_used else [])}
    assert (await world.another_space().recall(text, vector=VectorPolicy.ALWAYS)).matches == ()


async def test_design_5_scores_do_not_move_when_another_space_grows(world: World) -> None:
    memory = [
        entity("Alice Johnson", features=["plays the cello", "lives in Leeds"]),
        entity("Bob", features=["cooks"]),
    ]
    await world.load(*memory)
    text = "who plays cello in Leeds, Alice?"
    before = await world.recall(text, vector=VectorPolicy.ALWAYS)

    await world.another_space().load(
        *(entity(f"Alice {n}", features=[f"plays the cello in Leeds at {n}"]) for n in range(200))
    )

    assert (await world.recall(text, vector=VectorPolicy.ALWAYS)).matches == before.matches


async def test_active_entities_and_evidence_of_another_space_or_conversation_are_not_recalled(world: World) -> None:
    await world.project("the blue harbour cafe opens on Monday")

    for elsewhere in (world.but(conversation="d"), world.another_space()):
        assert (await elsewhere.recall("blue harbour cafe")).matches == ()
    assert (await world.recall("blue harbour cafe")).matches


async def test_design_5_a_vector_hit_gives_the_exact_cosine(world: World) -> None:
    said = [f"{word} is what he said" for word in "one two three four five six seven eight nine ten".split()]
    await world.load(entity("Ada", features=said))
    text = "what he said of ten and of nine"

    recall = await world.recall(text, vector=VectorPolicy.ALWAYS)

    hits = [signal.vector_hit for signal in match_of(recall, "Ada").signals if signal.vector_hit]
    [asked, *stored] = await world.embedder.embed([text, *(hit.text for hit in hits)])
    assert hits
    for hit, vector in zip(hits, stored, strict=True):
        # The index searches quantised vectors; what it hands over has to be scored by the whole ones.
        assert hit.similarity == pytest.approx(_cosine(asked, vector), abs=1e-5)


async def test_decision_4_the_index_is_never_asked_for_more_than_a_space_holds(world: World) -> None:
    said = [f"he said {word} and {other}" for word in "one two three four five six".split() for other in "abc"]
    [vector] = await world.embedder.embed(["he said two and b"])
    limits = Limits(vectors=3)
    assert limits.few_statements > limits.vectors

    for number in (0, 1, 2, limits.few_statements, limits.few_statements + 1, len(said)):
        await world.load(entity("Ada", features=said[:number]))
        result = await world.store.read(
            load("recall/nearest_statements"),
            space=world.space,
            conversation="c",
            hash="",
            aliveSince=NOON,
            vector=list(vector),
            vectorLimit=limits.vectors,
            fewStatements=limits.few_statements,
            nearLimit=1,
        )
        found = {row["text"]: row["cosine"] for row in result.one()["vectors"]}
        # One by one or by the index, the nearest are the same.
        exact = sorted(map(partial(_cosine, vector), await world.embedder.embed(said[:number])), reverse=True)
        assert sorted(found.values(), reverse=True) == pytest.approx(exact[: limits.vectors], abs=1e-5)


def _cosine(one: Vector, other: Vector) -> float:
    return float(sum(map(operator.mul, one, other)))


# Round trips and the vector policy


@pytest.mark.parametrize("policy", list(VectorPolicy))
async def test_design_5_a_recall_is_one_round_trip_with_a_local_embedder(world: World, policy: VectorPolicy) -> None:
    await world.load(entity("Alice", features=["plays the cello"]))

    with round_trips(world.store) as heard:
        recall = await world.recall("Alice and the piano", vector=policy)

    assert heard == ["recall/collect_signals"]
    assert recall.vector_used == (policy is not VectorPolicy.NEVER)


async def test_design_5_a_remote_embedder_is_asked_only_where_names_do_not_cover_the_words(
    world: World, remote_embedder: FakeEmbedder
) -> None:
    await world.load(entity("Alice", features=["plays the cello"]))
    remote = world.but(embedder=remote_embedder)

    for text, asked in (("and what about Alice?", False), ("Alice and the piano", True), ("the cello", True)):
        remote_embedder.embedded.clear()
        with round_trips(world.store) as heard:
            recall = await remote.recall(text, vector=VectorPolicy.AUTO)

        assert recall.vector_used is asked
        assert remote_embedder.embedded == ([text] if asked else [])
        assert heard == ["recall/collect_signals", *(["recall/nearest_statements"] if asked else [])]


async def test_a_remote_embedder_finds_what_a_local_one_finds(world: World, remote_embedder: FakeEmbedder) -> None:
    await world.load(entity("Alice", features=["plays the cello"]), entity("Bob", features=["plays chess"]))

    local = await world.recall("somebody plays cello", vector=VectorPolicy.AUTO)
    remote = await world.but(embedder=remote_embedder).recall("somebody plays cello", vector=VectorPolicy.AUTO)

    assert remote.matches == local.matches
    assert any(signal.vector_hit for signal in local.matches[0].signals)


async def test_a_remote_embedder_is_asked_first_under_always_and_never_under_never(
    world: World, remote_embedder: FakeEmbedder
) -> None:
    await world.load(entity("Alice"))
    remote = world.but(embedder=remote_embedder)

    for policy, asked in ((VectorPolicy.ALWAYS, ["Alice"]), (VectorPolicy.NEVER, [])):
        remote_embedder.embedded.clear()
        with round_trips(world.store) as heard:
            await remote.recall("Alice", vector=policy)

        assert (heard, remote_embedder.embedded) == (["recall/collect_signals"], asked)


# RELATION


async def test_design_5_a_relation_phrase_leads_to_the_neighbour_in_both_directions(world: World) -> None:
    await world.load(
        entity(
            "Alice", relations=[{"relation": "manager", "target": "Bob"}, {"relation": "friend", "target": "Carol"}]
        ),
        entity("Bob"),
        entity("Carol"),
    )

    there = await world.recall("Alice's manager called")
    back = await world.recall("whose manager is Bob?")

    assert {match.subject: match.rule for match in there.matches} == {
        "Alice": Rule.SCORE, "Bob": Rule.PHRASE, "Carol": Rule.BELOW_THRESHOLD,
    }  # fmt: skip
    assert match_of(there, "Carol").signals[0].channel is Channel.NEIGHBOUR
    assert match_of(back, "Alice").rule is Rule.PHRASE
    (step,) = next(signal for signal in match_of(back, "Alice").signals if signal.channel is Channel.PHRASE).path
    assert step.relation == "manager"


async def test_a_hub_is_capped_with_a_note_and_the_named_relation_comes_first(world: World) -> None:
    others = [entity(f"N{n:04}") for n in range(1000)]
    friends = [{"relation": "neighbour", "target": f"N{n:04}"} for n in range(1, 1000)]
    uuids = await world.load(
        entity("Hub", relations=[*friends, {"relation": "dentist", "target": "N0000", "strength": 0.1}]), *others
    )
    limits = Limits()

    recall = await world.recall("Hub's dentist", limit=100)

    assert match_of(recall, "N0000").rule is Rule.PHRASE
    assert len({match.target for match in recall.matches}) <= 1 + limits.neighbours
    assert any(f"{uuids['Hub']} has 1000 relations, the {limits.neighbours} strongest" in note for note in recall.notes)


async def test_bearers_of_one_name_are_capped_with_a_note(world: World) -> None:
    friend = [{"relation": "friend", "target": "Bo"}]
    await world.load(entity("Bo"), *(entity("Alex", id=str(n), relations=friend) for n in range(9)))

    few = world.but(recalling=RecallSettings(limits=Limits(bearers=4)))
    assert "the names in the text have 4 bearers or more: 4 were looked at" in (await few.recall("Alex came")).notes
    some = await world.but(recalling=RecallSettings(limits=Limits(named=4))).recall("Alex's friend came")
    assert "the names in the text have many bearers: the relations of 4 were looked at" in some.notes
    assert match_of(some, "Bo").attached
    assert not any("looked at" in note for note in (await world.recall("Alex came")).notes)


# RECENCY and live evidence


async def test_design_5_recency_recalls_what_the_conversation_was_about(world: World) -> None:
    await world.load(entity("Alice"))
    await world.project("Alice came")

    recall = await world.recall("and the weather", at=later(minutes=15))

    (match,) = recall.matches
    assert (match.subject, match.attached, match.runtime_id is not None) == ("Alice", False, True)
    assert [(signal.channel, signal.normalised) for signal in match.signals] == [(Channel.RECENCY, 0.5)]


async def test_design_5_live_evidence_is_weighed_by_confidence_and_age(world: World) -> None:
    await world.project("the blue harbour cafe opens on Monday")

    recalls = [await world.recall("harbour cafe", at=later(days=days)) for days in (0, 1)]

    fresh, old = (next(s for s in recall.matches[0].signals if s.channel is Channel.TEXT) for recall in recalls)
    assert old.normalised == pytest.approx(fresh.normalised / 2)
    assert "weighed 0.50" in old.reason


async def test_an_unbound_active_entity_is_a_target_of_its_own(world: World) -> None:
    await world.project("the blue harbour cafe opens on Monday")

    (match,) = (await world.recall("is the blue harbour cafe nice?")).matches

    assert match.target.type is TargetType.ACTIVE_ENTITY
    assert match.target.id == match.runtime_id
    assert match.attached


async def test_design_5_an_entity_and_its_active_entity_are_one_target(world: World) -> None:
    uuids = await world.load(entity("Alice", features=["plays the cello"]))
    await world.project("Alice rehearses a sonata on Friday")

    recall = await world.recall("Alice, cello and sonata")

    (match,) = recall.matches
    assert (match.target.type, match.target.id) == (TargetType.ENTITY, uuids["Alice"])
    assert match.runtime_id == (await world.actives())[0]["id"]
    assert {"feature", "evidence"} <= {signal.text_hit.field for signal in match.signals if signal.text_hit}


async def test_origin_p2_an_input_never_recalls_itself(world: World) -> None:
    text = "the blue harbour cafe opens on Monday"
    await world.project(text)

    recall = (await world.project(text, at=later(seconds=9))).recall

    assert {signal.channel for match in recall.matches for signal in match.signals} <= {Channel.RECENCY, Channel.NAME}


# What an answer holds


async def test_all_attached_are_returned_and_others_up_to_the_limit_with_a_note(world: World) -> None:
    await world.load(*(entity(f"Sea {n}", features=["by the sea"]) for n in range(12)), entity("Alice"))

    recall = await world.recall("Alice and Sea 1, Sea 2, Sea 3 and politics", limit=2)

    assert attached(recall) == {"Alice", "Sea 1", "Sea 2", "Sea 3"}
    assert len(recall.matches) == 4
    assert recall.hidden > 0
    assert f"{recall.hidden} weaker matches are not shown" in recall.notes


async def test_more_than_sixteen_are_cut_with_a_note(world: World) -> None:
    await world.load(*(entity(f"Person{n}") for n in range(20)))

    recall = await world.recall(" ".join(f"Person{n}" for n in range(20)), limit=100)

    assert len(attached(recall)) == 16
    assert any("4 further matches" in note for note in recall.notes)


async def test_the_same_question_gets_the_same_answer(world: World) -> None:
    await world.load(*(entity(f"Alice {n}", features=["plays the cello"]) for n in range(30)))

    first, *others = [await world.recall("Alice plays cello", vector=VectorPolicy.ALWAYS) for _ in range(3)]

    assert all(other.matches == first.matches for other in others)


async def test_terms_are_counted_per_space(world: World) -> None:
    await world.load(entity("Alice", features=["plays the cello"]))
    token = scope_token(world.space)

    found = await world.rows(
        "MATCH (term:Term) WHERE term.space = $space RETURN term.key AS key, term.documents AS documents"
    )

    counted = {row["key"]: row["documents"] for row in found}
    assert counted == {token: 2, f"{token}alic": 1, f"{token}play": 1, f"{token}cello": 1}
