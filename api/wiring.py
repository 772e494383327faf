"""The composition root: settings in, a running service out. The only place that names concrete collaborators."""

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

import structlog

from api.background import BackgroundRuns
from api.feeds import ChangeFeed, RunFeed
from api.seats import Seats
from api.settings import Settings
from graph.errors import ImpressionsError, LoginRefused
from graph.neo4j_server import ManagedServer, Progress, Stage, silent
from graph.ports import Clock, Embedder
from graph.schema import VectorSpace, check_vectors, prepare, read_made
from graph.store import Connection, Store
from resolvers.curate import Curator
from resolvers.lifecycle import expire_overdue
from resolvers.lifetimes import LifecycleSettings
from resolvers.project import Projector
from resolvers.reading import Reader
from resolvers.recall.attach import AttachSettings
from resolvers.recall.pipeline import RecallPipeline, RecallSettings
from resolvers.requests import question
from resolvers.update.aggregate import AggregateSettings
from resolvers.update.observer_port import Observer
from resolvers.update.pipeline import UpdatePipeline, UpdateSettings
from resolvers.update.run_reading import RunReader

if TYPE_CHECKING:
    import graph.embedding
    import resolvers.update.observe

MOST_SUBSCRIPTIONS: Final = 2_000
MOST_SUBSCRIPTIONS_OF_ONE_CLIENT: Final = 1_000

log = structlog.get_logger("impressions")


class ClosableEmbedder(Embedder, Protocol):
    """An embedder that holds a thread or a connection."""

    async def close(self) -> None:
        """Let it go."""
        ...


@dataclass(frozen=True, slots=True)
class Service:
    """Everything a request or a command needs."""

    settings: Settings
    store: Store
    embedder: Embedder
    clock: Clock
    recall: RecallPipeline
    projector: Projector
    reader: Reader
    pipeline: UpdatePipeline
    background: BackgroundRuns
    runs: RunReader
    changes: ChangeFeed
    progress: RunFeed
    subscribers: Seats
    curator: Curator
    lifecycle: LifecycleSettings
    browser_url: str | None
    """Neo4j Browser of the managed server."""
    bolt_uri: str
    server: ManagedServer | None = None
    """The managed server this service is attached to."""


@asynccontextmanager
async def open_service(
    settings: Settings, *, progress: Progress = silent, embedder: ClosableEmbedder | None = None
) -> AsyncIterator[Service]:
    """Start or reach the database, load the model, prepare the schema; close all of it at the end.

    Args:
        settings: what to open.
        progress: hears of the managed server's start and the model's loading.
        embedder: another embedder than the one the settings name.

    Raises:
        ServerNotStarted: the managed Neo4j did not come up.
        SetupError: the database cannot be used as it stands.
        Unavailable: your own Neo4j does not answer.
    """
    async with AsyncExitStack() as opened:
        entered = opened.enter_async_context(_open_both(settings, progress, embedder))
        reached, store, model = await entered
        await prepare(store, VectorSpace(model.name, model.dimensions))
        observer = await load_observer(settings)
        if observer is not None:
            opened.push_async_callback(observer.close)
        service = assemble(
            settings,
            store,
            model,
            observer=observer,
            browser_url=reached.browser_url,
            bolt_uri=reached.connection.uri,
            server=reached.server,
        )
        opened.push_async_callback(service.background.close)
        yield service


@asynccontextmanager
async def open_unprepared(settings: Settings, *, progress: Progress = silent) -> AsyncIterator[tuple[Store, Embedder]]:
    """Start or reach the database and load the model, whether they fit or not. Raises as `open_service` does."""
    async with _open_both(settings, progress, None) as (_, store, model):
        yield store, model


@asynccontextmanager
async def _open_both(
    settings: Settings, progress: Progress, embedder: ClosableEmbedder | None
) -> AsyncIterator[tuple["_Reached", Store, ClosableEmbedder]]:
    """Open the database and load the model.

    One after the other where the database runs, for it answers at once and may refuse; side by side where it has to be
    started.
    """
    server = None if settings.neo4j_uri else managed_server(settings, progress)
    runs = server is None or await server.check()
    async with AsyncExitStack() as opened:
        loading = None if runs else _loading(settings, opened, progress, embedder)
        reached = await _reach(settings, opened, server)
        store = await _connect(reached, opened)
        model = await (loading or _loading(settings, opened, progress, embedder))
        progress(Stage.MODEL, 1.0)
        opened.push_async_callback(model.close)
        yield reached, store, model


def _loading(
    settings: Settings, opened: AsyncExitStack, progress: Progress, embedder: ClosableEmbedder | None
) -> asyncio.Task[ClosableEmbedder]:
    progress(Stage.MODEL, None)
    loading = asyncio.create_task(_given(embedder) if embedder else load_embedder(settings.embedding_model))
    opened.callback(loading.cancel)
    return loading


@asynccontextmanager
async def open_store(settings: Settings, *, progress: Progress = silent) -> AsyncIterator[Store]:
    """Start or reach the database alone, for work that needs no vectors. Raises as `open_service` does."""
    async with AsyncExitStack() as opened:
        server = None if settings.neo4j_uri else managed_server(settings, progress)
        yield await _connect(await _reach(settings, opened, server), opened)


async def _given(embedder: ClosableEmbedder) -> ClosableEmbedder:
    return embedder


async def load_embedder(name: str) -> "graph.embedding.SentenceTransformerEmbedder":
    """Load an embedding model off the event loop: importing the library alone takes seconds."""
    module = await asyncio.to_thread(importlib.import_module, "graph.embedding")
    embedder: graph.embedding.SentenceTransformerEmbedder = await module.SentenceTransformerEmbedder.load(name)
    return embedder


async def load_observer(settings: Settings) -> "resolvers.update.observe.InstructorObserver | None":
    """Return the language model's observer, or None where no model is configured."""
    if (chosen := settings.observer) is None:
        return None
    module = await asyncio.to_thread(importlib.import_module, "resolvers.update.observe")
    observer: resolvers.update.observe.InstructorObserver = module.InstructorObserver(chosen)
    return observer


@dataclass(frozen=True, slots=True)
class _Reached:
    connection: Connection
    browser_url: str | None
    server: ManagedServer | None


async def _reach(settings: Settings, opened: AsyncExitStack, server: ManagedServer | None) -> _Reached:
    if server is None:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        uri = settings.neo4j_uri or ""
        return _Reached(Connection(uri, settings.neo4j_user, password, settings.neo4j_database), None, None)
    address = await server.attach()
    opened.push_async_callback(server.detach)
    connection = Connection(address.bolt_uri, address.user, address.password, located=server.bolt_address)
    return _Reached(connection, f"{address.http_uri}/browser/", server)


async def _connect(reached: _Reached, opened: AsyncExitStack) -> Store:
    try:
        store = await Store.connect(reached.connection)
    except LoginRefused as error:
        if reached.server is None:
            raise
        raise LoginRefused(reached.server.wrong_password()) from error
    opened.push_async_callback(store.close)
    return store


def managed_server(settings: Settings, progress: Progress = silent) -> ManagedServer:
    """Return this process's hold on the managed Neo4j; nothing is started yet."""
    return ManagedServer(
        settings.home, heap=settings.neo4j_heap, page_cache=settings.neo4j_page_cache, progress=progress
    )


def assemble(
    settings: Settings,
    store: Store,
    embedder: Embedder,
    *,
    observer: Observer | None = None,
    browser_url: str | None,
    bolt_uri: str,
    server: ManagedServer | None = None,
) -> Service:
    """Put a service together from collaborators that are open."""
    lifecycle = LifecycleSettings(time_to_live=settings.time_to_live, evidence_half_life=settings.evidence_half_life)
    recall = RecallPipeline(
        store,
        embedder,
        RecallSettings(
            attach=AttachSettings(threshold=settings.attach_threshold),
            recency_half_life=settings.recency_half_life,
            evidence_half_life=settings.evidence_half_life,
            time_to_live=settings.time_to_live,
        ),
    )
    pipeline = UpdatePipeline(
        store,
        embedder,
        _now,
        settings=UpdateSettings(
            batch_size=settings.update_batch_size,
            aggregate=AggregateSettings(assistant_counts=settings.update_assistant_counts),
            most_rolled=lifecycle.most_rolled,
        ),
        observer=observer,
    )
    reader, runs = Reader(store, settings.time_to_live), RunReader(store)
    return Service(
        settings=settings,
        store=store,
        embedder=embedder,
        clock=_now,
        recall=recall,
        projector=Projector(store, recall, lifecycle, vectors=VectorSpace(embedder.name, embedder.dimensions)),
        reader=reader,
        pipeline=pipeline,
        background=BackgroundRuns(pipeline),
        runs=runs,
        changes=ChangeFeed(runs, _now),
        progress=RunFeed(runs),
        subscribers=Seats(MOST_SUBSCRIPTIONS, MOST_SUBSCRIPTIONS_OF_ONE_CLIENT),
        curator=Curator(reader, pipeline),
        lifecycle=lifecycle,
        browser_url=browser_url,
        bolt_uri=bolt_uri,
        server=server,
    )


def _now() -> datetime:
    return datetime.now(UTC)


TAKE_OVER_SECONDS: Final = 5.0
"""How often a service looks for runs that another one has left."""
WARM_SPACES: Final = ("warm-up", "warm-up-of-a-longer-name")
"""Hold nothing, ever: a short and a long name, as the server plans for either."""


async def warm_up(service: Service) -> None:
    """Let the server plan the large statements, so that the first request need not wait seconds for that.

    Raises:
        Unavailable: the database does not answer.
    """
    for space in WARM_SPACES:
        await service.pipeline.warm_up(space)
        await service.recall.recall(question("what is there to know?", now=service.clock(), space=space))
        await service.projector.warm_up(space, at=service.clock())


async def see_own_vectors(service: Service) -> None:
    """See that the database answers, and that its vectors are still of the service's model.

    Raises:
        ModelMismatch: a reindex has begun, or was done, since the service started.
        Unavailable: the database does not answer.
    """
    model = service.embedder
    check_vectors(await read_made(service.store), VectorSpace(model.name, model.dimensions))


async def finish_abandoned(service: Service) -> None:
    """Go on with runs that a killed process left, round after round, until cancelled; an outage is waited out."""
    while True:
        try:
            await see_own_vectors(service)
            await service.background.take_over()
        except ImpressionsError as error:
            log.debug("abandoned runs could not be looked for", error=str(error))
        await asyncio.sleep(TAKE_OVER_SECONDS)


async def keep_house(service: Service) -> None:
    """Let overdue active entities go, round after round, until cancelled; an outage is logged and waited out."""
    while True:
        try:
            expired = await expire_overdue(service.store, service.lifecycle, now=service.clock())
        except ImpressionsError as error:
            log.warning("housekeeping failed", error=str(error))
        else:
            if expired:
                log.info("active entities expired", count=expired)
        await asyncio.sleep(service.settings.housekeeping_minutes * 60)
