from hypothesis import given
from hypothesis import strategies as st

from graph.values import StatementKind
from resolvers.update.build import build
from resolvers.update.decided import DecidedCreate, DecidedUpdate
from resolvers.update.identity import resolve
from resolvers.update.intake import take_observed
from resolvers.update.observed import FeaturePatch, ImpressionEntityObservation, RelationPatch
from resolvers.update.seen import (
    AggregatedObservation,
    Decision,
    DropCode,
    Dropped,
    KnownBearer,
    KnownIdentities,
    Observation,
    ResolutionCode,
)
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    PlannedTarget,
    UpdateExistingStep,
    UpdatePlan,
    ValidPlan,
)
from resolvers.update.validate import validate
from tests.resolvers.update.given import (
    aggregated,
    facts,
    feature,
    grounds,
    impression,
    known,
    observation,
    plan_of,
    planned,
    relation,
    said,
    target,
    text,
    whole,
)

ALICE, ALICE_2, BOB = ("e1", ["Alice", "Ally"]), ("e2", ["Alice", "Alice Smith"]), ("e3", ["Bob"])


def plan(index: KnownIdentities, *observations: AggregatedObservation) -> UpdatePlan:
    return build(resolve(aggregated(*observations), index), index)


def codes(made: UpdatePlan) -> list[DropCode]:
    return [each.code for each in made.dropped]


def test_an_update_and_a_create() -> None:
    made = plan(
        known(ALICE),
        whole(
            "Alice",
            aliases=["Lis"],
            statements=[
                impression("seems tired", quote="so tired", confidence=0.5, sources={"t2", "t1"}),
                feature("likes tea", quote="I like tea", sources={"t1"}),
            ],
            sources={"r1"},
        ),
        whole("Zoe", statements=[feature("is a nurse", sources={"t3"})], sources={"r2"}),
    )

    assert made.steps == (
        CreateEntityStep(
            "Zoe", (AddStatement(StatementKind.FEATURE, "is a nurse", 0.8, ("t3",)),), sources=frozenset({"r2"})
        ),
        UpdateExistingStep(
            "e1",
            "Alice",
            (
                AddAlias("Lis", reason="observed as another name"),
                AddStatement(StatementKind.FEATURE, "likes tea", 0.8, ("t1",), "I like tea"),
                AddStatement(StatementKind.IMPRESSION, "seems tired", 0.5, ("t1", "t2"), "so tired"),
            ),
            sources=frozenset({"r1"}),
        ),
    )
    assert (made.dropped, made.postponed) == ((), ())


def test_what_is_postponed_is_kept_and_told() -> None:
    made = plan(known(ALICE, ALICE_2), whole("Alice"))

    assert made.steps == ()
    assert [each.code for each in made.postponed] == [ResolutionCode.AMBIGUOUS]
    assert [(each.code, each.text) for each in made.dropped] == [(DropCode.POSTPONED, "Alice")]


def test_relations_to_somebody_known_and_to_somebody_new() -> None:
    """P13 of the first implementation: the target was free text and never linked."""
    made = plan(
        known(ALICE, BOB),
        whole(
            "Alice", statements=[], relations=[relation("friend", "BOB"), relation("aunt of", "Zoe", quote="her aunt")]
        ),
        whole("Zoe"),
    )

    _, alice = made.steps
    assert isinstance(alice, UpdateExistingStep)
    assert alice.patches == (
        AddRelation(PlannedTarget("zoe", "Zoe"), "aunt of", 0.8, (), "her aunt"),
        AddRelation(target("e3", "Bob"), "friend", 0.8),
    )


def test_a_name_the_plan_itself_gives_is_known() -> None:
    made = plan(
        known(ALICE, BOB),
        whole("Bob", aliases=["Bobby"]),
        whole("Alice", statements=[], relations=[relation("friend", "bobby")]),
    )

    assert made.steps[0].patches == (AddRelation(target("e3", "Bob"), "friend", 0.8),)  # type: ignore[union-attr]


def test_origin_p13_a_relation_to_nobody_known_waits_and_the_rest_lands() -> None:
    waits = relation("boss", "Zed", sources={"t1"})
    made = plan(known(ALICE), whole("Ally", aliases=["Lis"], relations=[waits], pending={"p1"}, sources={"r1"}))

    assert [each.code for each in made.dropped] == [DropCode.TARGET_UNKNOWN]
    assert made.dropped[0].text == "Alice: boss: Zed"
    (step,) = made.steps
    assert isinstance(step, UpdateExistingStep)
    assert [type(patch) for patch in step.patches] == [AddAlias, AddStatement]
    (pending,) = made.postponed
    assert (pending.decision, pending.code) == (Decision.POSTPONED, ResolutionCode.TARGET_UNKNOWN)
    assert pending.entity_uuid is None
    assert (pending.observation.subject, pending.observation.key) == ("Alice", "alice")
    assert pending.observation.aliases == ("Ally", "Lis")
    assert (pending.observation.statements, pending.observation.relations) == ((), (waits,))


def test_a_relation_that_waited_lands_once_its_target_is_known() -> None:
    index = known(ALICE)
    (waiting,) = plan(index, whole("Ally", relations=[relation("boss", "Zed", sources={"t1"})])).postponed
    later = plan(known(ALICE, ("e9", ["Zed"])), waiting.observation)

    assert later.steps == (
        UpdateExistingStep("e1", "Alice", (AddRelation(target("e9", "Zed"), "boss", 0.8, ("t1",)),)),
    )
    assert later.postponed == ()


def test_a_relation_decided_for_one_entity_waits_under_that_ones_name() -> None:
    index = known(ALICE, BOB)
    bob = DecidedUpdate(KnownBearer("e3", "Bob"))
    gathered = aggregated(whole("Alice", relations=[relation("boss", "Zed")], pending={"p1"}))
    (waiting,) = build(resolve(gathered, index, decided={"p1": bob}), index).postponed

    assert (waiting.observation.subject, waiting.observation.aliases) == ("Bob", ())


def test_a_relation_to_one_of_several() -> None:
    made = plan(known(ALICE, ALICE_2, BOB), whole("Bob", relations=[relation("friend", "Alice")]))

    assert codes(made) == [DropCode.TARGET_AMBIGUOUS]
    assert [each.code for each in made.postponed] == [ResolutionCode.TARGET_AMBIGUOUS]
    assert len(made.steps) == 1


def test_a_relation_to_oneself_under_any_name() -> None:
    made = plan(
        known(ALICE), whole("Alice", aliases=["Lis"], relations=[relation("friend", name) for name in ("ally", "Lis")])
    )
    new = plan(known(), whole("Zoe", relations=[relation("friend", "zoe")]))

    assert codes(made) == [DropCode.SELF_RELATION, DropCode.SELF_RELATION]
    assert codes(new) == [DropCode.SELF_RELATION]
    assert made.postponed == ()


def test_a_relation_to_a_word_that_names_nobody() -> None:
    made = plan(known(ALICE, speakers={"t2": "Bob"}), whole("Alice", relations=[relation("friend", "the user")]))

    assert codes(made) == [DropCode.GENERIC_TARGET]
    assert made.postponed == ()


def test_a_relation_to_the_speaker() -> None:
    index = known(ALICE, BOB, speakers={"t2": "Bob"})
    made = plan(index, whole("Alice", statements=[], relations=[relation("wife of", "me", sources={"t2"})]))

    assert made.steps[0].patches == (AddRelation(target("e3", "Bob"), "wife of", 0.8, ("t2",)),)  # type: ignore[union-attr]


def test_what_is_postponed_names_the_speaker() -> None:
    """Who spoke is not known any more when it is tried again."""
    me = [relation("pupil", "me", sources={"t2"}), relation("friend", "我", sources={"unsaid"})]
    speakers = {"t2": "Ottoline"}
    landed = plan(known(BOB, speakers=speakers), whole("Bob", relations=me[:1]))
    ambiguous = plan(known(ALICE, ALICE_2, speakers=speakers), whole("Alice", relations=me))

    assert [[each.target for each in postponed.observation.relations] for postponed in landed.postponed] == [
        ["Ottoline"]
    ]
    assert [[each.target for each in postponed.observation.relations] for postponed in ambiguous.postponed] == [
        ["Ottoline", "我"]
    ]


def test_an_alias_of_another_entity_is_left_out() -> None:
    index = known(ALICE, BOB)
    alice = DecidedUpdate(KnownBearer("e1", "Alice"))
    made = build(
        resolve(aggregated(whole("Alice", aliases=["Bob"], pending={"p"})), index, decided={"p": alice}), index
    )

    assert codes(made) == [DropCode.ALIAS_TAKEN]
    assert isinstance(validate(made, facts(made, index)), ValidPlan)


def test_an_alias_equal_to_the_subject_is_harmless() -> None:
    """P7 of the first implementation: the plan stopped halfway."""
    made = plan(known(), whole("Zoe", aliases=["ZOE", "Ｚｏｅ"]))

    assert [type(patch) for patch in made.steps[0].patches] == [AddStatement]  # type: ignore[union-attr]
    assert made.dropped == ()


def test_resolutions_to_one_entity_are_one_step() -> None:
    made = plan(
        known(ALICE),
        whole("Alice", statements=[feature("likes tea", confidence=0.4, sources={"1"})], sources={"r1"}),
        whole("Ally", statements=[feature("Likes tea", confidence=0.9, sources={"2"})], sources={"r2"}),
    )

    (step,) = made.steps
    assert isinstance(step, UpdateExistingStep)
    assert step.patches == (AddStatement(StatementKind.FEATURE, "Likes tea", 0.9, ("1", "2")),)
    assert step.sources == {"r1", "r2"}


def test_nothing_new_is_no_step() -> None:
    made = plan(known(ALICE), whole("Alice", aliases=["Ally"], statements=[]))

    assert made.steps == ()
    assert codes(made) == [DropCode.NOTHING_LEFT]


def test_nobody_is_created_of_whom_nothing_lands() -> None:
    made = plan(
        known(),
        whole("Yan", statements=[], relations=[relation("friend", "Nobody Known")]),
        whole("Zoe", statements=[], relations=[relation("friend", "Yan")]),
        whole("Ann", statements=[], relations=[relation("friend", "Ben")]),
        whole("Ben", statements=[], relations=[relation("friend", "Ann")]),
    )

    assert [step.subject for step in made.steps if isinstance(step, CreateEntityStep)] == ["Ann", "Ben"]
    assert codes(made).count(DropCode.NOTHING_LEFT) == 2
    assert [each.observation.subject for each in made.postponed] == ["Yan", "Zoe"]


def test_a_person_may_decide_that_it_is_a_homonym() -> None:
    index = known(ALICE)
    gathered = aggregated(whole("Alice", aliases=["Ally"], pending={"p1"}))
    made = build(resolve(gathered, index, decided={"p1": DecidedCreate()}), index)

    (step,) = made.steps
    assert isinstance(step, CreateEntityStep)
    assert step.allow_homonym
    assert codes(made) == [DropCode.ALIAS_TAKEN]
    assert isinstance(validate(made, facts(made, index)), ValidPlan)


def test_what_was_dropped_before_is_told_too() -> None:
    before = Dropped(DropCode.TEMPLATED, "Alice", "it says nothing")
    made = build((), known(), dropped=[before, before])

    assert made.dropped == (before, before)
    assert made.steps == ()


def test_two_hundred_observations() -> None:
    texts = grounds("moved to Hangzhou")
    seen = [
        observation(f"Person {number}", statements=[feature(f"owns house {number}", quote="moved to Hangzhou")])
        for number in range(200)
    ]
    made = planned(seen, texts)

    assert len(made.steps) == 200
    assert isinstance(validate(made, facts(made, known())), ValidPlan)


# --- any order, any batching, never raising --------------------------------------------------------------------------

TEXTS = grounds(
    text("I like green tea", id="t1", speaker="Carol"),
    text("Alice moved to Hangzhou with Bob", id="t2"),
)
NAMES = ["Alice", "Al ice", "ALICE", "Ally", "Bob", "Bobby", "Zoe", "Zo-e", "Alice Smith", "I", "用户", "she"]
QUOTES = ["I like green tea", "moved to Hangzhou", "never said"]
FEATURES = st.builds(
    FeaturePatch,
    text=st.sampled_from(["likes tea", "LIKES tea", "lives in Hangzhou", "Alice"]),
    evidence=st.sampled_from(QUOTES),
    confidence=st.sampled_from([0.1, 0.5, 0.9]),
)
RELATIONS = st.builds(
    RelationPatch,
    target=st.sampled_from(NAMES),
    relation=st.sampled_from(["friend", "boss"]),
    evidence=st.sampled_from(QUOTES),
    strength=st.sampled_from([0.2, 0.9]),
)


def seen_by_model(
    subject: str, aliases: list[str], features: list[FeaturePatch], relations: list[RelationPatch], sure: float
) -> ImpressionEntityObservation:
    return said(
        subject,
        aliases=aliases,
        features=features,
        relations=relations,
        sourceActiveRuntimeIds=["A1"],
        confidence=sure,
    )


SEEN = st.builds(
    seen_by_model,
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(NAMES), max_size=2),
    st.lists(FEATURES, max_size=2),
    st.lists(RELATIONS, max_size=2),
    st.sampled_from([0.4, 0.7, 0.9]),
)
INDEX = known(ALICE, ALICE_2, BOB, bindings={"00000000000a": "e2"}, speakers={"t1": "Carol"})


def in_batches(seen: list[ImpressionEntityObservation], size: int) -> list[Observation]:
    """Return observations as read from batches of that size, each with labels of its own."""
    return [
        read
        for start in range(0, len(seen), size)
        for read in take_observed(plan_of(*seen[start : start + size]), {"A1": "00000000000a"}).observations
    ]


@given(st.lists(SEEN, max_size=8), st.integers(1, 8), st.data())
def test_any_order_and_any_batching_give_the_same_valid_plan(
    seen: list[ImpressionEntityObservation], size: int, data: st.DataObject
) -> None:
    made = planned(in_batches(seen, len(seen) or 1), TEXTS, INDEX)
    other = planned(in_batches(data.draw(st.permutations(seen)), size), TEXTS, INDEX)

    assert other == made
    assert validate(made, facts(made, INDEX)) == ValidPlan(made)
