"""Runs as they are shown: pages, diffs, what they observed, whom they changed. Never writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cypher import load
from graph.store import Store
from resolvers.update.deciding import Decider
from resolvers.update.diff import ShownStep
from resolvers.update.explain import explain
from resolvers.update.run_store import RunStore
from resolvers.update.runs import SHOWN_STEP, PendingObservation, Run, RunStatus, pending_of, run_of
from resolvers.update.vicinity import facts_of

MOST_CHANGES: Final = 500
"""Changes told to a subscriber at once."""
LANDED: Final = frozenset({RunStatus.APPLIED, RunStatus.UNDONE})


@dataclass(frozen=True, slots=True)
class RunPage:
    """One page of runs and whether there are more."""

    runs: tuple[Run, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class EntityChanged:
    """An entity that a run has changed."""

    entity_uuid: str
    run_id: str
    kind: str
    at: datetime


class RunReader:
    """Reads runs of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs = RunStore(store)
        self._decider = Decider(store, self._runs)

    async def page(
        self, space: str, *, first: int, before: tuple[datetime, str] | None, status: RunStatus | None
    ) -> RunPage:
        """Return runs, latest first, before a given moment and id."""
        rows = await self._store.read(
            load("update/page_runs"),
            space=space,
            beforeAt=before[0] if before else None,
            beforeId=before[1] if before else "",
            statuses=[status.value] if status else [each.value for each in RunStatus],
            first=first + 1,
        )
        runs = tuple(run_of(row["run"]) for row in rows)
        return RunPage(runs[:first], has_more=len(runs) > first)

    async def run(self, space: str, run_id: str) -> Run:
        """Return a run.

        Raises:
            NotFound: the space has no such run.
        """
        return await self._runs.read(space, run_id)

    async def diff(self, run: Run) -> tuple[ShownStep, ...]:
        """Return a run's plan as a diff: as it landed, or against what stands now."""
        if run.status in LANDED:
            rows = await self._store.read(load("update/read_diff"), runId=run.id, space=run.space)
            return tuple(SHOWN_STEP.validate_json(row["diff"]) for row in rows)
        if run.plan is None or not run.plan.steps:
            return ()
        return explain(run.plan, facts_of(await self._decider.around(run.space, run.plan))).steps

    async def observations(self, run: Run) -> tuple[PendingObservation, ...]:
        """Return what a run observed."""
        rows = await self._store.read(load("update/read_observations"), runId=run.id, space=run.space)
        return tuple(pending_of(row["observation"], run.id) for row in rows)

    async def pending(self, space: str) -> tuple[PendingObservation, ...]:
        """Return the observations of a space that wait for a decision."""
        return await self._runs.pending(space)

    async def of_entities(self, space: str, uuids: Sequence[str], *, most: int) -> list[list[Run]]:
        """Return the runs that changed each entity, latest first."""
        rows = await self._store.read(load("update/list_runs_of_entity"), space=space, uuids=list(uuids), most=most)
        found: dict[str, list[Run]] = {uuid: [] for uuid in uuids}
        for row in rows:
            found[row["uuid"]].append(run_of(row["run"]))
        return [found[uuid] for uuid in uuids]

    async def changes_since(self, space: str, since: datetime) -> tuple[EntityChanged, ...]:
        """Return the entities that runs have changed since a moment, oldest first."""
        rows = await self._store.read(load("update/list_changes_since"), space=space, since=since, most=MOST_CHANGES)
        return tuple(
            EntityChanged(
                row["uuid"], row["runId"], "UNDONE" if row["status"] == "UNDONE" else row["kind"].upper(), row["at"]
            )
            for row in rows
        )
