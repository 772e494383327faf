"""What this process works on: no run twice at once, and none that looks alive after an error of ours."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import structlog

from graph.errors import Conflict, ImpressionsError
from graph.ports import Clock
from resolvers.update.run_store import RunStore
from resolvers.update.runs import Run, RunStatus, ended

UNFINISHED: Final = (RunStatus.OBSERVING, RunStatus.PREPARED, RunStatus.CONFIRMED)
"""How a run may stand while something is done with it."""

log = structlog.get_logger("impressions")


class AtWork:
    """Guards the work on runs of one process; the lease guards it from other processes."""

    def __init__(self, runs: RunStore, clock: Clock) -> None:
        self._runs = runs
        self._clock = clock
        self._working: set[str] = set()

    @asynccontextmanager
    async def alone(self, run: Run) -> AsyncIterator[None]:
        """Work on a run that nobody else in this process works on; see `until_done`.

        Raises:
            Conflict: somebody does.
        """
        if run.id in self._working:
            raise Conflict(f"run {run.id} is being worked on")
        self._working.add(run.id)
        try:
            async with self.until_done(run):
                yield
        finally:
            self._working.remove(run.id)

    @asynccontextmanager
    async def until_done(self, run: Run) -> AsyncIterator[None]:
        """Make a run FAILED when the work on it ends in an error of ours, and let that error go on.

        What is expected to happen, an outage above all, leaves the run as it is stored: a second try completes it.
        """
        try:
            yield
        except ImpressionsError:
            raise
        except Exception as error:  # whatever it is: nobody would ever end the run
            await self._fail(run, error)
            raise

    async def _fail(self, run: Run, error: Exception) -> None:
        log.error("run_failed", run=run.id, exc_info=error)
        kind = type(error).__name__
        reason = f"internal error ({kind}): nothing was written; the log tells more under the id of this run"
        try:
            stands = await self._runs.read(run.space, run.id)
            failed = ended(stands, RunStatus.FAILED, self._clock(), reason=reason)
            await self._runs.save(failed, expected=UNFINISHED, working=False)
        except ImpressionsError as second:
            # It has landed all the same, or the database is gone too: what is stored tells.
            log.warning("run_not_failed", run=run.id, error=str(second))
