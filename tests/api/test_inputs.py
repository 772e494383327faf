"""Lists of inputs are counted before they are coerced, and within that by what each of them may have."""

from typing import Any

import pytest
from graphql import GraphQLError

from api.inputs import DEEPEST, MOST_IN_ALL, MOST_IN_LIST, check_inputs
from resolvers.requests import MOST_INPUTS
from resolvers.update.observed import MOST_OBSERVATIONS
from resolvers.update.requests import MOST_MESSAGES, MOST_PLANS
from tests.api.stalls import watching
from tests.api.update_api import ROLL, SUBMIT, Api, plan, told


def refused(**variables: Any) -> GraphQLError:
    with pytest.raises(GraphQLError) as raised:
        check_inputs(variables)
    assert (raised.value.extensions or {})["code"] == "INPUT_LIMIT"
    return raised.value


def test_every_documented_maximum_fits() -> None:
    assert max(MOST_MESSAGES, MOST_INPUTS, MOST_PLANS, MOST_OBSERVATIONS) < MOST_IN_LIST, "and a little over it"
    observation = plan()["observations"][0]
    full = {"aliases": ["x"], "impressions": [{}] * 2, "features": [{}] * 2, "relations": [{}] * 2}
    check_inputs({"plans": [{"observations": [observation | full] * MOST_OBSERVATIONS}] * MOST_PLANS})
    check_inputs({"rolling": {"messages": [{"role": "user", "text": "x"}] * MOST_MESSAGES}})
    check_inputs({"rolling": None, "text": "x", "first": 3})


def test_a_list_that_is_too_long_is_named() -> None:
    check_inputs({"rolling": {"messages": [0] * MOST_IN_LIST}})
    error = refused(rolling={"messages": [0] * (MOST_IN_LIST + 1)})
    assert "rolling.messages" in error.message
    assert (error.extensions or {})["argument"] == "rolling.messages"


def test_many_short_lists_are_counted_together() -> None:
    each = MOST_IN_LIST // 2
    lists = MOST_IN_ALL // each
    check_inputs({f"v{place}": [0] * each for place in range(lists)})
    refused(**{f"v{place}": [0] * each for place in range(lists + 1)})
    refused(plans=[{"observations": [0] * 1_000}] * 110)


def test_objects_count_where_they_hold_lists_and_objects() -> None:
    refused(**{f"v{place}": {"a": {}, "b": {}} for place in range(MOST_IN_ALL // 2 + 1)})


def test_nesting_is_bounded() -> None:
    def nested(levels: int) -> Any:
        value: Any = 0
        for _ in range(levels):
            value = [value]
        return value

    check_inputs({"v": nested(DEEPEST)})
    refused(v=nested(DEEPEST + 1))
    refused(v=nested(500))


def test_a_path_of_any_length_is_cut() -> None:
    error = refused(**{"v" * 100_000: [0] * (MOST_IN_LIST + 1)})
    assert len(error.message) < 1_000


async def test_they_are_refused_before_they_are_coerced(api: Api) -> None:
    rolling = {"summary": "s", "messages": [{"role": "user", "text": "x"}] * 120_000}
    async with watching() as watch:
        answer = await api.raw(ROLL, rolling=rolling)
    (error,) = answer["errors"]
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("INPUT_LIMIT", "rolling.messages")
    assert watch.total < 2, (
        "seconds of the processor; 5 where they are coerced, and most of these for the client's JSON"
    )


async def test_what_is_a_little_over_a_bound_gets_its_own_code(api: Api) -> None:
    answer = await api.ask(ROLL, rolling=told(*["x"] * (MOST_MESSAGES + 1)))
    assert (answer["it"]["code"], answer["it"]["path"]) == ("TOO_MANY_MESSAGES", "rolling.messages")
    answer = await api.ask(SUBMIT, plans=[plan()] * (MOST_PLANS + 1))
    assert answer["it"]["code"] == "TOO_MANY_PLANS"


CREATE = """mutation($input: CreateEntityInput!) { it: createEntity(input: $input) {
  __typename ... on InvalidInput { code path message } ... on UpdateRun { status } } }"""


@pytest.mark.parametrize(
    ("field", "most", "one"),
    [
        ("aliases", 8, "Al {}"),
        ("impressions", 12, {"text": "kind {}"}),
        ("features", 12, {"text": "tall {}"}),
        ("relations", 12, {"target": "Bea", "relation": "friend {}"}),
    ],
)
async def test_a_new_entity_has_the_bounds_of_an_observation(api: Api, field: str, most: int, one: Any) -> None:
    def some(count: int) -> list[Any]:
        if isinstance(one, str):
            return [one.format(place) for place in range(count)]
        return [{name: text.format(place) for name, text in one.items()} for place in range(count)]

    bea = {"subject": "Bea", "space": api.space}
    assert (await api.ask(CREATE, input=bea))["it"] == {"__typename": "UpdateRun", "status": "APPLIED"}
    new = {"subject": "Alma", "space": api.space}
    over = (await api.ask(CREATE, input={**new, field: some(most + 1)}))["it"]
    assert (over["code"], over["path"]) == ("TOO_MANY", f"input.{field}")
    assert str(most) in over["message"]
    assert (await api.ask(CREATE, input={**new, field: some(most)}))["it"]["status"] == "APPLIED"


async def test_where_a_new_entity_is_wrong_is_said_as_it_was_sent(api: Api) -> None:
    given = {"subject": "Alma", "space": api.space, "impressions": [{"text": "kind"}], "features": [{"text": " "}]}
    answer = (await api.ask(CREATE, input=given))["it"]
    assert (answer["code"], answer["path"]) == ("TEXT_EMPTY", "input.features.0.text")
