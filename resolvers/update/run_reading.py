"""Runs as they are shown: pages, diffs, what they observed, whom they changed. Never writes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cypher import load
from graph.store import Store
from resolvers.update.deciding import Decider
from resolvers.update.diff import ShownStep
from resolvers.update.explain import explain
from resolvers.update.run_store import MOST_PENDING, RunStore
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
        runs = []
        for row in rows:
            runs.append(run_of(row["run"]))
            await asyncio.sleep(0)  # a large one takes a tenth of a second to read
        return RunPage(tuple(runs[:first]), has_more=len(runs) > first)

    async def run(self, space: str, run_id: str) -> Run:
        """Return a run.

        Raises:
            NotFound: the space has no such run.
        """
        return await self._runs.read(space, run_id)

    async def runs(self, space: str, run_ids: Sequence[str]) -> tuple[Run, ...]:
        """Return those of the runs that the space has, in any order."""
        return await self._runs.read_all(space, run_ids)

    async def diff(self, run: Run) -> tuple[ShownStep, ...]:
        """Return a run's plan as a diff, see `diffs`."""
        return (await self.diffs([run]))[0]

    async def diffs(self, runs: Sequence[Run]) -> list[tuple[ShownStep, ...]]:
        """Return the plan of each run as a diff: as it landed, or against what stands now."""
        found: dict[str, list[ShownStep]] = {run.id: [] for run in runs}
        for space in dict.fromkeys(run.space for run in runs):
            mine = {run.id: run for run in runs if run.space == space}.values()
            if landed := [run.id for run in mine if run.status in LANDED]:
                for row in await self._store.read(load("update/read_diff"), runIds=landed, space=space):
                    found[row["runId"]].append(SHOWN_STEP.validate_json(row["diff"]))
            planned = [(run.id, run.plan) for run in mine if run.status not in LANDED and run.plan and run.plan.steps]
            if planned:
                facts = facts_of(await self._decider.around(space, *(plan for _, plan in planned)))
                for run_id, plan in planned:
                    found[run_id] += explain(plan, facts).steps
        return [tuple(found[run.id]) for run in runs]

    async def observations(self, space: str, run_ids: Sequence[str], most: int) -> list[list[PendingObservation]]:
        """Return what each run observed, so many of each at most."""
        found: dict[str, list[PendingObservation]] = {run_id: [] for run_id in run_ids}
        rows = await self._store.read(load("update/read_observations"), runIds=list(run_ids), space=space, most=most)
        for row in rows:
            found[row["runId"]].append(pending_of(row["observation"], row["runId"], row["settledBy"]))
        return [found[run_id] for run_id in run_ids]

    async def pending(self, space: str, *, first: int = MOST_PENDING, skip: int = 0) -> tuple[PendingObservation, ...]:
        """Return the observations of a space that wait for a decision, latest first."""
        return await self._runs.pending_page(space, first=first, skip=skip)

    async def count_pending(self, space: str) -> int:
        """Return how many observations of a space wait for a decision."""
        return await self._runs.count_pending(space)

    async def of_entities(self, space: str, uuids: Sequence[str], most: int) -> list[list[Run]]:
        """Return the runs that changed each entity, latest first."""
        rows = await self._store.read(load("update/list_runs_of_entity"), space=space, uuids=list(uuids), most=most)
        found: dict[str, list[Run]] = {uuid: [] for uuid in uuids}
        for row in rows:
            found[row["uuid"]].append(run_of(row["run"]))
            await asyncio.sleep(0)
        return [found[uuid] for uuid in uuids]

    async def changes_since(
        self, space: str, since: datetime, after: EntityChanged | None = None
    ) -> tuple[EntityChanged, ...]:
        """Return the entities that runs have changed since a moment, oldest first, 500 at most.

        Args:
            space: name of the space.
            since: the moment.
            after: only what comes after this one: the last of those that were returned before.
        """
        place = {"at": after.at, "runId": after.run_id, "uuid": after.entity_uuid} if after else None
        rows = await self._store.read(
            load("update/list_changes_since"), space=space, since=since, after=place, most=MOST_CHANGES
        )
        return tuple(
            EntityChanged(
                row["uuid"], row["runId"], "UNDONE" if row["status"] == "UNDONE" else row["kind"].upper(), row["at"]
            )
            for row in rows
        )
