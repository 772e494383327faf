"""Two become one: names, statements, relations and bindings move; what stands twice reinforces; loops vanish."""

from dataclasses import replace

from resolvers.update.changes import (
    Binding,
    BindingChange,
    Changes,
    EntityChange,
    NameChange,
    RelationChange,
    StatementChange,
    SupportChange,
)
from resolvers.update.merge import merge_changes
from resolvers.update.records import entity_record
from resolvers.update.state import BoundActive, StoredEntity, StoredRelation
from tests.fakes import NOON
from tests.resolvers.update.test_realise import ALICE, BOB, NOW, TEA, name

CAROL = StoredEntity("e3", "Carol", None, 1, NOON, NOON, (), (), (), ())
GONE = StoredEntity("e2", "Ally B", "ext", 1, NOON, NOON, (name("Ally B", "SUBJECT"), name("Al")), (), (), ())


def link(uuid: str, source: str, target: str, relation: str = "friend of", strength: float = 0.5) -> StoredRelation:
    return StoredRelation(uuid, source, target, relation, relation, strength, 1, (f"v-{uuid}",), NOON, NOON)


def merged(into: StoredEntity, gone: StoredEntity) -> Changes:
    return merge_changes("s", into, gone, {"e3": entity_record(CAROL)}, now=NOW)


INTO = replace(ALICE, relations=(), statements=(TEA,))


def test_names_move_as_aliases_and_the_outer_id_is_taken_over() -> None:
    done = merged(INTO, GONE)
    new = {each.key: each.after for each in done if isinstance(each, NameChange) and each.entity == "e1"}
    assert {key: record and record.kind for key, record in new.items()} == {"ally b": "ALIAS", "al": "ALIAS"}
    entities = {each.uuid: each for each in done if isinstance(each, EntityChange)}
    assert entities["e1"].after
    assert entities["e1"].after.external_id == "ext"
    assert (entities["e2"].after, entities["e2"].into) == (None, "e1")


def test_a_live_name_stays_live_though_the_other_had_given_it_up() -> None:
    into = replace(INTO, names=(name("Alice", "SUBJECT"), name("Al", deprecated=True)))
    names = [each for each in merged(into, GONE) if isinstance(each, NameChange) and each.entity == "e1"]
    revived = next(each for each in names if each.key == "al")
    assert revived.after
    assert revived.after.deprecated is False


def test_what_stands_on_both_sides_reinforces() -> None:
    other = replace(TEA, uuid="s9", confidence=0.9, evidence=frozenset({"v2", "v3"}))
    alone = replace(TEA, uuid="s8", key="sings", text="sings")
    done = merged(INTO, replace(GONE, statements=(other, alone)))
    statements = {each.uuid: each.after for each in done if isinstance(each, StatementChange)}
    assert statements["s9"] is None
    assert (kept := statements["s1"])
    assert (kept.confidence, kept.support) == (0.9, 3)
    assert (moved := statements["s8"])
    assert moved.entity == "e1"
    assert [each for each in done if isinstance(each, SupportChange)] == [
        SupportChange("s1", "v3", before=False, after=True)
    ]


def test_relations_move_both_ways_reinforce_and_never_loop() -> None:
    into = replace(INTO, relations=(link("r1", "e1", "e3"), link("r2", "e1", "e2", "knows")))
    gone = replace(
        GONE,
        relations=(
            link("r3", "e2", "e3", strength=0.9),
            link("r4", "e3", "e2", "boss of"),
            link("r2", "e1", "e2", "knows"),
        ),
    )
    done = merged(into, gone)
    relations = {each.uuid: each.after for each in done if isinstance(each, RelationChange)}
    assert relations["r2"] is None
    assert relations["r3"] is None
    assert (kept := relations["r1"])
    assert (kept.strength, kept.support, kept.evidence) == (0.9, 2, ("v-r1", "v-r3"))
    assert (moved := relations["r4"])
    assert (moved.source, moved.target) == ("e3", "e1")
    assert {each.uuid for each in done if isinstance(each, EntityChange)} == {"e1", "e2", "e3"}


def test_active_entities_are_bound_to_the_one_that_stays() -> None:
    gone = replace(GONE, bound=(BoundActive("a1", "c", "k1"), BoundActive("a2", "d", None)))
    into = replace(INTO, bound=(BoundActive("a0", "c", "k0"),))
    bindings = {each.runtime_id: each.after for each in merged(into, gone) if isinstance(each, BindingChange)}
    assert (bindings["a1"].live_key, bool(bindings["a1"].takes_over)) == (None, True)
    assert bindings["a2"] == Binding("e1", None)
    alone = {each.runtime_id: each.after for each in merged(INTO, gone) if isinstance(each, BindingChange)}
    assert alone["a1"].live_key
    assert BOB.uuid == gone.uuid
