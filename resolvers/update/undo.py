"""Take an applied run back: the inverse of its changes, in one transaction, or not at all."""

from collections.abc import Sequence
from itertools import chain

from cypher import load
from graph.errors import Conflict
from graph.ports import Clock
from graph.store import LANDING_SECONDS, Store, Transaction
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
from resolvers.update.runs import Run, RunStatus, ended, evidence_of, properties
from resolvers.update.state import PlanState
from resolvers.update.vicinity import Vicinity
from resolvers.update.writing import writing_of


async def undo_run(store: Store, clock: Clock, run: Run) -> Run:
    """Take back a run's statements, names, relations, entities, bindings, decisions and `rolledIn` marks.

    Raises:
        Conflict: it is not applied, or something it touched was changed since; lists what. Nothing was written.
        Unavailable: the database does not answer.
    """

    async def work(transaction: Transaction) -> Run:
        status = await claim(transaction, run, RunStatus.APPLIED, RunStatus.UNDONE, clock())
        undone = ended(run, RunStatus.UNDONE, clock())
        if status is not RunStatus.APPLIED:
            raise Conflict(f"run {run.id} is {status.value}: only an applied run can be undone")
        rows = await transaction.run(load("update/read_changes"), runId=run.id, space=run.space)
        if any(row["forgotten"] for row in rows):
            raise Conflict("what it changed is of an entity that was forgotten since: that cannot be undone")
        done = collapse(tuple(chain.from_iterable(CHANGES.validate_json(row["changes"]) for row in rows)))
        back = inverse(done)
        state = await lock_and_read(transaction, run.space, Vicinity(uuids=touched(back), names=_names_in(back)))
        conflicts = [*await _changed_since(transaction, run, done, state), *await _taken_since(transaction, run, back)]
        if conflicts:
            raise Conflict("the memory was changed since: undo the later changes first", tuple(conflicts))
        superseded = frozenset(
            change.uuid for change in back if isinstance(change, StatementChange) and change.before is None
        )
        writing = writing_of(back, token=scope_token(run.space), vectors={}, superseded=superseded)
        await send(transaction, run.space, writing)
        await transaction.run(load("update/follow_revisions"), runId=run.id)
        await transaction.run(load("update/unroll_evidence"), runId=run.id, space=run.space, evidence=list(run.rolls))
        reason = f"run {run.id} was taken back"
        await transaction.run(load("update/unsettle_observations"), runId=run.id, reason=reason)
        rested_on = frozenset(_evidence_in(done)).union(*(evidence_of(each.observation) for each in run.resolutions))
        await transaction.run(load("update/drop_unused_evidence"), space=run.space, evidence=sorted(rested_on))
        await transaction.run(load("update/close_run"), runId=run.id, run=properties(undone), steps=[])
        await count_terms(transaction, run.space, writing)
        return undone

    return await store.within(LANDING_SECONDS).transaction("undo run", work)


async def _changed_since(transaction: Transaction, run: Run, done: Changes, state: PlanState) -> Sequence[str]:
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
    return conflicts


async def _taken_since(transaction: Transaction, run: Run, back: Changes) -> Sequence[str]:
    """Return the names that somebody else has got since: they were free when the run gave them up."""
    coming = {
        change.key: change.after.text
        for change in back
        if isinstance(change, NameChange) and change.before is None and change.after
    }
    if not coming:
        return []
    rows = await transaction.run(
        load("update/find_bearers_since"), space=run.space, keys=sorted(coming), since=run.updated_at
    )
    return [f"{row['subject']!r} has got the name {coming[row['key']]!r} since" for row in rows]


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
