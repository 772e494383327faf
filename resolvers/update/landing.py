"""The steps that apply, undo and forget have in common, each one query in the transaction that is given."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

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

STATEMENTS_A_QUERY: Final = 128
"""New statements, with their vectors, of one query: a thousand at once keep the loop for 0.4 s."""
_EMBEDDED: Final = ("newImpressions", "newFeatures")


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
    counts: Counter[str] = Counter()
    for rows in await asyncio.to_thread(_pieces, writing):
        told = list(evidence) if not counts else []
        done = await transaction.run(load("update/write_changes"), space=space, changes={**rows, "evidence": told})
        counts.update(done.one()["counts"])
    if wrong := mismatches(writing, counts):
        raise Conflict("the graph did not take what was sent", tuple(wrong))


def _pieces(writing: Writing) -> list[dict[str, list[dict[str, Any]]]]:
    """Return the parameters, new statements in parts: the driver writes a query's parameters in one go, on the loop.

    What refers to a new statement comes last.
    """
    rows = {kind: writing.rows.get(kind, []) for kind in KINDS}
    new = [(kind, {**row, "embedding": vector_parameter(row["embedding"])}) for kind in _EMBEDDED for row in rows[kind]]
    if len(new) <= STATEMENTS_A_QUERY:
        return [{**rows, **_by_kind(new)}]
    nothing: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    parts = [new[first : first + STATEMENTS_A_QUERY] for first in range(0, len(new), STATEMENTS_A_QUERY)]
    first = {**rows, **_by_kind(parts[0]), "supports": []}
    return [first, *({**nothing, **_by_kind(part)} for part in parts[1:]), {**nothing, "supports": rows["supports"]}]


def _by_kind(new: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {kind: [row for of, row in new if of == kind] for kind in _EMBEDDED}


async def count_terms(transaction: Transaction, space: str, writing: Writing) -> None:
    """Adjust the space's term counters; the last thing a transaction does, writers queue here."""
    if writing.added or writing.removed:
        changes = await asyncio.to_thread(
            term_changes, scope_token(space), added=writing.added, removed=writing.removed
        )
        await transaction.run(load("update/count_terms"), space=space, changes=changes)
