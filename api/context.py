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
from resolvers.update.diff import ShownStep
from resolvers.update.run_reading import RunReader
from resolvers.update.runs import PendingObservation, Run

T = TypeVar("T")
Key = tuple[str, str]
"""Space and id."""


class Loaders:
    """One set a request: what several fields ask for in one step becomes one query."""

    def __init__(self, reader: Reader, runs: RunReader) -> None:
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
        self.observations: DataLoader[Key, list[PendingObservation]] = _loader(runs.observations, cache=False)
        self.diff: DataLoader[Run, tuple[ShownStep, ...]] = DataLoader(load_fn=runs.diffs, cache=False)
        self._runs_of: dict[int, DataLoader[Key, list[Run]]] = {}
        self._runs = runs

    def runs_of(self, most: int) -> DataLoader[Key, list[Run]]:
        """Return the loader of the runs that changed an entity, so many of each."""

        async def read(space: str, uuids: Sequence[str]) -> list[list[Run]]:
            return await self._runs.of_entities(space, uuids, most=most)

        return self._runs_of.setdefault(most, _loader(read, cache=False))


def _loader(read: Callable[[str, Sequence[str]], Awaitable[list[T]]], *, cache: bool = True) -> DataLoader[Key, T]:
    """Return what batches a read. What goes on changing, while a subscription looks on, is not cached."""

    async def load(keys: list[Key]) -> list[T]:
        found: dict[Key, T] = {}
        for space in dict.fromkeys(space for space, _ in keys):
            ids = list(dict.fromkeys(each for in_space, each in keys if in_space == space))
            found |= zip(((space, each) for each in ids), await read(space, ids), strict=True)
        return [found[key] for key in keys]

    return DataLoader(load_fn=load, cache=cache)


@dataclass(kw_only=True)
class Context(RequestContext):
    """The context of one request."""

    service: Service
    loaders: Loaders


Info: TypeAlias = StrawberryInfo[Context, None]
