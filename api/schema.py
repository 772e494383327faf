"""The GraphQL schema. Built once a process; printed to `api/schema.graphql`, which `make check` compares."""

from datetime import datetime
from pathlib import Path
from typing import Final

import strawberry
from graphql import GraphQLError
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from api.cost import BoundCost
from api.curation_mutations import CurationMutations
from api.errors import CodedErrors
from api.graphql_view import AnsweringSchema
from api.limits import LimitQueries, QueryLimits
from api.mutations import ProjectionMutations
from api.queries import Query
from api.subscriptions import Subscription
from api.time_limit import TimeLimit
from api.turns import SharedExecution
from api.types.scalars import DATE_TIME
from api.update_mutations import UpdateMutations

PRINTED: Final = Path(__file__).with_name("schema.graphql")
LIMITS: Final = QueryLimits()


class Schema(AnsweringSchema):
    """Leaves logging to `CodedErrors`: a caller's mistake is no error of the service."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log nothing."""


@strawberry.type
class Mutation(ProjectionMutations, UpdateMutations, CurationMutations):
    """Everything that writes."""


SCHEMA: Final = Schema(
    query=Query,
    mutation=Mutation,
    subscription=Subscription,
    config=StrawberryConfig(scalar_map={datetime: DATE_TIME}),
    execution_context_class=SharedExecution,
    extensions=[lambda: LimitQueries(LIMITS), BoundCost, TimeLimit, CodedErrors],
)


def printed() -> str:
    """Return the schema as it is tracked."""
    return SCHEMA.as_str() + "\n"
