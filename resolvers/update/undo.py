"""Take an applied run back: the inverse of its changes, in one transaction, or not at all."""

from itertools import chain

from cypher import load
from graph.errors import Conflict
from graph.ports import Clock
from graph.store import Store, Transaction
from graph.text import scope_token
from resolvers.update.changes import (
    CHANGES,
    Changes,
    EntityChange,
    NameChange,
    RelationChange,
    StatementChange,
    SupportChange,
    collapse,
    inverse,
    touched,
)
from resolvers.update.landing import claim, count_terms, lock_and_read, send
from resolvers.update.runs import Run, RunStatus, ended, properties
from resolvers.update.state import PlanState
from resolvers.update.vicinity import Vicinity
from resolvers.update.writing import writing_of


async def undo_run(store: Store, clock: Clock, run: Run) -> Run:
    """Take back a run's statements, names, relations, entities, bindings and `rolledIn` marks.

    Raises:
        Conflict: it is not applied, or something it touched was changed since; lists what. Nothing was written.
        Unavailable: the database does not answer.
    """

    async def work(transaction: Transaction) -> Run:
        status = await claim(transaction, run, RunStatus.APPLIED, RunStatus.UNDONE, clock())
        if status is not RunStatus.APPLIED:
            raise Conflict(f"run {run.id} is {status.value}: only an applied run can be undone")
        rows = await transaction.run(load("update/read_changes"), runId=run.id, space=run.space)
        done = collapse(tuple(chain.from_iterable(CHANGES.validate_json(row["changes"]) for row in rows)))
        back = inverse(done)
        state = await lock_and_read(transaction, run.space, Vicinity(uuids=touched(back), names=_names_in(back)))
        if conflicts := await _conflicts(transaction, run, done, state):
            raise Conflict("the memory was changed since: undo the later changes first", conflicts)
        superseded = frozenset(
            change.uuid for change in back if isinstance(change, StatementChange) and change.before is None
        )
        writing = writing_of(back, token=scope_token(run.space), vectors={}, superseded=superseded)
        await send(transaction, run.space, writing)
        await transaction.run(load("update/unroll_evidence"), runId=run.id, space=run.space, evidence=list(run.shown))
        await transaction.run(load("update/drop_unused_evidence"), space=run.space, evidence=_evidence_in(done))
        undone = ended(run, RunStatus.UNDONE, clock())
        await transaction.run(load("update/close_run"), runId=run.id, run=properties(undone), steps=[])
        await count_terms(transaction, run.space, writing)
        return undone

    return await store.transaction("undo run", work)


async def _conflicts(transaction: Transaction, run: Run, done: Changes, state: PlanState) -> tuple[str, ...]:
    rows = await transaction.run(load("update/read_revisions"), runId=run.id, space=run.space)
    revisions = {row["uuid"]: row["revision"] for row in rows}
    conflicts = []
    for change in done:
        if not isinstance(change, EntityChange) or change.after is None:
            continue
        entity = state.entities.get(change.uuid)
        if entity is None:
            conflicts.append(f"{change.after.subject!r} is gone")
        elif entity.revision != revisions.get(change.uuid):
            conflicts.append(f"{entity.subject!r} was changed since")
    return tuple(conflicts)


def _evidence_in(changes: Changes) -> list[str]:
    supports = {change.evidence for change in changes if isinstance(change, SupportChange)}
    relations = (change.after.evidence for change in changes if isinstance(change, RelationChange) and change.after)
    return sorted(supports.union(*relations))


def _names_in(changes: Changes) -> tuple[str, ...]:
    return tuple(
        record.text
        for change in changes
        if isinstance(change, NameChange)
        for record in (change.before, change.after)
        if record
    )
