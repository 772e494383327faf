import time

import pytest
from graphql import get_introspection_query, parse
from strawberry.types.execution import ExecutionResult

from api.limits import QueryLimits, check_document
from tests.api.small_service import SCHEMA

LIMITS = QueryLimits()


def broken(query: str, limits: QueryLimits = LIMITS, *, operation_name: str | None = None) -> list[str]:
    errors = check_document(parse(query), limits, operation_name=operation_name)
    return [str((error.extensions or {})["code"]) for error in errors]


def nested(levels: int, leaf: str = "a") -> str:
    return "{ a " * (levels - 1) + "{ " + leaf + " }" + " }" * (levels - 1)


@pytest.mark.parametrize(
    ("levels", "expected"),
    [(12, []), (13, ["DEPTH_LIMIT"])],
)
def test_depth_is_the_number_of_fields_inside_one_another(levels: int, expected: list[str]) -> None:
    assert broken(nested(levels)) == expected


def test_depth_is_counted_through_fragments() -> None:
    chain = " ".join(f"fragment f{i} on T {{ a {{ ...f{i + 1} }} }}" for i in range(11))

    assert broken("{ ...f0 } " + chain + " fragment f11 on T { a }") == []
    assert broken("{ a { ...f0 } } " + chain + " fragment f11 on T { a }") == ["DEPTH_LIMIT"]


@pytest.mark.parametrize("field", ["__schema", '__type(name: "Query")'])
def test_introspection_at_the_root_has_a_depth_of_its_own(field: str) -> None:
    assert broken("{ " + field + nested(19) + " }") == []
    assert broken("{ " + field + nested(20) + " }") == ["DEPTH_LIMIT"]
    assert broken("{ ...root } fragment root on Query { " + field + nested(19) + " }") == []
    assert broken("{ ... on Query { " + field + " { ...deep } } } fragment deep on T " + nested(19)) == []


@pytest.mark.parametrize(
    "query",
    [
        "{ __schema: a " + nested(12) + " }",
        "{ a { ...__schema } } fragment __schema on T " + nested(12),
        "{ a { __schema " + nested(12) + " } }",
        "{ a { ...root } } fragment root on Query { __schema " + nested(12) + " }",
        "{ __typename " + nested(12) + " }",
    ],
)
def test_nothing_else_called_schema_is_exempt(query: str) -> None:
    assert "DEPTH_LIMIT" in broken(query)


def test_the_standard_introspection_query_is_answered() -> None:
    query = get_introspection_query(
        specified_by_url=True,
        directive_is_repeatable=True,
        schema_description=True,
        input_value_deprecation=True,
        one_of=True,
    )

    result = SCHEMA.execute_sync(query)

    assert result.errors is None
    assert result.data is not None


def test_aliases_are_counted_through_fragments() -> None:
    ten = " ".join(f"a{i}: x" for i in range(10))

    assert broken("{ " + " ".join(f"a{i}: x" for i in range(30)) + " }") == []
    assert broken("{ " + " ".join(f"a{i}: x" for i in range(31)) + " }") == ["ALIAS_LIMIT"]
    assert broken("{ a { ...f } b { ...f } c { ...f } } fragment f on T { " + ten + " }") == []
    assert broken("{ a { ...f } b { ...f } c { ...f } d: x } fragment f on T { " + ten + " }") == ["ALIAS_LIMIT"]


def test_fields_are_counted_as_often_as_their_fragment_is_spread() -> None:
    hundred = "fragment f on T { " + " ".join(f"x{i}" for i in range(99)) + " }"

    assert broken("{ " + " ".join(f"a{i} {{ ...f }}" for i in range(10)) + " } " + hundred) == []
    assert broken("{ " + " ".join(f"a{i} {{ ...f }}" for i in range(11)) + " } " + hundred) == ["FIELD_LIMIT"]


def test_fields_that_must_be_merged_are_bounded() -> None:
    assert broken("{ " + "a { b } " * 101 + "}") == []
    assert broken("{ " + "a { b } " * 102 + "}") == ["FIELD_LIMIT"]
    assert broken("{ " + "... on T { a } " * 102 + "}") == ["FIELD_LIMIT"]
    assert broken("{ " + "...f " * 101 + "} fragment f on T { a }") == ["FIELD_LIMIT"]


@pytest.mark.parametrize(
    "query",
    [
        "{ a " + "@skip(if: false) " * 51 + "}",
        "{ ... on T " + "@skip(if: false) " * 51 + "{ a } }",
        "query " + "@x " * 51 + "{ a }",
        "query ($v: Int " + "@x " * 51 + ") { a }",
        "{ a } fragment unused on T " + "@x " * 51 + "{ a }",
        "{ ...f " + "@x " * 51 + "} fragment f on T { a }",
    ],
)
def test_directives_are_counted_wherever_they_stand(query: str) -> None:
    assert broken(query) == ["DIRECTIVE_LIMIT"]
    assert broken(query, QueryLimits(max_directives=51)) == []


def test_one_of_several_operations_must_be_chosen() -> None:
    query = "query A { a } query B { a }"

    assert broken(query) == ["OPERATION_NAME_REQUIRED"]
    assert broken(query, operation_name="B") == []
    assert broken("query A { a }") == []


def test_all_broken_bounds_are_reported_at_once() -> None:
    limits = QueryLimits(max_depth=1, max_aliases=0, max_fields=2, max_repeats=0, max_directives=0)

    assert sorted(broken("{ x: a { b b @skip(if: true) } }", limits)) == [
        "ALIAS_LIMIT",
        "DEPTH_LIMIT",
        "DIRECTIVE_LIMIT",
        "FIELD_LIMIT",
        "FIELD_LIMIT",
    ]


def twofold(levels: int) -> str:
    """Fragments that each spread the next one twice: 2 ** levels fields from a small document."""
    fragments = [f"fragment f{i} on Entity {{ ...f{i + 1} a{i}: subject ...f{i + 1} }}" for i in range(levels)]
    return "{ entities { ...f0 } } " + " ".join(fragments) + f" fragment f{levels} on Entity {{ subject }}"


@pytest.mark.parametrize(
    "query",
    [
        twofold(40),
        twofold(400),
        "{ ...f0 } " + " ".join(f"fragment f{i} on Query {{ ...f{(i + 1) % 900} }}" for i in range(900)),
        "{ ...f0 } " + " ".join(f"fragment f{i} on Query {{ ...f{i + 1} }}" for i in range(900)),
        "{ ...f ...g } fragment f on Query { ...g ...f } fragment g on Query { ...f ...g }",
        "{ " + "entities { subject } " * 900 + "}",
        "{ " + "entities { relations { target { subject } } } " * 400 + "}",
        "{ " + " ".join(f"...f{i}" for i in range(450)) + " } "
        + " ".join(f"fragment f{i} on Query {{ entities {{ subject }} }}" for i in range(450)),
    ],
)  # fmt: skip
def test_hostile_documents_are_refused_in_bounded_time(query: str) -> None:
    started = time.process_time()

    result = SCHEMA.execute_sync(query)

    assert time.process_time() - started < 5, "seconds of this process, whatever else the machine does"
    assert isinstance(result, ExecutionResult)
    assert result.errors
    assert result.data is None


def test_a_document_of_too_many_tokens_is_refused_by_the_parser() -> None:
    result = SCHEMA.execute_sync("{ " + "a " * 5_000 + "}")

    assert [(error.extensions or {}).get("code") for error in result.errors or ()] == ["TOKEN_LIMIT"]


def test_a_syntax_error_that_quotes_the_token_limit_is_a_syntax_error() -> None:
    result = SCHEMA.execute_sync('{ "Document contains more than 5000 tokens. Parsing aborted." }')

    assert [(error.extensions or {}).get("code") for error in result.errors or ()] == [None]


@pytest.mark.parametrize("filling", [",", " ", "# nothing\n", "\N{BYTE ORDER MARK}"])
async def test_a_document_is_measured_before_it_is_read(filling: str) -> None:
    document = '{ recall(text: "a") { subject } }'
    padded = document + filling * (QueryLimits().max_characters // len(filling))
    for results in ([await SCHEMA.execute(padded)], [each async for each in await SCHEMA.stream(padded)]):
        (result,) = results
        assert isinstance(result, ExecutionResult)
        assert [(error.extensions or {}).get("code") for error in result.errors or ()] == ["DOCUMENT_LIMIT"]
    fits = document + filling * ((QueryLimits().max_characters - len(document)) // len(filling) - 1)
    assert (await SCHEMA.execute(fits)).errors is None or filling == "# nothing\n"
