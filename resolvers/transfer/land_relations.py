"""Relations on their way into the graph, once all entities of the file are there."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from uuid import uuid4

from cypher import load
from graph.errors import Conflict
from graph.names import identity_key
from graph.store import Transaction
from graph.term_counts import term_changes
from resolvers.transfer.land_entities import ATTEMPTS, Run, Writer
from resolvers.transfer.relation_plan import (
    Candidates,
    Edge,
    Namesake,
    RelationPlan,
    StoredRelation,
    Target,
    choose_target,
    plan_relations,
)


async def find_targets(writer: Writer, targets: Sequence[str]) -> dict[str, Target]:
    """Return whom each target means.

    Raises:
        Unavailable: the database does not answer.
    """
    found = await writer.store.read(
        load("update/find_targets"),
        space=writer.space,
        targets=[{"text": target, "key": identity_key(target)} for target in targets],
    )
    return {
        row["text"]: choose_target(
            Candidates(
                target=row["text"],
                by_external_id=tuple(row["byExternalId"]),
                by_uuid=tuple(row["byUuid"]),
                by_name=tuple(
                    Namesake(each["uuid"], each["id"], is_subject=each["kind"] == "SUBJECT") for each in row["byName"]
                ),
            )
        )
        for row in found
    }


async def land_relations(writer: Writer, edges: Sequence[Edge]) -> RelationPlan:
    """Store what is new in the edges and return what was done.

    Raises:
        Conflict: other writers were faster, time and again.
        Unavailable: the database does not answer.
    """
    failure = Conflict("not tried")
    for _ in range(ATTEMPTS):
        first = await _plan(writer, edges, writer.store.read)
        if not first.sources:
            return first
        try:
            return await writer.store.transaction("import relations", _landing(writer, edges, first))
        except Conflict as conflict:
            failure = conflict
    raise failure


def _landing(
    writer: Writer, edges: Sequence[Edge], first: RelationPlan
) -> Callable[[Transaction], Awaitable[RelationPlan]]:
    # Both ends: the database locks them anyway when it ties them, in an order of its own.
    ends = sorted(first.sources | {each.target for each in first.added})

    async def work(transaction: Transaction) -> RelationPlan:
        await transaction.run(load("update/lock_entities"), uuids=ends)
        plan = await _plan(writer, edges, transaction.run)
        if not plan.sources <= first.sources or not set(plan.added) <= set(first.added):
            raise Conflict("somebody else is changing the same relations")
        await _write(writer, transaction, plan)
        return plan

    return work


async def _plan(writer: Writer, edges: Iterable[Edge], run: Run) -> RelationPlan:
    found = await run(load("update/read_relations"), uuids=sorted({edge.source for edge in edges}))
    return plan_relations(list(edges), [StoredRelation(**row) for row in found], token=writer.token)


async def _write(writer: Writer, transaction: Transaction, plan: RelationPlan) -> None:
    at = writer.clock()
    await transaction.run(
        load("update/touch_entities"),
        at=at,
        entities=[{"uuid": uuid, "externalId": None} for uuid in sorted(plan.sources)],
    )
    if plan.added:
        relations = [
            {
                "source": each.source,
                "target": each.target,
                "uuid": str(uuid4()),
                "relation": each.relation,
                "key": each.key,
                "terms": each.terms,
                "strength": each.strength,
            }
            for each in plan.added
        ]
        done = await transaction.run(load("update/add_relations"), space=writer.space, at=at, relations=relations)
        if done.counters.relationships_created != len(relations):
            raise Conflict("an entity of a relation is gone")
    if plan.raised:
        await transaction.run(
            load("update/raise_strengths"),
            at=at,
            relations=[{"uuid": each.uuid, "strength": each.strength} for each in plan.raised],
        )
    changes = term_changes(writer.token, added=[each.terms for each in plan.added])
    await transaction.run(load("update/count_terms"), space=writer.space, changes=changes)
