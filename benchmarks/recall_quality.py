"""How well recall ranks the right entities, and how rarely it attaches a text that is about nobody.

Each pool of `DATA/recall` is loaded into a space of its own, with the default embedding model, and asked its queries.
R@k = relevant among the first k subjects / min(k, relevant). The scores also say what other thresholds would attach:
of the positives, of the given negatives, and of queries borrowed from other sets of the same language.

    .venv/bin/python benchmarks/recall_quality.py --json recall.json
"""

import argparse
import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import bench
from rich.table import Table

from graph.embedding import SentenceTransformerEmbedder
from graph.names import identity_key
from graph.schema import VectorSpace
from graph.store import Store
from resolvers.recall.asking import Question
from resolvers.recall.attach import AttachSettings
from resolvers.recall.pipeline import RecallPipeline, RecallSettings
from resolvers.recall.values import Match, Recall, TargetType
from resolvers.transfer.importing import import_entities

DEPTH: Final = 10
QUALITY: Final = ("R@1", "R@5", "R@10", "MRR@10", "nDCG@10")
THRESHOLDS: Final = (0.15, 0.18, 0.20, 0.23, 0.26, 0.30, 0.35)
SEED: Final = 7
AT: Final = datetime(2026, 9, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Pool:
    """Entities, and queries whose answers are among them."""

    set_name: str
    id: str
    lang: str
    entities: list[dict[str, Any]]
    queries: list[dict[str, Any]]

    @property
    def family(self) -> str:
        """Sets made from the same source share people and events: their queries are no negatives for each other."""
        return self.set_name.partition("_")[0]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one query."""

    relevant: frozenset[str]
    ranked: tuple[str, ...]
    """Keys of distinct subjects, best first."""
    attached: frozenset[str]
    score: float
    """Of the best match."""
    direct: bool
    """Whether the text holds the name of an entity."""
    channels: tuple[str, ...]
    """Of the relevant among the first ten, that which contributed most."""
    took_ms: float


@dataclass(slots=True)
class SetResult:
    """All answers of a set."""

    answers: list[Answer] = field(default_factory=list)
    pools: int = 0
    entities: int = 0
    statements: int = 0
    refused: int = 0
    import_seconds: float = 0.0


class Run:
    """One run over all sets, pool by pool."""

    def __init__(self, store: Store, spaces: bench.Spaces, embedder: bench.KnownVectors) -> None:
        self.sets: dict[str, SetResult] = {}
        self.given: list[Answer] = []
        self.borrowed: dict[str, list[Answer]] = {}
        """By the pair of sets, asked and borrowed from."""
        self._store = store
        self._spaces = spaces
        self._embedder = embedder
        self._pipeline = RecallPipeline(store, embedder, RecallSettings())

    async def take(self, pool: Pool, negatives: Sequence[str], borrowed: Mapping[str, Sequence[str]]) -> None:
        """Load a pool, ask everything, and let it go again."""
        result = self.sets.setdefault(pool.set_name, SetResult())
        space = self._spaces.claim()
        started = time.perf_counter()
        report = await import_entities(self._store, self._embedder, lambda: AT, lines(pool.entities), space=space)
        result.import_seconds += time.perf_counter() - started
        result.pools += 1
        result.entities += report.entities_created
        result.statements += report.statements
        result.refused += report.refused_count
        await self._embedder.learn(
            [
                *(query["text"] for query in pool.queries),
                *negatives,
                *(text for texts in borrowed.values() for text in texts),
            ]
        )
        with bench.progress_bar() as bar:
            task = bar.add_task(f"{pool.set_name} {pool.id[-12:]}", total=len(pool.queries))
            for query in pool.queries:
                result.answers.append(await self._ask(space, query["text"], query["relevant"]))
                bar.advance(task)
        self.given += [await self._ask(space, text, ()) for text in negatives]
        for source, texts in borrowed.items():
            asked = self.borrowed.setdefault(f"{pool.set_name} <- {source}", [])
            asked += [await self._ask(space, text, ()) for text in texts]
        await self._spaces.wipe(space)

    async def _ask(self, space: str, text: str, relevant: Iterable[str]) -> Answer:
        recall = await self._pipeline.recall(Question(text, space, "default", AT, limit=DEPTH))
        return answer(recall, frozenset(map(identity_key, relevant)))


def answer(recall: Recall, relevant: frozenset[str]) -> Answer:
    ranked: dict[str, Match] = {}
    for match in recall.matches:
        if match.target.type is TargetType.ENTITY and match.subject is not None:
            ranked.setdefault(identity_key(match.subject), match)
    first = dict(list(ranked.items())[:DEPTH])
    return Answer(
        relevant=relevant,
        ranked=tuple(first),
        attached=frozenset(identity_key(match.subject or "") for match in recall.matches if match.attached),
        score=max((match.score for match in recall.matches), default=0.0),
        direct=any(signal.direct for match in recall.matches for signal in match.signals),
        channels=tuple(match.signals[0].channel for key, match in first.items() if key in relevant),
        took_ms=recall.took_ms,
    )


def lines(entities: Iterable[Mapping[str, Any]]) -> list[bytes]:
    """Return entities as an import reads them."""
    return [json.dumps(bench.importable(entity)).encode() for entity in entities]


def recall_at(answered: Answer, depth: int) -> float:
    return len(answered.relevant & set(answered.ranked[:depth])) / min(depth, len(answered.relevant))


def reciprocal_rank(answered: Answer) -> float:
    return next((1 / rank for rank, key in enumerate(answered.ranked, start=1) if key in answered.relevant), 0.0)


def gain(answered: Answer) -> float:
    """Return the normalised discounted cumulative gain of the first ten."""
    places = enumerate(answered.ranked, start=1)
    gained = sum(1 / math.log2(rank + 1) for rank, key in places if key in answered.relevant)
    return gained / sum(1 / math.log2(rank + 1) for rank in range(1, min(DEPTH, len(answered.relevant)) + 1))


def figures_of(result: SetResult) -> dict[str, Any]:
    answers = result.answers
    mix = Counter(channel for each in answers for channel in each.channels)
    took = [each.took_ms for each in answers]
    return {
        "queries": len(answers),
        "R@1": bench.mean([recall_at(each, 1) for each in answers]),
        "R@5": bench.mean([recall_at(each, 5) for each in answers]),
        "R@10": bench.mean([recall_at(each, 10) for each in answers]),
        "MRR@10": bench.mean([reciprocal_rank(each) for each in answers]),
        "nDCG@10": bench.mean([gain(each) for each in answers]),
        "attached": bench.mean([bool(each.attached) for each in answers]),
        "attached_relevant": bench.mean([bool(each.attached & each.relevant) for each in answers]),
        "attached_at": rates(answers),
        "source_mix": {channel: count / mix.total() for channel, count in mix.most_common()},
        "latency_p50_ms": bench.percentile(took, 0.5),
        "latency_p95_ms": bench.percentile(took, 0.95),
        "pools": result.pools,
        "entities": result.entities,
        "statements": result.statements,
        "refused_lines": result.refused,
        "import_seconds": result.import_seconds,
    }


def rates(answers: Sequence[Answer]) -> dict[str, float]:
    """Return which share of the answers would be attached at other thresholds."""
    return {f"{threshold:.2f}": bench.mean([each.score >= threshold for each in answers]) for threshold in THRESHOLDS}


def borrowed_figures(borrowed: Mapping[str, list[Answer]]) -> dict[str, Any]:
    """Judge borrowed queries; those that hold a name of the pool are about somebody in it, so they stand apart."""
    asked = [each for answers in borrowed.values() for each in answers]
    nameless = {pair: [each for each in answers if not each.direct] for pair, answers in borrowed.items()}
    counted = [answers for answers in nameless.values() if answers]
    attached = [bench.mean([bool(each.attached) for each in some]) for some in counted]
    return {
        "queries": len(asked),
        "attached": sum(bool(each.attached) for each in asked),
        "naming_somebody": sum(each.direct for each in asked),
        "rate_without_names": bench.mean(attached),
        "attached_at_without_names": {
            f"{threshold:.2f}": bench.mean([bench.mean([each.score >= threshold for each in some]) for some in counted])
            for threshold in THRESHOLDS
        },
        "pairs": {
            pair: {
                "queries": len(answers),
                "attached": sum(bool(each.attached) for each in answers),
                "naming_somebody": sum(each.direct for each in answers),
            }
            for pair, answers in sorted(borrowed.items())
        },
    }


def read_pools(folder: Path, names: Sequence[str] | None, most_queries: int | None) -> list[Pool]:
    """Read the chosen sets, their queries cut to a sample that is the same every time.

    Raises:
        SystemExit: a set is not there.
    """
    found = {path.stem: path for path in sorted(folder.glob("*.jsonl")) if path.stem != "negatives"}
    if unknown := set(names or ()) - set(found):
        raise SystemExit(f"no such set: {', '.join(sorted(unknown))}; in {folder} are {', '.join(found) or 'none'}")
    pools = []
    for name in names or found:
        read = bench.read_lines(found[name])
        asked = [(place, query["text"]) for place, pool in enumerate(read) for query in pool["queries"]]
        kept = sample(asked, most_queries)
        for place, pool in enumerate(read):
            queries = [query for query in pool["queries"] if (place, query["text"]) in kept]
            pools.append(Pool(name, pool["id"], pool["lang"], pool["entities"], queries))
    return pools


def sample(keys: Sequence[tuple[int, str]], most: int | None) -> frozenset[tuple[int, str]]:
    if most is None or len(keys) <= most:
        return frozenset(keys)
    return frozenset(random.Random(SEED).sample(sorted(keys), most))  # noqa: S311 -- the same sample every time


def borrow(pools: Sequence[Pool], wanted: int) -> dict[str, dict[str, list[str]]]:
    """Choose queries of other sets of the same language for one pool of each set, as many for each pair of sets."""
    first = {pool.set_name: pool for pool in reversed(pools)}
    asked: dict[str, list[str]] = {}
    for pool in pools:
        asked.setdefault(pool.set_name, []).extend(query["text"] for query in pool.queries)
    pairs = [
        (home, source)
        for home in first.values()
        for source in first.values()
        if home.lang == source.lang and home.family != source.family and asked[source.set_name]
    ]
    chosen: dict[str, dict[str, list[str]]] = {}
    for home, source in pairs:
        texts = sorted(set(asked[source.set_name]))
        # A seed of its own for each pair, so that leaving a set out does not change the others' samples.
        draw = random.Random(f"{SEED} {home.set_name} {source.set_name}")  # noqa: S311
        number = min(len(texts), math.ceil(wanted / len(pairs)))
        chosen.setdefault(home.id, {})[source.set_name] = draw.sample(texts, number)
    return chosen


def options() -> argparse.Namespace:
    parser = bench.arguments(__doc__)
    parser.add_argument("--sets", metavar="A,B", help="only these sets")
    parser.add_argument("--limit-queries", type=int, metavar="N", help="at most N queries of each set, sampled")
    parser.add_argument("--borrowed", type=int, default=300, metavar="N", help="queries of other sets, as negatives")
    return parser.parse_args()


async def main() -> None:
    given = options()
    folder = given.data / "recall"
    pools = read_pools(folder, given.sets.split(",") if given.sets else None, given.limit_queries)
    if not pools:
        raise SystemExit(f"no pools in {folder}")
    negatives: dict[tuple[str, str], list[str]] = {}
    path = folder / "negatives.jsonl"
    listed = bench.read_lines(path) if path.is_file() else []
    for negative in listed:
        negatives.setdefault((Path(negative["pool_file"]).stem, negative["pool_id"]), []).append(negative["text"])
    borrowed = borrow(pools, given.borrowed)
    model = await SentenceTransformerEmbedder.load()
    embedder = bench.KnownVectors(model)
    machine = bench.machine()
    async with bench.opened("recall", VectorSpace(model.name, model.dimensions)) as (store, spaces):
        run = Run(store, spaces, embedder)
        for pool in pools:
            await run.take(pool, negatives.get((pool.set_name, pool.id), ()), borrowed.get(pool.id, {}))
    await model.close()
    sets = {name: figures_of(result) for name, result in run.sets.items()}
    counted = [figures for figures in sets.values() if figures["queries"]]
    report = {
        "sets": sets,
        "macro": {column: bench.mean([each[column] for each in counted]) for column in QUALITY},
        "negatives": {
            "queries": len(run.given),
            "attached": sum(bool(each.attached) for each in run.given),
            "skipped": len(listed) - len(run.given),
            "attached_at": rates(run.given),
        },
        "borrowed": borrowed_figures(run.borrowed),
        "threshold": AttachSettings().threshold,
        "embedding_model": embedder.name,
        "machine": machine,
    }
    show(report)
    bench.write_json(given.json, report)


def show(report: Mapping[str, Any]) -> None:
    table = Table("set", "queries", *QUALITY, "attached", "p50 ms", "led by")
    for column in table.columns:
        column.no_wrap = True
    for name, each in report["sets"].items():
        led = ", ".join(f"{channel} {share:.0%}" for channel, share in list(each["source_mix"].items())[:2])
        table.add_row(
            name, str(each["queries"]), *(f"{each[column]:.3f}" for column in QUALITY), f"{each['attached']:.2f}",
            f"{each['latency_p50_ms']:.1f}", led,
        )  # fmt: skip
    table.add_section()
    table.add_row("macro", "", *(f"{report['macro'][column]:.3f}" for column in QUALITY))
    bench.console.print(table)
    given, borrowed = report["negatives"], report["borrowed"]
    bench.console.print(
        f"negatives: {given['attached']} of {given['queries']} attached, {given['skipped']} without their pool\n"
        f"borrowed: {borrowed['attached']} of {borrowed['queries']} attached; {borrowed['naming_somebody']} name "
        f"somebody of the pool, of the others {borrowed['rate_without_names']:.1%} attached"
    )


if __name__ == "__main__":
    bench.run(main)
