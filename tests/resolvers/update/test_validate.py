from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.values import StatementKind
from resolvers.update.seen import KnownBearer
from resolvers.update.steps import (
    MOST_STEPS,
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    MergeStep,
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
from resolvers.update.validate import PlanFacts, StandingStatement, validate
from tests.resolvers.update.given import target

FACTS = PlanFacts(
    entities={"e1": "Alice", "e2": "Bob"},
    owners={
        "alice": (KnownBearer("e1", "Alice"),),
        "bob": (KnownBearer("e2", "Bob"),),
        "ally": (KnownBearer("e1", "Alice"),),
    },
    statements={"s1": "e1", "s2": "e2"},
    relations={"r1": "e1", "r2": "e2"},
    external_ids={"crm-7": "e2"},
    standing_statements={"e1": (StandingStatement("s1", StatementKind.FEATURE, "likes tea", 0.5),)},
)
TEA = AddStatement(StatementKind.FEATURE, "likes tea", 0.8)


def found(*steps: Step) -> list[tuple[str, str]]:
    checked = validate(UpdatePlan(steps), FACTS)
    return [] if isinstance(checked, ValidPlan) else [(each.code, each.path) for each in checked]


def of_patch(patch: Patch) -> list[tuple[str, str]]:
    """Return the violations of a patch to Alice, by their paths within it."""
    return [
        (code, path.removeprefix("steps.0.patches.0."))
        for code, path in found(UpdateExistingStep("e1", "Alice", (patch,)))
    ]


def test_a_valid_plan_comes_back_as_another_type() -> None:
    plan = UpdatePlan(
        (
            CreateEntityStep("Zoe", (TEA, AddAlias("Zo"), AddRelation(target("e1", "Alice"), "friend", 0.5))),
            UpdateExistingStep(
                "e1",
                "Alice",
                (
                    TEA,
                    AddAlias("Lis"),
                    AddRelation(PlannedTarget("zoe", "Zoe"), "friend", 1.0),
                    ReplaceStatement(StatementKind.IMPRESSION, "LIKES tea", "loves tea", 0.0),
                    RemoveStatement("s1"),
                    RemoveRelation("r1"),
                    RemoveAlias("Ally"),
                    Rename("Alice Johnson"),
                ),
            ),
        )
    )

    assert validate(plan, FACTS) == ValidPlan(plan)


def test_a_plan_without_steps_is_valid() -> None:
    assert validate(UpdatePlan(()), FACTS) == ValidPlan(UpdatePlan(()))


def test_a_merge_is_valid() -> None:
    assert found(MergeStep("e1", "Alice", "e2", "Bob")) == []


@pytest.mark.parametrize(
    ("patch", "violations"),
    [
        (replace(TEA, text=""), [("TEXT_EMPTY", "text")]),
        (replace(TEA, text="。"), [("TEXT_EMPTY", "text")]),
        (replace(TEA, text="x" * 2_001), [("TEXT_TOO_LONG", "text")]),
        (replace(TEA, text="nul\0"), [("TEXT_INVALID_CHARACTERS", "text")]),
        (replace(TEA, confidence=float("nan")), [("NUMBER_OUT_OF_RANGE", "confidence")]),
        (replace(TEA, confidence=7.0), [("NUMBER_OUT_OF_RANGE", "confidence")]),
        (AddAlias(""), [("NAME_EMPTY", "alias")]),
        (AddAlias("x" * 201), [("NAME_TOO_LONG", "alias")]),
        (AddAlias("a\nb"), [("NAME_INVALID_CHARACTERS", "alias")]),
        (AddAlias("Bob"), [("NAME_TAKEN", "alias")]),
        (Rename("bob"), [("NAME_TAKEN", "subject")]),
        (Rename(" "), [("NAME_EMPTY", "subject")]),
        (RemoveAlias("Zo"), [("ALIAS_UNKNOWN", "alias")]),
        (RemoveAlias("Bob"), [("ALIAS_UNKNOWN", "alias")]),
        (RemoveAlias("ALICE"), [("SUBJECT_NOT_REMOVABLE", "alias")]),
        (RemoveStatement("s2"), [("STATEMENT_UNKNOWN", "statement_uuid")]),
        (RemoveStatement("s9"), [("STATEMENT_UNKNOWN", "statement_uuid")]),
        (RemoveRelation("r2"), [("RELATION_UNKNOWN", "relation_uuid")]),
        (ReplaceStatement(StatementKind.FEATURE, "likes cake", "y", 1.0), [("STATEMENT_UNKNOWN", "text")]),
        (
            ReplaceStatement(StatementKind.FEATURE, "likes tea", "", -1.0),
            [("NUMBER_OUT_OF_RANGE", "confidence"), ("TEXT_EMPTY", "new_text")],
        ),
        (AddRelation(target("e2", "Bob"), "", 0.5), [("TEXT_EMPTY", "relation")]),
        (AddRelation(target("e2", "Bob"), "x" * 101, 0.5), [("TEXT_TOO_LONG", "relation")]),
        (AddRelation(target("e2", "Bob"), "friend", float("inf")), [("NUMBER_OUT_OF_RANGE", "strength")]),
        (AddRelation(target("e1", "Alice"), "friend", 0.5), [("SELF_RELATION", "target")]),
        (AddRelation(target("e9", "Zed"), "friend", 0.5), [("TARGET_UNKNOWN", "target")]),
        (AddRelation(PlannedTarget("zed", "Zed"), "friend", 0.5), [("TARGET_UNKNOWN", "target")]),
    ],
)
def test_a_patch_that_cannot_be_applied(patch: Patch, violations: list[tuple[str, str]]) -> None:
    assert of_patch(patch) == violations


@pytest.mark.parametrize(
    ("steps", "violations"),
    [
        ([UpdateExistingStep("e9", "Zed", (TEA,))], [("ENTITY_UNKNOWN", "steps.0.entity_uuid")]),
        ([UpdateExistingStep("e1", "Alice", ())], [("EMPTY_STEP", "steps.0")]),
        ([CreateEntityStep("", (TEA,))], [("NAME_EMPTY", "steps.0.subject")]),
        ([CreateEntityStep("Alice", (TEA,))], [("NAME_TAKEN", "steps.0.subject")]),
        ([CreateEntityStep("Zoe", (TEA,), external_id="crm-7")], [("EXTERNAL_ID_TAKEN", "steps.0.external_id")]),
        ([CreateEntityStep("Zoe", (RemoveStatement("s1"),))], [("PATCH_MISPLACED", "steps.0.patches.0")]),
        ([MergeStep("e1", "Alice", "e1", "Alice")], [("MERGE_WITH_ITSELF", "steps.0")]),
        (
            [MergeStep("e8", "Yan", "e9", "Zed")],
            [("ENTITY_UNKNOWN", "steps.0.from_uuid"), ("ENTITY_UNKNOWN", "steps.0.into_uuid")],
        ),
        (
            [UpdateExistingStep("e1", "Alice", (TEA,)), MergeStep("e2", "Bob", "e1", "Alice")],
            [("ENTITY_TWICE", "steps.1")],
        ),
        (
            [CreateEntityStep("Zoe", (AddRelation(PlannedTarget("zoe", "Zoe"), "friend", 0.5),))],
            [("SELF_RELATION", "steps.0.patches.0.target")],
        ),
        (
            [
                CreateEntityStep("Zoe", (), allow_homonym=True),
                CreateEntityStep("zoe", (), allow_homonym=True),
                UpdateExistingStep("e1", "Alice", (AddRelation(PlannedTarget("zoe", "Zoe"), "friend", 0.5),)),
            ],
            [
                ("NAME_TWICE", "steps.0.subject"),
                ("NAME_TWICE", "steps.1.subject"),
                ("TARGET_AMBIGUOUS", "steps.2.patches.0.target"),
            ],
        ),
    ],
)
def test_a_step_that_cannot_be_applied(steps: list[Step], violations: list[tuple[str, str]]) -> None:
    assert found(*steps) == violations


def test_a_person_may_create_somebody_of_whom_only_the_name_is_known() -> None:
    assert found(CreateEntityStep("Zoe", ())) == []


def test_too_many_steps() -> None:
    steps = [CreateEntityStep(f"Person {number}", (TEA,)) for number in range(MOST_STEPS + 1)]

    assert found(*steps) == [("TOO_MANY_STEPS", "steps")]
    assert found(*steps[1:]) == []


def test_all_violations_come_at_once_in_the_order_of_the_steps() -> None:
    bad = UpdateExistingStep("e9", "Zed", (replace(TEA, text="", confidence=2.0), AddAlias("Bob")))
    checked = validate(UpdatePlan((bad, CreateEntityStep("Bob", ()))), FACTS)

    assert not isinstance(checked, ValidPlan)
    assert [each.code for each in checked] == [
        "ENTITY_UNKNOWN",
        "NUMBER_OUT_OF_RANGE",
        "TEXT_EMPTY",
        "NAME_TAKEN",
        "NAME_TWICE",
        "NAME_TAKEN",
        "NAME_TWICE",
    ]
    assert all(each.message for each in checked)


def test_replacements_in_an_entity_that_was_not_looked_at_are_not_judged() -> None:
    patch = ReplaceStatement(StatementKind.FEATURE, "likes cake", "likes tea", 1.0)

    assert found(UpdateExistingStep("e2", "Bob", (patch,))) == []


ANY: st.SearchStrategy[str] = st.text(st.characters(codec=None), max_size=8) | st.sampled_from(
    ["e1", "e2", "Alice", "Zoe", "s1"]
)
NUMBER = st.floats()
KIND = st.sampled_from(StatementKind)
TARGET: st.SearchStrategy[Any] = st.builds(KnownTarget, ANY, ANY) | st.builds(PlannedTarget, ANY, ANY)
PATCH: st.SearchStrategy[Any] = st.one_of(
    st.builds(AddStatement, KIND, ANY, NUMBER),
    st.builds(ReplaceStatement, KIND, ANY, ANY, NUMBER),
    st.builds(RemoveStatement, ANY),
    st.builds(AddAlias, ANY, st.booleans()),
    st.builds(RemoveAlias, ANY),
    st.builds(Rename, ANY, st.booleans(), st.booleans()),
    st.builds(AddRelation, TARGET, ANY, NUMBER),
    st.builds(RemoveRelation, ANY),
)
PATCHES = st.lists(PATCH, max_size=3).map(tuple)
STEP: st.SearchStrategy[Any] = st.one_of(
    st.builds(UpdateExistingStep, ANY, ANY, PATCHES),
    st.builds(CreateEntityStep, ANY, PATCHES, st.none() | ANY, st.booleans()),
    st.builds(MergeStep, ANY, ANY, ANY, ANY),
)


@given(st.lists(STEP, max_size=4))
def test_never_raises(steps: list[Step]) -> None:
    plan = UpdatePlan(tuple(steps))
    checked = validate(plan, FACTS)

    assert checked == ValidPlan(plan) or (isinstance(checked, tuple) and checked)
