"""From a valid plan and what stands to changes: pure, so a preview is the real thing."""

from dataclasses import replace
from datetime import datetime
from itertools import count

from graph.names import identity_key
from graph.values import StatementKind
from resolvers.update.changes import (
    Changes,
    EntityChange,
    NameChange,
    RelationChange,
    StatementChange,
    SupportChange,
)
from resolvers.update.realise import realise
from resolvers.update.state import PlanState, StoredEntity, StoredName, StoredRelation, StoredStatement
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    Patch,
    PlannedTarget,
    RemoveAlias,
    RemoveRelation,
    RemoveStatement,
    Rename,
    ReplaceStatement,
    Step,
    UpdateExistingStep,
    UpdatePlan,
    ValidPlan,
)
from tests.fakes import NOON
from tests.resolvers.world import later

FEATURE, IMPRESSION = StatementKind.FEATURE, StatementKind.IMPRESSION
NOW: datetime = later(days=1)
TEA = StoredStatement("s1", FEATURE, "drinks tea", "drinks tea", 0.6, 2, NOON, NOON, frozenset({"v1", "v2"}))
FRIEND = StoredRelation("r1", "e1", "e2", "friend of", "friend of", 0.5, 1, ("v1",), NOON, NOON, "Bob")


def name(text: str, kind: str = "ALIAS", *, deprecated: bool = False) -> StoredName:
    return StoredName(identity_key(text), text, kind, deprecated, NOON)


ALICE = StoredEntity(
    "e1", "Alice", None, 3, NOON, NOON, (name("Alice", "SUBJECT"), name("Ally")), (TEA,), (FRIEND,), ()
)
BOB = StoredEntity("e2", "Bob", None, 1, NOON, NOON, (name("Bob", "SUBJECT"),), (), (FRIEND,), ())


def changes(*steps: Step, alice: StoredEntity = ALICE) -> Changes:
    numbers = count(1)
    state = PlanState({"e1": alice, "e2": BOB}, {}, {}, {}, {})
    done = realise(ValidPlan(UpdatePlan(steps)), state, space="s", now=NOW, new_uuid=lambda: f"new{next(numbers)}")
    return tuple(change for step in done for change in step.changes)


def edit(*patches: Patch, alice: StoredEntity = ALICE) -> Changes:
    """Return the changes of an edit but for those that only touch an entity."""
    done = changes(UpdateExistingStep("e1", "Alice", patches), alice=alice)
    return tuple(change for change in done if not isinstance(change, EntityChange))


def test_a_new_entity_comes_with_its_name_statements_and_relations() -> None:
    step = CreateEntityStep(
        "Carol", (AddStatement(FEATURE, "sings", 0.7, ("v1",)), AddRelation(KnownTarget("e2", "Bob"), "sister of", 0.4))
    )
    entity, subject, statement, support, relation, touch = changes(step)
    assert isinstance(entity, EntityChange)
    assert (entity.uuid, entity.before) == ("new1", None)
    assert isinstance(subject, NameChange)
    assert subject.after
    assert (subject.key, subject.after.kind) == ("carol", "SUBJECT")
    assert isinstance(statement, StatementChange)
    assert statement.after
    assert (statement.after.entity, statement.after.support) == ("new1", 1)
    assert support == SupportChange(statement.uuid, "v1", before=False, after=True)
    assert isinstance(relation, RelationChange)
    assert relation.after
    assert (relation.after.source, relation.after.target) == ("new1", "e2")
    assert isinstance(touch, EntityChange)
    assert touch.uuid == "e2"


def test_relations_between_new_ones_find_each_other() -> None:
    done = changes(
        CreateEntityStep("Carol", (AddRelation(PlannedTarget("dan", "Dan"), "sister of", 0.4),)),
        CreateEntityStep("Dan", (AddStatement(FEATURE, "sings", 0.7),)),
    )
    ids = {each.after.subject: each.uuid for each in done if isinstance(each, EntityChange) and each.after}
    (relation,) = (each for each in done if isinstance(each, RelationChange))
    assert relation.after
    assert (relation.after.source, relation.after.target) == (ids["Carol"], ids["Dan"])


def test_what_stands_is_reinforced_by_the_surer_number_and_new_evidence() -> None:
    statement, support = edit(AddStatement(FEATURE, "Drinks TEA", 0.4, ("v2", "v3")))
    assert isinstance(statement, StatementChange)
    assert statement.after
    assert (statement.uuid, statement.after.confidence, statement.after.support) == ("s1", 0.6, 3)
    assert support == SupportChange("s1", "v3", before=False, after=True)


def test_nothing_new_changes_nothing_at_all() -> None:
    same = (AddStatement(FEATURE, "drinks tea", 0.3, ("v1",)), AddAlias("ALLY"), AddAlias("alice"),
            AddRelation(KnownTarget("e2", "Bob"), "Friend Of", 0.1, ("v1",)))  # fmt: skip
    assert changes(UpdateExistingStep("e1", "Alice", same)) == ()


def test_origin_p9_a_replaced_text_goes_from_both_kinds() -> None:
    """P9."""
    alice = replace(ALICE, statements=(TEA, replace(TEA, uuid="s2", kind=IMPRESSION)))
    done = edit(ReplaceStatement(FEATURE, "drinks tea", "drinks coffee", 0.9), alice=alice)
    gone = {each.uuid for each in done if isinstance(each, StatementChange) and each.after is None}
    (came,) = (each for each in done if isinstance(each, StatementChange) and each.after)
    assert gone == {"s1", "s2"}
    assert came.after
    assert (came.after.text, came.after.confidence) == ("drinks coffee", 0.9)


def test_another_spelling_keeps_the_statement() -> None:
    (done,) = edit(ReplaceStatement(FEATURE, "drinks tea", "Drinks Tea", 0.2))
    assert isinstance(done, StatementChange)
    assert done.after
    assert (done.uuid, done.after.text, done.after.confidence) == ("s1", "Drinks Tea", 0.2)


def test_removals() -> None:
    (statement,) = edit(RemoveStatement("s1"))
    assert isinstance(statement, StatementChange)
    assert (statement.uuid, statement.after) == ("s1", None)
    done = changes(UpdateExistingStep("e1", "Alice", (RemoveRelation("r1"),)))
    assert [type(each) for each in done] == [EntityChange, RelationChange, EntityChange]


def test_a_name_is_deprecated_revived_and_dropped() -> None:
    (deprecated,) = edit(RemoveAlias("Ally"))
    assert isinstance(deprecated, NameChange)
    assert deprecated.after
    assert deprecated.after.deprecated
    old = replace(ALICE, names=(name("Alice", "SUBJECT"), name("Ally", deprecated=True)))
    (revived,) = edit(AddAlias("ally"), alice=old)
    assert isinstance(revived, NameChange)
    assert revived.after
    assert (revived.after.deprecated, revived.after.text) == (False, "ally")
    (dropped,) = edit(RemoveAlias("Ally", deprecate=False))
    assert isinstance(dropped, NameChange)
    assert dropped.after is None


def test_rename_keeps_or_drops_the_old_subject() -> None:
    kept = {each.key: each.after for each in edit(Rename("Alicia")) if isinstance(each, NameChange)}
    assert {key: record and record.kind for key, record in kept.items()} == {"alice": "ALIAS", "alicia": "SUBJECT"}
    dropped = edit(Rename("Alicia", keep_old_subject_as_alias=False))
    assert {each.key: bool(each.after) for each in dropped if isinstance(each, NameChange)} == {
        "alice": False, "alicia": True,
    }  # fmt: skip
    to_alias = edit(Rename("Ally"))
    assert {each.key: each.after and each.after.kind for each in to_alias if isinstance(each, NameChange)} == {
        "alice": "ALIAS", "ally": "SUBJECT",
    }  # fmt: skip
    (spelling,) = edit(Rename("ALICE"))
    assert isinstance(spelling, NameChange)
    assert spelling.after
    assert spelling.after.text == "ALICE"
