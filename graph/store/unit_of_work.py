"""Work on the database in a task of its own, so that whatever happens to a caller never reaches the driver half-way.

The driver looks after a connection that a session holds: cancelled there, it closes the connection, which ends the work
on the server, and counts the place as free. While it takes a connection from its pool it does not (neo4j 6.1: a
cancellation during the liveness check, or while a stale connection is closed, leaves the place taken for ever). So a
caller that is cancelled, or whose time is up, leaves at once, and the work it left behind is

- cancelled where its own statements run: the server stops working on them;
- left alone while the driver takes a connection, which ends by itself within the time it may wait for one, and stopped
  where its statements would begin;
- left alone while it commits or gives the connection back, for `SECONDS_TO_END`; then its connection is closed.

`docs/decisions/0040-cancelled-work.md` tells how places were lost, and what should change upstream.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar

import structlog

T = TypeVar("T")

SECONDS_TO_END: Final = 6.0
"""How long work that was left behind may take to end by itself: longer than the driver may wait for a connection."""

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class LeftBehindError(Exception):
    """Ends work that nobody waits for any more, before its statements are sent."""


class Progress:
    """What a piece of work tells of itself while it goes on."""

    def __init__(self) -> None:
        self.is_left_behind = False
        self.in_statements = False
        self.hang_up: Callable[[], None] | None = None
        """Closes the connection the work holds at once, if it holds one."""

    @contextmanager
    def statements(self) -> Iterator[None]:
        """Stand around the work's own statements: here, and nowhere else, it may be cancelled.

        Raises:
            LeftBehindError: nobody waits for the result any more.
        """
        if self.is_left_behind:
            raise LeftBehindError
        self.in_statements = True
        try:
            yield
        finally:
            self.in_statements = False


Work = Callable[[Progress], Coroutine[Any, Any, T]]


class UnitOfWork(Generic[T]):
    """One piece of work that is under way, and who waits for it."""

    def __init__(self, work: Work[T]) -> None:
        loop = asyncio.get_running_loop()
        self._progress = Progress()
        self._result: asyncio.Future[T] = loop.create_future()
        self._hanging_up: asyncio.Task[None] | None = None
        self.task = loop.create_task(work(self._progress))
        self.task.add_done_callback(self._pass_on)

    async def result(self, seconds: float) -> T:
        """Return what the work returns, or raise what it raises. Whoever stops waiting leaves the work behind.

        Raises:
            TimeoutError: it has not ended in time.
        """
        late = asyncio.get_running_loop().call_later(seconds, self.give_up, TimeoutError())
        try:
            return await self._result
        finally:
            late.cancel()
            if not self.task.done():
                self._leave_behind()

    def give_up(self, error: Exception) -> None:
        """Let who waits for the work go on with this error."""
        if not self._result.done():
            self._result.set_exception(error)

    def hang_up(self) -> None:
        """Close the connection that the work holds, if it holds one: whatever it does there fails at once."""
        if self._progress.hang_up and not self.task.done():
            self._progress.hang_up()

    def _pass_on(self, task: asyncio.Task[T]) -> None:
        error = None if task.cancelled() else task.exception()
        if self._result.done():
            log.debug("work_left_behind_ended", error=repr(error) if error else None)
        elif task.cancelled():
            self._result.cancel()
        elif error:
            self._result.set_exception(error)
        else:
            self._result.set_result(task.result())

    def _leave_behind(self) -> None:
        self._progress.is_left_behind = True
        if self._progress.in_statements:
            self.task.cancel()
        self._hanging_up = asyncio.get_running_loop().create_task(self._hang_up_later())

    async def _hang_up_later(self) -> None:
        # In a task, not a bare callback: the locks of the driver's pool belong to tasks.
        while not self.task.done():
            await asyncio.wait([self.task], timeout=SECONDS_TO_END)
            self.hang_up()


class UnitsOfWork:
    """All work that is under way on one database."""

    def __init__(self) -> None:
        self._under_way: set[UnitOfWork[Any]] = set()

    async def run(self, work: Work[T], seconds: float) -> T:
        """Do one piece of work and wait for it; see `UnitOfWork.result`."""
        unit = UnitOfWork(work)
        self._under_way.add(unit)
        unit.task.add_done_callback(lambda _: self._under_way.discard(unit))
        return await unit.result(seconds)

    def give_up(self, error: Callable[[], Exception]) -> None:
        """Let each that waits for work go on with an error of its own."""
        for unit in [*self._under_way]:
            unit.give_up(error())

    async def ended(self) -> None:
        """Return when nothing is under way any more."""
        while tasks := [unit.task for unit in self._under_way]:
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Return when nothing is under way any more. What does not end by itself loses its connection."""
        while tasks := [unit.task for unit in self._under_way]:
            await asyncio.wait(tasks, timeout=SECONDS_TO_END)
            for unit in [*self._under_way]:
                unit.hang_up()
