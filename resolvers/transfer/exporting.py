"""Export: everything a space knows for long, one entity a line, in the form an import reads.

Exported, imported into an empty space and exported again, it is the same text, byte for byte. What belongs to this
memory alone is not told: times, revisions, support, vectors, evidence, runs and conversations.
"""

from collections.abc import AsyncIterator
from typing import Any, Final

from cypher import load
from graph.checks import check_space
from graph.store import UPKEEP_SECONDS, Store
from resolvers.transfer.exported import (
    ExportedAlias,
    ExportedEntity,
    ExportedRelation,
    ExportedStatement,
    lines_of,
)

ENTITIES_A_PAGE: Final = 200


async def export_entities(store: Store, *, space: str) -> AsyncIterator[str]:
    """Yield the lines of a space, in the order of subject and id, without line ends.

    Pages are read one after the other: an entity renamed meanwhile may be told twice or not at all.

    Raises:
        InvalidInput: the name of the space is refused.
        Unavailable: the database does not answer.
    """
    check_space(space)
    store = store.within(UPKEEP_SECONDS)
    ambiguous = {row["id"] for row in await store.read(load("read/find_ambiguous_subjects"), space=space)}
    subject = id_ = ""
    while True:
        page = await store.read(
            load("read/export_entities"), space=space, subject=subject, id=id_, limit=ENTITIES_A_PAGE
        )
        for row in page:
            for line in lines_of(_entity(row), ambiguous=ambiguous):
                yield line
            subject, id_ = row["subject"], row["id"]
        if len(page.rows) < ENTITIES_A_PAGE:
            return


def _entity(row: dict[str, Any]) -> ExportedEntity:
    return ExportedEntity(
        id=row["id"],
        subject=row["subject"],
        aliases=tuple(ExportedAlias(**each) for each in row["aliases"]),
        impressions=tuple(ExportedStatement(**each) for each in row["impressions"]),
        features=tuple(ExportedStatement(**each) for each in row["features"]),
        relations=tuple(ExportedRelation(**each) for each in row["relations"]),
    )
