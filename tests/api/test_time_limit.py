"""An operation ends when its time is up, and with it what it does in the database."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import strawberry
from strawberry.types import ExecutionResult

from api.errors import CodedErrors
from api.graphql_view import AnsweringSchema
from api.time_limit import TimeLimit

GONE: list[str] = []


async def endless(name: str) -> str:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        GONE.append(name)
        raise
    return name


@strawberry.type
class Query:
    slow: str = strawberry.field(resolver=endless)

    @strawberry.field
    async def quick(self) -> str:
        return "here"

    @strawberry.field
    async def out_of_time_itself(self) -> str:
        raise TimeoutError


@strawberry.type
class Mutation:
    slow: str = strawberry.mutation(resolver=endless)


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def ticks(self) -> AsyncIterator[int]:
        for tick in range(3):
            await asyncio.sleep(0.1)
            yield tick


SCHEMA = AnsweringSchema(
    Query,
    mutation=Mutation,
    subscription=Subscription,
    extensions=[lambda: TimeLimit(query_seconds=0.05, mutation_seconds=0.05), CodedErrors],
)


@pytest.mark.parametrize("kind", ["query", "mutation"])
async def test_an_operation_that_takes_too_long_is_ended_and_says_so(kind: str) -> None:
    GONE.clear()
    result = await SCHEMA.execute(f'{kind} {{ a: slow(name: "a") b: slow(name: "b") }}')
    assert result.data is None
    assert [error.extensions for error in result.errors or ()] == [{"code": "TIME_LIMIT"}]
    assert "took longer than 0.05 s" in (result.errors or [])[0].message
    assert set(GONE) >= {"a"}


async def test_over_a_socket_too() -> None:
    results = [result async for result in await SCHEMA.stream('{ slow(name: "a") }')]
    assert isinstance(results[0], ExecutionResult)
    assert [error.extensions for error in results[0].errors or ()] == [{"code": "TIME_LIMIT"}]


async def test_what_is_quick_is_left_alone() -> None:
    result = await SCHEMA.execute("{ quick }")
    assert (result.data, result.errors) == ({"quick": "here"}, None)


async def test_a_time_out_of_a_field_is_its_own() -> None:
    result = await SCHEMA.execute("{ outOfTimeItself }")
    assert [(error.extensions or {})["code"] for error in result.errors or ()] == ["INTERNAL"]


async def test_a_subscription_goes_on() -> None:
    results = [result async for result in await SCHEMA.stream("subscription { ticks }")]
    ticks = [result.data for result in results if isinstance(result, ExecutionResult)]
    assert ticks == [{"ticks": tick} for tick in range(3)]
