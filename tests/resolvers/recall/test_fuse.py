"""The properties DESIGN §5 asks of the fused score."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.recall.fuse import WEIGHTS, fuse
from resolvers.recall.values import Channel, Found, RelationStep, Signal, Target, TargetType
from tests.resolvers.recall.examples import (
    ALICE,
    BOB,
    THERE,
    WEAK_CHANNELS,
    direct,
    found,
    signal,
    signals,
    targets,
)


@given(found)
def test_design_5_contributions_sum_to_the_score(all_found: list[Found]) -> None:
    for match in fuse(all_found):
        assert math.isclose(math.fsum(each.contribution for each in match.signals), match.score, abs_tol=1e-9)
        assert all(each.contribution >= 0 for each in match.signals)


@given(found)
def test_a_score_is_in_the_unit_range_and_never_minus_zero(all_found: list[Found]) -> None:
    for match in fuse(all_found):
        assert 0 <= match.score <= 1
        assert math.copysign(1, match.score) == 1


@given(found)
def test_no_signal_is_lost_and_each_target_has_one_match(all_found: list[Found]) -> None:
    matches = fuse(all_found)

    assert sorted({each.target for each in all_found}) == sorted(match.target for match in matches)
    assert sum(len(match.signals) for match in matches) == len(all_found)


@given(st.lists(signals(WEAK_CHANNELS), max_size=200), st.lists(signals(WEAK_CHANNELS), max_size=3))
def test_design_5_a_direct_hit_beats_anything_that_has_none_however_many_weak_signals(
    weak: list[Signal], beside: list[Signal]
) -> None:
    best, *_ = fuse([*(Found(BOB, each) for each in weak), *(Found(ALICE, each) for each in [direct(), *beside])])

    assert best.target == ALICE


@given(st.sampled_from(WEAK_CHANNELS), st.sampled_from(list(Channel)), st.floats(0.001, 1), st.floats(0.001, 1))
def test_design_5_two_sources_on_one_target_beat_one(one: Channel, other: Channel, first: float, second: float) -> None:
    alone, together = (
        fuse([Found(ALICE, signal(one, first)), *more])[0].score
        for more in ((), [Found(ALICE, signal(other, second))] if other is not one else ())
    )

    assert together > alone or other is one


@given(found, st.randoms(use_true_random=False))
def test_design_5_the_order_of_signals_does_not_matter(all_found: list[Found], chance: random.Random) -> None:
    shuffled = list(all_found)
    chance.shuffle(shuffled)

    assert fuse(shuffled) == fuse(all_found)


def test_signals_alike_in_all_but_their_path_fuse_in_one_order() -> None:
    """Two people are each other's friend: the edge there and the edge back say the same."""
    there, back = (
        signal(Channel.NEIGHBOUR, 1.0, path=(RelationStep(*ends, "friend"),)) for ends in (("a", "b"), ("b", "a"))
    )

    assert fuse([Found(BOB, there), Found(BOB, back)]) == fuse([Found(BOB, back), Found(BOB, there)])


@given(st.lists(targets, unique=True), st.randoms(use_true_random=False))
def test_design_5_ties_go_by_target_type_then_id(tied: list[Target], chance: random.Random) -> None:
    chance.shuffle(tied)

    ordered = [match.target for match in fuse(Found(each, signal(Channel.TEXT, 0.5)) for each in tied)]

    assert ordered == sorted(tied)


def test_ties_are_seen_through_the_noise_of_floats() -> None:
    noisy = [
        Found(ALICE, signal(Channel.TEXT, 0.1 + 0.2)),
        Found(BOB, signal(Channel.TEXT, 0.3)),
        Found(THERE, signal(Channel.TEXT, 0.3)),
    ]

    assert [match.target for match in fuse(noisy)] == [THERE, ALICE, BOB]
    assert TargetType.ACTIVE_ENTITY < TargetType.ENTITY


def test_of_each_channel_the_strongest_counts_and_all_are_kept() -> None:
    strong, weak = signal(Channel.TEXT, 0.8), signal(Channel.TEXT, 0.3)

    (match,) = fuse([Found(ALICE, weak), Found(ALICE, strong)])

    assert match.score == pytest.approx(0.4 * 0.8)
    assert [each.contribution for each in match.signals] == pytest.approx([match.score, 0.0])


def test_the_score_is_the_designs_noisy_or() -> None:
    """1 − (1 − .9·NAME)(1 − .4·TEXT)(1 − .3·VECTOR)(1 − .2·PHRASE)(1 − .05·NEIGHBOUR)(1 − .05·RECENCY)."""
    (match,) = fuse([Found(ALICE, signal(channel, 0.5)) for channel in Channel])

    assert match.score == pytest.approx(1 - 0.55 * 0.8 * 0.85 * 0.9 * 0.975 * 0.975)
    assert set(WEIGHTS) == set(Channel)


def test_nothing_found_is_nothing_matched() -> None:
    assert fuse([]) == ()
    (match,) = fuse([Found(ALICE, signal(Channel.NAME, 0.0))])
    assert (match.score, match.signals[0].contribution) == (0.0, 0.0)
