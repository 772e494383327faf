"""Forget an entity: the one write without a way back, complete in one transaction."""

import json
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from cypher import load
from graph.errors import NotFound
from graph.names import fold, identity_key
from graph.ports import Clock
from graph.store import Store, Transaction
from graph.term_counts import term_changes
from graph.text import scope_token, scoped, search_terms
from resolvers.recall.spans import units
from resolvers.update.landing import lock_and_read
from resolvers.update.runs import ConfirmMode, Origin, Run, RunStatus, properties
from resolvers.update.state import StoredEntity
from resolvers.update.vicinity import Vicinity

TELLING_UNITS: Final = 2.0
"""Units from which a name inside another text is more than chance."""
MOST_MENTIONS: Final = 100
"""Statements of others listed for each name at most."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, in numbers, and what of others still speaks of it."""

    run: Run
    mentions: tuple[str, ...]
    """Statements of others and shared evidence, each as it stands."""


async def forget_entity(store: Store, clock: Clock, space: str, uuid: str) -> Forgotten:
    """Forget an entity and everything that was only about it.

    Raises:
        NotFound: the space has no such entity.
        Unavailable: the database does not answer; nothing was forgotten, or all of it.
    """

    async def work(transaction: Transaction) -> Forgotten:
        state = await lock_and_read(transaction, space, Vicinity(uuids=(uuid,)))
        entity = state.entities.get(uuid)
        if entity is None:
            raise NotFound(f"no entity {uuid!r} in space {space!r}")
        mentions = await _mentions(transaction, space, entity)
        traces = sorted({_trace(uuid), *(_trace(name.text) for name in entity.names)})
        done = (await transaction.run(load("update/forget_entity"), space=space, uuid=uuid, traces=traces)).one()
        run = _run(space, clock, done)
        await transaction.run(load("update/store_run"), run=properties(run))
        await transaction.run(
            load("update/count_terms"),
            space=space,
            changes=term_changes(scope_token(space), removed=_documents(space, entity)),
        )
        shared = (f"evidence: {each['content']}" for each in done["shared"])
        return Forgotten(run, (*mentions, *shared))

    return await store.transaction("forget entity", work)


async def _mentions(transaction: Transaction, space: str, entity: StoredEntity) -> tuple[str, ...]:
    token = scope_token(space)
    found: dict[str, str] = {}
    for name in entity.names:
        if not (terms := search_terms(name.text)):
            continue
        query = " ".join(f"+{token}{term}" for term in dict.fromkeys(terms))
        rows = await transaction.run(
            load("update/find_mentions"), space=space, query=query, uuid=entity.uuid, most=MOST_MENTIONS
        )
        found |= {row["uuid"]: f"{row['owner']}: {row['text']}" for row in rows if fold(name.text) in fold(row["text"])}
    return tuple(found.values())


def _documents(space: str, entity: StoredEntity) -> list[str]:
    texts = [
        *(name.text for name in entity.names),
        *(statement.text for statement in entity.statements),
        *(relation.relation for relation in entity.relations),
    ]
    return [scoped(search_terms(text), scope_token(space)) for text in texts]


def _trace(text: str) -> str:
    """Return how a text looks inside stored JSON, in lower case; a short one as a whole string only."""
    written = json.dumps(text, ensure_ascii=False).lower()
    return written[1:-1] if units(identity_key(text)) >= TELLING_UNITS else written


def _run(space: str, clock: Clock, done: dict[str, object]) -> Run:
    now = clock()
    kinds = ("statements", "relations", "actives", "evidence", "runs", "observations")
    numbers = ", ".join(f"{done[kind]} {kind}" for kind in kinds)
    return Run(
        id=uuid4().hex,
        space=space,
        conversation="",
        origin=Origin.CURATION,
        confirm=ConfirmMode.AUTO,
        status=RunStatus.APPLIED,
        created_at=now,
        updated_at=now,
        reason="an entity was forgotten; this cannot be undone",
        notes=(f"forgotten: {numbers}",),
    )
