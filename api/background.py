"""Runs that go on behind an answered request, in this process; another one can resume what this one leaves."""

import asyncio
from collections.abc import Coroutine

import structlog

from graph.errors import ImpressionsError
from resolvers.update.pipeline import Outcome, UpdatePipeline

log = structlog.get_logger("impressions")


class BackgroundRuns:
    """Holds the tasks, so that they are neither lost nor left running."""

    def __init__(self, pipeline: UpdatePipeline) -> None:
        self._pipeline = pipeline
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, started: Outcome) -> None:
        """Work from here on on a run that has just been started, or was left unfinished."""
        self._start(self._work(started))

    async def take_over(self) -> None:
        """Go on with runs whose process is gone.

        Raises:
            Unavailable: the database does not answer.
        """
        for left in await self._pipeline.abandoned.take():
            log.info("a run was abandoned", run=left.run.id, status=left.run.status.value, takeovers=left.takeovers)
            self._start(self._pipeline.abandoned.finish(left))

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, started: Outcome) -> None:
        try:
            ended = await self._pipeline.go_on(started)
        except ImpressionsError as error:
            # The run stays as it is stored: resumeUpdate, or the same sent again, goes on with it.
            log.warning("a run stopped", run=started.run.id, error=str(error))
        except Exception:  # nobody awaits this task: whatever it is, it is told here
            log.exception("a run broke off", run=started.run.id)
        else:
            log.info("a run ended", run=started.run.id, status=ended.status.value)

    async def close(self) -> None:
        """Stop all of them; what they have stored can be resumed."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
