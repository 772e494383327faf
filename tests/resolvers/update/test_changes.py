"""Small changes, each with before and after: one for each thing, and turned round they take it back."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from graph.values import StatementKind
from resolvers.update.changes import (
    CHANGES,
    Binding,
    BindingChange,
    Change,
    EntityChange,
    EntityRecord,
    NameChange,
    NameRecord,
    RelationChange,
    RelationRecord,
    StatementChange,
    StatementRecord,
    SupportChange,
    collapse,
    inverse,
    touched,
)
from tests.fakes import NOON
from tests.resolvers.world import later

ALICE = EntityRecord("Alice", None, NOON, NOON)
TEA = StatementRecord("e1", StatementKind.FEATURE, "drinks tea", "drinks tea", 0.5, 1, NOON, NOON)
LIKES = RelationRecord("e1", "e2", "likes", "likes", 0.5, 1, ("v1",), NOON, NOON)
ALLY = NameRecord("Ally", "ALIAS", deprecated=False, since=NOON)

changes = st.lists(
    st.one_of(
        st.sampled_from([None, ALICE, replace(ALICE, subject="Alicia")]).flatmap(
            lambda a: st.builds(EntityChange, st.sampled_from(["e1", "e2"]), st.just(a), st.just(ALICE))
        ),
        st.builds(NameChange, st.just("e1"), st.sampled_from(["ally", "al"]), st.none(), st.just(ALLY)),
        st.builds(StatementChange, st.sampled_from(["s1", "s2"]), st.none(), st.just(TEA)),
        st.builds(RelationChange, st.just("r1"), st.just(LIKES), st.none()),
        st.builds(
            SupportChange, st.just("s1"), st.sampled_from(["v1", "v2"]), st.just(value=False), st.just(value=True)
        ),
        st.builds(BindingChange, st.just("a1"), st.just(Binding(None, "k")), st.just(Binding("e1", "l"))),
    ),
    max_size=6,
).map(tuple)


@given(changes)
def test_turned_round_twice_they_are_as_they_were(given_: tuple[Change, ...]) -> None:
    assert inverse(inverse(given_)) == given_


@given(changes)
def test_they_are_read_back_as_they_were_written(given_: tuple[Change, ...]) -> None:
    assert CHANGES.validate_json(CHANGES.dump_json(given_)) == given_


@given(changes)
def test_collapsed_there_is_one_of_each_and_nothing_new(given_: tuple[Change, ...]) -> None:
    once = collapse(given_)
    assert collapse(once) == once
    assert set(touched(once)) <= set(touched(given_))


def test_from_before_the_first_to_after_the_last() -> None:
    sure, surer = replace(TEA, confidence=0.7), replace(TEA, confidence=0.9)
    both = collapse((StatementChange("s1", TEA, sure), StatementChange("s1", sure, surer)))
    assert both == (StatementChange("s1", TEA, surer),)


def test_what_ends_as_it_began_is_left_out() -> None:
    assert collapse((StatementChange("s1", TEA, None), StatementChange("s1", None, TEA))) == ()


def test_support_of_what_only_came_by_is_left_out() -> None:
    came = StatementChange("s1", None, TEA)
    went = StatementChange("s1", TEA, None)
    assert collapse((came, SupportChange("s1", "v1", before=False, after=True), went)) == ()


def test_who_was_touched_within_one_moment_stays_touched() -> None:
    """Its revision has to grow, or an undo would not see the later change."""
    assert collapse((EntityChange("e1", ALICE, ALICE),)) == (EntityChange("e1", ALICE, ALICE),)


def test_steps_that_touch_one_entity_keep_what_each_has_changed() -> None:
    renamed = EntityChange("e1", ALICE, replace(ALICE, subject="Alicia", updated_at=later(seconds=1)))
    touch = EntityChange("e1", ALICE, replace(ALICE, updated_at=later(seconds=1)))
    for order in ((renamed, touch), (touch, renamed)):
        (one,) = collapse(order)
        assert one == renamed


def test_where_it_was_merged_into_survives_turning_round() -> None:
    (back,) = inverse((EntityChange("e2", ALICE, None, into="e1"),))
    assert back == EntityChange("e2", None, ALICE, into="e1")
