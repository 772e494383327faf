"""A field with a result union puts the refusal of an argument into it, whichever argument it is."""

import json

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLUnionType,
    build_schema,
    get_named_type,
)

from api.schema import printed
from tests.api.update_api import Api

SCHEMA = build_schema(printed())
NO_SPACE = "a space has no blanks"
PLAIN = {"Boolean": "true", "Float": "1.0", "Int": "1", "DateTime": '"2026-09-01T12:00:00Z"'}


def fields() -> list[tuple[str, str, GraphQLField]]:
    """Return the fields of both roots that answer with a union that an `InvalidInput` belongs to."""
    roots = {"query": SCHEMA.query_type, "mutation": SCHEMA.mutation_type}
    return [
        (operation, name, field)
        for operation, root in roots.items()
        if root
        for name, field in root.fields.items()
        if isinstance(union := get_named_type(field.type), GraphQLUnionType)
        if "InvalidInput" in {each.name for each in union.types}
    ]


def written(name: str, kind: GraphQLInputType) -> str:
    """Return a value of a type as a document says it: as little as the type asks for, and the impossible space."""
    if name == "space":
        return json.dumps(NO_SPACE)
    if isinstance(kind, GraphQLNonNull):
        return written(name, kind.of_type)
    if isinstance(kind, GraphQLList):
        return f"[{written(name, kind.of_type)}]"
    if isinstance(kind, GraphQLEnumType):
        return str(next(iter(kind.values)))
    if isinstance(kind, GraphQLInputObjectType):
        asked = {
            key: each.type
            for key, each in kind.fields.items()
            if key == "space" or needed(each.type, each.default_value)
        }
        return "{" + ", ".join(f"{key}: {written(key, each)}" for key, each in asked.items()) + "}"
    return PLAIN.get(kind.name, '"x"')


def needed(kind: GraphQLInputType, default: object) -> bool:
    return isinstance(kind, GraphQLNonNull) and not isinstance(default, str | int | float | bool | list)


@pytest.mark.parametrize(
    ("operation", "name", "field"), fields(), ids=lambda each: each if isinstance(each, str) else ""
)
async def test_a_space_that_cannot_be_is_a_typed_result(
    api: Api, operation: str, name: str, field: GraphQLField
) -> None:
    arguments = {
        key: each.type for key, each in field.args.items() if key == "space" or needed(each.type, each.default_value)
    }
    told = ", ".join(f"{key}: {written(key, kind)}" for key, kind in arguments.items())

    answer = await api.raw(f"{operation} {{ it: {name}({told}) {{ ... on InvalidInput {{ code path }} __typename }} }}")

    assert "errors" not in answer, answer
    it = answer["data"]["it"]
    (refused,) = it if isinstance(it, list) else [it]
    assert refused["__typename"] == "InvalidInput"
    assert refused["code"] in {"SPACE_INVALID", "DECISION_UNCLEAR"}


def test_all_fields_with_a_result_are_tried() -> None:
    assert len(fields()) > 20
