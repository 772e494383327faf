"""Rows to signals: the four sources, pure."""

from dataclasses import replace
from datetime import timedelta

import pytest

from graph.names import fold
from graph.text import scope_token, scoped, search_terms
from resolvers.recall.asking import read
from resolvers.recall.collected import EvidenceRow, NameRow, NeighbourRow, RelationRow, TextRow, VectorRow
from resolvers.recall.normalise import Calibration
from resolvers.recall.recency import recency_signals
from resolvers.recall.relation import is_in_text, relation_signals
from resolvers.recall.text import (
    asked,
    evidence_signals,
    name_signals,
    names_in_text,
    near_duplicates,
    text_signals,
)
from resolvers.recall.values import Channel, Found, SignalSource, Target, TargetType
from resolvers.recall.vector import vector_signals
from tests.fakes import NOON
from tests.resolvers.recall.examples import active, collected
from tests.resolvers.recall.test_asking import question

TOKEN, TALK = scope_token("s"), scope_token("s", "c")


def bearer(name: str, uuid: str = "", **changed: object) -> NameRow:
    row = NameRow(fold(name), uuid or name.lower(), name, name, "SUBJECT", deprecated=False)
    return replace(row, **changed)  # type: ignore[arg-type]


def named(text: str, *rows: NameRow, **more: object) -> list[str]:
    return [name.key for name in names_in_text(read(question(text)).candidates, collected(names=rows, **more))]


def ask(text: str, **documents: int) -> list[Found]:
    counts = {TOKEN: 10, **{TOKEN + term: count for term, count in documents.items()}}
    return list(
        text_signals(
            collected(
                texts=(
                    TextRow("a", "Alice", "FEATURE", "f1", "plays the cello", scoped(("play", "cello"), TOKEN), False),  # noqa: FBT003
                    TextRow("b", "Bob", "ALIAS", None, "Bob Cello", scoped(("bob", "cello"), TOKEN), True),  # noqa: FBT003
                ),
                relations=(
                    RelationRow("c", "r1", "teacher of cello", "teacher of cello", scoped(("teacher", "cello"), TOKEN)),
                ),
            ),
            asked(search_terms(text), counts, TOKEN),
            TOKEN,
        )
    )


# NAME


def test_names_in_text_are_those_that_stand_there_and_are_no_more_deprecated() -> None:
    rows = (bearer("New York"), bearer("York"), bearer("Alice"), bearer("Bob", deprecated=True))

    assert named("Alice and Bob leave New York", *rows) == ["alice", "new york"]


def test_a_name_the_caller_mentions_but_the_text_does_not_hold_is_not_in_the_text() -> None:
    assert named("she left", bearer("Alice")) == []


def test_an_active_entity_is_named_by_its_mentions_while_it_lives() -> None:
    here = active(mentions=("priya nair",))

    assert named("Priya Nair called", actives=(here,)) == ["priya nair"]
    assert named("Priya Nair called", actives=(replace(here, live=False),)) == []


def test_every_bearer_gets_a_signal_and_says_by_which_name() -> None:
    rows = (bearer("Holmes", "s", subject="Sherlock"), bearer("Holmes", "m", kind="ALIAS", subject="Mycroft"))
    names = names_in_text(read(question("Holmes!")).candidates, collected(names=rows))

    found = list(name_signals(names, asked((), {}, TOKEN).rarity))

    assert [each.target.id for each in found] == ["s", "m"]
    assert {each.signal.source for each in found} == {SignalSource.TEXT}
    assert all(each.signal.direct and each.signal.normalised > 0 for each in found)
    assert found[1].signal.reason == "alias 'Holmes' stands in the text"


@pytest.mark.parametrize("name", ["Will", "我们", "龙", "C"])
def test_design_5_a_stop_word_or_a_name_below_two_units_is_no_direct_hit(name: str) -> None:
    names = names_in_text(read(question(f"and {name} too")).candidates, collected(names=(bearer(name),)))

    (found,) = name_signals(names, asked((), {}, TOKEN).rarity)

    assert (found.signal.direct, found.signal.normalised) == (False, 0.0)
    assert "too common a word" in found.signal.reason


def test_a_name_that_many_texts_hold_says_less_than_a_rare_one() -> None:
    names = names_in_text(read(question("Alice met Bob")).candidates, collected(names=(bearer("Alice"), bearer("Bob"))))
    rarity = asked((), {TOKEN: 100, TOKEN + "alic": 90, TOKEN + "bob": 1}, TOKEN).rarity

    alice, bob = name_signals(names, rarity)

    assert alice.signal.normalised < bob.signal.normalised


# TEXT


def test_names_statements_and_relations_that_share_terms_say_which() -> None:
    deprecated_alias = "shares cello with a deprecated alias"

    found = {each.target.id: each.signal for each in ask("Who has a cello?", cello=3)}

    assert set(found) == {"a", "b", "c"}
    assert [found[each].text_hit.field for each in "abc"] == ["feature", "deprecated alias", "relation"]  # type: ignore[union-attr]
    assert found["b"].reason == deprecated_alias
    assert found["a"].text_hit and found["a"].text_hit.statement_uuid == "f1"  # noqa: PT018


def test_terms_side_by_side_in_both_texts_are_a_phrase() -> None:
    phrases = {each.target.id: each.signal.text_hit.phrase for each in ask("she plays cello")}  # type: ignore[union-attr]

    assert phrases == {"a": True, "b": False, "c": False}


def test_design_5_field_and_phrase_are_explanation_not_score() -> None:
    found = {each.target.id: each.signal for each in ask("cello", cello=3)}

    assert len({signal.normalised for signal in found.values()}) == 1


def test_rows_without_a_common_term_give_no_signal() -> None:
    assert ask("piano") == []


# Evidence


def said(
    text: str, *, confidence: float = 1.0, age: timedelta = timedelta(0), who: str = "000000000001"
) -> EvidenceRow:
    return EvidenceRow(who, f"e-{text}", text, scoped(search_terms(text), TALK), confidence, NOON - age)


def heard(*rows: EvidenceRow, asking: str = "blue harbour cafe") -> dict[str, float]:
    actives = {"000000000001": active(), "000000000002": active("000000000002", bound="alice")}
    question_asked = asked(search_terms(asking), {}, TOKEN)
    found = evidence_signals(rows, actives, question_asked, TALK, at=NOON, half_life=86_400)
    return {each.target.id: each.signal.normalised for each in found}


def test_design_5_live_evidence_leads_to_its_active_entity_or_the_entity_it_is_bound_to() -> None:
    assert set(heard(said("a blue harbour"))) == {"000000000001"}
    assert set(heard(said("a blue harbour", who="000000000002"))) == {"alice"}
    assert heard(said("a blue harbour", who="gone")) == {}


def test_design_6_evidence_weighs_its_confidence_and_halves_in_a_day() -> None:
    whole = heard(said("a blue harbour"))["000000000001"]

    assert heard(said("a blue harbour", confidence=0.3))["000000000001"] == pytest.approx(0.3 * whole)
    assert heard(said("a blue harbour", age=timedelta(hours=24)))["000000000001"] == pytest.approx(0.5 * whole)
    assert heard(said("a blue harbour", age=timedelta(minutes=-4)))["000000000001"] == pytest.approx(whole)


def test_design_6_near_duplicates_overlap_in_four_of_five_terms() -> None:
    question_asked = asked(search_terms("blue harbour cafe opens monday"), {}, TOKEN)
    near, far = said("blue harbour cafe opens"), said("blue harbour cafe", who="000000000002")

    assert near_duplicates([near, far], question_asked, TALK, 0.8) == ("000000000001",)
    assert near_duplicates([near, near], question_asked, TALK, 0.8) == ("000000000001",)
    assert near_duplicates([near], asked((), {}, TOKEN), TALK, 0.8) == ()


# VECTOR


def test_design_5_a_cosine_at_or_below_the_floor_gives_no_signal() -> None:
    rows = [VectorRow("a", "Alice", "FEATURE", "f", "text", cosine) for cosine in (0.9, 0.3, -0.2)]

    (found,) = vector_signals(rows, Calibration(0.3, 0.5))

    assert (found.signal.raw, found.signal.normalised, found.signal.channel) == (0.9, 1.0, Channel.VECTOR)
    assert found.signal.vector_hit and found.signal.vector_hit.statement_uuid == "f"  # noqa: PT018


# RELATION


def neighbour(relation: str, *, outgoing: bool = True, strength: float = 1.0, source: str = "alice") -> NeighbourRow:
    return NeighbourRow(source, "bob", "Bob", "r", relation, outgoing, strength, 1)


def related(text: str, row: NeighbourRow) -> Found | None:
    found = relation_signals([row], frozenset({"alice"}), fold(text), frozenset(search_terms(text)))
    return next(iter(found), None)


@pytest.mark.parametrize("outgoing", [True, False])
def test_design_5_a_relation_word_in_the_text_is_a_phrase_in_both_directions(outgoing: bool) -> None:  # noqa: FBT001
    found = related("Alice's manager called", neighbour("manager", outgoing=outgoing, strength=0.8))

    assert found
    assert (found.target, found.signal.channel) == (Target(TargetType.ENTITY, "bob"), Channel.PHRASE)
    assert (found.signal.normalised, found.signal.source) == (0.8, SignalSource.RELATION)
    (step,) = found.signal.path
    assert (step.from_uuid, step.to_uuid) == (("alice", "bob") if outgoing else ("bob", "alice"))


def test_design_5_any_other_relation_of_a_named_entity_is_a_neighbour() -> None:
    found = related("Alice called", neighbour("manager"))

    assert found
    assert found.signal.channel is Channel.NEIGHBOUR
    assert related("Alice called", neighbour("manager", source="somebody else")) is None


def test_a_strength_out_of_range_is_brought_into_it() -> None:
    found = related("Alice called", neighbour("manager", strength=7.0))

    assert found
    assert found.signal.normalised == 1.0


@pytest.mark.parametrize(
    ("relation", "text", "there"),
    [
        ("manager", "her managers", True),
        ("chief of staff", "the staff has a new chief", True),
        ("chief of staff", "the chief", False),
        ("of", "one of them", False),
        ("弟弟", "刘备的弟弟", True),
        ("弟弟", "刘备的弟", False),
        ("is", "she is", False),
    ],
)
def test_a_relation_stands_in_the_text_with_all_its_own_words(relation: str, text: str, *, there: bool) -> None:
    assert is_in_text(relation, fold(text), frozenset(search_terms(text))) is there


# RECENCY


def test_design_6_recency_halves_in_a_quarter_of_an_hour_for_the_living() -> None:
    actives = [
        active("000000000001", age=timedelta(minutes=30)),
        active("000000000002", age=timedelta(minutes=-3), bound="alice"),
        active("000000000003", live=False),
    ]

    found = {each.target.id: each.signal for each in recency_signals(actives, at=NOON, half_life=900)}

    assert {key: signal.normalised for key, signal in found.items()} == {"000000000001": 0.25, "alice": 1.0}
    assert found["000000000001"].reason == "the conversation was about it 30 min ago"
    assert found["alice"].reason == "the conversation was about it just now"
