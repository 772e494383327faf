"""Export: everything a space knows for long, one entity a line, in the form an import reads.

Exported, imported into an empty space and exported again, it is the same text, byte for byte. What belongs to this
memory alone is not told: times, revisions, support, vectors, evidence, runs and conversations.

Others may write meanwhile. So nothing is told before the whole is known and belongs together: the entities are listed
with their revisions, read, and listed again, until what was read is what stands. It is held in memory until then.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cypher import load
from graph.checks import check_space
from graph.errors import Unavailable
from graph.names import identity_key
from graph.store import UPKEEP_SECONDS, Store
from resolvers.transfer.exported import (
    ExportedAlias,
    ExportedEntity,
    ExportedRelation,
    ExportedStatement,
    lines_of,
)

ENTITIES_A_PAGE: Final = 200
_PAGE: Final = "read/export_entities"
MOST_LOOKS: Final = 50
"""How often what others have changed is read again; each time it is less, unless they write without a pause."""


@dataclass(frozen=True, slots=True)
class _Read:
    """An entity as it was read; its targets are named by what was read of them."""

    row: dict[str, Any]
    targets: frozenset[str]

    @classmethod
    def of(cls, row: dict[str, Any]) -> "_Read":
        return cls(row, frozenset(each["target"] for each in row["relations"]))


OnRead = Callable[[int, int], None]
"""Is told how many entities were read, and how many there are."""


async def export_entities(store: Store, *, space: str, progress: OnRead | None = None) -> AsyncIterator[str]:
    """Yield the lines of a space as it stood at one moment, in the order of subject and id, without line ends.

    Raises:
        InvalidInput: the name of the space is refused.
        Unavailable: the database does not answer, or the space is written to without a pause.
    """
    check_space(space)
    read = await _read_whole(store.within(UPKEEP_SECONDS), space, progress or _silent)
    for line in await asyncio.to_thread(_lines, read):
        yield line


async def _read_whole(store: Store, space: str, progress: OnRead) -> Mapping[str, _Read]:
    read: dict[str, _Read] = {}
    for _ in range(MOST_LOOKS):
        rows = await store.read(load("read/list_revisions"), space=space)
        revisions = {row["uuid"]: row["revision"] for row in rows}
        outdated = {uuid for uuid, revision in revisions.items() if not _is_as(read.get(uuid), revision, revisions)}
        read = {uuid: each for uuid, each in read.items() if uuid in revisions}
        if not outdated:
            return read
        waiting = sorted(outdated)
        for start in range(0, len(waiting), ENTITIES_A_PAGE):
            uuids = waiting[start : start + ENTITIES_A_PAGE]
            read |= {row["uuid"]: _Read.of(row) for row in await store.read(load(_PAGE), space=space, uuids=uuids)}
            progress(len(read), len(revisions))
    raise Unavailable(f"space {space!r} was written to {MOST_LOOKS} times while it was exported: try again later")


def _lines(read: Mapping[str, _Read]) -> list[str]:
    entities = [_entity(each.row, read) for each in read.values()]
    ambiguous = _ambiguous(entities)
    in_order = sorted(entities, key=lambda entity: (entity.subject, entity.id))
    return [line for entity in in_order for line in lines_of(entity, ambiguous=ambiguous)]


def _silent(read: int, of: int) -> None:
    """Tell nobody."""


def _is_as(read: _Read | None, revision: int, revisions: Mapping[str, int]) -> bool:
    """Tell whether an entity was read as it stands now; one with a relation to somebody gone since was not."""
    return read is not None and read.row["revision"] == revision and read.targets <= revisions.keys()


def _ambiguous(entities: Iterable[ExportedEntity]) -> frozenset[str]:
    """Return the ids of those that their subject does not tell from others: several bear it, or it is somebody's id."""
    told = tuple(entities)
    bearers = Counter(identity_key(entity.subject) for entity in told)
    ids = {entity.id for entity in told}
    return frozenset(entity.id for entity in told if bearers[identity_key(entity.subject)] > 1 or entity.subject in ids)


def _entity(row: dict[str, Any], read: Mapping[str, _Read]) -> ExportedEntity:
    targets = [(each, read[each["target"]].row) for each in row["relations"]]
    return ExportedEntity(
        id=row["id"],
        subject=row["subject"],
        aliases=tuple(ExportedAlias(**each) for each in row["aliases"]),
        impressions=tuple(ExportedStatement(**each) for each in row["impressions"]),
        features=tuple(ExportedStatement(**each) for each in row["features"]),
        relations=tuple(
            ExportedRelation(each["relation"], each["strength"], target["id"], target["subject"])
            for each, target in targets
        ),
    )
