from resolvers.update.draft import Draft, drafts_of, new_names
from resolvers.update.identity import resolve
from resolvers.update.seen import (
    AggregatedObservation,
    Decision,
    DropCode,
    KnownBearer,
    KnownIdentities,
    Resolution,
    ResolutionCode,
)
from resolvers.update.steps import KnownTarget, PlannedTarget
from tests.resolvers.update.given import aggregated, known, whole

ALICE, BOB = ("e1", ["Alice", "Ally"]), ("e3", ["Bob"])


def drafts(index: KnownIdentities, *observations: AggregatedObservation) -> tuple[Draft, ...]:
    return drafts_of(resolve(aggregated(*observations), index))


def test_creates_by_key_before_updates_by_uuid() -> None:
    found = drafts(
        known(ALICE, BOB), whole("Zoe"), whole("Bob"), whole("ALICE"), whole("Yan"), whole("he", generic=True)
    )

    assert [(draft.uuid, draft.subject) for draft in found] == [
        (None, "Yan"),
        (None, "Zoe"),
        ("e1", "Alice"),
        ("e3", "Bob"),
    ]
    assert [draft.target for draft in found][1:3] == [PlannedTarget("zoe", "Zoe"), KnownTarget("e1", "Alice")]


def test_resolutions_to_one_entity_are_one_draft() -> None:
    (alice,) = drafts(known(ALICE), whole("Alice", sources={"r1"}), whole("Ally", aliases=["A."], sources={"r2"}))

    assert len(alice.resolutions) == 2
    assert alice.sources == {"r1", "r2"}
    assert alice.names() == {"alice": "Alice", "ally": "Ally", "a.": "A."}


def test_two_creates_of_one_key_take_the_surer_spelling() -> None:
    index = known(speakers={"t1": "zoe"})
    (zoe,) = drafts(index, whole("Zoe"), whole("I", generic=True, confidence=0.7))

    assert (zoe.subject, len(zoe.resolutions)) == ("Zoe", 2)


def test_a_decision_without_a_candidate_still_has_a_subject() -> None:
    decided = Resolution(whole("Al"), Decision.UPDATE, ResolutionCode.DECIDED, "", "e1")

    assert drafts_of([decided])[0].subject == "Al"


def test_new_names_are_those_nobody_has() -> None:
    index = known(ALICE, BOB)
    found = drafts(index, whole("Alice", aliases=["Ally", "Lis", "she"]))
    names = new_names(found, index)

    assert names.given == {(True, "e1"): {"lis": "Lis"}}
    assert names.dropped == ()


def test_a_name_another_entity_has() -> None:
    index = known(ALICE, BOB)
    decided = Resolution(
        whole("Bob", aliases=["Lis"]), Decision.UPDATE, ResolutionCode.DECIDED, "", "e1", (KnownBearer("e1", "Alice"),)
    )
    names = new_names(drafts_of([decided]), index)

    assert names.given == {(True, "e1"): {"lis": "Lis"}}
    assert [(each.code, each.text) for each in names.dropped] == [(DropCode.ALIAS_TAKEN, "Bob")]
    assert "'Bob'" in names.dropped[0].reason


def test_a_name_that_two_claim_goes_to_neither_and_a_new_subject_keeps_its_own() -> None:
    index = known(ALICE)
    found = drafts(
        index,
        whole("Alice", aliases=["Lis", "Yan"]),
        whole("Zoe", aliases=["Lis"]),
        whole("Yan"),
        whole("Q", aliases=["Yan"]),
    )
    names = new_names(found, index)

    assert all(not given for given in names.given.values())
    assert sorted(each.text for each in names.dropped) == ["Lis", "Lis", "Yan", "Yan"]
    assert {each.code for each in names.dropped} == {DropCode.ALIAS_TAKEN}
