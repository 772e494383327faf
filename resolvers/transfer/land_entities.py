"""A batch of rows on its way into the graph: read, decided, embedded, then read again under locks and written.

Most of a repeated import ends after the first reading, which finds nothing new. What the first reading found may be old
when the locks are held; then the batch starts anew. Vectors are computed before the transaction opens.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from cypher import Query, load
from graph.errors import Conflict
from graph.ports import Clock, Embedder, Vector
from graph.rows import Rows
from graph.schema import VectorSpace, hold
from graph.store import Store, Transaction, vector_parameter
from graph.term_counts import term_changes
from graph.values import StatementKind
from resolvers.transfer.entity_plan import plan_entities
from resolvers.transfer.entity_values import EntityPlan, StoredEntity, StoredStatement
from resolvers.transfer.rows import Row

ATTEMPTS: Final = 10
"""Each failed one means that another writer was faster with one of the batch's names."""

Run = Callable[..., Awaitable[Rows]]

_ADD: Final = {StatementKind.IMPRESSION: "update/add_impressions", StatementKind.FEATURE: "update/add_features"}


@dataclass(frozen=True, slots=True)
class Writer:
    """What landing a batch needs."""

    store: Store
    embedder: Embedder
    clock: Clock
    space: str
    token: str
    """Of the space, see `graph.text.scope_token`."""


async def land_entities(writer: Writer, rows: Sequence[Row], *, accept: Callable[[EntityPlan], None]) -> EntityPlan:
    """Store what is new in the rows and return what was done.

    Args:
        writer: where to.
        rows: one batch.
        accept: raises where a plan must not be carried out; called before anything is written.

    Raises:
        Conflict: other writers were faster, time and again.
        ModelMismatch: a reindex has begun.
        Unavailable: the database or the embedder does not answer.
    """
    failure = Conflict("not tried")
    for _ in range(ATTEMPTS):
        first = await _plan(writer, rows, writer.store.read)
        accept(first)
        if not first.writes:
            return first
        texts = list(dict.fromkeys(new.statement.text for new in first.statements))
        vectors = dict(zip(texts, await writer.embedder.embed(texts), strict=True)) if texts else {}
        try:
            return await writer.store.transaction("import entities", _landing(writer, rows, first, vectors))
        except Conflict as conflict:
            failure = conflict
    raise failure


def _landing(
    writer: Writer, rows: Sequence[Row], first: EntityPlan, vectors: Mapping[str, Vector]
) -> Callable[[Transaction], Awaitable[EntityPlan]]:
    async def work(transaction: Transaction) -> EntityPlan:
        await hold(transaction, VectorSpace(writer.embedder.name, writer.embedder.dimensions))
        await _lock(writer, transaction, first)
        plan = await _plan(writer, rows, transaction.run)
        if not _covers(first, plan, vectors):
            raise Conflict("somebody else is storing the same entities")
        await _write(writer, transaction, plan, vectors)
        return plan

    return work


def _covers(first: EntityPlan, plan: EntityPlan, vectors: Mapping[str, Vector]) -> bool:
    """Tell whether locks and vectors made for the first plan are all that the second one needs."""
    return (
        plan.refused == first.refused
        and {name.key for name in plan.locks} <= {name.key for name in first.locks}
        and {entity.uuid for entity in plan.changed} <= {entity.uuid for entity in first.changed}
        and all(new.statement.text in vectors for new in plan.statements)
    )


async def _plan(writer: Writer, rows: Sequence[Row], run: Run) -> EntityPlan:
    found = await run(
        load("update/read_namesakes"),
        space=writer.space,
        subjects=list({row.subject.key for row in rows}),
        ids=list({row.id for row in rows if row.id is not None}),
    )
    stored = [
        StoredEntity(
            uuid=entity["uuid"],
            external_id=entity["externalId"],
            subject=entity["subject"],
            subject_key=entity["subjectKey"],
            names=frozenset(entity["names"]),
            statements={
                (kind, statement["key"]): StoredStatement(statement["uuid"], statement["confidence"])
                for kind, column in ((StatementKind.IMPRESSION, "impressions"), (StatementKind.FEATURE, "features"))
                for statement in entity[column]
            },
        )
        for entity in found
    ]
    return plan_entities(rows, stored, new_uuid=lambda: str(uuid4()))


async def _lock(writer: Writer, transaction: Transaction, plan: EntityPlan) -> None:
    names = [{"key": name.key, "looseKey": name.loose_key, "text": name.text} for name in plan.locks]
    await transaction.run(load("update/lock_aliases"), space=writer.space, names=names)
    if plan.changed:
        uuids = sorted(entity.uuid for entity in plan.changed)
        await transaction.run(load("update/lock_entities"), uuids=uuids)


async def _write(writer: Writer, transaction: Transaction, plan: EntityPlan, vectors: Mapping[str, Vector]) -> None:
    at = writer.clock()

    async def write(query: Query, *, ties: bool = False, **rows: list[dict[str, object]]) -> None:
        scope = {"space": writer.space, "at": at}
        if any(rows.values()):
            given = {each: scope[each] for each in scope if each in query.parameters}
            done = await transaction.run(query, **given, **rows)
            if ties and done.counters.relationships_created != sum(map(len, rows.values())):
                raise Conflict(f"{query.name} did not find every entity it was for")

    await write(
        load("update/create_entities"),
        entities=[
            {"uuid": each.uuid, "externalId": each.external_id, "subject": each.subject} for each in plan.created
        ],
    )
    await write(
        load("update/touch_entities"),
        entities=[{"uuid": each.uuid, "externalId": each.external_id} for each in plan.changed],
    )
    await write(
        load("update/add_names"),
        ties=True,
        names=[
            {
                "uuid": each.entity,
                "key": each.name.key,
                "text": each.name.text,
                "terms": each.name.terms,
                "kind": "SUBJECT" if each.is_subject else "ALIAS",
                "deprecated": each.name.deprecated,
            }
            for each in plan.names
        ],
    )
    for kind, query in _ADD.items():
        await write(
            load(query),
            ties=True,
            statements=[
                {
                    "entity": each.entity,
                    "uuid": str(uuid4()),
                    "key": each.statement.key,
                    "text": each.statement.text,
                    "terms": each.statement.terms,
                    "confidence": each.statement.confidence,
                    "embedding": vector_parameter(vectors[each.statement.text]),
                }
                for each in plan.statements
                if each.statement.kind is kind
            ],
        )
    await write(
        load("update/raise_confidences"),
        statements=[{"uuid": each.uuid, "confidence": each.confidence} for each in plan.raised],
    )
    documents = [each.name.terms for each in plan.names] + [each.statement.terms for each in plan.statements]
    await transaction.run(
        load("update/count_terms"), space=writer.space, changes=term_changes(writer.token, added=documents)
    )
    # All writers of the space queue at its counters, so from here on this transaction sees what the others gave.
    shared = await transaction.run(load("update/find_shared_ids"), space=writer.space, ids=list(plan.given_ids))
    if shared.rows:
        raise Conflict(f"the id {shared.rows[0]['id']!r} was given to another entity meanwhile")
