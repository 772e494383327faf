"""The Subscription type. Both look at the database, so that they see what other processes do as well."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime, timedelta
from typing import Final

import strawberry

from api.context import Info
from api.queries import Space, check_id
from api.types.entities import Entity, find_entity
from api.types.updates import UpdateRun
from graph.checks import check_space
from resolvers.update.runs import ConfirmMode, Run, RunStatus

POLL_SECONDS: Final = 0.5
LATE: Final = timedelta(minutes=1)
"""Longer than any transaction may take, retries included."""
_GOING_ON: Final = frozenset({RunStatus.OBSERVING, RunStatus.CONFIRMED})


def _goes_on(run: Run) -> bool:
    """Tell whether a run moves on by itself: a valid plan that needs nobody's word is prepared for a moment only."""
    passing = run.status is RunStatus.PREPARED and run.confirm is ConfirmMode.AUTO and not run.violations
    return passing or run.status in _GOING_ON


@strawberry.type(description="An entity that a run has changed.")
class EntityChange:
    space: strawberry.Private[str]
    entity_uuid: strawberry.ID
    kind: str = strawberry.field(description="CREATE, UPDATE, MERGE, FORGET, or UNDONE.")
    run_id: strawberry.ID

    @strawberry.field(description="As it stands now; null once it is gone.")
    async def entity(self, info: Info) -> Entity | None:
        return await find_entity(info, self.space, self.entity_uuid)


@strawberry.type
class Subscription:
    @strawberry.subscription(description="A run each time it moves on, until it waits for somebody or has ended.")
    async def update_run_progress(
        self, info: Info, run_id: strawberry.ID, space: Space = "default"
    ) -> AsyncGenerator[UpdateRun, None]:
        reader, told = info.context.service.runs, None
        while True:
            run = await reader.run(check_space(space), check_id(run_id, "runId"))
            if run != told:
                yield UpdateRun.of(run)
                told = run
            if not _goes_on(run):
                return
            await asyncio.sleep(POLL_SECONDS)

    @strawberry.subscription(description="Each entity of a space that a run changes from now on.")
    async def entity_changed(self, info: Info, space: Space = "default") -> AsyncGenerator[EntityChange, None]:
        service = info.context.service
        since, told = service.clock(), dict[tuple[str, str, str], datetime]()
        check_space(space)
        while True:
            changes = list(await service.runs.changes_since(space, since))
            while changes and (more := await service.runs.changes_since(space, since, changes[-1])):
                changes += more
            for change in changes:
                key = (change.run_id, change.entity_uuid, change.kind)
                if key not in told:
                    told[key] = change.at
                    info.context.loaders.entity.clear_all()  # of one socket: they would answer from the last change
                    yield EntityChange(
                        space=space,
                        entity_uuid=strawberry.ID(change.entity_uuid),
                        kind=change.kind,
                        run_id=strawberry.ID(change.run_id),
                    )
            if changes:
                # A run may become visible a while after its moment: look a little further back than the latest.
                since = max(since, changes[-1].at - LATE)
                told = {key: at for key, at in told.items() if at >= since}
            await asyncio.sleep(POLL_SECONDS)
