from resolvers.update.steps import AddRelation, PlannedTarget
from resolvers.update.surest import surest_edges, surest_relations, surest_statements
from tests.resolvers.update.given import feature, impression, relation, target


def test_a_statement_once_by_kind_and_key() -> None:
    found = surest_statements(
        [
            feature("likes TEA", confidence=0.5, sources={"1"}),
            feature("likes tea", confidence=0.9, sources={"2"}),
            impression("likes tea", confidence=0.1),
        ]
    )

    assert found == (
        feature("likes tea", confidence=0.9, sources={"1", "2"}),
        impression("likes tea", confidence=0.1),
    )


def test_a_relation_once_by_its_key_and_the_name_of_its_target() -> None:
    found = surest_relations(
        [
            relation("Friend", "BOB", strength=0.2, sources={"1"}),
            relation("friend", "Bob", sources={"2"}),
            relation("friend", "Al"),
        ]
    )

    assert found == (relation("friend", "Al"), relation("friend", "Bob", sources={"1", "2"}))


def test_two_names_of_one_target_are_one_edge() -> None:
    bob = target("e3", "Bob")
    found = surest_edges(
        [
            AddRelation(bob, "friend", 0.5, ("1",)),
            AddRelation(bob, "Friend", 0.9, ("2", "1")),
            AddRelation(PlannedTarget("e3", "e3"), "friend", 0.1),
        ]
    )

    assert found == (AddRelation(PlannedTarget("e3", "e3"), "friend", 0.1), AddRelation(bob, "Friend", 0.9, ("1", "2")))
