from graph.values import StatementKind
from resolvers.update.diff import ChangeKind, Part, PlanDiff, ShownChange, ShownStep, StepKind
from resolvers.update.explain import explain
from resolvers.update.seen import DropCode, Dropped
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    MergeStep,
    Patch,
    PlannedTarget,
    RemoveAlias,
    RemoveRelation,
    RemoveStatement,
    Rename,
    ReplaceStatement,
    UpdateExistingStep,
    UpdatePlan,
)
from resolvers.update.validate import PlanFacts, StandingRelation, StandingStatement
from tests.resolvers.update.given import target

FEATURE, IMPRESSION = StatementKind.FEATURE, StatementKind.IMPRESSION
FACTS = PlanFacts(
    entities={"e1": "Alice", "e2": "Alicia"},
    owners={},
    statements={},
    relations={},
    standing_statements={
        "e1": (
            StandingStatement("s1", FEATURE, "lives in Hangzhou", 0.6),
            StandingStatement("s2", IMPRESSION, "seems tired", 0.5),
        ),
        "e2": (
            StandingStatement("s3", FEATURE, "LIVES in Hangzhou", 0.9),
            StandingStatement("s4", IMPRESSION, "is kind", 0.4),
        ),
    },
    standing_relations={
        "e1": (
            StandingRelation("r1", "e3", "Bob", "friend", 0.5),
            StandingRelation("r4", "e2", "Alicia", "twin", 1.0),
        ),
        "e2": (
            StandingRelation("r2", "e3", "Bob", "Friend", 0.7),
            StandingRelation("r3", "e1", "Alice", "twin", 1.0),
            StandingRelation("r5", "e4", "Zed", "boss", 0.2),
        ),
    },
)


def of(*patches: Patch) -> list[tuple[ChangeKind, Part, str | None, str | None]]:
    (step,) = explain(UpdatePlan((UpdateExistingStep("e1", "as it was", patches),)), FACTS).steps
    assert (step.kind, step.entity_uuid, step.subject) == (StepKind.UPDATE, "e1", "Alice")
    return [(each.kind, each.part, each.before, each.after) for each in step.changes]


def test_a_new_entity() -> None:
    step = CreateEntityStep(
        "Zoe", (AddAlias("Zo", reason="called so"), AddStatement(FEATURE, "is a nurse", 0.8, ("t1",), "a nurse"))
    )

    assert explain(UpdatePlan((step,)), FACTS) == PlanDiff(
        (
            ShownStep(
                StepKind.CREATE,
                None,
                "Zoe",
                (
                    ShownChange(ChangeKind.ADDED, Part.SUBJECT, None, "Zoe"),
                    ShownChange(ChangeKind.ADDED, Part.ALIAS, None, "Zo", (), "called so"),
                    ShownChange(ChangeKind.ADDED, Part.FEATURE, None, "is a nurse (0.80)", ("t1",), "a nurse"),
                ),
            ),
        ),
        (),
    )


def test_statements_added_and_reinforced() -> None:
    assert of(
        AddStatement(FEATURE, "Lives in HANGZHOU", 0.8),
        AddStatement(FEATURE, "lives in Hangzhou", 0.2),
        AddStatement(IMPRESSION, "lives in Hangzhou", 0.2),
    ) == [
        (ChangeKind.REINFORCED, Part.FEATURE, "lives in Hangzhou (0.60)", "lives in Hangzhou (0.80)"),
        (ChangeKind.REINFORCED, Part.FEATURE, "lives in Hangzhou (0.60)", "lives in Hangzhou (0.60)"),
        (ChangeKind.ADDED, Part.IMPRESSION, None, "lives in Hangzhou (0.20)"),
    ]


def test_statements_replaced_and_removed() -> None:
    assert of(
        ReplaceStatement(FEATURE, "lives in hangzhou", "lives in Berlin", 1.0),
        ReplaceStatement(FEATURE, "seems tired", "is ill", 1.0),
        RemoveStatement("s2"),
        RemoveStatement("gone"),
    ) == [
        (ChangeKind.REPLACED, Part.FEATURE, "lives in Hangzhou (0.60)", "lives in Berlin (1.00)"),
        (ChangeKind.REPLACED, Part.FEATURE, "seems tired (0.50)", "is ill (1.00)"),
        (ChangeKind.REMOVED, Part.IMPRESSION, "seems tired (0.50)", None),
        (ChangeKind.REMOVED, Part.IMPRESSION, "gone", None),
    ]


def test_names() -> None:
    assert of(AddAlias("Lis"), RemoveAlias("Ally"), RemoveAlias("Al", deprecate=False), Rename("Alice Johnson")) == [
        (ChangeKind.ADDED, Part.ALIAS, None, "Lis"),
        (ChangeKind.REMOVED, Part.ALIAS, "Ally", "deprecated"),
        (ChangeKind.REMOVED, Part.ALIAS, "Al", None),
        (ChangeKind.RENAMED, Part.SUBJECT, "Alice", "Alice Johnson"),
    ]


def test_relations() -> None:
    assert of(
        AddRelation(target("e3", "Bob"), "FRIEND", 0.9),
        AddRelation(PlannedTarget("zoe", "Zoe"), "friend", 0.9),
        RemoveRelation("r1"),
        RemoveRelation("gone"),
    ) == [
        (ChangeKind.REINFORCED, Part.RELATION, "friend → Bob (0.50)", "friend → Bob (0.90)"),
        (ChangeKind.ADDED, Part.RELATION, None, "friend → Zoe (0.90)"),
        (ChangeKind.REMOVED, Part.RELATION, "friend → Bob (0.50)", None),
        (ChangeKind.REMOVED, Part.RELATION, "gone", None),
    ]


def test_a_merge() -> None:
    (step,) = explain(UpdatePlan((MergeStep("e1", "Alice", "e2", "Alicia"),)), FACTS).steps

    assert (step.kind, step.entity_uuid, step.subject) == (StepKind.MERGE, "e1", "Alice")
    assert [(each.kind, each.part, each.before, each.after) for each in step.changes] == [
        (ChangeKind.RENAMED, Part.SUBJECT, "Alicia", "Alice"),
        (ChangeKind.REINFORCED, Part.FEATURE, "lives in Hangzhou (0.60)", "lives in Hangzhou (0.90)"),
        (ChangeKind.ADDED, Part.IMPRESSION, None, "is kind (0.40)"),
        (ChangeKind.REINFORCED, Part.RELATION, "friend → Bob (0.50)", "friend → Bob (0.70)"),
        (ChangeKind.REMOVED, Part.RELATION, "twin → Alice (1.00)", None),
        (ChangeKind.ADDED, Part.RELATION, None, "boss → Zed (0.20)"),
        (ChangeKind.REMOVED, Part.RELATION, "twin → Alicia (1.00)", None),
    ]


def test_what_was_refused() -> None:
    plan = UpdatePlan((), dropped=(Dropped(DropCode.QUOTE_INVENTED, "is a spy", "nobody said so"),))

    assert explain(plan, FACTS).refused == (
        ShownChange(ChangeKind.REFUSED, Part.OBSERVATION, None, "is a spy", (), "QUOTE_INVENTED: nobody said so"),
    )
