"""Apply a confirmed plan in one transaction: with the undo and the import the only writer of long-term memory.

Inside the transaction: claim the run, lock the names in order, lock and read what stands, validate once more against
that, write everything in one statement, compare its counts, store the audit, adjust the term counters. Whatever fails
leaves nothing behind.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Final
from uuid import uuid4

from cypher import load
from graph.errors import Conflict
from graph.ports import Clock, Embedder, Vector
from graph.schema import VectorSpace, hold
from graph.store import LANDING_SECONDS, Store, Transaction
from graph.text import scope_token
from graph.values import StatementKind
from resolvers.update.binding import (
    PlannedBinding,
    UnboundActive,
    binding_changes,
    bindings_by_name,
    names_gained,
)
from resolvers.update.changes import (
    CHANGES,
    BindingChange,
    Changes,
    EntityChange,
    NameChange,
    RelationChange,
    StatementChange,
    collapse,
    touched,
)
from resolvers.update.diff import ShownStep
from resolvers.update.evidence import message_rows, resting_on
from resolvers.update.explain import explain
from resolvers.update.landing import claim, count_terms, lock_actives, lock_and_read, send
from resolvers.update.realise import RealisedStep, realise
from resolvers.update.runs import (
    SHOWN_STEP,
    Origin,
    Run,
    RunStatus,
    WriteCounts,
    ended,
    observations_of,
    properties,
    settled_by,
)
from resolvers.update.state import PlanState
from resolvers.update.steps import UpdatePlan, ValidPlan, Violation
from resolvers.update.validate import validate
from resolvers.update.vicinity import Vicinity, facts_of, payload, texts_of, vicinity_of
from resolvers.update.writing import Writing, writing_of

MOST_ROLLED: Final = 64
"""Rolled evidence one active entity keeps."""


@dataclass(frozen=True, slots=True)
class Applied:
    """The run as it stands after its plan has landed."""

    run: Run


@dataclass(frozen=True, slots=True)
class Outdated:
    """The world has changed since the plan was made: nothing was written."""

    violations: tuple[Violation, ...]


@dataclass(frozen=True, slots=True)
class NotClaimed:
    """The run is not confirmed (any more): somebody else has applied or rejected it."""

    status: RunStatus


class PlanOutdatedError(Conflict):
    """Carries the violations out of the transaction, so that it is rolled back."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__("the memory changed since the plan was made", tuple(each.message for each in violations))
        self.violations = violations


class _WarmError(Exception):
    """Takes a transaction back that was only to be planned."""


class Applier:
    """Lands plans."""

    def __init__(self, store: Store, embedder: Embedder, clock: Clock, most_rolled: int = MOST_ROLLED) -> None:
        self._store = store.within(LANDING_SECONDS)
        self._embedder = embedder
        self._clock = clock
        self._most_rolled = most_rolled

    async def apply(
        self, run: Run, valid: ValidPlan, bindings: Sequence[PlannedBinding] = ()
    ) -> Applied | Outdated | NotClaimed:
        """Land a confirmed run's plan.

        Args:
            run: as it is stored, CONFIRMED.
            valid: its plan.
            bindings: unbound source active entities that turn out to be an entity of the plan.

        Raises:
            Conflict: the graph did not take what was sent; nothing was written.
            ModelMismatch: a reindex has begun; nothing was written.
            Unavailable: the database or the embedder does not answer; whether it was written, a second call tells.
        """
        texts = texts_of(valid.plan)
        vectors = dict(zip(texts, await self._embedder.embed(texts), strict=True)) if texts else {}
        messages = await asyncio.to_thread(message_rows, run)

        async def work(transaction: Transaction) -> Applied | NotClaimed:
            if vectors:
                await hold(transaction, VectorSpace(self._embedder.name, self._embedder.dimensions))
            status = await claim(transaction, run, RunStatus.CONFIRMED, RunStatus.APPLIED, self._clock())
            if status is not RunStatus.CONFIRMED:
                return NotClaimed(status)
            state = await lock_and_read(transaction, run.space, vicinity_of(valid.plan))
            told = state.evidence.union(str(row["uuid"]) for row in messages)
            # A large plan is checked and realised beside the event loop: meanwhile others are served.
            realised, diff = await asyncio.to_thread(_realised, run, valid.plan, state, told, self._clock())
            planned = await _with_namesakes(transaction, run.space, bindings, realised)
            actives = await lock_actives(transaction, run.space, [each.runtime_id for each in planned])
            bound = binding_changes(planned, actives, realised, state, space=run.space, conversation=run.conversation)
            return Applied(await self._write(transaction, run, Landing(realised, diff, bound, messages), vectors))

        try:
            return await self._store.transaction("apply plan", work)
        except PlanOutdatedError as outdated:
            return Outdated(outdated.violations)

    async def _write(
        self,
        transaction: Transaction,
        run: Run,
        landing: "Landing",
        vectors: Mapping[str, Vector],
    ) -> Run:
        changes, writing = await asyncio.to_thread(_written, run.space, landing, vectors)
        await send(transaction, run.space, writing, evidence=landing.messages)
        await self.roll(transaction, run)
        applied = ended(run, RunStatus.APPLIED, self._clock(), counts=_counts(changes))
        stored, steps = await asyncio.to_thread(lambda: (properties(applied), _audits(landing)))
        await transaction.run(load("update/close_run"), runId=run.id, run=stored, steps=steps)
        await self._note(transaction, run)
        await count_terms(transaction, run.space, writing)
        return applied

    async def roll(self, transaction: Transaction, run: Run) -> None:
        """Mark what the run was shown as rolled."""
        if run.rolls:
            await transaction.run(
                load("project/roll_evidence"),
                space=run.space,
                evidence=sorted(run.rolls),
                run=run.id,
                mostRolled=self._most_rolled,
            )

    async def end_without_change(self, run: Run) -> Run:
        """Close a run that has nothing to write; what it was shown is rolled all the same.

        Raises:
            Conflict: it stands otherwise by now: another process has gone on with it.
            Unavailable: the database does not answer.
        """
        unchanged = ended(run, RunStatus.NO_CHANGE, self._clock())
        messages, stored = await asyncio.to_thread(lambda: (message_rows(run), properties(unchanged)))

        async def work(transaction: Transaction) -> Run:
            status = await claim(transaction, run, run.status, RunStatus.NO_CHANGE, self._clock())
            if status is not run.status:
                raise Conflict(f"run {run.id} is {status.value} by now")
            if messages:
                await send(transaction, run.space, Writing(scope_token(run.space)), evidence=messages)
            await self.roll(transaction, unchanged)
            await transaction.run(load("update/close_run"), runId=run.id, run=stored, steps=[])
            await self._note(transaction, run)
            return unchanged

        return await self._store.transaction("end run", work)

    async def warm_up(self, space: str) -> None:
        """Let the server plan the large statements before the first update has to wait for it.

        It plans them once more where a transaction has written already: so this one does, and is taken back.

        Raises:
            Unavailable: the database does not answer.
        """

        async def work(transaction: Transaction) -> None:
            await lock_and_read(transaction, space, Vicinity(names=("warm-up",)))
            await send(transaction, space, Writing(scope_token(space)))
            await transaction.run(
                load("update/save_observations"), runId="", space=space, at=self._clock(), observations=[]
            )
            raise _WarmError

        with suppress(_WarmError):
            await self._store.transaction("warm up", work)

    async def _note(self, transaction: Transaction, run: Run) -> None:
        """Store what the run observed, pending from now on where it was postponed, and what waits no longer."""
        rows, settled = await asyncio.to_thread(
            lambda: (observations_of(run, [_new_uuid() for _ in run.resolutions]), settled_by(run))
        )
        if rows:
            await transaction.run(
                load("update/save_observations"), runId=run.id, space=run.space, at=run.updated_at, observations=rows
            )
        if settled:
            done = await transaction.run(
                load("update/settle_observations"),
                space=run.space,
                runId=run.id,
                settled=settled,
            )
            elsewhere = len(settled) - done.one()["settled"]
            lands = run.plan is not None and run.plan.steps
            if elsewhere and (lands or run.origin is Origin.DECISION):
                raise Conflict(f"{elsewhere} of its pending observations were decided elsewhere meanwhile")


async def _with_namesakes(
    transaction: Transaction, space: str, bindings: Sequence[PlannedBinding], realised: Sequence[RealisedStep]
) -> tuple[PlannedBinding, ...]:
    """Return the bindings with those of whoever goes by a name that the plan gives, in any conversation.

    Else the next text that names it would open a second active entity beside the one that waits to be known.
    """
    if not (keys := sorted(names_gained(realised))):
        return tuple(bindings)
    rows = await transaction.run(load("update/find_unbound_actives"), space=space, keys=keys)
    unbound = [
        UnboundActive(
            row["runtimeId"],
            row["conversation"],
            {each["key"]: frozenset(each["uuids"]) for each in row["owners"]},
        )
        for row in rows
    ]
    named = {each.runtime_id for each in bindings}
    more = [each for each in bindings_by_name(unbound, realised) if each.runtime_id not in named]
    return (*bindings, *more)


@dataclass(frozen=True, slots=True)
class Landing:
    """What is about to be written, and how it is shown."""

    steps: tuple[RealisedStep, ...]
    diff: tuple[ShownStep, ...]
    """Of each step."""
    bindings: tuple[BindingChange, ...]
    messages: list[dict[str, object]]
    """Of the rolling, as the evidence that the plan rests on."""


def _realised(
    run: Run, plan: UpdatePlan, state: PlanState, told: frozenset[str], now: datetime
) -> tuple[tuple[RealisedStep, ...], tuple[ShownStep, ...]]:
    """Return what a plan comes to now that all it touches is locked, and how that is shown.

    Raises:
        PlanOutdatedError: it cannot be applied to what stands.
    """
    facts = facts_of(state)
    checked = validate(resting_on(plan, told), facts)
    if not isinstance(checked, ValidPlan):
        raise PlanOutdatedError(checked)
    return realise(checked, state, space=run.space, now=now, new_uuid=_new_uuid), explain(checked.plan, facts).steps


def _written(space: str, landing: Landing, vectors: Mapping[str, Vector]) -> tuple[Changes, Writing]:
    changes = collapse((*chain.from_iterable(step.changes for step in landing.steps), *landing.bindings))
    return changes, writing_of(changes, token=scope_token(space), vectors=vectors)


def _audits(landing: Landing) -> list[dict[str, object]]:
    return [
        *map(_audit, range(len(landing.steps)), landing.steps, landing.diff),
        *_binding_audit(len(landing.steps), landing.bindings),
    ]


def _audit(place: int, step: RealisedStep, shown: ShownStep) -> dict[str, object]:
    made = replace(shown, entity_uuid=shown.entity_uuid or step.entity_uuid)
    return {
        "order": place,
        "kind": step.step.step,
        "payload": payload(step.step),
        "changes": CHANGES.dump_json(step.changes).decode(),
        "diff": SHOWN_STEP.dump_json(made).decode(),
        # A step without effect touches nobody: undo goes by the revisions that runs have left.
        "entities": list(touched(step.changes)),
    }


def _binding_audit(place: int, bindings: tuple[BindingChange, ...]) -> list[dict[str, object]]:
    if not bindings:
        return []
    changes = CHANGES.dump_json(bindings).decode()
    return [{"order": place, "kind": "bind", "payload": "{}", "changes": changes, "diff": None, "entities": []}]


def _counts(changes: Changes) -> WriteCounts:
    statements = [change for change in changes if isinstance(change, StatementChange)]
    relations = [change for change in changes if isinstance(change, RelationChange)]
    kinds = [change.after.kind for change in statements if change.before is None and change.after is not None]
    stayed = sum(change.before is not None and change.after is not None for change in statements)
    stayed += sum(change.before is not None and change.after is not None for change in relations)
    return WriteCounts(
        entities=sum(isinstance(change, EntityChange) and change.before is None for change in changes),
        aliases=sum(isinstance(change, NameChange) and change.before is None for change in changes),
        impressions=kinds.count(StatementKind.IMPRESSION),
        features=kinds.count(StatementKind.FEATURE),
        relations=sum(change.before is None for change in relations),
        reinforced=stayed,
        replaced=sum(change.after is None for change in statements),
    )


def _new_uuid() -> str:
    return str(uuid4())
