"""The command `reindex` as a person and a program see it, and a service that finds itself out of date."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from api.readiness import Readiness
from api.serving import Address, OnReady, serve
from api.settings import Settings
from api.wiring import Service
from graph.errors import ModelMismatch, Unavailable
from graph.neo4j_server import ServerAddress
from graph.reindexing import Pace
from graph.store import Store
from resolvers.reindex import reindex
from resolvers.requests import question
from tests.api.cli import ClosableFakeEmbedder, Invoke, alone, impressions, told, unchanged
from tests.fakes import FakeEmbedder
from tests.resolvers.world import World, entity

__all__ = ["alone", "impressions", "unchanged"]


async def load_other(_name: str) -> ClosableFakeEmbedder:
    return ClosableFakeEmbedder(name="other", dimensions=64)


@pytest.fixture
async def filled(whole: Store) -> Store:
    await World(whole, FakeEmbedder(), "a").load(entity("Alice", features=["plays the cello", "keeps bees"]))
    await World(whole, FakeEmbedder(), "a").project("Alice came to the harbour")
    return whole


@pytest.fixture
def on_own_server(impressions: Invoke, own_server: ServerAddress, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    monkeypatch.setenv("NEO4J_URI", own_server.bolt_uri)
    monkeypatch.setenv("NEO4J_PASSWORD", own_server.password)
    monkeypatch.setattr("resolvers.reindex.Pace", functools.partial(Pace, lease=3, renewal=0.5, settling=0.0))
    return impressions


@pytest.mark.slow
@pytest.mark.usefixtures("filled")
def test_from_the_refusal_to_the_new_model(on_own_server: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    assert on_own_server("reindex").stdout == (
        "nothing to do: the stored vectors are those of fake (512 dimensions); --force embeds everything anew all the "
        "same\n"
    )
    monkeypatch.setattr("api.wiring.load_embedder", load_other)
    refused = on_own_server("recall", "who plays the cello?", "--space", "a")
    assert refused.exit_code == 5
    assert "or run `impressions reindex` to embed everything anew" in refused.stderr

    assert on_own_server("reindex", "--check").stdout == (
        "the stored vectors are those of fake (512 dimensions), those of other (64) are to take their place: "
        "2 statements, 0 replaced ones, up to 1 evidence\n"
    )
    ahead = told(on_own_server("reindex", "--check", "--json"))
    assert (ahead["needed"], ahead["amount"]) == (True, {"statements": 2, "replaced": 0, "evidence": 1})

    done = on_own_server("reindex")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("3 vectors made by other (64 dimensions) in ")
    recalled = on_own_server("recall", "who plays the cello?", "--space", "a", "--vector", "always")
    assert "plays the cello" in recalled.stdout

    again = told(on_own_server("reindex", "--json"))
    assert (again["needed"], again["embedded"], again["before"]) == (False, 0, {"model": "other", "dimensions": 64})
    forced = told(on_own_server("reindex", "--force", "--json"))
    assert (forced["needed"], forced["embedded"], forced["model"]) == (True, 3, "other")


@pytest.mark.slow
@pytest.mark.usefixtures("filled")
def test_an_interrupted_one_is_told_by_all_and_gone_on_with(
    on_own_server: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(ClosableFakeEmbedder):
        async def embed_query(self, text: str) -> tuple[float, ...]:
            if "harbour" in text:
                raise KeyboardInterrupt
            return await super().embed_query(text)

    async def load_interrupted(_name: str) -> ClosableFakeEmbedder:
        return Interrupted(name="other", dimensions=64)

    monkeypatch.setattr("api.wiring.load_embedder", load_interrupted)
    stopped = on_own_server("reindex")
    assert stopped.exit_code == 130
    assert stopped.stderr.splitlines()[-1] == "interrupted"

    monkeypatch.setattr("api.wiring.load_embedder", load_other)
    refused = on_own_server("recall", "hello", "--json")
    assert refused.exit_code == 5
    assert told(refused)["error"]["kind"] == "ModelMismatch"
    assert "IMPRESSIONS_EMBEDDING_MODEL=other and run `impressions reindex`" in refused.stderr
    checks = {check["name"]: check for check in told(on_own_server("doctor", "--json"))["checks"]}
    assert "goes on where it stopped" in checks["schema"]["found"]

    resumed = told(on_own_server("reindex", "--json"))
    assert (resumed["resumed"], resumed["embedded"]) == (True, 3)
    assert on_own_server("recall", "hello", "--space", "a").exit_code == 0


@pytest.fixture
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.serving.Readiness", functools.partial(Readiness, every=0.1))


@asynccontextmanager
async def running(service: Callable[[OnReady], Awaitable[None]]) -> AsyncIterator[tuple[asyncio.Task[None], Service]]:
    ready: asyncio.Future[tuple[Service, Address]] = asyncio.get_running_loop().create_future()

    async def on_ready(service: Service, address: Address) -> None:
        ready.set_result((service, address))

    serving = asyncio.ensure_future(service(on_ready))
    try:
        async with asyncio.timeout(120):
            yield serving, (await ready)[0]
    finally:
        serving.cancel()
        await asyncio.wait([serving])


@pytest.mark.slow
@pytest.mark.usefixtures("on_own_server", "quick_looks")
async def test_a_service_waits_a_reindex_out_and_goes_on(filled: Store) -> None:
    heard: list[str] = []

    async def ask(service: Service) -> None:
        while True:
            try:
                await service.recall.recall(question("who plays the cello?", now=service.clock(), space="a"))
            except Unavailable as waiting:
                heard.append(f"{waiting} (again after {waiting.retry_after_ms} ms)")
            else:
                heard.append("answered")
            await asyncio.sleep(0.05)

    async with running(lambda on_ready: serve(Settings(), on_ready)) as (serving, service):
        asking = asyncio.create_task(ask(service))
        await reindex(filled, FakeEmbedder(), force=True, pace=Pace(lease=5, renewal=0.5, settling=1.0))
        heard.append("the reindex has ended")
        while heard[-1] != "answered":  # noqa: ASYNC110 -- a service says this to nobody
            await asyncio.sleep(0.05)
        asking.cancel()
        assert not serving.done()
        waited = {each for each in heard if each not in {"answered", "the reindex has ended"}}
        assert waited
        assert all("reindex" in each and "goes on by itself" in each for each in waited)


@pytest.mark.slow
@pytest.mark.usefixtures("on_own_server", "quick_looks")
async def test_a_service_ends_with_the_way_out_when_the_vectors_are_those_of_another_model(filled: Store) -> None:
    async with running(lambda on_ready: serve(Settings(), on_ready)) as (serving, _):
        await reindex(filled, FakeEmbedder(name="other", dimensions=64), pace=Pace(lease=5, renewal=0.5, settling=1.0))
        with pytest.raises(ModelMismatch, match=r"made by 'other'.*run `impressions reindex`"):
            await serving
