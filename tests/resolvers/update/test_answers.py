"""Answers of models: what is read out of them, what is refused, what is cut and told of."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.update.answers import SchemaEchoed, json_in, plan_shaped, within_bounds
from resolvers.update.observed import MOST_OBSERVATIONS, ImpressionObservationPlan
from resolvers.update.observer_port import CutCode

PATCH = {"text": "Bob lives in Lisbon.", "evidence": "Bob moved to Lisbon.", "confidence": 0.9}
BOB: dict[str, Any] = {
    "proposedSubject": "Bob",
    "aliases": [],
    "impressions": [],
    "features": [PATCH],
    "relations": [],
    "sourceActiveRuntimeIds": ["A1"],
    "evidenceSnippets": ["Bob moved to Lisbon."],
    "confidence": 0.9,
    "reason": "He moved.",
}
PLAN: dict[str, Any] = {"observations": [BOB], "status": "PREPARED", "reason": "One move."}
WRITTEN = json.dumps(PLAN)
SCHEMA = ImpressionObservationPlan.model_json_schema()


@pytest.mark.parametrize(
    "answer",
    [
        WRITTEN,
        f"\ufeff\n {WRITTEN}\n",
        f"<think>Bob… {{maybe}}</think>\n{WRITTEN}",
        f"<think>one</think><Thinking>two</Thinking>{WRITTEN}",
        f"the template opened the thought</think>{WRITTEN}",
        f"<think>never closed {WRITTEN}",
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}```\n",
        f"```json\n{WRITTEN}",
        f"<think>a</think>```json\n{WRITTEN}\n```",
        f"Here it is [1]: {WRITTEN} I hope {{this}} helps.",
        f"```json\n{WRITTEN}\n```\nI took {{}} for nothing.",
        f'They said {{"observations": []}}. My answer: {WRITTEN}',
        f"The schema is {json.dumps(SCHEMA)} and so: {WRITTEN}",
    ],
)
def test_the_plan_is_found_among_the_words(answer: str) -> None:
    assert json.loads(json_in(answer)) == PLAN


def test_an_answer_that_talks_of_thoughts_is_left_whole() -> None:
    plan = {**PLAN, "reason": "They discuss the </think> tag."}

    assert json.loads(json_in(json.dumps(plan))) == plan


ANNE = {**BOB, "proposedSubject": "Anne"}


@pytest.mark.parametrize(
    "answer",
    [
        WRITTEN[:-40],
        json.dumps([BOB, ANNE])[:-40],
        f"Here: {WRITTEN[:-40]}",
        f'They said {{"observations": []}}. My answer: {WRITTEN[:-40]}',
        f"{json.dumps(BOB)}\n{json.dumps(ANNE)}",
        f"{WRITTEN}\n{json.dumps({**PLAN, 'observations': [ANNE]})}",
        repr(PLAN),
        "{observations: [" + json.dumps(BOB),
        "There is nothing: [] or {}.",
    ],
)
def test_a_part_does_not_pass_for_the_whole(answer: str) -> None:
    assert json_in(answer) == answer


def test_a_plan_said_twice_is_one() -> None:
    assert json.loads(json_in(f"{WRITTEN}\nAgain: {WRITTEN}")) == PLAN


@pytest.mark.parametrize("answer", ["I would rather not.", "", "{" * 5000, "[" * 100_000, '{"a": ' * 5000, "{]" * 5000])
def test_without_json_the_words_are_left(answer: str) -> None:
    assert json_in(answer) == answer.strip()


@pytest.mark.parametrize(
    "value",
    [
        PLAN,
        [BOB],
        BOB,
        {"entities": [BOB]},
        {"result": PLAN},
        {"data": {"Observations": [BOB]}},
        {"entities": [BOB], "count": 1, "notes": []},
        {"Observations": [BOB], "Status": "prepared"},
        {"properties": {"observations": [BOB]}},
    ],
)
def test_one_meaning_is_understood(value: object) -> None:
    shaped = plan_shaped(value)

    assert shaped is not None
    plan = ImpressionObservationPlan.model_validate(within_bounds(shaped)[0])
    assert [each.model_dump() for each in plan.observations] == [BOB]
    assert plan.status == "PREPARED"


@pytest.mark.parametrize("value", [{}, {"a": [BOB], "b": [BOB]}, "Bob", None, 3, [1, 2], [BOB, 1], {"a": [PATCH]}])
def test_several_meanings_or_none_are_not(value: object) -> None:
    assert plan_shaped(value) is None


@pytest.mark.parametrize("value", [SCHEMA, {"properties": SCHEMA["properties"]}, SCHEMA["properties"]])
def test_the_schema_is_refused(value: object) -> None:
    with pytest.raises(SchemaEchoed):
        plan_shaped(value)


@pytest.mark.parametrize("value", [[], {"observations": None}, {"status": "rejected"}, {"observations": []}])
def test_nothing_observed_is_a_rejected_plan(value: object) -> None:
    shaped = plan_shaped(value)

    assert shaped is not None
    plan = ImpressionObservationPlan.model_validate(within_bounds(shaped)[0])
    assert (plan.observations, plan.status, plan.reason) == ([], "REJECTED", "")


@pytest.mark.parametrize(
    "bare",
    [
        {"proposedSubject": "Bob", "confidence": 0.9},
        {"proposed_subject": "Bob", "Confidence": 0.9, "aliases": None, "reason": None},
        {"subject": "Bob", "confidence": 0.9},
        {"name": "Bob", "confidence": 0.9, "relations": {}, "evidence_snippets": ""},
    ],
)
def test_absent_lists_are_empty_and_keys_are_read_in_any_case(bare: dict[str, Any]) -> None:
    plan, cuts = within_bounds({"observations": [bare]})

    (bob,) = ImpressionObservationPlan.model_validate(plan).observations
    assert bob.proposedSubject == "Bob"
    assert (bob.aliases, bob.relations, bob.evidenceSnippets, bob.reason, cuts) == ([], [], [], "", ())


def test_one_thing_where_a_list_is_meant() -> None:
    plan, _ = within_bounds({"observations": [{**BOB, "features": PATCH, "aliases": "Bobby"}]})

    (bob,) = ImpressionObservationPlan.model_validate(plan).observations
    assert (bob.aliases, len(bob.features)) == (["Bobby"], 1)


def test_a_patch_without_quote_keeps_its_place_and_is_dropped_later() -> None:
    plan, _ = within_bounds({"observations": [{**BOB, "features": [{"text": "He lives.", "confidence": 1}]}]})

    assert ImpressionObservationPlan.model_validate(plan).observations[0].features[0].evidence == ""


def test_what_is_too_long_is_left_out_and_told_of() -> None:
    long = {**PATCH, "text": "x" * 601}
    observation = {**BOB, "features": [long, PATCH], "aliases": ["y" * 201, "Bobby"], "reason": "z" * 301}

    plan, cuts = within_bounds({**PLAN, "observations": [observation, {**BOB, "proposedSubject": "B" * 201}]})

    (bob,) = ImpressionObservationPlan.model_validate(plan).observations
    assert (len(bob.features), bob.aliases, bob.reason) == (1, ["Bobby"], "z" * 299 + "…")
    assert {(cut.code, cut.path, cut.count) for cut in cuts} == {
        (CutCode.TOO_LONG, "observations.0.features.0.text", 1),
        (CutCode.TOO_LONG, "observations.0.aliases.0", 1),
        (CutCode.TOO_LONG, "observations.0.reason", 1),
        (CutCode.TOO_LONG, "observations.1.proposedSubject", 1),
    }
    assert all(1 < len(cut.text) <= 200 for cut in cuts)
    messages = {cut.path: cut.message for cut in cuts}
    assert messages["observations.1.proposedSubject"] == (
        f"observations.1.proposedSubject: 201 characters, 200 are the most; left out observations.1: {'B' * 200}…"
    )
    assert "; shortened: zzz" in messages["observations.0.reason"]


def test_what_is_too_many_is_left_out_and_counted() -> None:
    many = [{**BOB, "proposedSubject": f"Bob {number}"} for number in range(200)]

    plan, cuts = within_bounds({"observations": [{**each, "features": [PATCH] * 14} for each in many]})

    observations = ImpressionObservationPlan.model_validate(plan).observations
    assert len(observations) == MOST_OBSERVATIONS
    (whole,) = (cut for cut in cuts if cut.path == "observations")
    assert (whole.code, whole.count) == (CutCode.TOO_MANY, 136)
    assert whole.message.startswith("observations: 200 items, 64 are the most; left out: Bob 64; Bob 65")
    assert sum(cut.count for cut in cuts if cut.path == "observations.3.features") == 2


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.text(min_size=601, max_size=700),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*PLAN, *BOB, *PATCH, "target", "$defs", "x"]), inner, max_size=5)
    ),
)


@given(json_values)
def test_anything_is_read_or_refused_in_an_orderly_way(value: object) -> None:
    json_in(json.dumps(value))
    try:
        shaped = plan_shaped(value)
    except SchemaEchoed:
        return
    if shaped is not None:
        within_bounds(shaped)


@given(st.text(alphabet=st.sampled_from('{}[]":,`a<>/\\ think\n')))
def test_any_words_are_read(text: str) -> None:
    assert isinstance(json_in(text), str)
