"""Reindex: every vector of the database made anew by the configured model, in an order that a killed run can go on in.

    mark the database → let old writers end → drop the index → embed page by page → build the index → write down whose

From the mark to the end no service starts and none writes vectors (`graph.schema.hold`); one that serves refuses
everything when it sees the mark, and goes on after the end. Pages are read in the order of uuids across all labels and
spaces, each by an index; a page's vectors and the cursor behind it land in one transaction. See docs/decisions/0007.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from graph.errors import ImpressionsError
from graph.ports import Embedder, Vector
from graph.reindexing import Amount, Hold, Node, Pace, count_nodes, read_nodes, read_standing
from graph.schema import Made, VectorSpace, check, read_made
from graph.store import UPKEEP_SECONDS, Store

NODES_A_PAGE: Final = 256
"""A batch of the packaged model; what a kill loses at most."""


class Stage(StrEnum):
    """What a reindex does at the moment."""

    WAITING = "waiting"
    EMBEDDING = "embedding"
    INDEXING = "indexing"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reindex is."""

    stage: Stage
    done: float
    """Nodes embedded or passed over, earlier runs included; percent of the index; 0 while it waits."""
    due: float
    """Nodes in all; 100; seconds to wait, 0 where that is not known."""
    told: str = ""
    """What it waits for."""


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a reindex would do."""

    needed: bool
    """Whether the stored vectors are not the configured model's."""
    vectors: VectorSpace
    """Of the configured model."""
    made: Made
    amount: Amount
    done: int
    """Nodes that an unfinished reindex with this model has done already."""
    running: bool
    """Whether a run is at it now."""


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a reindex has done. All zero where there was nothing to do."""

    needed: bool
    """Whether there was anything to do."""
    model: str
    dimensions: int
    before: VectorSpace | None
    """Whose the vectors were."""
    resumed: bool
    """Whether it went on with what an earlier run had begun."""
    embedded: int
    """Vectors stored by this run."""
    passed: int
    """Evidence that never had a vector and needs none."""
    gone: int
    """Nodes that were deleted between their reading and their writing."""
    earlier: int
    """Nodes that earlier runs had done."""
    seconds: float


async def examine(store: Store, embedder: Embedder, *, force: bool = False) -> Prospect:
    """Tell what a reindex would do; reads counts only.

    Raises:
        SetupError: the database was made by a newer release.
        Unavailable: the database does not answer.
    """
    vectors = VectorSpace(embedder.name, embedder.dimensions)
    made = await read_made(store)
    check(Made(made.version, None), vectors)
    if made.version is None:
        return Prospect(needed=False, vectors=vectors, made=made, amount=Amount(0, 0, 0), done=0, running=False)
    seen, running = await read_standing(store)
    return Prospect(
        needed=force or made.target is not None or made.vectors != vectors,
        vectors=vectors,
        made=made,
        amount=await count_nodes(store),
        done=seen if made.target == vectors else 0,
        running=running,
    )


async def reindex(
    store: Store,
    embedder: Embedder,
    *,
    force: bool = False,
    progress: OnProgress | None = None,
    pace: Pace | None = None,
    nodes_a_page: int = NODES_A_PAGE,
) -> ReindexReport:
    """Make every vector anew, or go on where an earlier run stopped; nothing where the model's own vectors stand.

    Args:
        store: of the whole database.
        embedder: makes the vectors.
        force: also where the stored vectors are this model's already.
        progress: is told after every page, and while it waits.
        pace: how long to wait for others.
        nodes_a_page: nodes in a transaction; memory in use grows with it, not with the database.

    Raises:
        Conflict: another reindex is running, or has taken over; what landed before stays.
        SetupError: the database was made by a newer release, or the index could not be built.
        Unavailable: the database or the embedder does not answer; the next run goes on.
    """
    started = time.perf_counter()
    prospect = await examine(store, embedder, force=force)
    if not prospect.needed:
        return _report(prospect, None, started)
    store = store.within(UPKEEP_SECONDS)
    run = _Run(store, embedder, progress or _silent)
    pace = pace or Pace()
    hold = await Hold.take(store, prospect.vectors, pace, run.wait_for)
    run.earlier = hold.seen
    ended = asyncio.Event()
    keeping = asyncio.create_task(_keep(hold, pace, ended))
    try:
        if hold.unsettled:
            run.wait_for("writes that began before", hold.unsettled)
            await asyncio.sleep(hold.unsettled)
        await hold.renew()
        await hold.drop_index()
        await run.embed_all(hold, due=prospect.amount.nodes, nodes_a_page=nodes_a_page)
        await hold.build_index(run.tell_index)
        await hold.finish()
    finally:
        ended.set()
        await keeping
        # A run that cannot say goodbye is waited for by the next one.
        with suppress(ImpressionsError):
            await hold.release()
    return _report(prospect, run, started, resumed=hold.resumed)


def _silent(_: Progress) -> None:
    pass


async def _keep(hold: Hold, pace: Pace, ended: asyncio.Event) -> None:
    while True:
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), pace.renewal)
            return
        # Whether the lease still holds, the next page finds out; a moment without an answer is nothing to stop for.
        with suppress(ImpressionsError):
            await hold.renew()


class _Run:
    """One reindex while it runs, and what it has done so far."""

    def __init__(self, store: Store, embedder: Embedder, tell: OnProgress) -> None:
        self._store = store
        self._embedder = embedder
        self._tell = tell
        self.earlier = 0
        self.embedded = 0
        self.passed = 0
        self.gone = 0

    async def embed_all(self, hold: Hold, *, due: int, nodes_a_page: int) -> None:
        self._tell(Progress(Stage.EMBEDDING, hold.seen, max(due, hold.seen)))
        while nodes := await read_nodes(self._store, after=hold.cursor, limit=nodes_a_page):
            vectors = await _embed(self._embedder, nodes)
            stored = await hold.store_page(nodes, vectors)
            self.embedded += stored
            self.passed += len(nodes) - len(vectors)
            self.gone += len(vectors) - stored
            # Nodes come and go: what there was to do in the beginning is an estimate.
            self._tell(Progress(Stage.EMBEDDING, hold.seen, max(due, hold.seen)))

    def wait_for(self, what: str, seconds: float = 0.0) -> None:
        self._tell(Progress(Stage.WAITING, 0, seconds, what))

    def tell_index(self, percent: float) -> None:
        self._tell(Progress(Stage.INDEXING, percent, 100))


async def _embed(embedder: Embedder, nodes: Sequence[Node]) -> list[tuple[str, Vector]]:
    """Return the vectors of nodes by uuid, made as those who first stored them make theirs.

    A statement is embedded as it stands; evidence keeps the vector its own recall asked with (docs/decisions/0006).
    """
    stated = [(node.uuid, node.text) for node in nodes if node.text is not None and not node.said]
    said = [(node.uuid, node.text) for node in nodes if node.text is not None and node.said]
    vectors = await embedder.embed([text for _, text in stated]) if stated else []
    asked = await asyncio.gather(*(embedder.embed_query(text) for _, text in said))
    return [(uuid, vector) for (uuid, _), vector in zip([*stated, *said], [*vectors, *asked], strict=True)]


def _report(prospect: Prospect, run: _Run | None, started: float, *, resumed: bool = False) -> ReindexReport:
    return ReindexReport(
        needed=prospect.needed,
        model=prospect.vectors.model,
        dimensions=prospect.vectors.dimensions,
        before=prospect.made.vectors,
        resumed=resumed,
        embedded=run.embedded if run else 0,
        passed=run.passed if run else 0,
        gone=run.gone if run else 0,
        earlier=run.earlier if run else 0,
        seconds=time.perf_counter() - started,
    )
