"""Rows cut into batches that one transaction can take: bounded in rows and in what they say."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from resolvers.transfer.rows import Row

BATCH_ROWS: Final = 250
BATCH_WEIGHT: Final = 1_000
"""Most names and statements of a batch. Measured with three statements an entity on two cores: half a second a
transaction, mostly the vector index; twice as many take twice the time, and other writers of the space wait for it."""


class Batcher:
    """Collects rows, in order, until they fill a batch."""

    def __init__(self, *, most_rows: int = BATCH_ROWS, most_weight: int = BATCH_WEIGHT) -> None:
        self._most_rows = most_rows
        self._most_weight = most_weight
        self._batch: list[Row] = []
        self._weight = 0

    def add(self, row: Row) -> Iterator[list[Row]]:
        """Take a row, in parts where it is too heavy for one batch; yield the batches that are full before it."""
        for part in parts(row, self._most_weight):
            if len(self._batch) >= self._most_rows or self._weight + weight(part) > self._most_weight:
                yield from self.rest()
            self._batch.append(part)
            self._weight += weight(part)

    def rest(self) -> Iterator[list[Row]]:
        """Yield what has been collected, if anything, and start anew."""
        batch, self._batch, self._weight = self._batch, [], 0
        if batch:
            yield batch


def weight(row: Row) -> int:
    """Return the number of names and statements in a row."""
    return 1 + len(row.aliases) + len(row.statements)


def parts(row: Row, most: int) -> Iterator[Row]:
    """Yield rows that together say the same, each of at most this weight; the last one has the relations."""
    room, names, said = most - 1, len(row.aliases), len(row.aliases) + len(row.statements)
    for start in range(0, max(said, 1), room):
        stop = start + room
        yield replace(
            row,
            aliases=row.aliases[start:stop],
            statements=row.statements[max(start - names, 0) : max(stop - names, 0)],
            relations=row.relations if stop >= said else (),
        )
