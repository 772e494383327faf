from resolvers.update.name_claims import name_violations
from resolvers.update.seen import KnownBearer
from resolvers.update.steps import AddAlias, CreateEntityStep, MergeStep, Rename, Step, UpdateExistingStep, UpdatePlan

OWNERS = {"alice": (KnownBearer("e1", "Alice"),)}


def found(*steps: Step) -> list[tuple[str, str]]:
    return [(each.code, each.path) for each in name_violations(UpdatePlan(steps), OWNERS)]


def test_a_name_that_is_taken() -> None:
    assert found(CreateEntityStep("ALICE", ())) == [("NAME_TAKEN", "steps.0.subject")]
    assert found(UpdateExistingStep("e2", "Bob", (AddAlias("Alice"),))) == [("NAME_TAKEN", "steps.0.patches.0.alias")]
    assert found(UpdateExistingStep("e2", "Bob", (Rename("Alice"),))) == [("NAME_TAKEN", "steps.0.patches.0.subject")]


def test_a_homonym_that_a_person_allowed() -> None:
    assert found(CreateEntityStep("Alice", (), allow_homonym=True)) == []
    assert found(UpdateExistingStep("e2", "Bob", (AddAlias("Alice", allow_homonym=True),))) == []
    assert found(UpdateExistingStep("e2", "Bob", (Rename("Alice", allow_homonym=True),))) == []
    # What is allowed for the subject is not for the aliases.
    assert found(CreateEntityStep("Al", (AddAlias("Alice"),), allow_homonym=True)) != []


def test_a_name_an_entity_has_already_is_no_violation() -> None:
    """P7 of the first implementation: an alias equal to the subject stopped the plan halfway."""
    assert found(UpdateExistingStep("e1", "Alice", (AddAlias("alice"), Rename("ALICE")))) == []
    assert found(CreateEntityStep("Zoe", (AddAlias("zoe"), AddAlias("Zo"), AddAlias("Zo")))) == []


def test_a_name_the_plan_gives_twice() -> None:
    assert found(CreateEntityStep("Zoe", ()), UpdateExistingStep("e1", "Alice", (AddAlias("ZOE"),))) == [
        ("NAME_TWICE", "steps.0.subject"),
        ("NAME_TWICE", "steps.1.patches.0.alias"),
    ]


def test_two_new_entities_of_one_subject_cannot_be_told_apart_in_one_plan() -> None:
    twins = (CreateEntityStep("Zoe", (), allow_homonym=True), CreateEntityStep("zoe", (), allow_homonym=True))

    assert found(*twins) == [("NAME_TWICE", "steps.0.subject"), ("NAME_TWICE", "steps.1.subject")]


def test_what_is_no_name_or_no_claim() -> None:
    assert found(CreateEntityStep("", ()), CreateEntityStep("  ", ()), MergeStep("e1", "Alice", "e2", "Bob")) == []
