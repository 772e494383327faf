"""What subscribers are told: one look at the database at a time for all who follow the same, however many they are."""

import asyncio
import copy
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Generic, TypeVar

import structlog

from graph.errors import ImpressionsError, NotFound, Unavailable
from graph.ports import Clock
from resolvers.update.run_reading import EntityChanged, RunReader
from resolvers.update.runs import Run

T = TypeVar("T")

POLL_SECONDS: Final = 0.5
LATE: Final = timedelta(minutes=1)
"""Longer than any transaction may take, retries included."""
MOST_UNREAD: Final = 1_000
"""Things told to a subscriber that it has not taken yet; one that falls further behind is let go."""

log = structlog.get_logger("impressions")


@dataclass(eq=False, slots=True)
class _Source(Generic[T]):
    task: asyncio.Task[None]
    followers: set[asyncio.Queue[T | Exception]] = field(default_factory=set)


class Shared(Generic[T]):
    """Endless sources, one a space, each running while somebody follows it."""

    def __init__(self, source: Callable[[str], AsyncGenerator[T, None]]) -> None:
        self._make = source
        self._sources: dict[str, _Source[T]] = {}

    async def follow(self, space: str) -> AsyncGenerator[T, None]:
        """Yield what the source of a space tells from now on.

        Raises:
            Unavailable: the database does not answer, or the follower is too slow. It may follow again.
        """
        if (source := self._sources.get(space)) is None:
            source = self._sources[space] = _Source(asyncio.create_task(self._tell(space)))
        queue: asyncio.Queue[T | Exception] = asyncio.Queue(MOST_UNREAD)
        source.followers.add(queue)
        try:
            while True:
                told = await queue.get()
                if isinstance(told, Exception):
                    raise told
                yield told
        finally:
            source.followers.discard(queue)
            if not source.followers:
                source.task.cancel()
                if self._sources.get(space) is source:
                    del self._sources[space]

    async def _tell(self, space: str) -> None:
        try:
            async with aclosing(self._make(space)) as things:
                async for thing in things:
                    for queue in [*self._sources[space].followers]:
                        self._put(space, queue, thing)
        except Exception as error:  # whatever it is: it ends the wait of all who follow, each is told
            if not isinstance(error, ImpressionsError):
                log.exception("a feed broke off", space=space)
            for queue in self._sources.pop(space).followers:
                _end(queue, copy.copy(error))

    def _put(self, space: str, queue: asyncio.Queue[T | Exception], thing: T) -> None:
        try:
            queue.put_nowait(thing)
        except asyncio.QueueFull:
            self._sources[space].followers.discard(queue)
            _end(queue, Unavailable(f"{MOST_UNREAD} changes wait to be read: subscribe again and read faster"))


def _end(queue: asyncio.Queue[T | Exception], error: Exception) -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(error)


class ChangeFeed:
    """The entities that runs change, as they change them."""

    def __init__(self, reader: RunReader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._shared = Shared(self._changes)

    async def follow(self, space: str) -> AsyncGenerator[EntityChanged, None]:
        """Yield each change from now on; raises as `Shared.follow`."""
        since = self._clock()
        async with aclosing(self._shared.follow(space)) as changes:
            async for change in changes:
                if change.at >= since:
                    yield change

    async def _changes(self, space: str) -> AsyncGenerator[EntityChanged, None]:
        since, told = self._clock(), dict[tuple[str, str, str], datetime]()
        while True:
            changes = list(await self._reader.changes_since(space, since))
            while changes and (more := await self._reader.changes_since(space, since, changes[-1])):
                changes += more
            for change in changes:
                key = (change.run_id, change.entity_uuid, change.kind)
                if key not in told:
                    told[key] = change.at
                    yield change
            if changes:
                # A run may become visible a while after its moment: look a little further back than the latest.
                since = max(since, changes[-1].at - LATE)
                told = {key: at for key, at in told.items() if at >= since}
            await asyncio.sleep(POLL_SECONDS)


@dataclass(frozen=True, slots=True)
class _Look:
    asked: frozenset[str]
    found: dict[str, Run]


class RunFeed:
    """Runs as they move on."""

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._wanted: dict[str, Counter[str]] = {}
        self._shared = Shared(self._looks)

    async def follow(self, space: str, run_id: str) -> AsyncGenerator[Run, None]:
        """Yield a run as it is read, again and again, changed or not.

        Raises:
            NotFound: the space has no such run, or has it no longer.
            Unavailable: as `Shared.follow`.
        """
        wanted = self._wanted.setdefault(space, Counter())
        wanted[run_id] += 1
        try:
            async with aclosing(self._shared.follow(space)) as looks:
                async for look in looks:
                    if run_id in look.found:
                        yield look.found[run_id]
                    elif run_id in look.asked:
                        raise NotFound(f"no run {run_id!r} in space {space!r}")
        finally:
            wanted[run_id] -= 1
            if not wanted[run_id]:
                del wanted[run_id]
            if not wanted:
                self._wanted.pop(space, None)

    async def _looks(self, space: str) -> AsyncGenerator[_Look, None]:
        while True:
            asked = frozenset(self._wanted.get(space, ()))
            found = await self._reader.runs(space, sorted(asked))
            yield _Look(asked, {run.id: run for run in found})
            await asyncio.sleep(POLL_SECONDS)
