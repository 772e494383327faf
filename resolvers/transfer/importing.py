"""Import: a file of entities, one a line, into long-term memory. Importing the same again changes nothing.

First every entity with its names and statements, batch by batch; then, when all of the file are there, the relations
between them. A line that cannot be taken is reported and stops nothing; a strict import stops at it, without the batch
it stands in and without relations, and can be repeated when the file is mended.

Memory in use grows with the file's relations, which wait for their targets, and by a uuid for each of its entities.
"""

import asyncio
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from graph.checks import check_count, check_space
from graph.errors import InvalidInput
from graph.ports import Clock, Embedder
from graph.store import LANDING_SECONDS, Store
from graph.text import scope_token
from resolvers.transfer.batches import BATCH_ROWS, Batcher
from resolvers.transfer.entity_values import EntityPlan
from resolvers.transfer.land_entities import Writer, land_entities
from resolvers.transfer.land_relations import find_targets, land_relations
from resolvers.transfer.lines import read_rows
from resolvers.transfer.relation_plan import Edge, Miss, PendingRelation, Target, connect
from resolvers.transfer.report import ImportReport, OnProgress, Progress, RefusedLine
from resolvers.transfer.rows import Row, name
from resolvers.transfer.tally import Tally

MOST_ROWS: Final = 10_000
RELATIONS_A_BATCH: Final = 2_000
TARGETS_A_BATCH: Final = 1_000

T = TypeVar("T")


async def import_entities(
    store: Store,
    embedder: Embedder,
    clock: Clock,
    lines: Iterable[bytes] | AsyncIterable[bytes],
    *,
    space: str,
    strict: bool = False,
    create_targets: bool = False,
    batch_size: int = BATCH_ROWS,
    progress: OnProgress | None = None,
) -> ImportReport:
    """Add what the lines say to a space; `resolvers.transfer.rows` has their form.

    Args:
        store: where to.
        embedder: makes the vectors of new statements.
        clock: gives what is new its time.
        lines: of a file, with or without line ends; `resolvers.transfer.lines.lines_of` reads one safely.
        space: name of the space.
        strict: stop at the first line that cannot be taken.
        create_targets: make an entity of each name that relations have for a target and nobody bears.
        batch_size: most rows in a transaction.
        progress: is told after every batch.

    Raises:
        ImportStopped: strict, and a line cannot be taken; carries what landed before.
        InvalidInput: the name of the space or the batch size is refused.
        Conflict: other writers were faster, time and again; what landed before stays.
        Unavailable: the database or the embedder does not answer; what landed before stays.
    """
    check_space(space)
    check_count(batch_size, "batch_size", most=MOST_ROWS)
    writer = Writer(store.within(LANDING_SECONDS), embedder, clock, space, scope_token(space))
    run = _Import(writer, Tally(strict=strict), progress or _silent)
    await run.take_entities(lines, Batcher(most_rows=batch_size))
    await run.take_relations(create_targets=create_targets)
    return run.tally.report()


def _silent(_: Progress) -> None:
    pass


class _Import:
    """One import while it runs."""

    def __init__(self, writer: Writer, tally: Tally, progress: OnProgress) -> None:
        self.tally = tally
        self._writer = writer
        self._progress = progress
        self._pending: list[PendingRelation] = []

    async def take_entities(self, lines: Iterable[bytes] | AsyncIterable[bytes], batcher: Batcher) -> None:
        async for piece in read_rows(lines, self._writer.token):
            for read in piece:
                self.tally.lines += 1
                if isinstance(read, RefusedLine):
                    self.tally.refuse([read])
                elif read is not None:
                    self.tally.read(read)
                    for batch in batcher.add(read):
                        await self._land(batch)
        for batch in batcher.rest():
            await self._land(batch)

    async def _land(self, batch: Sequence[Row]) -> None:
        plan = await land_entities(self._writer, batch, accept=self._refuse_if_strict)
        self.tally.add_entities(plan)
        self.tally.refuse(plan.refused)
        self._pending += (
            PendingRelation(row.line, uuid, each.relation, each.target, each.strength)
            for row, uuid in plan.homes
            for each in row.relations
        )
        self._progress(Progress(self.tally.lines))

    def _refuse_if_strict(self, plan: EntityPlan) -> None:
        if self.tally.strict:
            self.tally.refuse(plan.refused)

    async def take_relations(self, *, create_targets: bool) -> None:
        targets = await self._find({each.target for each in self._pending})
        if create_targets:
            targets |= await self._create({each for each, found in targets.items() if found.miss is Miss.UNKNOWN})
        connected = await asyncio.to_thread(self._connect, targets)
        self.tally.refuse(each for each in connected if isinstance(each, RefusedLine))
        edges = [each for each in connected if isinstance(each, Edge)]
        done = 0
        for batch in _chunks(edges, RELATIONS_A_BATCH):
            self.tally.add_relations(await land_relations(self._writer, batch))
            done += len(batch)
            self._progress(Progress(self.tally.lines, done, len(edges)))

    def _connect(self, targets: Mapping[str, Target]) -> list[Edge | RefusedLine]:
        connected = [connect(each, targets[each.target]) for each in self._pending]
        self._pending.clear()
        return connected

    async def _find(self, targets: Iterable[str]) -> dict[str, Target]:
        found: dict[str, Target] = {}
        for some in _chunks(sorted(targets), TARGETS_A_BATCH):
            found |= await find_targets(self._writer, some)
        return found

    async def _create(self, targets: set[str]) -> dict[str, Target]:
        """Make entities of names that nobody bears; return whom they mean then."""
        lines: dict[str, int] = {}
        for relation in self._pending:
            if relation.target in targets:
                lines.setdefault(relation.target, relation.line)
        refused: dict[str, Target] = {}
        batcher = Batcher()
        for target, line in lines.items():
            try:
                row = Row(line, None, name(target, "target", self._writer.token))
            except InvalidInput as error:
                refused[target] = Target(miss=Miss.UNKNOWN, reason=f"nobody has the id {target!r}, and {error}")
                continue
            for batch in batcher.add(row):
                await self._land(batch)
        for batch in batcher.rest():
            await self._land(batch)
        return await self._find(targets - refused.keys()) | refused


def _chunks(entries: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(entries), most):
        yield entries[start : start + most]
