"""What the database keeps of a reindex: whose it is, how far it is, and the index it replaces.

All of it stands on the one `ServiceMeta`. `reindexModel` tells services to start no more and to write no more vectors.
`reindexOwner` and `reindexUntil` are the lease of the one run that is at it. `reindexCursor` is the uuid of the last
node that has its new vector, written in the transaction that stores the vector: a run that is killed leaves vectors up
to its cursor new and those behind it old, and the next run goes on from there.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from cypher import load
from graph.errors import Conflict, SetupError
from graph.ports import Vector
from graph.schema import VectorSpace, define_vector_index, read_made
from graph.store import LANDING_SECONDS, Store, vector_parameter

_POLL_SECONDS: Final = 0.5

OnWaiting = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to wait for others, in seconds."""

    lease: int = 30
    """How long a run that was killed keeps others out."""
    renewal: float = 5.0
    """How often a run that lives renews its lease."""
    settling: float = LANDING_SECONDS + 5
    """How long after the mark a transaction may still end that has not seen it: the longest limit of one that writes
    vectors, and some."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How many nodes of the whole database may hold a vector."""

    statements: int
    replaced: int
    """Statements out of sight, which an undo can bring back."""
    evidence: int
    """With or without a vector: which of them hold one, only reading them tells."""

    @property
    def nodes(self) -> int:
        """All of them."""
        return self.statements + self.replaced + self.evidence


@dataclass(frozen=True, slots=True)
class Node:
    """A node that may hold a vector."""

    uuid: str
    text: str | None
    """What its vector is of; None where it has no vector and needs none."""
    said: bool
    """Whether it is evidence."""


async def count_nodes(store: Store) -> Amount:
    """Count what there is to embed, without looking at any of it."""
    return Amount(**(await store.read(load("admin/count_embedded"))).one())


async def read_nodes(store: Store, *, after: str, limit: int) -> list[Node]:
    """Return the next nodes in the order of their uuids, at most `limit`."""
    return [Node(**row) for row in await store.read(load("admin/page_embedded"), after=after, limit=limit)]


async def read_standing(store: Store) -> tuple[int, bool]:
    """Return how many nodes an unfinished reindex has done, and whether a run is at it now."""
    row = (await store.read(load("admin/read_reindex"))).one()
    return row["seen"] or 0, row["running"]


class Hold:
    """The right of one run to embed everything anew. Build it with `take`."""

    def __init__(self, store: Store, vectors: VectorSpace, pace: Pace, owner: str, found: dict[str, object]) -> None:
        self._store = store
        self._vectors = vectors
        self._pace = pace
        self._owner = owner
        self.resumed = bool(found["resumed"])
        """Whether it goes on with what an earlier run has begun."""
        self.cursor = str(found["cursor"])
        self.seen = int(str(found["seen"]))
        """Nodes that are done."""
        self.unsettled = max(0.0, pace.settling - int(str(found["age"])))
        """Seconds until no transaction is left that may write an old vector."""

    @classmethod
    async def take(cls, store: Store, vectors: VectorSpace, pace: Pace, waiting: OnWaiting) -> "Hold":
        """Mark the database and hold it; waits until the lease of a run that was killed is over.

        Args:
            store: where.
            vectors: whose are to be made.
            pace: how long to wait for others.
            waiting: is told, once, what is waited for.

        Raises:
            Conflict: another run is at it: its lease was renewed meanwhile, or it has ended.
        """
        owner, before, told = uuid4().hex, None, False
        while True:
            if before is not None and (await read_made(store)).target is None:
                raise Conflict("another reindex has ended just now: `impressions reindex --check` tells what is left")
            found = (
                await store.write(
                    load("admin/take_reindex"),
                    owner=owner,
                    seconds=pace.lease,
                    model=vectors.model,
                    dimensions=vectors.dimensions,
                )
            ).one()
            if found["taken"]:
                return cls(store, vectors, pace, owner, found)
            if not found["starting"] and before not in {None, found["renewed"]}:
                raise Conflict(
                    "another reindex is running on this database: let it finish; `impressions reindex --check` tells "
                    "how far it is"
                )
            before = found["renewed"]
            if not told:
                told = True
                waiting("a service that starts" if found["starting"] else "another run, to see whether it still lives")
            await asyncio.sleep(_POLL_SECONDS)

    async def renew(self) -> None:
        """Renew the lease now.

        Raises:
            Conflict: it was lost.
        """
        found = await self._store.write(load("admin/renew_reindex"), owner=self._owner, seconds=self._pace.lease)
        self._refuse_unless(found.one()["held"])

    async def drop_index(self) -> None:
        """Take the old index away, unless an earlier run has been further than that."""
        if not self.cursor:
            await self._store.write(load("admin/drop_statement_vectors"))

    async def store_page(self, nodes: Sequence[Node], vectors: Sequence[tuple[str, Vector]]) -> int:
        """Store the vectors of a page by uuid and that it is done; return how many were still there to take one.

        Raises:
            Conflict: the lease was lost; nothing of the page was written.
        """
        page = {
            "cursor": nodes[-1].uuid,
            "seen": self.seen + len(nodes),
            "vectors": [{"uuid": uuid, "embedding": vector_parameter(vector)} for uuid, vector in vectors],
        }
        done = await self._store.write(
            load("admin/store_vectors"), owner=self._owner, seconds=self._pace.lease, page=page
        )
        self._refuse_unless(len(done.rows))
        self.cursor, self.seen = nodes[-1].uuid, self.seen + len(nodes)
        return int(done.one()["stored"])

    async def build_index(self, progress: Callable[[float], None]) -> None:
        """Make the index over the new vectors, and tell from time to time how many percent of it are built.

        Raises:
            SetupError: the server could not build it.
        """
        await define_vector_index(self._store, self._vectors.dimensions)
        while True:
            index = (await self._store.read(load("admin/read_vector_index"))).one()
            if index["state"] == "ONLINE":
                return
            if index["state"] == "FAILED":
                raise SetupError(
                    "Neo4j could not build the index statement_vectors; its log says why. Mend that, then DROP INDEX "
                    "statement_vectors in Neo4j Browser and run `impressions reindex` again"
                )
            progress(index["populated"])
            await asyncio.sleep(_POLL_SECONDS)

    async def finish(self) -> None:
        """Write down whose the vectors are from now on.

        Raises:
            Conflict: the lease was lost.
        """
        done = await self._store.write(load("admin/finish_reindex"), owner=self._owner)
        self._refuse_unless(done.one()["finished"])

    async def release(self) -> None:
        """Let go of it, so that the next run need not wait; nothing happens where it was finished."""
        await self._store.write(load("admin/release_reindex"), owner=self._owner)

    def _refuse_unless(self, held: int) -> None:
        if not held:
            raise Conflict("another reindex has taken over, since this one stood still for long: look whether it runs")
