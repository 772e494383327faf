"""The attach rules of DESIGN §5, one by one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.recall.attach import AttachSettings, Context, attach
from resolvers.recall.fuse import fuse
from resolvers.recall.values import Channel, Found, Match, Rule, Signal, Target, TargetType
from tests.resolvers.recall.examples import ALICE, BOB, direct, found, signal, targets

SETTINGS = AttachSettings()
NOBODY = Context(frozenset(), frozenset(), pronoun=False, latest=None)
CAROL = Target(TargetType.ENTITY, "carol")


def scored(target: Target, score: float, *signals: Signal) -> Match:
    return Match(target, score, signals or (signal(Channel.TEXT, score),))


def ruled(*matches: Match, context: Context = NOBODY, settings: AttachSettings = SETTINGS) -> dict[str, Rule]:
    ordered = sorted(matches, key=lambda match: -match.score)
    return {match.target.id: match.rule for match in attach(ordered, context, settings)}


def test_design_5_a_match_attaches_at_the_threshold_and_half_of_the_best() -> None:
    assert ruled(scored(ALICE, 0.8), scored(BOB, 0.4)) == {"alice": Rule.SCORE, "bob": Rule.SCORE}
    assert ruled(scored(ALICE, SETTINGS.threshold)) == {"alice": Rule.SCORE}


def test_design_5_below_the_threshold_even_the_best_stays_out() -> None:
    assert ruled(scored(ALICE, 0.229)) == {"alice": Rule.BELOW_THRESHOLD}


def test_design_5_below_half_of_the_best_it_stays_out() -> None:
    assert ruled(scored(ALICE, 0.8), scored(BOB, 0.399))["bob"] == Rule.BELOW_HALF_OF_BEST


def test_design_5_a_relation_phrase_of_a_named_entity_attaches_however_weak() -> None:
    phrase = signal(Channel.PHRASE, 0.1, reason="the text names somebody and the relation 'wife'")

    matches = attach([scored(ALICE, 0.9, direct()), scored(BOB, 0.02, phrase)], NOBODY, SETTINGS)

    assert (matches[1].rule, matches[1].reason) == (Rule.PHRASE, phrase.reason)
    assert ruled(scored(ALICE, 0.9), scored(BOB, 0.02, signal(Channel.NEIGHBOUR, 1.0)))["bob"] == Rule.BELOW_THRESHOLD


def follow_up(**changed: object) -> dict[str, Rule]:
    context = Context(frozenset(), frozenset(), pronoun=True, latest=BOB)
    return ruled(
        scored(ALICE, 0.1),
        scored(BOB, 0.04, signal(Channel.RECENCY, 0.8)),
        context=replace(context, **changed),  # type: ignore[arg-type]
    )


def test_design_5_a_pronoun_without_a_direct_hit_follows_up_on_the_latest() -> None:
    assert follow_up() == {"alice": Rule.BELOW_THRESHOLD, "bob": Rule.FOLLOW_UP}


def test_design_5_no_follow_up_without_a_pronoun_or_without_anybody_before() -> None:
    assert follow_up(pronoun=False)["bob"] == Rule.BELOW_THRESHOLD
    assert follow_up(latest=None)["bob"] == Rule.BELOW_THRESHOLD


def test_design_5_no_follow_up_beside_a_direct_hit_or_a_mention() -> None:
    context = Context(frozenset(), frozenset(), pronoun=True, latest=BOB)
    recent = scored(BOB, 0.04, signal(Channel.RECENCY, 0.8))

    assert ruled(scored(ALICE, 0.8, direct()), recent, context=context)["bob"] == Rule.BELOW_THRESHOLD
    mentioned = replace(context, mentioned=frozenset({ALICE}))
    assert ruled(scored(ALICE, 0.1), recent, context=mentioned)["bob"] == Rule.BELOW_THRESHOLD


def test_design_5_whom_the_caller_mentions_attaches_however_weak() -> None:
    context = replace(NOBODY, mentioned=frozenset({BOB}))

    assert ruled(scored(ALICE, 0.9), scored(BOB, 0.01), context=context)["bob"] == Rule.MENTION


def test_design_5_the_speaker_attaches_however_weak_and_a_mention_goes_first() -> None:
    context = replace(NOBODY, speakers=frozenset({BOB}))

    assert ruled(scored(ALICE, 0.9), scored(BOB, 0.01), context=context)["bob"] == Rule.SPEAKER
    both = replace(context, mentioned=frozenset({BOB}))
    assert ruled(scored(BOB, 0.01), context=both)["bob"] == Rule.MENTION


def test_at_most_sixteen_attach_the_best_first() -> None:
    many = [scored(Target(TargetType.ENTITY, f"{place:02}"), 0.9 - place / 100) for place in range(20)]

    rules = list(ruled(*many).values())

    assert rules == [Rule.SCORE] * 16 + [Rule.BEYOND_LIMIT] * 4


def test_design_5_those_the_caller_names_are_not_counted_nor_cut() -> None:
    many = [scored(Target(TargetType.ENTITY, f"{place:02}"), 0.9 - place / 100) for place in range(40)]
    named = replace(
        NOBODY, mentioned=frozenset(each.target for each in many[10:30]), speakers=frozenset({many[35].target})
    )

    rules = list(ruled(*many, context=named).values())

    assert rules[:10] == [Rule.SCORE] * 10
    assert rules[10:30] == [Rule.MENTION] * 20
    assert rules[30:] == [*[Rule.SCORE] * 5, Rule.SPEAKER, Rule.SCORE, *[Rule.BEYOND_LIMIT] * 3]


@given(found, st.booleans(), st.none() | targets, st.sets(targets), st.sets(targets))
def test_every_match_comes_back_in_its_place_with_a_rule_and_a_reason(
    all_found: list[Found],
    pronoun: bool,  # noqa: FBT001 -- hypothesis gives it by name
    latest: Target | None,
    mentioned: set[Target],
    speakers: set[Target],
) -> None:
    matches = fuse(all_found)
    ruled_matches = attach(matches, Context(frozenset(mentioned), frozenset(speakers), pronoun, latest), SETTINGS)

    assert [match.target for match in ruled_matches] == [match.target for match in matches]
    assert [match.score for match in ruled_matches] == [match.score for match in matches]
    assert all(match.reason and match.rule is not Rule.NO_SIGNAL for match in ruled_matches)
    assert sum(match.attached for match in ruled_matches) <= SETTINGS.most
    followed = [match.target for match in ruled_matches if match.rule is Rule.FOLLOW_UP]
    assert not followed or (pronoun and followed == [latest])


@pytest.mark.parametrize("rule", list(Rule))
def test_attached_or_cut_is_told_by_the_rule(rule: Rule) -> None:
    attaching = {Rule.SCORE, Rule.PHRASE, Rule.FOLLOW_UP, Rule.MENTION, Rule.SPEAKER}
    context = Context(frozenset({ALICE}), frozenset({BOB}), pronoun=True, latest=CAROL)
    everything = [
        scored(ALICE, 0.9), scored(BOB, 0.8), scored(CAROL, 0.1),
        scored(Target(TargetType.ENTITY, "d"), 0.5), scored(Target(TargetType.ENTITY, "e"), 0.3),
        scored(Target(TargetType.ENTITY, "f"), 0.05, signal(Channel.PHRASE, 0.3)),
    ]  # fmt: skip

    for match in attach(sorted(everything, key=lambda match: -match.score), context, AttachSettings(most=4)):
        assert match.rule is not rule or match.attached == (rule in attaching)
