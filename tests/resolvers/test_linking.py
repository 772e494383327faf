"""What an input is to be linked to: DESIGN §6, decided without a database."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.names import fold
from graph.values import EvidenceSource
from resolvers.lifetimes import LifecycleSettings
from resolvers.linking import (
    FOLLOW_UP_CONFIDENCE,
    PROJECTED_STATEMENTS,
    Decision,
    Input,
    decide,
    live_key,
    new_runtime_id,
)
from resolvers.recall.values import (
    AmbiguousName,
    Candidate,
    Channel,
    Match,
    NewMention,
    Recall,
    Rule,
    Signal,
    Target,
    TargetType,
    TextHit,
    VectorHit,
)
from tests.fakes import NOON
from tests.resolvers.recall.examples import active, direct

SETTINGS = LifecycleSettings()
ALICE = Target(TargetType.ENTITY, "alice-uuid")
THERE = Target(TargetType.ACTIVE_ENTITY, "000000000001")


def said(text: str = "some words", **changed: Any) -> Input:
    return Input(text, "s", "c", EvidenceSource.USER_INPUT, NOON, **changed)


def match(target: Target, rule: Rule, *signals: Signal, score: float = 0.6, **changed: Any) -> Match:
    attached = rule in {Rule.SCORE, Rule.PHRASE, Rule.FOLLOW_UP, Rule.MENTION, Rule.SPEAKER}
    return Match(target, score, signals or (direct(),), attached=attached, rule=rule, reason=f"by {rule}", **changed)


def decided(text: str = "some words", *matches: Match, **recalled: Any) -> Decision:
    return decide(said(text), "hash", Recall(matches, **recalled), SETTINGS)


@pytest.mark.parametrize(
    ("rule", "confidence"),
    [
        (Rule.SCORE, 0.6),
        (Rule.PHRASE, 0.6),
        (Rule.FOLLOW_UP, FOLLOW_UP_CONFIDENCE),
        (Rule.MENTION, 1.0),
        (Rule.SPEAKER, 1.0),
    ],
)
def test_design_6_confidence_is_the_score_or_what_the_rule_is_worth(rule: Rule, confidence: float) -> None:
    (attachment,) = decided("some words", match(ALICE, rule)).attachments

    assert (attachment.confidence, attachment.entity, attachment.reasons) == (confidence, ALICE.id, (f"by {rule}",))


def test_design_6_a_follow_up_is_worth_three_tenths() -> None:
    assert FOLLOW_UP_CONFIDENCE == 0.3


def test_what_is_not_attached_is_not_linked() -> None:
    cut = [match(ALICE, rule) for rule in Rule if not match(ALICE, rule).attached]

    assert decided("ok", *cut).attachments == ()


def test_an_unbound_active_entity_is_linked_by_its_own_id() -> None:
    (attachment,) = decided("some words", match(THERE, Rule.SCORE, runtime_id=THERE.id)).attachments

    assert (attachment.known_unbound, attachment.runtime_id, attachment.entity) == (True, THERE.id, None)


def test_names_by_which_it_was_named_are_kept_and_others_not() -> None:
    hit = TextHit("alias", "Ali", ("ali",), phrase=True)
    named, partly = (
        replace(direct(), text_hit=hit),
        Signal(Channel.TEXT, 1, 0.5, "", text_hit=replace(hit, text="Alice J.")),
    )

    (attachment,) = decided("Ali came", match(ALICE, Rule.SCORE, named, named, partly)).attachments

    assert attachment.names == ("Ali",)


def test_design_6_statement_hits_are_kept_the_strongest_of_each_and_five_at_most() -> None:
    hits = [
        Signal(Channel.TEXT, 1, n / 10, "", text_hit=TextHit("feature", "t", (), phrase=False, statement_uuid=f"s{n}"))
        for n in range(8)
    ]
    stronger = Signal(Channel.VECTOR, 1, 0.95, "", vector_hit=VectorHit("s0", "t", 0.9))

    (attachment,) = decided("x", match(ALICE, Rule.SCORE, *hits, stronger)).attachments

    assert attachment.statements == (("s0", 0.95), ("s7", 0.7), ("s6", 0.6), ("s5", 0.5), ("s4", 0.4))
    assert len(attachment.statements) == PROJECTED_STATEMENTS


def test_a_new_mention_opens_under_its_name_with_certainty() -> None:
    decision = decided(
        "some words", new_mentions=(NewMention("Priya", by_speaker=False), NewMention("Me", by_speaker=True))
    )

    priya, me = decision.attachments
    assert (priya.subject, priya.names, priya.confidence) == ("Priya", ("Priya",), 1.0)
    assert not priya.unless_linked
    assert "mentions" in priya.reasons[0]
    assert "first-person" in me.reasons[0]


@pytest.mark.parametrize(
    "text", ["ok, thanks", "好的", "哈哈", "🙂", "Ha, fair enough. Thanks!", "明白了，谢谢！", "hm", "?!"]
)
def test_origin_p12_what_says_too_little_opens_nothing_and_says_so(text: str) -> None:
    decision = decide(said(text), "hash", Recall((), terms=Recall(()).terms), SETTINGS)

    assert decision.attachments == ()
    assert "says too little" in decision.reason


@pytest.mark.parametrize(
    ("text", "terms", "subject"),
    [
        ("blue harbour opens", ("blue", "harbour", "open"), None),
        ("I like GPT-4o", ("gpt",), "GPT-4o"),
        ("we saw Anna there", ("saw", "anna"), "Anna"),
    ],
)
def test_origin_p12_an_informative_input_opens_exactly_one(
    text: str, terms: tuple[str, ...], subject: str | None
) -> None:
    (attachment,) = decided(text, terms=terms).attachments

    assert (attachment.subject, attachment.confidence, attachment.unless_linked) == (subject, 1.0, True)


def test_one_word_said_twice_is_one_word() -> None:
    assert decided("harbour harbour", terms=("harbour", "harbour")).attachments == ()


def test_design_6_a_near_duplicate_joins_an_unbound_one_only() -> None:
    unbound, bound = active("000000000001"), active("000000000002", bound="alice")
    joined = decided(
        "a b", terms=("a", "b"), actives=(unbound, bound), near_duplicates=(bound.runtime_id, unbound.runtime_id)
    )
    dead = decided(
        "a b", terms=("a", "b"), actives=(replace(unbound, live=False),), near_duplicates=(unbound.runtime_id,)
    )

    assert [(each.runtime_id, each.known_unbound) for each in joined.attachments] == [(unbound.runtime_id, True)]
    assert [each.known_unbound for each in dead.attachments] == [False]


def test_design_6_an_ambiguous_name_alone_opens_nothing_and_says_so() -> None:
    ambiguous = AmbiguousName("Holmes", (Candidate("1", "Sherlock"), Candidate("2", "Mycroft")))

    decision = decided("a b", terms=("a", "b"), ambiguous_names=(ambiguous,))

    assert decision.attachments == ()
    assert "'Holmes' may be any of several" in decision.reason


def test_design_6_opening_beyond_the_bound_lets_the_weakest_go() -> None:
    unbound = tuple(active(f"{n:012}", confidence=0.5 + n / 100) for n in range(SETTINGS.most_unbound))

    assert decided("blue harbour", terms=("a", "b"), actives=unbound).expire == (unbound[0].runtime_id,)
    assert decided("x", match(ALICE, Rule.SCORE), actives=unbound).expire == ()


def test_origin_p2_repeating_an_input_at_the_bound_lets_nothing_go() -> None:
    unbound = tuple(active(f"{n:012}", confidence=0.5 + n / 100) for n in range(SETTINGS.most_unbound))

    decision = decided("blue harbour", terms=("a", "b"), actives=unbound, linked=(unbound[0].runtime_id,))

    assert decision.expire == ()


def test_what_the_input_is_linked_to_is_never_let_go_for_it() -> None:
    unbound = tuple(active(f"{n:012}", confidence=0.5 + n / 100) for n in range(SETTINGS.most_unbound))
    weakest = match(
        Target(TargetType.ACTIVE_ENTITY, unbound[0].runtime_id), Rule.SCORE, runtime_id=unbound[0].runtime_id
    )

    decision = decided("x", weakest, actives=unbound, new_mentions=(NewMention("Priya", by_speaker=False),))

    assert decision.expire == (unbound[1].runtime_id,)


@given(st.lists(st.tuples(*[st.text("ab\x01é", max_size=4)] * 4), min_size=2, max_size=2, unique=True))
def test_live_keys_differ_in_every_part(parts: list[tuple[str, str, str, str]]) -> None:
    keys = {live_key(*each) for each in parts}

    assert len(keys) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)


def test_design_6_the_hash_tells_inputs_apart_by_content_source_speaker_and_conversation() -> None:
    one = said("Blue Harbour", speaker="Carol")

    same = [replace(one, text=text) for text in ("blue  harbour", " BLUE HARBOUR ", "Ｂlue Harbour")]
    assert {_hash(each) for each in same} == {_hash(one)}
    assert _hash(replace(one, speaker="ＣAROL")) == _hash(one)
    others = [
        replace(one, text="Blue Harbour!"),
        replace(one, source=EvidenceSource.ASSISTANT_REPLY),
        replace(one, speaker=None),
        replace(one, conversation="d"),
    ]
    assert len({_hash(each) for each in (one, *others)}) == 5


def _hash(given: Input) -> str:
    return given.hash_of(fold(given.text))


def test_runtime_ids_are_twelve_hexadecimal_digits_and_new_every_time() -> None:
    ids = {new_runtime_id() for _ in range(100)}

    assert len(ids) == 100
    assert all(re.fullmatch("[0-9a-f]{12}", each) for each in ids)
