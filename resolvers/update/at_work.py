"""A run while somebody works on it: by one at a time, its lease renewed, and let go of whatever happens.

Within this process a run is worked on by one task at a time; the lease, a moment stored with the run, tells the other
processes until when it is in work. It is renewed every few seconds, given up when the work ends early, and runs out by
itself where a process was killed.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from graph.errors import Conflict, ImpressionsError, Unavailable
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
            raise Conflict(f"run {run.id} is being worked on in this process: look at it again in a moment")
        self._working.add(run.id)
        try:
            async with self.until_done(run):
                yield
        finally:
            self._working.remove(run.id)

    @asynccontextmanager
    async def until_done(self, run: Run) -> AsyncIterator[None]:
        """Keep the lease on a run while it is worked on, and give it up when the work does not come to its end.

        An error of ours makes the run FAILED. What is expected to happen, an outage or the end of this process, leaves
        it as it is stored: whoever comes next completes it.
        """
        beating = asyncio.create_task(self._renew(run))
        try:
            yield
        except ImpressionsError:
            await self._let_go(run)
            raise
        except Exception as error:  # whatever it is: nobody would ever end the run
            await self._fail(run, error)
            raise
        except BaseException:  # cancelled: by the end of this process, or by a caller that is gone
            await asyncio.shield(self._let_go(run))
            raise
        finally:
            beating.cancel()
            await asyncio.wait([beating])
            if not beating.cancelled() and (broken := beating.exception()):
                log.error("lease_not_renewed", run=run.id, error=repr(broken))

    async def _renew(self, run: Run) -> None:
        while True:
            await asyncio.sleep(self._runs.lease_seconds / 3)
            try:
                renewed = await self._runs.renew(run)
            except Unavailable as error:
                # What is done meanwhile is worth more than the lease: the next beat tries again.
                log.warning("lease_not_renewed", run=run.id, error=str(error))
                continue
            if not renewed:
                # It has come to its end at this moment, or another process has taken it over: saving it will tell.
                log.debug("lease_not_held", run=run.id)
                return

    async def _let_go(self, run: Run) -> None:
        with suppress(ImpressionsError):  # then the lease runs out by itself
            await self._runs.release(run, waits=False)

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
