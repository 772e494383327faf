from resolvers.transfer.relation_plan import (
    Candidates,
    Edge,
    Miss,
    Namesake,
    PendingRelation,
    StoredRelation,
    Target,
    choose_target,
    connect,
    plan_relations,
)
from resolvers.transfer.report import RefusedLine


def among(*named: tuple[str, bool], ids: tuple[str, ...] = (), uuids: tuple[str, ...] = ()) -> Target:
    namesakes = tuple(Namesake(uuid, f"id of {uuid}", is_subject=is_subject) for uuid, is_subject in named)
    return choose_target(Candidates("Ada", ids, uuids, namesakes))


def test_ids_before_subjects_before_aliases() -> None:
    assert among(("s", True), ids=("e",), uuids=("u",)).uuid == "e"
    assert among(("s", True), uuids=("u",)).uuid == "u"
    assert among(("a", False), ("s", True)).uuid == "s"
    assert among(("a", False)).uuid == "a"


def test_several_of_a_kind_are_ambiguous_and_none_is_unknown() -> None:
    several = among(("s", True), ("t", True), ("a", False))
    assert several.miss is Miss.AMBIGUOUS
    assert "2 entities" in several.reason
    assert "'id of s', 'id of t'" in several.reason
    assert among(("a", False), ("b", False)).miss is Miss.AMBIGUOUS
    assert among(ids=("e", "f")).miss is Miss.AMBIGUOUS
    assert among().miss is Miss.UNKNOWN


def test_the_entity_itself_is_no_target() -> None:
    refused = connect(PendingRelation(4, "u", "friend", "Ada", 1.0), Target("u"))
    assert isinstance(refused, RefusedLine)
    assert (refused.line, refused.code) == (4, "RELATION_TO_SELF")


def test_one_relation_a_source_key_and_target_of_the_greatest_strength() -> None:
    edges = [
        Edge(1, "a", "b", "Friend", 0.4),
        Edge(1, "a", "b", "friend", 0.6),
        Edge(1, "a", "c", "friend", 0.5),
        Edge(2, "b", "a", "friend", 0.5),
    ]
    made = plan_relations(edges, [], token="s")
    assert [(each.source, each.relation, each.target, each.strength) for each in made.added] == [
        ("a", "Friend", "b", 0.6),
        ("a", "friend", "c", 0.5),
        ("b", "friend", "a", 0.5),
    ]
    assert [each.terms for each in made.added] == ["sfriend"] * 3
    known = [StoredRelation("r", "a", "b", "friend", 0.5), StoredRelation("q", "a", "c", "friend", 0.5)]
    again = plan_relations(edges[:3], known, token="s")
    assert [(each.uuid, each.strength) for each in again.raised] == [("r", 0.6)]
    assert again.added == ()
    assert again.sources == {"a"}
