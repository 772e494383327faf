"""Runs whose process is gone: brought to their end by whichever process finds them first.

What a model or an agent observed is worth going on with, and is decided anew if the memory has moved on. A person's
edit is not: the person has seen it fail, and may have done something else since. It is ended, and can be sent again.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from graph.errors import ImpressionsError
from graph.ports import Clock
from resolvers.update.run_store import Abandoned, RunStore
from resolvers.update.runs import Origin, Run, RunStatus, ended
from resolvers.update.starting import was_landing

MOST_AT_ONCE: Final = 8
"""Runs taken over in one look: the rest is left to the next look, here or in another process."""
MOST_TAKEOVERS: Final = 10
"""How often a run is gone on with unasked: one that always ends its process, or in an error, waits for somebody."""
_OPEN: Final = (RunStatus.OBSERVING, RunStatus.PREPARED, RunStatus.CONFIRMED)

log = structlog.get_logger("impressions")


class AbandonedRuns:
    """Finds them, and ends them or goes on with them.

    Args:
        runs: where they are stored.
        clock: tells the time of their end.
        resume: goes on with one that is being observed, or was handed in.
        confirm: goes on with one that was about to land.
        can_observe: whether there is a model to ask.
    """

    def __init__(
        self,
        runs: RunStore,
        clock: Clock,
        *,
        resume: Callable[[str, str], Awaitable[Run]],
        confirm: Callable[[str, str], Awaitable[Run]],
        can_observe: bool,
    ) -> None:
        self._runs = runs
        self._clock = clock
        self._resume = resume
        self._confirm = confirm
        self._can_observe = can_observe

    async def take(self, space: str | None = None) -> tuple[Abandoned, ...]:
        """Take over a few of them, of one space or of all; `finish` each.

        Raises:
            Unavailable: the database does not answer.
        """
        return await self._runs.abandoned(MOST_AT_ONCE, space)

    async def finish(self, left: Abandoned) -> None:
        """Bring one that was taken over to its end, or leave it to somebody's word."""
        run = left.run
        try:
            if run.origin in {Origin.CURATION, Origin.DECISION}:
                await self._end(run, "interrupted before it was carried out: nothing was written, send it again")
            elif left.takeovers > MOST_TAKEOVERS:
                log.error("abandoned_run_given_up", run=run.id, takeovers=left.takeovers)
                await self._runs.release(run, waits=True)
                return
            elif was_landing(run):
                await self._confirm(run.space, run.id)
            elif run.status is RunStatus.OBSERVING and (self._can_observe or run.origin is Origin.SUBMITTED):
                await self._resume(run.space, run.id)
            else:
                await self._runs.release(run, waits=True)
                return
        except ImpressionsError as error:
            log.warning("abandoned_run_not_finished", run=run.id, error=str(error))
        else:
            log.info("abandoned_run_finished", run=run.id)

    async def _end(self, run: Run, reason: str) -> None:
        failed = ended(run, RunStatus.FAILED, self._clock(), reason=reason)
        await self._runs.save(failed, expected=_OPEN, working=False)
