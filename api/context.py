"""What every GraphQL field finds in its context: the service, and loaders that batch what nested fields ask for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

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
MOST_IN_BATCH: Final = 1_000
"""Ids in one query; more are asked for in several, one after the other."""


class BoundedLoader(Generic[T]):
    """Loads lists, up to a bound that each caller names; those who name the same one share a query."""

    def __init__(
        self, read: Callable[[str, Sequence[str], int], Awaitable[list[list[T]]]], *, cache: bool = True
    ) -> None:
        self._read = read
        self._cache = cache
        self._loaders: dict[int, DataLoader[Key, list[T]]] = {}

    async def load(self, key: Key, most: int) -> list[T]:
        """Return what belongs to a key, so many at most."""
        return await self._up_to(most).load(key)

    async def load_many(self, keys: Sequence[Key], most: int) -> list[list[T]]:
        """Return what belongs to each key, so many of each at most."""
        return await self._up_to(most).load_many(keys)

    def _up_to(self, most: int) -> DataLoader[Key, list[T]]:
        if most not in self._loaders:

            async def read(space: str, ids: Sequence[str]) -> list[list[T]]:
                return await self._read(space, ids, most)

            self._loaders[most] = _loader(read, cache=self._cache)
        return self._loaders[most]


class Loaders:
    """One set a request: what several fields ask for in one step becomes one query."""

    def __init__(self, reader: Reader, runs: RunReader) -> None:
        self.entity: DataLoader[Key, Entity | None] = _loader(reader.entities)
        self.evidence: DataLoader[Key, Evidence | None] = _loader(reader.evidence)
        self.active: DataLoader[Key, ActiveEntity | None] = _loader(reader.active_entities)
        self.observations: BoundedLoader[PendingObservation] = BoundedLoader(runs.observations, cache=False)
        self.diff: DataLoader[Run, tuple[ShownStep, ...]] = DataLoader(load_fn=runs.diffs, cache=False)
        self.aliases: BoundedLoader[Alias] = BoundedLoader(reader.aliases)
        self.impressions: BoundedLoader[Statement] = BoundedLoader(reader.impressions)
        self.features: BoundedLoader[Statement] = BoundedLoader(reader.features)
        self.relations: BoundedLoader[Relation] = BoundedLoader(reader.relations)
        self.statement_evidence: BoundedLoader[Evidence] = BoundedLoader(reader.evidence_of_statements)
        self.relation_evidence: BoundedLoader[Evidence] = BoundedLoader(reader.evidence_of_relations)
        self.active_evidence: BoundedLoader[EvidenceLink] = BoundedLoader(reader.evidence_of_actives)
        self.projected: BoundedLoader[ProjectedStatement] = BoundedLoader(reader.projected_statements)
        self.runs: BoundedLoader[Run] = BoundedLoader(runs.of_entities, cache=False)


def _loader(read: Callable[[str, Sequence[str]], Awaitable[list[T]]], *, cache: bool = True) -> DataLoader[Key, T]:
    """Return what batches a read, one query at a time.

    What goes on changing, while a subscription looks on, is not cached.
    """
    one_at_a_time = asyncio.Lock()

    async def load(keys: list[Key]) -> list[T]:
        found: dict[Key, T] = {}
        for space in dict.fromkeys(space for space, _ in keys):
            ids = list(dict.fromkeys(each for in_space, each in keys if in_space == space))
            async with one_at_a_time:
                found |= zip(((space, each) for each in ids), await read(space, ids), strict=True)
        return [found[key] for key in keys]

    return DataLoader(load_fn=load, max_batch_size=MOST_IN_BATCH, cache=cache)


@dataclass(kw_only=True)
class Context(RequestContext):
    """The context of one request."""

    service: Service
    loaders: Loaders


Info: TypeAlias = StrawberryInfo[Context, None]
