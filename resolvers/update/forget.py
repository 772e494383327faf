"""Forget an entity: the one write without a way back, complete in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from uuid import uuid4

from cypher import load
from graph.errors import NotFound
from graph.names import fold
from graph.ports import Clock
from graph.store import LANDING_SECONDS, Store, Transaction
from graph.term_counts import term_changes
from graph.text import scope_token, scoped, search_terms
from resolvers.update.changes import CHANGES, EntityChange, NameChange
from resolvers.update.landing import lock_and_read
from resolvers.update.runs import ConfirmMode, Origin, Run, RunStatus, properties
from resolvers.update.state import StoredEntity
from resolvers.update.traces import Traces, pattern
from resolvers.update.vicinity import Vicinity

MOST_MENTIONS: Final = 100
"""Statements of others listed at most, and as much evidence: how many more there are is said."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, in numbers, and what of others still speaks of it."""

    run: Run
    mentions: tuple[str, ...]
    """Statements of others and evidence, each as it stands; the last of a kind may say how many more there are."""


async def forget_entity(store: Store, clock: Clock, space: str, uuid: str) -> Forgotten:
    """Forget an entity and everything that was only about it, what was merged into it included.

    Raises:
        NotFound: the space has no such entity.
        Unavailable: the database does not answer; nothing was forgotten, or all of it.
    """

    async def work(transaction: Transaction) -> Forgotten:
        state = await lock_and_read(transaction, space, Vicinity(uuids=(uuid,)))
        entity = state.entities.get(uuid)
        if entity is None:
            raise NotFound(f"no entity {uuid!r} in space {space!r}")
        history = (await transaction.run(load("update/read_history"), uuid=uuid)).one()
        names = _names(entity, history)
        mentions = await _mentions(transaction, space, uuid, names)
        blanked = await _blank(transaction, space, Traces(tuple(history["uuids"]), tuple(names)))
        done = (
            await transaction.run(
                load("update/forget_entity"),
                space=space,
                uuid=uuid,
                uuids=history["uuids"],
                observations=blanked["OBSERVATION"],
            )
        ).one()
        done |= {"runs": len(blanked["RUN"]), "observations": len(blanked["OBSERVATION"])}
        run = _run(space, clock, done)
        await transaction.run(load("update/store_run"), run=properties(run))
        step = {"order": 0, "kind": "forget", "payload": "{}", "changes": "[]", "diff": None, "entities": [uuid]}
        await transaction.run(load("update/close_run"), runId=run.id, run=properties(run), steps=[step])
        evidence = await _evidence(transaction, space, done["shared"], names)
        await transaction.run(
            load("update/count_terms"),
            space=space,
            changes=term_changes(scope_token(space), removed=_documents(space, entity)),
        )
        return Forgotten(run, (*mentions, *evidence))

    return await store.within(LANDING_SECONDS).transaction("forget entity", work)


def _names(entity: StoredEntity, history: Mapping[str, Any]) -> list[str]:
    """Return all names it was ever known by, and those of what was merged into it."""
    uuids = set(history["uuids"])
    names = {name.text for name in entity.names} | {entity.subject, *history["subjects"]}
    for change in chain.from_iterable(map(CHANGES.validate_json, history["changes"])):
        match change:
            case NameChange() if change.entity in uuids:
                names |= {record.text for record in (change.before, change.after) if record}
            case EntityChange() if change.uuid in uuids:
                names |= {record.subject for record in (change.before, change.after) if record}
            case _:
                pass
    return sorted(names)


async def _mentions(transaction: Transaction, space: str, uuid: str, names: Sequence[str]) -> list[str]:
    token = scope_token(space)
    found: dict[str, str] = {}
    for name in names:
        if not (terms := search_terms(name)):
            continue
        query = " ".join(f"+{token}{term}" for term in dict.fromkeys(terms))
        rows = await transaction.run(load("update/find_mentions"), space=space, query=query, uuid=uuid)
        found |= {row["uuid"]: f"{row['owner']}: {row['text']}" for row in rows if fold(name) in fold(row["text"])}
    listed = [*found.values()][:MOST_MENTIONS]
    more = len(found) - len(listed)
    return [*listed, f"{more} more statements of others"] if more else listed


async def _evidence(
    transaction: Transaction, space: str, shared: Sequence[Mapping[str, str | None]], names: Sequence[str]
) -> list[str]:
    """Return the evidence that was shared with it, and what else names it or was said by it."""
    said = (
        await transaction.run(
            load("update/find_evidence_mentions"),
            space=space,
            traces=[pattern(name) for name in names],
            listed=[each["uuid"] for each in shared],
            most=MOST_MENTIONS,
        )
    ).one()
    listed = [
        f"evidence: {each['speaker']}: {each['content']}" if each["speaker"] else f"evidence: {each['content']}"
        for each in (*shared, *said["latest"])
    ]
    more = said["found"] - len(said["latest"])
    return [*listed, f"{more} more pieces of evidence"] if more else listed


def _documents(space: str, entity: StoredEntity) -> list[str]:
    texts = [
        *(name.text for name in entity.names),
        *(statement.text for statement in entity.statements),
        *(relation.relation for relation in entity.relations),
    ]
    return [scoped(search_terms(text), scope_token(space)) for text in texts]


@dataclass(frozen=True, slots=True)
class _Record:
    """A run, a step or an observation."""

    kind: str
    id: str
    place: int | None


async def _blank(transaction: Transaction, space: str, traces: Traces) -> Mapping[str, list[str]]:
    """Blank the texts of all records that tell of it; return the ids of the runs and the observations.

    What is blanked is locked from then on. Others may store more between the look and the write: so look again until
    there is nothing new.
    """
    blanked: set[_Record] = set()
    while True:
        rows = await transaction.run(
            load("update/find_traces"), space=space, uuids=list(traces.ids), parts=traces.parts()
        )
        telling = {
            _Record(row["kind"], row["id"], row["place"])
            for row in rows
            if row["changed"] or any(map(traces.in_json, row["texts"])) or traces.in_reason(row["reason"] or "")
        }
        # A step's texts are its run's as well.
        telling |= {_Record("RUN", each.id, None) for each in telling if each.kind == "STEP"}
        new = telling - blanked
        blanked |= new
        ids = {kind: sorted({each.id for each in blanked if each.kind == kind}) for kind in ("RUN", "OBSERVATION")}
        if not new:
            return ids
        await transaction.run(
            load("update/blank_texts"),
            space=space,
            runs=sorted(each.id for each in new if each.kind == "RUN"),
            steps=[{"id": each.id, "place": each.place} for each in new if each.kind == "STEP"],
            observations=sorted(each.id for each in new if each.kind == "OBSERVATION"),
        )


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
