"""Answers are made in turns: whatever one asks for, others are served meanwhile, and none grows beyond the budget."""

import gc
import json
from collections.abc import Iterator

import pytest
import strawberry
from graphql import get_introspection_query, parse
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from api.context import Context, Loaders
from api.cost import BUDGET, BoundCost, cost_of
from api.errors import CodedErrors
from api.graphql_view import AnsweringSchema
from api.schema import SCHEMA
from api.sizes import sized
from api.turns import MOST_CHARACTERS, SharedExecution
from resolvers.transfer.importing import import_entities
from tests.api.stalls import watching
from tests.api.update_api import Api

HUB = 60


@strawberry.type
class Leaf:
    text: str
    number: int


LEAVES = [Leaf(text=f"leaf {place}", number=place) for place in range(1_000)]


async def later() -> list[Leaf]:
    return LEAVES


def at_hand() -> list[Leaf]:
    return LEAVES


def long() -> str:
    return "x" * 100_000


@strawberry.type
class Branch:
    later: list[Leaf] = strawberry.field(resolver=later, metadata=sized(1_000))
    leaves: list[Leaf] = strawberry.field(resolver=at_hand, metadata=sized(1_000))
    long: str = strawberry.field(resolver=long)


async def branches(count: int) -> list[Branch]:
    return [Branch()] * count


@strawberry.type
class Query:
    branches: list[Branch] = strawberry.field(resolver=branches, metadata=sized(1, "count"))
    """As many as are asked for, where the schema says one."""


SMALL = AnsweringSchema(Query, execution_context_class=SharedExecution, extensions=[BoundCost, CodedErrors])
AT_ONCE = AnsweringSchema(Query)


@pytest.fixture(autouse=True)
def _as_served() -> Iterator[None]:
    """Leave to the collector what it has to look at in a service, see `api.app`."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("field", ["later", "leaves"])
async def test_a_long_answer_holds_nobody_up(field: str) -> None:
    document = f"{{ branches(count: 80) {{ {field} {{ text number }} }} }}"
    async with watching() as shared:
        result = await SMALL.execute(document)
    assert result.errors is None
    async with watching() as at_once:
        expected = await AT_ONCE.execute(document)
    assert result.data == expected.data, "and the answer is the same"
    assert shared.longest < at_once.longest / 3


async def test_an_answer_that_grows_beyond_the_budget_is_ended() -> None:
    for field in ("later", "leaves"):
        async with watching() as watch:
            result = await SMALL.execute(f"{{ branches(count: 300) {{ {field} {{ text }} }} }}")
        assert result.data is None
        assert [(error.extensions or {})["code"] for error in result.errors or ()] == ["COST_LIMIT"]
        assert str(BUDGET) in (result.errors or [])[0].message
        assert watch.longest < watch.total / 3


async def test_so_is_one_of_too_many_characters() -> None:
    count = MOST_CHARACTERS // 100_000
    assert (await SMALL.execute(f"{{ branches(count: {count}) {{ long }} }}")).errors is None
    result = await SMALL.execute(f"{{ branches(count: {count + 1}) {{ long }} }}")
    assert result.data is None
    assert [(error.extensions or {})["code"] for error in result.errors or ()] == ["COST_LIMIT"]


async def test_the_largest_document_over_a_hub_is_answered_in_turns(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [f"P{place}" for place in range(HUB)]
    hub = {"subject": "Hub", "relations": [{"relation": "friend", "target": name} for name in people]}
    lines = [json.dumps(line).encode() for line in (hub, *({"subject": name} for name in people))]
    service = api.service
    report = await import_entities(service.store, service.embedder, service.clock, lines, space=api.space)
    assert report.relations == HUB
    name = 'query($space: String!) { entityByName(name: "Hub", space: $space) { uuid } }'
    ((found),) = (await api.ask(name))["entityByName"]

    def nested(first: int, levels: int) -> str:
        inner = "uuid subject"
        for _ in range(levels):
            inner = f"relations(first: {first}) {{ source {{ {inner} }} }}"
        return f'query($space: String!) {{ entity(uuid: "{found["uuid"]}", space: $space) {{ {inner} }} }}'

    answer = await api.raw(nested(100, 5))
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == "COST_LIMIT"
    assert str(error["extensions"]["cost"]) in error["message"]
    assert str(BUDGET) in error["message"]

    first = max(first for first in range(2, HUB) if _cost(api, nested(first, 3)) <= BUDGET)
    document = nested(first, 3)
    assert _cost(api, document) > BUDGET // 2
    await SCHEMA.execute(document, {"space": api.space}, _context(api))  # the server has planned its queries
    async with watching() as shared:
        result = await SCHEMA.execute(document, {"space": api.space}, _context(api))
    assert result.errors is None
    assert json.dumps(result.data).count('"subject"') == first**3
    monkeypatch.setattr(SCHEMA, "execution_context_class", StrawberryGraphQLCoreExecutionContext)
    async with watching() as at_once:
        expected = await SCHEMA.execute(document, {"space": api.space}, _context(api))
    assert result.data == expected.data
    assert shared.longest < at_once.longest / 3


def _cost(api: Api, document: str) -> int:
    return cost_of(SCHEMA._schema, parse(document), {"space": api.space})


def _context(api: Api) -> Context:
    return Context(request=None, service=api.service, loaders=Loaders(api.service.reader, api.service.runs))  # type: ignore[arg-type]


async def test_the_whole_schema_is_told_in_turns() -> None:
    async with watching() as watch:
        result = await SCHEMA.execute(get_introspection_query(), context_value=object())
    assert result.errors is None
    assert watch.longest < watch.total * 2 / 3
