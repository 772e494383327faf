"""The active entities of a run in batches that an observer can be shown, each under a label of its own.

The size is a budget of context, never a cut-off: every active entity is in exactly one batch. Labels start anew in each
batch, so a prompt holds short ones only, and what an observer answers is read by the labels of its own batch.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from resolvers.update.seen import ActiveSource

BATCH_SIZE: Final = 8
LABEL_PREFIX: Final = "A"


@dataclass(frozen=True, slots=True)
class LabelledSource:
    """An active entity and what an observer calls it, such as A1."""

    label: str
    source: ActiveSource


@dataclass(frozen=True, slots=True)
class Batch:
    """What one request to an observer is about."""

    number: int
    """From 0, in the order of the run."""
    sources: tuple[LabelledSource, ...]

    @property
    def labels(self) -> dict[str, str]:
        """Return the runtime id by label: the only ones an answer to this batch may use."""
        return {each.label: each.source.runtime_id for each in self.sources}


def batches(sources: Iterable[ActiveSource], *, size: int = BATCH_SIZE) -> tuple[Batch, ...]:
    """Return all sources in batches, the longest unmentioned first, at equal moments by runtime id.

    Without any source there is one empty batch: the messages of a rolling are to be observed all the same.
    """
    if size < 1:
        raise ValueError(f"a batch holds one active entity at least, not {size}")
    rest = iter(sorted(sources, key=lambda source: (source.last_mentioned_at, source.runtime_id)))
    found: list[Batch] = []
    while (some := tuple(islice(rest, size))) or not found:
        labelled = (LabelledSource(f"{LABEL_PREFIX}{place}", source) for place, source in enumerate(some, start=1))
        found.append(Batch(len(found), tuple(labelled)))
    return tuple(found)
