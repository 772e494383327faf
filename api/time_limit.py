"""How long one operation may take, whatever it asks for; what it does in the database ends with it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

QUERY_SECONDS: Final = 30.0
MUTATION_SECONDS: Final = 300.0
"""Longer: one may wait for a language model."""


class TimeLimit(SchemaExtension):
    """End an operation that takes too long with `TIME_LIMIT`; a subscription may go on for as long as it likes.

    Hand Strawberry a factory: `lambda: TimeLimit()`.
    """

    def __init__(self, *, query_seconds: float = QUERY_SECONDS, mutation_seconds: float = MUTATION_SECONDS) -> None:
        super().__init__()
        self._seconds = {OperationType.QUERY: query_seconds, OperationType.MUTATION: mutation_seconds}

    async def on_execute(self) -> AsyncIterator[None]:
        seconds = self._seconds.get(self.execution_context.operation_type)
        try:
            async with asyncio.timeout(seconds) as limit:
                yield
        except TimeoutError as error:
            if not limit.expired():
                raise
            message = f"the operation took longer than {seconds:g} s and was ended: ask for less at a time"
            raise GraphQLError(message, extensions={"code": "TIME_LIMIT"}) from error
