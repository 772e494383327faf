"""Embedding a whole database anew: complete, gone on with after any death, alone, and never two models side by side."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final, LiteralString

import pytest

from cypher import Query
from graph.errors import Conflict, ModelMismatch
from graph.neo4j_server import ServerAddress
from graph.ports import Vector
from graph.reindexing import Pace
from graph.rows import Rows
from graph.schema import VERSION, Made, VectorSpace, prepare, read_made
from graph.store import Store
from resolvers.project import Projector
from resolvers.recall.values import Recall, VectorPolicy
from resolvers.reindex import Progress, ReindexReport, Stage, examine, reindex
from tests.dying_store import DyingStore, Killed
from tests.fakes import FakeEmbedder
from tests.graph.test_queries import operators
from tests.prepared import VECTORS, connection, query, rows, sent
from tests.resolvers.world import World, entity, load_rows

QUICK: Final = Pace(lease=1, renewal=0.2, settling=0.0)
OTHER: Final = VectorSpace("other", 64)
FACTS: Final = [f"keeps {each} in the cellar" for each in "wine cheese coal apples rope maps violins bees".split()]


def other() -> FakeEmbedder:
    return FakeEmbedder(name=OTHER.model, dimensions=OTHER.dimensions)


async def anew(store: Store, embedder: FakeEmbedder, **options: Any) -> ReindexReport:
    return await reindex(store, embedder, **{"pace": QUICK, "nodes_a_page": 3, **options})


async def write(store: Store, cypher: LiteralString, **parameters: object) -> Rows:
    return await store.write(Query("test/write", cypher, "write", frozenset(parameters), ()), **parameters)


async def remember(store: Store, space: str = "a") -> World:
    """Fill a space with eight features, one of which was replaced since, and two inputs, one without a vector."""
    world = World(store, FakeEmbedder(), space)
    await world.load(entity("Alice", features=FACTS[:4], impressions=FACTS[4:]))
    await world.project("Alice sold a barrel of wine")
    await World(store, FakeEmbedder(local=False), space).project("Alice")
    await write(store, "MATCH (f:Feature {text: $text}) REMOVE f:Feature SET f:Superseded", text=FACTS[3])
    return world


async def remember_alike(store: Store) -> None:
    """Leave what `remember` leaves for a reindex to do, in one query: the server plans all anew after each reindex."""
    embed = FakeEmbedder()
    kinds = [*["Feature"] * 3, "Superseded", *["Impression"] * 4]
    nodes = [
        {"kind": kind, "text": text, "embedding": vector}
        for kind, text, vector in zip(kinds, FACTS, await embed.embed(FACTS), strict=True)
    ]
    await write(
        store,
        """
        UNWIND $nodes AS each
        CREATE (n:$(each.kind) {uuid: randomUUID(), space: 'a', text: each.text, embedding: each.embedding})
        FINISH
        """,
        nodes=nodes,
    )
    await write(
        store,
        "CREATE (:Evidence:LiveEvidence {uuid: randomUUID(), space: 'a', content: $text, embedding: $embedding}), "
        "(:Evidence:LiveEvidence {uuid: randomUUID(), space: 'a', content: 'Alice'})",
        text="Alice sold a barrel of wine",
        embedding=await embed.embed_query("Alice sold a barrel of wine"),
    )


async def lengths(store: Store) -> dict[str, set[int | None]]:
    """Return how long the vectors are, by the label of their nodes."""
    found = await rows(
        store,
        "MATCH (n:Impression|Feature|Superseded|Evidence) UNWIND labels(n) AS label "
        "RETURN label, collect(DISTINCT coalesce(size(n.embedding), 0)) AS lengths",
    )
    return {row["label"]: set(row["lengths"]) for row in found}


async def meta(store: Store) -> dict[str, Any]:
    return dict((await rows(store, "MATCH (m:ServiceMeta) RETURN properties(m) AS meta"))[0]["meta"])


def hits(recall: Recall) -> set[str]:
    """Return the statements that a recall found by their vectors."""
    return {s.vector_hit.text for match in recall.matches for s in match.signals if s.vector_hit}


async def test_pages_are_read_in_order_from_the_indexes(store: Store) -> None:
    used = await operators(store, "admin/page_embedded")

    assert not [each for each in used if "Scan" in each and each != "NodeIndexScan"], used
    assert used.count("NodeUniqueIndexSeekByRange") + used.count("NodeIndexSeekByRange") == 4, used
    assert not [each for each in await operators(store, "admin/store_vectors") if "Scan" in each]
    assert not [each for each in await operators(store, "admin/count_embedded") if "Scan" in each]


async def test_a_service_of_another_model_writes_no_vector(world: World) -> None:
    await world.load(entity("Alice"))
    stranger = FakeEmbedder(name="stranger")
    projector = Projector(
        world.store, world.pipeline, world.living, vectors=VectorSpace(stranger.name, stranger.dimensions)
    )

    with pytest.raises(ModelMismatch, match=r"made by 'fake'.*'stranger'"):
        await projector.project(world.input("Alice came"))
    with pytest.raises(ModelMismatch):
        await load_rows(world.store, stranger, world.space, [entity("Bob")])

    assert await world.counts() == {"Entity": 1, "Alias": 1, "KNOWN_AS": 1} | {"Term": (await world.counts())["Term"]}


@pytest.mark.slow
async def test_another_length_takes_the_place_of_the_old_one_everywhere(whole: Store) -> None:
    await remember(whole)
    await remember(whole, "b")
    new = other()
    with pytest.raises(ModelMismatch, match="`impressions reindex`"):
        await prepare(whole, OTHER)
    told: list[Progress] = []

    report = await anew(whole, new, progress=told.append)

    assert (report.needed, report.resumed, report.before) == (True, False, VECTORS)
    assert (report.embedded, report.passed, report.gone, report.earlier) == (18, 2, 0, 0)
    assert len(new.embedded) == 18
    assert await lengths(whole) == {
        "Impression": {64}, "Feature": {64}, "Superseded": {64}, "Evidence": {64, 0}, "LiveEvidence": {64, 0}
    }  # fmt: skip
    assert await meta(whole) == {
        "name": "service", "schemaVersion": VERSION, "embeddingModel": "other", "dimensions": 64
    }  # fmt: skip
    nodes = [each for each in told if each.stage is Stage.EMBEDDING]
    assert [each.done for each in nodes] == [*range(0, 20, 3), 20]
    assert {each.due for each in nodes} == {20}

    await prepare(whole, OTHER)
    with pytest.raises(ModelMismatch):
        await prepare(whole, VECTORS)
    for space in "ab":
        found = await World(whole, new, space).recall(FACTS[5], vector=VectorPolicy.ALWAYS)
        assert FACTS[5] in hits(found)
    said = await World(whole, new, "a").recall("Alice sold barrels of wine", vector=VectorPolicy.ALWAYS)
    assert "Alice sold a barrel of wine" in hits(said), "evidence, too"


@pytest.mark.slow
async def test_the_model_s_own_vectors_are_left_alone_unless_forced(whole: Store) -> None:
    await remember_alike(whole)
    same = FakeEmbedder()

    report = await anew(whole, same)
    assert (report.needed, report.embedded, same.embedded) == (False, 0, [])

    report = await anew(whole, same, force=True)
    assert (report.needed, report.embedded) == (True, 9)
    await prepare(whole, VECTORS)


@pytest.mark.slow
async def test_looking_ahead_counts_and_changes_nothing(whole: Store) -> None:
    await remember_alike(whole)
    before = await meta(whole)

    prospect = await examine(whole, other())

    assert (prospect.needed, prospect.vectors, prospect.made) == (True, OTHER, Made(VERSION, VECTORS))
    assert (prospect.amount.statements, prospect.amount.replaced, prospect.amount.evidence) == (7, 1, 2)
    assert not (await examine(whole, FakeEmbedder())).needed
    assert await meta(whole) == before


@pytest.mark.slow
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize(
    "dies_at",
    [
        ("admin/take_reindex", 0),
        ("admin/renew_reindex", 0),
        ("admin/drop_statement_vectors", 0),
        ("admin/store_vectors", 0),
        ("admin/store_vectors", 1),
        ("admin/store_vectors", 3),
        ("schema/030_statement_vectors", 0),
        ("admin/finish_reindex", 0),
    ],
    ids=lambda dies_at: f"{dies_at[0].partition('/')[2]} {dies_at[1]}",
)
async def test_a_run_that_died_is_gone_on_with(
    whole: Store, own_server: ServerAddress, *, dies_at: tuple[str, int], before: bool
) -> None:
    await remember_alike(whole)
    dying = await DyingStore.connect(connection(own_server), strict=True)
    assert isinstance(dying, DyingStore)
    dying.dies_at, dying.before = dies_at, before
    first, second = other(), other()
    try:
        with pytest.raises(Killed):
            await anew(dying, first, pace=Pace(lease=1, renewal=60, settling=0.0))
    finally:
        await dying.close()
    marked = not (before and dies_at[0] == "admin/take_reindex")
    done = not before and dies_at[0] == "admin/finish_reindex"
    if marked and not done:
        for configured in (VECTORS, OTHER):
            with pytest.raises(ModelMismatch, match="IMPRESSIONS_EMBEDDING_MODEL=other and run `impressions reindex`"):
                await prepare(whole, configured)

    report = await anew(whole, second)

    assert report.needed is not done
    assert report.resumed is (marked and not done)
    twice = 3 if dies_at[0] == "admin/store_vectors" and before else 0
    assert 9 <= len(first.embedded) + len(second.embedded) <= 9 + twice, "at most a page is embedded twice"
    await prepare(whole, OTHER)
    stored = await rows(
        whole,
        "MATCH (n:Impression|Feature|Superseded|Evidence) WHERE n.embedding IS NOT NULL "
        "RETURN coalesce(n.text, n.content) AS text, n.embedding AS vector",
    )
    assert len(stored) == 9
    for each in stored:
        assert each["vector"] == pytest.approx(await other().embed_query(each["text"]), abs=1e-6)


SCRIPT: Final = """
import asyncio, sys
from graph.reindexing import Pace
from graph.store import Connection, Store
from resolvers.reindex import reindex
from tests.fakes import FakeEmbedder

class Slow(FakeEmbedder):
    async def embed(self, texts):
        await asyncio.sleep(0.3)
        return await super().embed(texts)

async def main():
    store = await Store.connect(Connection(*sys.argv[1:]))
    told = lambda progress: print(int(progress.done), flush=True)
    pace = Pace(lease=3, renewal=0.5, settling=0.0)
    await reindex(store, Slow(name="other", dimensions=64), progress=told, pace=pace, nodes_a_page=2)

asyncio.run(main())
"""


@pytest.mark.slow
async def test_a_process_killed_in_the_middle_is_gone_on_with(whole: Store, own_server: ServerAddress) -> None:
    await remember_alike(whole)
    words = [sys.executable, "-c", SCRIPT, own_server.bolt_uri, own_server.user, own_server.password]

    def run_and_kill() -> int:
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            done = 0
            while done < 4:
                done = int(process.stdout.readline())
            os.kill(process.pid, signal.SIGKILL)
        return done

    done = await asyncio.to_thread(run_and_kill)
    second = other()

    report = await anew(whole, second)

    assert report.resumed
    assert report.earlier >= done
    assert report.earlier + report.embedded + report.passed == 10
    assert len(second.embedded) == report.embedded
    await prepare(whole, OTHER)


class GatedEmbedder(FakeEmbedder):
    """Embeds when it may."""

    def __init__(self) -> None:
        super().__init__(name=OTHER.model, dimensions=OTHER.dimensions)
        self.reached, self.may = asyncio.Event(), asyncio.Event()

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.reached.set()
        await self.may.wait()
        return await super().embed(texts)


@pytest.mark.slow
async def test_a_second_run_at_once_is_refused(whole: Store) -> None:
    await remember_alike(whole)
    gated, second = GatedEmbedder(), other()
    first = asyncio.create_task(anew(whole, gated))
    await gated.reached.wait()
    told: list[Progress] = []
    assert (await examine(whole, second)).running

    with pytest.raises(Conflict, match=r"another reindex is running.*--check"):
        await anew(whole, second, progress=told.append)

    assert [each.stage for each in told] == [Stage.WAITING]
    assert second.embedded == []
    gated.may.set()
    assert (await first).embedded == 9


@pytest.mark.slow
async def test_a_run_that_waited_while_another_ended_does_not_do_it_all_again(whole: Store) -> None:
    await remember_alike(whole)
    gated, second = GatedEmbedder(), other()
    first = asyncio.create_task(anew(whole, gated, pace=Pace(lease=30, renewal=60, settling=0.0)))
    await gated.reached.wait()

    def open_the_gate(_: Progress) -> None:
        gated.may.set()

    with pytest.raises(Conflict, match="another reindex"):
        await anew(whole, second, progress=open_the_gate)
    assert (await first).embedded == 9
    assert second.embedded == []


@pytest.mark.slow
async def test_a_run_that_stood_still_for_too_long_writes_nothing_more(whole: Store) -> None:
    await remember_alike(whole)
    gated, second = GatedEmbedder(), FakeEmbedder(name="third", dimensions=32)
    stalled = asyncio.create_task(anew(whole, gated, pace=Pace(lease=1, renewal=60, settling=0.0)))
    await gated.reached.wait()

    report = await anew(whole, second)
    gated.may.set()
    with pytest.raises(Conflict, match="taken over"):
        await stalled

    assert (report.resumed, report.embedded) == (False, 9), "another model begins anew"
    assert (await lengths(whole))["Impression"] == {32}
    assert await read_made(whole) == Made(VERSION, VectorSpace("third", 32))


@pytest.mark.slow
async def test_what_is_deleted_meanwhile_is_passed_over(whole: Store) -> None:
    await remember_alike(whole)

    class Deleting(FakeEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[Vector]:
            await write(whole, "MATCH (n:Impression|Feature {text: $text}) DETACH DELETE n", text=FACTS[6])
            return await super().embed(texts)

    report = await anew(whole, Deleting(name=OTHER.model, dimensions=OTHER.dimensions), nodes_a_page=100)

    assert (report.embedded, report.gone) == (8, 1)
    await prepare(whole, OTHER)


@pytest.mark.slow
async def test_a_running_service_writes_nothing_while_a_reindex_is_unfinished_nor_after(whole: Store) -> None:
    world = await remember(whole)
    running = Projector(whole, world.pipeline, world.living, vectors=VECTORS)
    await running.project(world.input("Alice laughed"))
    gated = GatedEmbedder()
    work = asyncio.create_task(anew(whole, gated))
    await gated.reached.wait()

    with pytest.raises(ModelMismatch, match="goes on where it stopped"):
        await load_rows(whole, FakeEmbedder(), "a", [entity("Bob", features=["sings"])])
    gated.may.set()
    await work
    with pytest.raises(ModelMismatch, match="made by 'other'"):
        await load_rows(whole, FakeEmbedder(), "a", [entity("Bob", features=["sings"])])
    no_vector = query("MATCH (e:Entity {subject: 'Bob'}) RETURN e")
    assert not (await whole.read(no_vector)).rows


@pytest.mark.slow
async def test_a_transaction_that_has_not_seen_the_mark_is_waited_for(whole: Store) -> None:
    await remember_alike(whole)
    async with whole.driver.session() as session:
        straggler = await session.begin_transaction()
        # Under the lowest uuid: a run that did not wait would have passed it by.
        await straggler.run(
            "CREATE (:Impression {uuid: '0', space: 'a', text: 'came late', embedding: $embedding})",
            embedding=[1.0] * VECTORS.dimensions,
        )
        work = asyncio.create_task(anew(whole, other(), pace=Pace(lease=5, renewal=0.2, settling=4.0)))
        await sent(whole, "admin/take_reindex")
        await straggler.commit()
    report = await work

    assert report.embedded == 10
    assert (await lengths(whole))["Impression"] == {64}


@pytest.mark.slow
async def test_an_empty_database_has_nothing_to_do_and_a_memory_without_statements_little(whole: Store) -> None:
    report = await anew(whole, other())
    assert (report.needed, report.embedded) == (True, 0)
    await prepare(whole, OTHER)

    await write(whole, "MATCH (m:ServiceMeta) SET m = {name: 'service'}")
    assert not (await anew(whole, FakeEmbedder())).needed
    await write(whole, "MATCH (m:ServiceMeta) SET m.schemaVersion = $version", version=VERSION)
