"""The steps that apply, undo and forget have in common, each one query in the transaction that is given."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from cypher import load
from graph.errors import Conflict
from graph.names import identity_key, loose_key
from graph.store import Transaction, vector_parameter
from graph.term_counts import term_changes
from graph.text import scope_token
from resolvers.update.changes import Binding
from resolvers.update.runs import Run, RunStatus
from resolvers.update.state import PlanState
from resolvers.update.vicinity import Vicinity
from resolvers.update.writing import KINDS, Writing, mismatches


async def claim(transaction: Transaction, run: Run, old: RunStatus, new: RunStatus, at: datetime) -> RunStatus:
    """Give a run its new status if it has the old one; return the one it had. Holds the run until the end."""
    rows = await transaction.run(
        load("update/claim_run"),
        runId=run.id,
        space=run.space,
        at=at,
        **{"from": old.value, "to": new.value},
    )
    return RunStatus(rows.one()["status"])


async def lock_and_read(transaction: Transaction, space: str, vicinity: Vicinity) -> PlanState:
    """Lock the names, then the entities, both in order, and read what stands."""
    names, around = await asyncio.to_thread(lambda: (_name_rows(vicinity), vicinity.parameters(space, lock=True)))
    if names:
        await transaction.run(load("update/lock_aliases"), space=space, names=names)
    found = await transaction.run(load("update/read_state"), **around)
    return await asyncio.to_thread(PlanState.of, found.one())


def _name_rows(vicinity: Vicinity) -> list[dict[str, str]]:
    by_key = {identity_key(name): name for name in vicinity.names}
    return [{"key": key, "looseKey": loose_key(by_key[key]), "text": by_key[key]} for key in sorted(by_key)]


async def lock_actives(transaction: Transaction, space: str, runtime_ids: Sequence[str]) -> dict[str, Binding]:
    """Lock active entities and return what they are bound to; those that are gone are left out."""
    if not runtime_ids:
        return {}
    rows = await transaction.run(load("update/lock_actives"), space=space, runtimeIds=sorted(runtime_ids))
    return {row["runtimeId"]: Binding(row["bound"], row["liveKey"]) for row in rows}


async def send(
    transaction: Transaction, space: str, writing: Writing, *, evidence: Sequence[dict[str, object]] = ()
) -> None:
    """Write everything at once and compare what the database counted.

    Raises:
        Conflict: it wrote another number of things than it was sent.
    """
    rows = {**await asyncio.to_thread(_parameters, writing), "evidence": list(evidence)}
    done = await transaction.run(load("update/write_changes"), space=space, changes=rows)
    if wrong := mismatches(writing, done.one()["counts"]):
        raise Conflict("the graph did not take what was sent", tuple(wrong))


def _parameters(writing: Writing) -> dict[str, list[dict[str, Any]]]:
    rows = {kind: writing.rows.get(kind, []) for kind in KINDS}
    for kind in ("newImpressions", "newFeatures"):
        rows[kind] = [{**row, "embedding": vector_parameter(row["embedding"])} for row in rows[kind]]
    return rows


async def count_terms(transaction: Transaction, space: str, writing: Writing) -> None:
    """Adjust the space's term counters; the last thing a transaction does, writers queue here."""
    if writing.added or writing.removed:
        changes = await asyncio.to_thread(
            term_changes, scope_token(space), added=writing.added, removed=writing.removed
        )
        await transaction.run(load("update/count_terms"), space=space, changes=changes)
