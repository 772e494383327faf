"""What a document may cost is told before it runs, through whatever it is written with."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    GraphQLNonNull,
    GraphQLObjectType,
    get_introspection_query,
    is_list_type,
    parse,
    validate,
)
from strawberry.types.execution import ExecutionResult

from api.cost import BUDGET, READ_COST, cost_of
from api.limits import QueryLimits, check_document
from api.schema import SCHEMA
from api.sizes import PAGE, SIZE, Size

GRAPHQL = SCHEMA._schema  # Strawberry shows it nowhere else
ROOT = Path(__file__).parents[2]
COMFORTABLE = BUDGET * 2 // 3
ROW = READ_COST
READ = 1 + READ_COST


def cost(document: str, name: str | None = None, **variables: Any) -> int:
    parsed = parse(document)
    assert not validate(GRAPHQL, parsed)
    return cost_of(GRAPHQL, parsed, variables, name)


def test_every_list_of_the_schema_says_how_long_it_is() -> None:
    silent = []
    for kind in GRAPHQL.type_map.values():
        if not isinstance(kind, GraphQLObjectType) or kind.name.startswith("__"):
            continue
        for name, field in kind.fields.items():
            inner = field.type.of_type if isinstance(field.type, GraphQLNonNull) else field.type
            metadata = field.extensions["strawberry-definition"].metadata
            if is_list_type(inner) and SIZE not in metadata:
                silent.append(f"{kind.name}.{name}")
            for size in (metadata.get(SIZE), metadata.get(PAGE)):
                if isinstance(size, Size) and size.argument is not None:
                    assert size.argument in field.args, f"{kind.name}.{name} has no such argument"
    assert silent == []


def test_what_is_in_a_list_costs_as_often_as_the_list_is_long() -> None:
    assert cost("{ stats { entities features } }") == READ + 2
    assert cost('{ entity(uuid: "x") { features(first: 7) { uuid text } } }') == 2 * READ + 7 * (ROW + 2)
    assert cost('{ entity(uuid: "x") { features { uuid } } }') == 2 * READ + 100 * (ROW + 1)


def test_sizes_multiply_along_the_path_and_add_up_over_the_fields() -> None:
    evidence = READ + 3 * (ROW + 1)
    expected = READ + 1 + READ + 5 * (ROW + evidence) + READ + 2 * (ROW + 1)
    document = """{ entity(uuid: "x") { subject features(first: 5) { evidence(first: 3) { content } }
                                        relations(first: 2) { relation } } }"""
    assert cost(document) == expected


def test_the_fields_of_a_page_cost_as_often_as_the_page_is_long() -> None:
    for first in (1, 20, 200):
        page = f"{{ entities(first: {first}) {{ edges {{ node {{ subject }} }} pageInfo {{ hasNextPage }} }} }}"
        assert cost(page) == READ + 1 + first * (1 + 1) + 1 + 1


@pytest.mark.parametrize(
    "document",
    [
        "{ entities(first: 30) { ...page } } fragment page on EntityConnection { edges { node { subject } } }",
        (
            "{ entities(first: 30) { ... on EntityConnection { ... { edges { node { ...name } } } } } }"
            " fragment name on Entity { subject }"
        ),
        "query($n: Int!) { entities(first: $n) { edges { node { subject } } } }",
        "query($m: Int! = 30) { entities(first: $m) { edges { node { subject } } } }",
        "{ some: entities(first: 30) { them: edges { each: node { called: subject } } } }",
    ],
)
def test_it_makes_no_difference_how_a_document_is_written(document: str) -> None:
    assert cost(document, n=30) == cost("{ entities(first: 30) { edges { node { subject } } } }")


def test_one_fragment_costs_what_each_place_makes_of_it() -> None:
    matches = "matches { score signals { raw } }"
    short, long = (f'recall(text: "x", limit: {limit}) {{ ... on Recall {{ {matches} }} }}' for limit in (2, 90))
    apart = cost(f"{{ {short} }}") + cost(f"{{ {long} }}")
    fragment = f"fragment f on RecallResult {{ ... on Recall {{ {matches} }} }}"
    both = '{ a: recall(text: "x", limit: 2) { ...f } b: recall(text: "x", limit: 90) { ...f } }'
    assert cost(both + fragment) == apart


def test_inputs_multiply_what_is_asked_of_each() -> None:
    one = {"text": "x"}
    document = """mutation($inputs: [ProjectEntityInput!]!) {
      projectEntities(inputs: $inputs) { ... on Projection { evidence { content } } } }"""
    each = ROW + READ + 1
    assert cost(document, inputs=[one] * 50) == READ + 50 * each
    assert cost(document, inputs=one) == READ + each
    assert cost(document) == READ + 200 * each, "unknown: the largest that is taken"
    literal = 'mutation { projectEntities(inputs: [{text: "a"}, {text: "b"}]) { ... on Projection { reason } } }'
    assert cost(literal) == READ + 2 * (ROW + 1)


@pytest.mark.parametrize("first", [10**9, 10**30, 1_001, "many", None, True, 2.5, 1e300])
def test_a_number_that_will_be_refused_counts_as_the_largest_allowed(first: object) -> None:
    document = 'query($n: Int!) { entity(uuid: "x") { features(first: $n) { uuid } } }'
    assert cost(document, n=first) == cost(document, n=1_000)


@pytest.mark.parametrize("first", [0, -1, -(10**30)])
def test_less_than_nothing_costs_nothing(first: int) -> None:
    document = 'query($n: Int!) { entity(uuid: "x") { features(first: $n) { uuid } } }'
    assert cost(document, n=first) == 2 * READ


def test_a_literal_of_any_length_is_read() -> None:
    parsed = parse('{ entity(uuid: "x") { features(first: ' + "9" * 5_000 + ") { uuid } } }")
    assert cost_of(GRAPHQL, parsed) == 2 * READ + 1_000 * (ROW + 1)


def test_of_several_operations_the_one_that_runs_counts() -> None:
    document = 'query A { stats { entities } } query B { entity(uuid: "x") { features { uuid } } }'
    assert cost(document, "A") < cost(document, "B")


def test_hostile_documents_are_measured_in_linear_time() -> None:
    def spread_twice(levels: int) -> str:
        inner = " ".join(
            f"fragment f{i} on Entity {{ relations {{ source {{ ...f{i + 1} }} target {{ ...f{i + 1} }} }} }}"
            for i in range(levels)
        )
        return '{ entity(uuid: "x") { ...f0 } } ' + inner + f" fragment f{levels} on Entity {{ uuid }}"

    def seconds(document: str) -> float:
        parsed = parse(document)
        started = time.process_time()
        assert cost_of(GRAPHQL, parsed) > BUDGET
        return time.process_time() - started

    assert seconds(spread_twice(40)) < 1, "2 ** 40 places"
    short, long = (min(seconds(spread_twice(levels)) for _ in range(3)) for levels in (100, 400))
    assert long < short * 40, "the numbers themselves grow"
    chain = " ".join(f"fragment f{i} on Entity {{ ...f{i + 1} }}" for i in range(1_200))
    last = " fragment f1200 on Entity { features(first: 999) { evidence(first: 100) { uuid } } }"
    assert seconds('{ entity(uuid: "x") { ...f0 } } ' + chain + last) < 1, "no recursion"


PAGE_OPERATIONS = "\n".join(
    each.read_text(encoding="utf-8") for each in sorted((ROOT / "api/web/src/operations").glob("*.graphql"))
)
PAGE_NAMES = re.findall(r"^(?:query|mutation|subscription) (\w+)", PAGE_OPERATIONS, re.MULTILINE)


@pytest.mark.parametrize("name", PAGE_NAMES)
def test_what_the_page_asks_fits_comfortably(name: str) -> None:
    asked = {"Names": {"first": 60}, "Runs": {"first": 50}, "Pending": {"first": 50}, "Whole": {"first": 50}}
    limits = {"Around": {"limit": 500}, "Recall": {"limit": 12}}
    assert cost_of(GRAPHQL, parse(PAGE_OPERATIONS), {**asked.get(name, {}), **limits.get(name, {})}, name) < COMFORTABLE


DOCUMENTED = [
    *re.findall(r"```graphql\n(.*?)```", (ROOT / "docs/graphql.md").read_text(encoding="utf-8"), re.DOTALL),
    *re.findall(r"query: `(.*?)`", (ROOT / "api/web/src/graphiql/examples.ts").read_text(encoding="utf-8"), re.DOTALL),
]


@pytest.mark.parametrize("document", DOCUMENTED)
def test_what_is_documented_fits_comfortably(document: str) -> None:
    assert cost(document) < COMFORTABLE


def test_introspection_fits_and_does_not_nest() -> None:
    whole = get_introspection_query(specified_by_url=True, input_value_deprecation=True, one_of=True)
    assert cost(whole) < COMFORTABLE
    nested = "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }"
    assert cost_of(GRAPHQL, parse(nested)) > BUDGET


@pytest.mark.parametrize(
    "document",
    [
        "{ __schema { description } again: __schema { description } }",
        '{ __schema { description } __type(name: "Query") { name } }',
        (
            "{ ...a ...b } fragment a on Query { a: __schema { description } } fragment b on Query { ...c } "
            "fragment c on Query { ... { b: __schema { description } } }"
        ),
    ],
)
def test_a_document_looks_at_the_schema_once(document: str) -> None:
    codes = [(error.extensions or {})["code"] for error in check_document(parse(document), QueryLimits())]
    assert codes == ["INTROSPECTION_LIMIT"]


async def test_it_is_refused_before_it_runs_however_it_is_asked() -> None:
    nested = "relations { source { relations { source { relations { uuid } } } } }"
    query = f'{{ entity(uuid: "x") {{ {nested} }} }}'
    subscription = f"subscription {{ entityChanged {{ entity {{ {nested} }} }} }}"
    answers: list[object] = [await SCHEMA.execute(query)]
    for document in (query, subscription):
        answers += [each async for each in await SCHEMA.stream(document)]
    assert len(answers) == 3
    for answer in answers:
        assert isinstance(answer, ExecutionResult)
        assert answer.data is None
        ((code, budget, told),) = [
            ((error.extensions or {})["code"], (error.extensions or {})["budget"], error.message)
            for error in answer.errors or ()
        ]
        assert (code, budget) == ("COST_LIMIT", BUDGET)
        assert str(BUDGET) in told
