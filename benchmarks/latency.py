"""How long a recall and a projection take, beside floors of the same database measured in turn with them.

Made-up entities with random vectors, so that nothing but time is measured; the embedding model is left out. The floors:

    RETURN 1       one round trip
    text, vector   one index query
    calls          every index call of a recall, bare, in one statement: what no recall in one round trip can beat
    write          the nodes and links of the projection just measured, created without a question

    .venv/bin/python benchmarks/latency.py --sizes 1000,10000 --json latency.json
"""

import argparse
import gc
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import bench
from made_up import RandomVectors, World
from rich.table import Table

import cypher
from cypher import Query
from graph.rows import Rows
from graph.schema import VectorSpace
from graph.store import Store
from graph.values import EvidenceSource
from resolvers.lifetimes import LifecycleSettings
from resolvers.linking import Input
from resolvers.project import Projector
from resolvers.recall.asking import Question, parameters, read
from resolvers.recall.pipeline import RecallPipeline, RecallSettings
from resolvers.transfer.importing import import_entities

VECTORS: Final = VectorSpace("usem3", 512)
START: Final = datetime(2026, 9, 1, 12, tzinfo=UTC)
PERCENTS: Final = (10, 50, 95)
"""The tenth says most on a machine that others work on, too."""
INPUTS: Final = 20
"""Of one conversation, before the next one begins."""
QUERIES: Final = Path(__file__).parent / "floors"


def _load(name: str) -> Query:
    return cypher.parse(f"benchmarks/floors/{name}", (QUERIES / f"{name}.cypher").read_text(encoding="utf-8"))


RETURN_1: Final = _load("return_one")
TEXT: Final = _load("text")
VECTOR: Final = _load("vector")
CALLS: Final = _load("calls")
WRITE: Final = _load("write")


class Watched:
    """A store that remembers what was last written through it, to write the same once more without a question."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.written: dict[str, Any] = {}

    async def read(self, query: Query, /, **given: object) -> Rows:
        return await self._store.read(query, **given)

    async def write(self, query: Query, /, **given: object) -> Rows:
        if query.name == "project/record_input":
            self.written = given
        return await self._store.write(query, **given)


@dataclass(slots=True)
class Twins:
    """A shadow of the measured conversation, for the bare writes: the same active entities under other ids."""

    known: set[str] = field(default_factory=set)

    def parameters(self, written: Mapping[str, Any]) -> dict[str, object]:
        """Return what writes as much as the projection did."""
        rows = [*written["entities"], *written["unbound"], *written["opened"]]
        links = []
        for row in rows:
            runtime_id = f"twin-{row['liveKey'] or row['runtimeId']}"
            links.append({**row, "runtimeId": runtime_id, "new": runtime_id not in self.known})
            self.known.add(runtime_id)
        evidence = {**written["evidence"], "uuid": f"twin-{written['evidence']['uuid']}"}
        evidence["hash"] = f"twin-{evidence['hash']}"
        return {
            "space": written["space"],
            "conversation": f"twin of {written['conversation']}",
            "at": written["at"],
            "links": links,
            "evidence": evidence,
        }


class Stopwatch:
    """Milliseconds by what took them."""

    def __init__(self) -> None:
        self.took: defaultdict[str, list[float]] = defaultdict(list)
        self.queries: defaultdict[str, list[float]] = defaultdict(list)
        """Time spent waiting for the database, by query."""

    async def time(self, name: str, work: Awaitable[Any]) -> None:
        started = time.perf_counter()
        await work
        self.took[name].append((time.perf_counter() - started) * 1000)

    def observe(self, query: str, seconds: float) -> None:
        self.queries[query].append(seconds * 1000)


class Bench:
    """Recall, projection and their floors in one space, input by input."""

    def __init__(self, store: Store, space: str, texts: Iterator[str]) -> None:
        self._store = store
        self._space = space
        self._texts = texts
        self._embedder = RandomVectors(VECTORS.model, VECTORS.dimensions)
        self._settings = RecallSettings()
        self._pipeline = RecallPipeline(store, self._embedder, self._settings)
        self._watched = Watched(store)
        pipeline = RecallPipeline(self._watched, self._embedder, self._settings)  # type: ignore[arg-type]
        self._projector = Projector(self._watched, pipeline, LifecycleSettings())  # type: ignore[arg-type]
        self._twins = Twins()
        self._turn = 0

    async def turn(self, watch: Stopwatch) -> None:
        """Measure everything once for the next input, in an order that moves on with every turn."""
        self._turn += 1
        text = next(self._texts)
        at = START + timedelta(seconds=self._turn)
        conversation = f"conversation {self._turn // INPUTS}"
        question = Question(text, self._space, conversation, at)
        vector = await self._embedder.embed_query(text)
        asked = parameters(read(question), vector, self._settings.limits, self._settings.time_to_live)
        reads: list[tuple[str, Callable[[], Awaitable[Any]]]] = [
            ("recall", lambda: self._pipeline.recall(question)),
            ("return1", lambda: self._store.read(RETURN_1)),
            ("text", lambda: self._store.read(TEXT, **_only(TEXT, asked))),
            ("vector", lambda: self._store.read(VECTOR, **_only(VECTOR, asked))),
            ("calls", lambda: self._store.read(CALLS, **_only(CALLS, asked))),
        ]
        given = Input(text, self._space, conversation, EvidenceSource.USER_INPUT, at)
        for place in range(len(reads)):
            name, work = reads[(place + self._turn) % len(reads)]
            await watch.time(name, work())
        self._watched.written = {}
        await watch.time("project", self._projector.project(given))
        if self._watched.written:
            await watch.time("write", self._store.write(WRITE, **self._twins.parameters(self._watched.written)))


def _only(query: Query, asked: Mapping[str, object]) -> dict[str, object]:
    return {name: asked[name] for name in query.parameters}


async def measure(store: Store, space: str, size: int, given: argparse.Namespace) -> dict[str, float]:
    """Fill a space with `size` entities, warm the server up with it, and measure."""
    world = World()
    people = world.people(size)
    with bench.progress_bar() as bar:
        task = bar.add_task(f"{size} entities", total=size)
        await import_entities(
            store,
            RandomVectors(VECTORS.model, VECTORS.dimensions),
            lambda: START,
            [json.dumps(person.line).encode() for person in people],
            space=space,
            progress=lambda done: bar.update(task, completed=done.lines),
        )
    turns = Bench(store, space, world.inputs(people))
    watch = Stopwatch()
    with bench.progress_bar() as bar:
        task = bar.add_task("warming up", total=given.warm_up)
        for _ in range(given.warm_up):
            await turns.turn(Stopwatch())
            bar.advance(task)
        task = bar.add_task("measuring", total=given.rounds)
        store.observers.append(watch.observe)
        # A collection of Python's would fall into whatever is being timed.
        gc.collect()
        gc.freeze()
        for _ in range(given.rounds):
            await turns.turn(watch)
            bar.advance(task)
        store.observers.remove(watch.observe)
    return figures_of(watch)


def figures_of(watch: Stopwatch) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, took in watch.took.items():
        label = name if name in {"recall", "project"} else f"floor_{name}"
        for percent in PERCENTS:
            figures[f"{label}_p{percent}_ms"] = bench.percentile(took, percent / 100)
    for query in ("recall/collect_signals", "project/record_input", "project/expire_actives"):
        figures[f"{query.partition('/')[2]}_p50_ms"] = bench.percentile(watch.queries[query], 0.5)
    for percent in (10, 50):
        recall, calls = figures[f"recall_p{percent}_ms"], figures[f"floor_calls_p{percent}_ms"]
        return1, write = figures[f"floor_return1_p{percent}_ms"], figures[f"floor_write_p{percent}_ms"]
        figures[f"recall_in_floors_p{percent}"] = recall / calls
        figures[f"project_in_allowed_p{percent}"] = figures[f"project_p{percent}_ms"] / (recall + 2 * return1 + write)
    return figures


def options() -> argparse.Namespace:
    parser = bench.arguments(__doc__)
    parser.add_argument("--sizes", default="1000,10000", metavar="A,B", help="entities, 3 statements each")
    parser.add_argument("--rounds", type=int, default=400, metavar="N", help="measured inputs of each size")
    parser.add_argument("--warm-up", type=int, default=800, metavar="N", help="inputs before: the server compiles")
    return parser.parse_args()


async def main() -> None:
    given = options()
    report: dict[str, Any] = {"sizes": {}, "vectors": "random", "rounds": given.rounds, "machine": bench.machine()}
    async with bench.opened("latency", VECTORS) as (store, spaces):
        for size in map(int, given.sizes.split(",")):
            space = spaces.claim()
            report["sizes"][str(size)] = await measure(store, space, size, given)
            await spaces.wipe(space)
    show(report["sizes"])
    bench.write_json(given.json, report)


def show(sizes: Mapping[str, Mapping[str, float]]) -> None:
    table = Table("p50, ms", *sizes)
    names = ("return1", "text", "vector", "calls", "write")
    for key in ("recall_p50_ms", "project_p50_ms", *(f"floor_{name}_p50_ms" for name in names)):
        table.add_row(key.removesuffix("_p50_ms"), *(f"{figures[key]:.2f}" for figures in sizes.values()))
    table.add_section()
    for key in (key for key in next(iter(sizes.values())) if "_in_" in key):
        table.add_row(key, *(f"{figures[key]:.2f}" for figures in sizes.values()))
    bench.console.print(table)


if __name__ == "__main__":
    bench.run(main)
