from hypothesis import given
from hypothesis import strategies as st

from resolvers.update.seen import AggregatedObservation
from resolvers.update.unite import unite
from tests.resolvers.update.given import relation, whole


def subjects(*observations: AggregatedObservation) -> list[list[str]]:
    return sorted(sorted(member.subject for member in group) for group in unite(observations))


def test_one_subject_in_several_spellings() -> None:
    assert subjects(whole("Alice"), whole("ＡＬＩＣＥ"), whole("Bob")) == [["Alice", "ＡＬＩＣＥ"], ["Bob"]]


def test_a_subject_that_is_an_alias_of_one_other() -> None:
    assert subjects(whole("Alice"), whole("Alice Johnson", aliases=["alice"])) == [["Alice", "Alice Johnson"]]


def test_a_subject_that_is_an_alias_of_two_others_joins_neither() -> None:
    found = subjects(whole("Alice"), whole("Alice Johnson", aliases=["Alice"]), whole("Alice Smith", aliases=["Alice"]))

    assert found == [["Alice"], ["Alice Johnson"], ["Alice Smith"]]


def test_an_alias_that_two_subjects_share_unites_nothing() -> None:
    assert subjects(whole("Alice", aliases=["Al"]), whole("Albert", aliases=["Al"])) == [["Albert"], ["Alice"]]


def test_a_chain_of_aliases() -> None:
    found = subjects(whole("孔明"), whole("诸葛亮", aliases=["孔明"]), whole("卧龙", aliases=["诸葛亮"]))

    assert found == [["卧龙", "孔明", "诸葛亮"]]


def test_two_that_turn_out_to_be_one_share_an_alias_as_one() -> None:
    found = subjects(whole("Al"), whole("Alice", aliases=["Al"]), whole("Alice Johnson", aliases=["Al", "Alice"]))

    assert found == [["Al", "Alice", "Alice Johnson"]]


def test_one_sentence_about_two_people_stays_two() -> None:
    alice, bob = (whole(name, evidence={"t1"}, sources={"r1"}) for name in ("Alice", "Bob"))

    assert subjects(alice, bob) == [["Alice"], ["Bob"]]


def test_a_generic_one_joins_the_only_named_one_with_its_evidence() -> None:
    found = subjects(
        whole("用户", generic=True, evidence={"t1", "t2"}),
        whole("小雨", evidence={"t1", "t2"}),
        whole("Bob", evidence={"t3"}),
    )

    assert found == [["Bob"], ["小雨", "用户"]]


def test_a_generic_one_that_may_be_either_joins_none() -> None:
    found = subjects(whole("he", generic=True), whole("Alice"), whole("Bob"))

    assert found == [["Alice"], ["Bob"], ["he"]]


def test_less_than_four_fifths_of_the_evidence_is_not_the_same() -> None:
    named = whole("Alice", evidence={"1", "2", "3", "4", "5"})

    assert len(subjects(named, whole("she", generic=True, evidence={"1", "2", "3", "4"}))) == 1
    assert len(subjects(named, whole("she", generic=True, evidence={"1", "2", "3"}))) == 2


def test_other_sources_are_another_matter() -> None:
    named = whole("Alice", sources={"r1"})

    assert len(subjects(named, whole("she", generic=True, sources={"r1"}))) == 1
    assert len(subjects(named, whole("she", generic=True))) == 1
    assert len(subjects(named, whole("she", generic=True, sources={"r2"}))) == 2


def test_generic_ones_never_join_each_other() -> None:
    assert subjects(whole("he", generic=True), whole("he", generic=True)) == [["he"], ["he"]]


def test_the_first_person_and_the_assistant_are_not_whom_the_sentence_names() -> None:
    for word in ("I", "我", "the assistant"):
        assert len(subjects(whole("Alice"), whole(word, generic=True))) == 2


def test_a_generic_one_joins_whom_its_alias_names() -> None:
    found = subjects(
        whole("the user", generic=True, aliases=["Alice"], evidence={"9"}),
        whole("user", generic=True, aliases=["alice"], evidence={"8"}),
        whole("Alice"),
    )

    assert found == [["Alice", "the user", "user"]]


def test_two_ends_of_a_relation_are_two() -> None:
    sister_of = whole("the user", generic=True, relations=[relation("sister", "Alice")])
    towards = whole("Alice", relations=[relation("brother", "The User")])

    assert len(subjects(whole("Alice"), sister_of)) == 2
    assert len(subjects(towards, whole("the user", generic=True))) == 2


@given(st.data())
def test_order_makes_no_difference_and_nothing_is_lost(data: st.DataObject) -> None:
    names = ["a", "b", "c", "d"]
    observations = [
        whole(
            subject,
            generic=subject in {"he", "用户"},
            aliases=aliases,
            evidence=evidence,
            pending={str(number)},
        )
        for number, (subject, aliases, evidence) in enumerate(
            data.draw(
                st.lists(
                    st.tuples(
                        st.sampled_from([*names, "he", "用户"]),
                        st.lists(st.sampled_from(names), max_size=2),
                        st.sets(st.sampled_from(["1", "2"]), min_size=1),
                    ),
                    max_size=8,
                )
            )
        )
    ]
    shuffled = data.draw(st.permutations(observations))

    def as_sets(found: list[AggregatedObservation]) -> set[frozenset[AggregatedObservation]]:
        return {frozenset(group) for group in unite(found)}

    assert as_sets(observations) == as_sets(shuffled)
    assert sorted(min(member.pending) for group in unite(observations) for member in group) == sorted(
        min(each.pending) for each in observations
    )
