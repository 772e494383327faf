"""What every GraphQL field finds in its context: the service, and loaders that batch what nested fields ask for."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from strawberry.dataloader import DataLoader
from strawberry.types import Info as StrawberryInfo

from api.graphql_view import RequestContext
from api.wiring import Service
from graph.values import (
    ActiveEntity,
    Alias,
    Entity,
    Evidence,
    EvidenceLink,
    ProjectedStatement,
    Relation,
    Statement,
)
from resolvers.reading import Reader

T = TypeVar("T")
Key = tuple[str, str]
"""Space and id."""


class Loaders:
    """One set a request: what several fields ask for in one step becomes one query."""

    def __init__(self, reader: Reader) -> None:
        self.entity: DataLoader[Key, Entity | None] = _loader(reader.entities)
        self.aliases: DataLoader[Key, list[Alias]] = _loader(reader.aliases)
        self.statements: DataLoader[Key, list[Statement]] = _loader(reader.statements)
        self.relations: DataLoader[Key, list[Relation]] = _loader(reader.relations)
        self.evidence: DataLoader[Key, Evidence | None] = _loader(reader.evidence)
        self.statement_evidence: DataLoader[Key, list[Evidence]] = _loader(reader.evidence_of_statements)
        self.relation_evidence: DataLoader[Key, list[Evidence]] = _loader(reader.evidence_of_relations)
        self.active: DataLoader[Key, ActiveEntity | None] = _loader(reader.active_entities)
        self.active_evidence: DataLoader[Key, list[EvidenceLink]] = _loader(reader.evidence_of_actives)
        self.projected: DataLoader[Key, list[ProjectedStatement]] = _loader(reader.projected_statements)


def _loader(read: Callable[[str, Sequence[str]], Awaitable[list[T]]]) -> DataLoader[Key, T]:
    async def load(keys: list[Key]) -> list[T]:
        found: dict[Key, T] = {}
        for space in dict.fromkeys(space for space, _ in keys):
            ids = [each for in_space, each in keys if in_space == space]
            found |= zip(((space, each) for each in ids), await read(space, ids), strict=True)
        return [found[key] for key in keys]

    return DataLoader(load_fn=load)


@dataclass(kw_only=True)
class Context(RequestContext):
    """The context of one request."""

    service: Service
    loaders: Loaders


Info: TypeAlias = StrawberryInfo[Context, None]
