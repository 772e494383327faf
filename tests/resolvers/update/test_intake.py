from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.values import StatementKind
from resolvers.update.intake import SHOWN, Intake, handed_in_labels, holds_id, take_handed_in, take_observed
from resolvers.update.observed import FeaturePatch, ImpressionPatch, PlanStatus, RelationPatch
from resolvers.update.seen import DropCode, StatementPatch
from tests.resolvers.update.given import active, plan_of, said

LABELS = {"A1": "0123456789ab", "A2": "ba9876543210"}
UUID = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"


def tea(**changes: Any) -> FeaturePatch:
    return FeaturePatch.model_construct(**{"text": "likes tea", "evidence": "I like tea", "confidence": 0.8, **changes})


def sister(**changes: Any) -> RelationPatch:
    fields = {"target": "Bob", "relation": "sister of", "evidence": "Bob is my brother", "strength": 0.8, **changes}
    return RelationPatch.model_construct(**fields)


def codes(taken: Intake) -> list[DropCode]:
    return [each.code for each in taken.dropped]


def test_a_good_observation_comes_through_with_runtime_ids() -> None:
    mood = ImpressionPatch(text="seems  tired\nof travel", evidence="so tired of planes", confidence=0.6)
    taken = take_observed(
        plan_of(
            said(
                " Alice  Johnson, ",
                aliases=["Ally", "Ally"],
                impressions=[mood],
                features=[tea()],
                relations=[sister()],
                sourceActiveRuntimeIds=["A2", "a1"],
                evidenceSnippets=["I like tea", " ", "I like tea"],
            )
        ),
        LABELS,
    )

    (observation,) = taken.observations
    assert taken.dropped == ()
    assert observation.subject == "Alice Johnson"
    assert observation.aliases == ("Ally",)
    assert observation.statements == (
        StatementPatch(StatementKind.IMPRESSION, "seems tired of travel", "so tired of planes", 0.6),
        StatementPatch(StatementKind.FEATURE, "likes tea", "I like tea", 0.8),
    )
    assert [(each.relation, each.target) for each in observation.relations] == [("sister of", "Bob")]
    assert observation.sources == {"0123456789ab", "ba9876543210"}
    assert observation.snippets == ("I like tea",)
    assert not observation.snippets_stand_in


def test_a_rejected_plan() -> None:
    taken = take_observed(plan_of(said(features=[tea()]), status=PlanStatus.REJECTED), LABELS)

    assert taken.observations == ()
    assert codes(taken) == [DropCode.REJECTED_PLAN]
    assert taken.dropped[0].text == "as asked"


def test_an_observation_of_nothing() -> None:
    taken = take_observed(plan_of(said("Alice"), said("Bob", features=[tea()])), LABELS)

    assert [each.subject for each in taken.observations] == ["Bob"]
    assert codes(taken) == [DropCode.EMPTY_OBSERVATION]


def test_a_label_that_was_never_given_is_dropped_alone() -> None:
    taken = take_observed(plan_of(said(features=[tea()], sourceActiveRuntimeIds=["A3", "A1", "0123456789ab"])), LABELS)

    assert taken.observations[0].sources == {"0123456789ab"}
    assert codes(taken) == [DropCode.UNKNOWN_LABEL, DropCode.UNKNOWN_LABEL]
    assert [each.text for each in taken.dropped] == ["A3", "0123456789ab"]


@pytest.mark.parametrize("subject", ["", "  ", "《》", "a\nb", "x" * 201, "\ud800", "nul\0"])
def test_what_is_no_name_costs_the_observation(subject: str) -> None:
    taken = take_observed(plan_of(said(subject, features=[tea()])), LABELS)

    assert taken.observations == ()
    assert codes(taken) == [DropCode.NAME_REFUSED]


def test_what_is_no_name_costs_the_alias_or_the_relation_alone() -> None:
    taken = take_observed(plan_of(said(aliases=["…\n…", "Ally"], relations=[sister(target="\0"), sister()])), LABELS)

    (observation,) = taken.observations
    assert (observation.aliases, len(observation.relations)) == (("Ally",), 1)
    assert codes(taken) == [DropCode.NAME_REFUSED, DropCode.NAME_REFUSED]


@pytest.mark.parametrize(
    "name",
    [
        *(UUID, UUID.upper(), UUID.replace("-", ""), f"Alice ({UUID})", f"entity:{UUID}"),
        *("0123456789ab", "Alice 00ff00ff00ff", "BA9876543210"),
        *("A1", "[A1]", "A3", "A17", "Alice (A2)", "A1: Alice"),
    ],
)
def test_an_id_in_a_name(name: str) -> None:
    as_subject = take_observed(plan_of(said(name, features=[tea()])), LABELS)
    elsewhere = take_observed(plan_of(said(aliases=[name], features=[tea()], relations=[sister(target=name)])), LABELS)

    assert (as_subject.observations, codes(as_subject)) == ((), [DropCode.ID_IN_NAME])
    assert codes(elsewhere) == [DropCode.ID_IN_NAME, DropCode.ID_IN_NAME]
    assert (elsewhere.observations[0].aliases, elsewhere.observations[0].relations) == ((), ())


@pytest.mark.parametrize("name", ["Area 51", "R2-D2", "AA1", "A1B", "A100", "202409011234", "Decade", "Facade12"])
def test_names_that_hold_no_id(name: str) -> None:
    assert take_observed(plan_of(said(name, features=[tea()])), LABELS).dropped == ()


def test_a_label_that_was_really_said_is_a_word() -> None:
    car = tea(text="drives an Audi A3", evidence="I bought an Audi A3")
    taken = take_observed(plan_of(said("Audi A3", features=[car])), LABELS)

    assert taken.dropped == ()
    assert taken.observations[0].statements[0].text == "drives an Audi A3"


def test_a_statement_that_calls_somebody_by_a_label() -> None:
    taken = take_observed(plan_of(said(features=[tea(text="A1 likes tea"), tea()])), LABELS)

    assert codes(taken) == [DropCode.ID_IN_NAME]
    assert [each.text for each in taken.observations[0].statements] == ["likes tea"]


def test_a_label_copied_with_a_quote_goes() -> None:
    taken = take_observed(
        plan_of(said(features=[tea(evidence="[A1]: I like tea")], evidenceSnippets=["A1: tea"])), LABELS
    )

    assert taken.observations[0].statements[0].quote == "I like tea"
    assert taken.observations[0].snippets == ("tea",)


@pytest.mark.parametrize("text", ["", " \n", "。", "x" * 2_001, "nul\0 in it", "\ud800"])
def test_a_text_that_cannot_be_kept(text: str) -> None:
    taken = take_observed(plan_of(said(features=[tea(text=text), tea()], relations=[sister(relation=text)])), LABELS)

    assert len(taken.observations[0].statements) == 1
    assert taken.observations[0].relations == ()
    assert codes(taken) == [DropCode.TEXT_REFUSED, DropCode.TEXT_REFUSED]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("lives in Hangzhou.", "lives in Hangzhou"),
        ("住在杭州。", "住在杭州"),
        ("works at Acme Inc.", "works at Acme Inc."),
        ("comes from the U.S.", "comes from the U.S."),
        ("and so on...", "and so on..."),
        ("is it so?", "is it so?"),
    ],
)
def test_a_full_stop_makes_no_other_statement(written: str, kept: str) -> None:
    taken = take_observed(plan_of(said(features=[tea(text=written)])), LABELS)

    assert [each.text for each in taken.observations[0].statements] == [kept]


def test_a_quote_that_cannot_be_stored_costs_its_patch() -> None:
    taken = take_observed(plan_of(said(features=[tea(evidence="nul\0"), tea()], evidenceSnippets=["\ud800"])), LABELS)

    assert codes(taken) == [DropCode.TEXT_REFUSED, DropCode.TEXT_REFUSED]
    assert len(taken.observations[0].statements) == 1
    assert taken.observations[0].snippets == ()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.1, 7.0])
def test_origin_p14_numbers_out_of_range(number: float) -> None:
    """P14 of the first implementation: confidence and strength were never looked at."""
    patches = take_handed_in(
        plan_of(said(features=[tea(confidence=number), tea()], relations=[sister(strength=number)])), {}
    )
    whole = take_handed_in(plan_of(said(features=[tea()], confidence=number)), {})

    assert codes(patches) == [DropCode.NUMBER_REFUSED, DropCode.NUMBER_REFUSED]
    assert len(patches.observations[0].statements) == 1
    assert (whole.observations, codes(whole)) == ((), [DropCode.NUMBER_REFUSED])


def test_a_handed_in_plan_names_sources_by_runtime_id_subject_or_mention() -> None:
    labels = handed_in_labels(
        [
            active("0123456789ab", subject="Alice", mentions=["Ally", "Sam"]),
            active("ba9876543210", subject="Bob", mentions=["Sam"]),
            active("00000000000f"),
        ]
    )
    taken = take_handed_in(
        plan_of(said(features=[tea()], sourceActiveRuntimeIds=["ＡＬＩＣＥ", "ba9876543210", "ally", "Sam", "A1"])),
        labels,
    )

    assert taken.observations[0].sources == {"0123456789ab", "ba9876543210"}
    assert [(each.code, each.text) for each in taken.dropped] == [
        (DropCode.UNKNOWN_LABEL, "Sam"),
        (DropCode.UNKNOWN_LABEL, "A1"),
    ]
    assert taken.observations[0].snippets_stand_in


def test_an_agent_that_was_given_no_labels_may_speak_of_paper() -> None:
    taken = take_handed_in(plan_of(said("A4", features=[tea(text="A4 is paper")])), {})

    assert taken.dropped == ()


def test_what_is_dropped_can_be_stored_and_shown() -> None:
    taken = take_observed(plan_of(said("\0" + "x" * 1_000)), LABELS)

    (dropped,) = taken.dropped
    assert len(dropped.text) == SHOWN
    assert "\0" not in dropped.text
    dropped.text.encode()


def test_holds_id() -> None:
    assert holds_id(UUID)
    assert holds_id("see r1", ["r1"])
    assert not holds_id("Mr1", ["r1"])


ANY = st.text(st.characters(codec=None), max_size=30) | st.sampled_from([UUID, "A1", "Alice", "0123456789ab"])


@given(
    subject=ANY,
    aliases=st.lists(ANY, max_size=3),
    text=ANY,
    quote=ANY,
    target=ANY,
    labels=st.lists(ANY, max_size=3),
    number=st.floats(),
)
def test_never_raises_and_lets_no_id_through(**drawn: Any) -> None:
    observed = said(
        drawn["subject"],
        aliases=drawn["aliases"],
        features=[tea(text=drawn["text"], evidence=drawn["quote"], confidence=drawn["number"])],
        relations=[sister(target=drawn["target"], relation=drawn["text"], strength=drawn["number"])],
        sourceActiveRuntimeIds=drawn["labels"],
        evidenceSnippets=[drawn["quote"]],
    )
    for take in (take_observed, take_handed_in):
        taken = take(plan_of(observed), LABELS)
        for observation in taken.observations:
            names = [observation.subject, *observation.aliases, *(each.target for each in observation.relations)]
            assert not any(holds_id(name, LABELS.values()) for name in names)
            assert observation.sources <= set(LABELS.values())
        assert all(each.text.encode() is not None and each.reason for each in taken.dropped)
