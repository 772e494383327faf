"""Whoever asks for the most that may be asked keeps nobody else waiting: the loop goes on."""

import gc
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from resolvers.transfer.exporting import export_entities
from resolvers.transfer.importing import import_entities
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.seen import Rolling
from tests.api.update_api import Api, Apis, Json
from tests.fakes import Labelled, ScriptedObserver
from tests.resolvers.update.updating import plan_of, seen
from tests.shapes import SHAPES
from tests.stalls import watched

pytestmark = pytest.mark.slow

LONGEST: Final = 0.15
"""Seconds: 0.1 by design, and half as much for a machine whose caches others use as well."""
AT_THE_DRIVER: Final = 0.5
"""Seconds where thousands of stored things cross Bolt at once: the driver handles each date of them on the loop,
one after the other, in 30 µs."""
LONG: Final = 20_000
"""Characters of the longest text that is taken."""
TEXTS: Final = (
    "words",
    "Chinese",
    "mixed symbols",
    "counted names",
    "marks out of order",
    "called on",
    "scripts by turns",
)
STANDS: Final = "... on UpdateRun { id status reason } ... on Unavailable { message } ... on Conflict { message }"
SUBMIT: Final = f"""
    mutation($plans: [ObservationPlanInput!]!, $rolling: RollingInput, $space: String!) {{
      it: submitObservations(plans: $plans, rolling: $rolling, space: $space) {{ __typename {STANDS} }} }}
    """


def _said(number: int) -> str:
    return f"Person{number} Family{number} lives in City{number}"


def _observed(number: int, **more: Any) -> Json:
    return {
        "proposedSubject": f"Person{number} Family{number}",
        "features": [{"text": f"lives in City{number}", "confidence": 0.8}],
        "evidenceSnippets": [_said(number)],
        **more,
    }


def _plans(**more: Any) -> list[Json]:
    return [{"observations": [_observed(64 * plan + each, **more) for each in range(64)]} for plan in range(64)]


def _told() -> Json:
    five = [". ".join(map(_said, range(first, min(first + 5, 4096)))) for first in range(0, 4096, 5)]
    return {"summary": "they talked", "conversation": "c", "messages": [{"role": "user", "text": e} for e in five]}


def _lines(entities: int, statements: int) -> Iterator[bytes]:
    for number in range(entities):
        yield json.dumps(
            {
                "subject": f"Person{number} Family{number}",
                "aliases": [f"Nick{number}"],
                "features": [{"text": f"lives in City{number} at number {each}"} for each in range(statements)],
                "relations": [{"relation": "knows", "target": f"Person{number ^ 1} Family{number ^ 1}"}],
            }
        ).encode()


async def _remember(api: Api, entities: int, statements: int) -> None:
    service = api.service
    report = await import_entities(
        service.store, service.embedder, service.clock, _lines(entities, statements), space=api.space
    )
    assert not report.refused, report.refused[:3]


@pytest.fixture(autouse=True, scope="module")
def nothing_loaded_is_looked_through() -> Iterator[None]:
    """Do as the service does when it starts: what is loaded by then is no garbage, and there is much of it."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


RECALL: Final = "query($text: String!, $space: String!) { recall(text: $text, space: $space) { __typename } }"
PROJECT: Final = """
    mutation($text: String!, $space: String!) {
      projectEntity(input: {text: $text, space: $space, conversation: "c"}) { __typename } }
    """


@pytest.mark.parametrize("document", [RECALL, PROJECT], ids=["recall", "project"])
async def test_the_longest_text(api: Api, document: str) -> None:
    await _remember(api, 500, 5)
    await api.ask(document, text="warm up Person1 Family1, please")
    longest = {}
    for name in TEXTS:
        async with watched() as stalls:
            await api.ask(document, text=SHAPES[name](LONG))
        longest[name] = stalls.longest
    assert {name: seconds for name, seconds in longest.items() if seconds > LONGEST} == {}


async def test_as_many_inputs_as_are_taken(api: Api) -> None:
    await _remember(api, 500, 5)
    inputs = [{"text": f"{_said(each)}. " * 20, "space": api.space, "conversation": "c"} for each in range(200)]
    document = """
        mutation($inputs: [ProjectEntityInput!]!, $space: String!) {
          projectEntities(inputs: $inputs) { __typename }
          loadNothing: rejectUpdate(runId: "none", space: $space) { __typename } }
        """
    async with watched() as stalls:
        answer = await api.raw(document, inputs=inputs)
    assert len(answer["data"]["projectEntities"]) == 200
    assert stalls.longest <= LONGEST


@pytest.mark.parametrize(
    ("more", "status"), [({"confidence": 0.4}, "NO_CHANGE"), ({}, "PREPARED")], ids=["postponed", "created"]
)
async def test_sixty_four_plans_of_sixty_four_observations(api: Api, more: Json, status: str) -> None:
    await api.service.pipeline.warm_up(api.space)  # as a service does before it answers
    async with watched() as stalls:
        answer = await api.ask(SUBMIT, plans=_plans(**more), rolling=_told())
    assert (answer["it"]["__typename"], answer["it"].get("status")) == ("UpdateRun", status)
    assert stalls.longest <= LONGEST


async def test_as_much_as_lands_at_once(api: Api) -> None:
    plans = [{"observations": [_observed(64 * plan + each) for each in range(60)]} for plan in range(16)]
    await api.service.pipeline.warm_up(api.space)
    async with watched() as stalls:
        answer = await api.ask(SUBMIT, plans=plans, rolling=_told())
    assert answer["it"]["status"] == "APPLIED"
    assert stalls.longest <= AT_THE_DRIVER


def _quoting(rolling: Rolling, labelled: Labelled) -> ImpressionObservationPlan:  # noqa: ARG001 -- the port's shape
    quotes = [message.text[:500] for message in rolling.messages[:64]]
    return plan_of(*(seen(f"Person{n}", quote, features=["likes parties"]) for n, quote in enumerate(quotes)))


@pytest.mark.parametrize("name", ["words", "Chinese", "marks out of order"])
async def test_a_thousand_messages_as_long_as_a_body_holds(api_with: Apis, name: str) -> None:
    api = api_with(ScriptedObserver(always=_quoting))
    length = 3_500_000 // 1000 // len(json.dumps(SHAPES[name](100), ensure_ascii=False).encode()) * 100
    messages = [{"role": "user", "text": f"{number} {SHAPES[name](length)}"} for number in range(1000)]
    rolling = {"summary": "they talked", "conversation": "c", "messages": messages}
    document = f"""
        mutation($rolling: RollingInput!, $space: String!) {{
          it: updateImpressions(rolling: $rolling, space: $space) {{ __typename {STANDS} }} }}
        """
    async with watched() as stalls:
        answer = await api.ask(document, rolling=rolling)
    assert answer["it"]["__typename"] == "UpdateRun"
    assert stalls.longest <= LONGEST


async def test_import_and_export(api: Api) -> None:
    async with watched() as stalls:
        await _remember(api, 2_000, 10)
        assert len([line async for line in export_entities(api.service.store, space=api.space)]) == 2_000
    assert stalls.longest <= LONGEST


async def test_explaining_and_forgetting_what_much_is_known_of(api: Api) -> None:
    await _remember(api, 4, 500)
    (found,) = (await api.ask('query($space: String!) { entityByName(name: "Nick1", space: $space) { uuid } }'))[
        "entityByName"
    ]
    asked = SHAPES["counted names"](LONG - 100) + " Nick1 Nick2 Nick3"
    for document in (
        """query($text: String!, $id: ID!, $space: String!) {
             whyNot(text: $text, entityUuid: $id, space: $space) { __typename } }""",
        """mutation($id: ID!, $space: String!) {
             forgetEntity(uuid: $id, space: $space) { __typename } }""",
    ):
        variables = {"text": asked, "id": found["uuid"]}
        async with watched() as stalls:
            await api.ask(document, **{name: each for name, each in variables.items() if f"${name}" in document})
        assert stalls.longest <= AT_THE_DRIVER, document


async def test_a_block_of_context(api: Api) -> None:
    await _remember(api, 20, 50)
    text = " ".join(f"Nick{number}" for number in range(20))
    async with watched() as stalls:
        await api.ask(
            """query($text: String!, $space: String!) {
                 context(text: $text, space: $space, tokenBudget: 100000) { tokens } }""",
            text=text,
        )
    assert stalls.longest <= AT_THE_DRIVER
