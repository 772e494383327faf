"""The Subscription type. Both look at the database, so that they see what other processes do as well."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from typing import Final

import strawberry

from api.context import Info
from api.queries import Space, check_id
from api.types.entities import Entity, find_entity
from api.types.updates import UpdateRun
from graph.checks import check_space
from graph.errors import Unavailable
from resolvers.update.runs import ConfirmMode, Run, RunStatus

RETRY_AFTER_MS: Final = 5_000
_GOING_ON: Final = frozenset({RunStatus.OBSERVING, RunStatus.CONFIRMED})


def _goes_on(run: Run) -> bool:
    """Tell whether a run moves on by itself: a valid plan that needs nobody's word is prepared for a moment only."""
    passing = run.status is RunStatus.PREPARED and run.confirm is ConfirmMode.AUTO and not run.violations
    return passing or run.status in _GOING_ON


@contextmanager
def _seat(info: Info) -> Iterator[None]:
    """Hold one of the subscriptions that a client, and all clients together, may have open."""
    seats, peer = info.context.service.subscribers, info.context.request.client
    client = peer.host if peer else ""
    if not seats.take(client):
        raise Unavailable("too many subscriptions are open: end some, or try again later", RETRY_AFTER_MS)
    try:
        yield
    finally:
        seats.leave(client)


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
        service, told = info.context.service, None
        checked = check_space(space), check_id(run_id, "runId")
        with _seat(info):
            async with aclosing(service.progress.follow(*checked)) as reads:
                async for run in reads:
                    if run != told:
                        yield UpdateRun.of(run)
                        told = run
                    if not _goes_on(run):
                        return

    @strawberry.subscription(description="Each entity of a space that a run changes from now on.")
    async def entity_changed(self, info: Info, space: Space = "default") -> AsyncGenerator[EntityChange, None]:
        service = info.context.service
        check_space(space)
        with _seat(info):
            async with aclosing(service.changes.follow(space)) as changes:
                async for change in changes:
                    info.context.loaders.entity.clear_all()  # of one socket: they would answer from the last change
                    yield EntityChange(
                        space=space,
                        entity_uuid=strawberry.ID(change.entity_uuid),
                        kind=change.kind,
                        run_id=strawberry.ID(change.run_id),
                    )
