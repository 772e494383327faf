from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.values import StatementKind
from resolvers.update.aggregate import AggregateSettings, aggregate
from resolvers.update.seen import Aggregated, DropCode, Observation, Role
from tests.resolvers.update.given import feature, grounds, impression, observation, relation, text, whole

TEA = text("I like green tea a lot", id="tea", speaker="Alice")
MOVE = text("Alice moved to Hangzhou with Bob", id="move")
ADVICE = text("Alice seems to be a brilliant violinist", id="advice", role=Role.ASSISTANT)
TEXTS = grounds(TEA, MOVE, ADVICE)

LIKES_TEA = feature("likes green tea", quote="I like green tea")
LIVES = feature("lives in Hangzhou", quote="moved to Hangzhou")


def codes(found: Aggregated) -> list[DropCode]:
    return [each.code for each in found.dropped]


def test_a_grounded_observation_has_the_sources_of_its_quotes() -> None:
    found = aggregate(
        [observation("Alice", statements=[LIKES_TEA], snippets=["moved to Hangzhou"], sources={"r1"})], TEXTS
    )

    (alice,) = found.observations
    assert (alice.key, alice.subject, alice.confidence) == ("alice", "Alice", 0.9)
    assert alice.statements[0].sources == {"tea"}
    assert alice.evidence == {"tea", "move"}
    assert alice.sources == {"r1"}
    assert alice.grounded
    assert not alice.assistant_only
    assert found.dropped == ()


def test_an_invented_quote_costs_its_patch_and_is_counted() -> None:
    lie = feature("is a spy", quote="Alice is a spy")
    found = aggregate([observation("Alice", statements=[lie, LIVES])], TEXTS)

    assert [each.text for each in found.observations[0].statements] == ["lives in Hangzhou"]
    assert [(each.code, each.text) for each in found.dropped] == [(DropCode.QUOTE_INVENTED, "is a spy")]


def test_no_quote_and_too_short_a_quote() -> None:
    patches = [feature("is kind", quote=""), feature("is tall", quote="to"), LIVES]
    found = aggregate([observation("Alice", statements=patches)], TEXTS)

    assert codes(found) == [DropCode.QUOTE_MISSING, DropCode.QUOTE_TOO_SHORT]


def test_of_an_observation_without_a_true_quote_nothing_is_left_not_even_its_names() -> None:
    lie = observation("Alice", aliases=["Bob"], statements=[feature("is a spy", quote="Alice is a spy")])
    found = aggregate([lie], TEXTS)

    assert found.observations == ()
    assert codes(found) == [DropCode.NOTHING_LEFT, DropCode.QUOTE_INVENTED]


def test_snippets_stand_in_for_missing_quotes_where_they_may() -> None:
    seen: dict[str, Any] = {
        "statements": [feature("lives in Hangzhou")],
        "snippets": ["she likes flying to the moon", "moved to Hangzhou"],
    }
    allowed = aggregate([observation("Alice", **seen, snippets_stand_in=True)], TEXTS)
    refused = aggregate([observation("Alice", **seen)], TEXTS)

    assert allowed.observations[0].statements[0].quote == "moved to Hangzhou"
    assert allowed.observations[0].statements[0].sources == {"move"}
    assert codes(allowed) == [DropCode.QUOTE_INVENTED]
    assert DropCode.QUOTE_MISSING in codes(refused)
    assert refused.observations == ()


def test_a_given_quote_is_not_replaced_by_a_snippet() -> None:
    lie = feature("is a spy", quote="Alice is a spy")
    found = aggregate(
        [observation("Alice", statements=[lie], snippets=["moved to Hangzhou"], snippets_stand_in=True)], TEXTS
    )

    assert DropCode.QUOTE_INVENTED in codes(found)


def test_the_same_subject_is_one_and_the_surest_wording_of_the_same_counts() -> None:
    quieter = feature("Likes green tea", quote="green tea a lot", confidence=0.5)
    found = aggregate(
        [
            observation("alice", statements=[quieter], confidence=0.4),
            observation("Alice", statements=[LIKES_TEA], sources={"r1"}),
            observation(
                "Alice", relations=[relation("friend", "Bob", quote="moved to Hangzhou with Bob")], sources={"r2"}
            ),
        ],
        TEXTS,
    )

    (alice,) = found.observations
    assert alice.subject == "Alice"
    assert [(each.text, each.confidence) for each in alice.statements] == [("likes green tea", 0.8)]
    assert [each.target for each in alice.relations] == ["Bob"]
    assert alice.sources == {"r1", "r2"}
    assert alice.confidence == 0.9


def test_equal_statements_keep_the_sources_of_all() -> None:
    again = feature("LIKES green tea", quote="moved to Hangzhou", confidence=0.6)
    (alice,) = aggregate([observation("Alice", statements=[again, LIKES_TEA])], TEXTS).observations

    (statement,) = alice.statements
    assert (statement.text, statement.confidence) == ("likes green tea", 0.8)
    assert statement.sources == {"tea", "move"}


def test_the_united_subject_is_the_most_frequent_then_the_surest_then_the_first() -> None:
    def subject(*given_ones: tuple[str, float]) -> tuple[str, tuple[str, ...]]:
        seen = [
            observation(name, aliases=["Alice", "Alice Johnson"], statements=[LIVES], confidence=confidence)
            for name, confidence in given_ones
        ]
        (only,) = aggregate(seen, TEXTS).observations
        return only.subject, only.aliases

    assert subject(("Alice", 0.5), ("Alice", 0.5), ("Alice Johnson", 0.9)) == ("Alice", ("Alice Johnson",))
    assert subject(("Alice", 0.5), ("Alice Johnson", 0.9)) == ("Alice Johnson", ("Alice",))
    assert subject(("Alice", 0.9), ("Alice Johnson", 0.9)) == ("Alice", ("Alice Johnson",))


def test_one_sentence_about_two_people_gives_two_and_stays_two() -> None:
    quote = "Alice moved to Hangzhou with Bob"
    found = aggregate(
        [
            observation("Alice", statements=[feature("moved to Hangzhou", quote=quote)], sources={"r1"}),
            observation("Bob", statements=[feature("moved to Hangzhou", quote=quote)], sources={"r1"}),
        ],
        TEXTS,
    )

    assert [each.subject for each in found.observations] == ["Alice", "Bob"]


def test_generic_subjects_come_last_and_without_a_key() -> None:
    found = aggregate(
        [observation(word, statements=[LIKES_TEA]) for word in ("用户", "the user", "zoe", "Alice", "她")], TEXTS
    )

    assert [(each.key, each.subject) for each in found.observations][:2] == [("alice", "Alice"), ("zoe", "zoe")]
    assert [each.key for each in found.observations][2:] == ["", "", ""]


def test_a_generic_one_takes_the_name_of_the_one_it_joins() -> None:
    found = aggregate(
        [
            observation("the user", statements=[LIKES_TEA], confidence=1.0),
            observation("the user", statements=[LIKES_TEA], confidence=1.0),
            observation("Alice", statements=[impression("enjoys tea", quote="green tea")], confidence=0.5),
        ],
        TEXTS,
    )

    (alice,) = found.observations
    assert (alice.subject, alice.aliases, len(alice.statements)) == ("Alice", (), 2)


def test_an_alias_that_names_nobody_and_one_equal_to_the_subject() -> None:
    found = aggregate([observation("Alice", aliases=["she", "ALICE", "Ally"], statements=[LIVES])], TEXTS)

    assert found.observations[0].aliases == ("Ally",)
    assert [(each.code, each.text) for each in found.dropped] == [(DropCode.GENERIC_ALIAS, "she")]


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        (feature("was mentioned in the conversation", quote="moved to Hangzhou"), DropCode.TEMPLATED),
        (impression("用户提到了她的工作", quote="moved to Hangzhou"), DropCode.TEMPLATED),
        (feature("Alice", quote="moved to Hangzhou"), DropCode.TEMPLATED),
        (feature("x" * 301, quote="moved to Hangzhou"), DropCode.TEXT_REFUSED),
        (feature("likes planes", quote="moved to Hangzhou", confidence=0.29), DropCode.LOW_CONFIDENCE),
        (feature("is a violinist", quote="a brilliant violinist"), DropCode.ASSISTANT_ONLY),
    ],
)
def test_patches_that_are_not_worth_keeping(patch: Any, code: DropCode) -> None:
    found = aggregate([observation("Alice", statements=[patch, LIVES])], TEXTS)

    assert [each.text for each in found.observations[0].statements] == ["lives in Hangzhou"]
    (dropped,) = found.dropped
    assert dropped.code is code
    assert dropped.text[:20] == patch.text[:20]
    assert dropped.reason


def test_what_only_the_assistant_said_is_no_fact_but_may_be_an_impression() -> None:
    seen = observation("Alice", statements=[impression("plays well", quote="a brilliant violinist")])

    (alice,) = aggregate([seen], TEXTS).observations
    assert alice.assistant_only
    assert len(alice.statements) == 1


def test_a_fact_that_the_user_also_told_stays() -> None:
    both = grounds(ADVICE, text("yes, a brilliant violinist", id="user"))
    (alice,) = aggregate(
        [observation("Alice", statements=[feature("is a violinist", quote="a brilliant violinist")])], both
    ).observations

    assert alice.statements[0].sources == {"advice", "user"}
    assert not alice.assistant_only


def test_the_setting_lets_the_assistant_count() -> None:
    seen = observation("Alice", statements=[feature("is a violinist", quote="a brilliant violinist")])
    found = aggregate([seen], TEXTS, AggregateSettings(assistant_counts=True))

    assert found.dropped == ()
    assert not found.observations[0].assistant_only


def test_where_all_was_dropped_nothing_is_left() -> None:
    doubtful = feature("likes planes", quote="moved to Hangzhou", confidence=0.1)
    found = aggregate([observation("Alice", statements=[doubtful])], TEXTS)

    assert found.observations == ()
    assert codes(found) == [DropCode.LOW_CONFIDENCE, DropCode.NOTHING_LEFT]


def test_a_pending_one_is_tried_again_by_itself() -> None:
    """Alice of last week's conversation, left ambiguous, need not be the Alice of today's."""
    waits = whole("Alice", statements=[feature("is a nurse", quote="long ago", sources={"old"})], pending={"p1"})
    found = aggregate([observation("Alice", statements=[LIVES])], TEXTS, pending=[waits])

    assert [each.text for one in found.observations for each in one.statements] == ["lives in Hangzhou", "is a nurse"]
    assert found.observations[1] == waits


def test_two_hundred_observations() -> None:
    seen = [
        observation(f"Person {number % 100}", statements=[feature(f"owns house {number}", quote="moved to Hangzhou")])
        for number in range(200)
    ]
    found = aggregate(seen, TEXTS)

    assert len(found.observations) == 100
    assert all(len(each.statements) == 2 for each in found.observations)


QUOTES = ["I like green tea", "moved to Hangzhou", "a brilliant violinist", "never said", ""]
PATCHES = st.builds(
    lambda kind, said, quote, confidence: kind(said, quote=quote, confidence=confidence),
    st.sampled_from([feature, impression]),
    st.sampled_from(["likes tea", "Likes TEA", "lives in Hangzhou", "Alice", "was mentioned"]),
    st.sampled_from(QUOTES),
    st.sampled_from([0.2, 0.5, 0.5, 0.9]),
)
OBSERVATIONS = st.builds(
    observation,
    st.sampled_from(["Alice", "alice", "ALICE", "Bob", "Al", "she", "用户", "I"]),
    aliases=st.lists(st.sampled_from(["Al", "Bob", "Alice", "he"]), max_size=2),
    statements=st.lists(PATCHES, max_size=3),
    relations=st.lists(
        st.builds(
            relation,
            st.sampled_from(["friend", "Friend"]),
            st.sampled_from(["Bob", "Zed"]),
            quote=st.sampled_from(QUOTES),
        ),
        max_size=1,
    ),
    sources=st.sets(st.sampled_from(["r1", "r2"])),
    snippets=st.lists(st.sampled_from(QUOTES), max_size=1),
    confidence=st.sampled_from([0.3, 0.7, 0.7, 0.95]),
    snippets_stand_in=st.booleans(),
)


@given(st.lists(OBSERVATIONS, max_size=8), st.data())
def test_any_order_gives_the_same(seen: list[Observation], data: st.DataObject) -> None:
    assert aggregate(data.draw(st.permutations(seen)), TEXTS) == aggregate(seen, TEXTS)


@given(st.lists(OBSERVATIONS, max_size=8))
def test_what_is_left_is_grounded_told_once_and_said_by_nobody_else(seen: list[Observation]) -> None:
    found = aggregate(seen, TEXTS)

    keys = [each.key for each in found.observations if each.key]
    assert keys == sorted(set(keys))
    for each in found.observations:
        assert each.evidence
        assert all(patch.sources for patch in each.statements)
        assert all(patch.sources for patch in each.relations)
        assert all(patch.kind is StatementKind.IMPRESSION or patch.sources != {"advice"} for patch in each.statements)
