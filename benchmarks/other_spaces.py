"""Whether what is stored in other spaces changes a space's answers.

One space is asked, others are loaded beside it, and it is asked the same again. Scores of what is found both times must
not move at all: document frequencies are those of the space. What may change is which statements the full-text index
hands over first, since its own ranking counts all spaces: the figures say how many candidates were lost by that.

    .venv/bin/python benchmarks/other_spaces.py --json other_spaces.json
"""

import argparse
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from resolvers.recall.pipeline import RecallPipeline, RecallSettings
from resolvers.recall.values import Channel
from resolvers.transfer.importing import import_entities

AT: Final = datetime(2026, 9, 1, 12, tzinfo=UTC)
ALL_MATCHES: Final = 1_000
SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Seen:
    """What one query found."""

    scores: Mapping[str, float]
    """Of every target, also unattached ones."""
    candidates: frozenset[str]
    """Targets found by words or meaning; a name finds its bearers whatever else is stored."""
    first: tuple[str, ...]
    """The first five, best first."""
    attached: frozenset[str]
    recalled: float
    """R@5."""


async def ask(pipeline: RecallPipeline, space: str, queries: Sequence[Mapping[str, Any]]) -> list[Seen]:
    seen = []
    for query in queries:
        recall = await pipeline.recall(Question(query["text"], space, "default", AT, limit=ALL_MATCHES))
        relevant = set(map(identity_key, query["relevant"]))
        first = recall.matches[:5]
        found = {identity_key(match.subject or "") for match in first}
        seen.append(
            Seen(
                scores={match.target.id: match.score for match in recall.matches},
                candidates=frozenset(
                    match.target.id
                    for match in recall.matches
                    if any(signal.channel in {Channel.TEXT, Channel.VECTOR} for signal in match.signals)
                ),
                first=tuple(match.target.id for match in first),
                attached=frozenset(match.target.id for match in recall.matches if match.attached),
                recalled=len(relevant & found) / min(5, len(relevant)),
            )
        )
    return seen


def compare(before: Sequence[Seen], after: Sequence[Seen]) -> dict[str, Any]:
    """Say what has changed between two askings of the same queries."""
    pairs = list(zip(before, after, strict=True))
    common = [
        (one.scores[each], other.scores[each]) for one, other in pairs for each in one.scores & other.scores.keys()
    ]
    lost = sum(len(one.candidates - other.candidates) for one, other in pairs)
    return {
        "queries": len(pairs),
        "scores_compared": len(common),
        "scores_moved": sum(one != other for one, other in common),
        "largest_move": max((abs(one - other) for one, other in common), default=0.0),
        "candidates": sum(len(one.candidates) for one in before),
        "candidates_lost": lost,
        "best_lost": max(
            (one.scores[each] for one, other in pairs for each in one.candidates - other.candidates), default=0.0
        ),
        "first_five_changed": sum(one.first != other.first for one, other in pairs),
        "attached_changed": sum(one.attached != other.attached for one, other in pairs),
        "R@5_before": bench.mean([one.recalled for one in before]),
        "R@5_after": bench.mean([one.recalled for one in after]),
    }


def read_others(data: Path, chosen: str) -> dict[str, list[dict[str, Any]]]:
    """Read what is loaded beside: pools of other sets, and graphs without their relations, which no text finds."""
    others: dict[str, list[dict[str, Any]]] = {}
    for name in chosen.split(","):
        pool, graph = data / "recall" / f"{name}.jsonl", data / "graphs" / f"{name}.jsonl"
        if pool.is_file():
            others[name] = [entity for read in bench.read_lines(pool) for entity in read["entities"]]
        elif graph.is_file():
            others[name] = [{**entity, "relations": []} for entity in bench.read_lines(graph)]
        else:
            raise SystemExit(f"{name!r} is neither a set in {pool.parent} nor a graph in {graph.parent}")
    return others


async def fill(
    store: Store, embedder: bench.KnownVectors, space: str, name: str, entities: Sequence[Mapping[str, Any]]
) -> None:
    with bench.progress_bar() as bar:
        task = bar.add_task(name, total=len(entities))
        await import_entities(
            store,
            embedder,
            lambda: AT,
            [json.dumps(bench.importable(entity)).encode() for entity in entities],
            space=space,
            progress=lambda done: bar.update(task, completed=done.lines),
        )


def options() -> argparse.Namespace:
    parser = bench.arguments(__doc__)
    parser.add_argument("--set", default="ckbqa_zh", help="the set that is asked (default: %(default)s)")
    parser.add_argument("--beside", default="nlpcc_kbqa_zh,marvel_bimodal_en", metavar="A,B", help="sets or graphs")
    parser.add_argument("--limit-queries", type=int, default=300, metavar="N", help="queries, sampled")
    return parser.parse_args()


async def main() -> None:
    given = options()
    pool = bench.read_lines(given.data / "recall" / f"{given.set}.jsonl")[0]
    queries = random.Random(SEED).sample(pool["queries"], min(given.limit_queries, len(pool["queries"])))  # noqa: S311
    others = read_others(given.data, given.beside)
    model = await SentenceTransformerEmbedder.load()
    embedder = bench.KnownVectors(model)
    await embedder.learn(query["text"] for query in queries)
    machine = bench.machine()
    async with bench.opened("others", VectorSpace(model.name, model.dimensions)) as (store, spaces):
        pipeline = RecallPipeline(store, embedder, RecallSettings())
        space = spaces.claim()
        await fill(store, embedder, space, given.set, pool["entities"])
        alone = await ask(pipeline, space, queries)
        again = await ask(pipeline, space, queries)
        for name, entities in others.items():
            await fill(store, embedder, spaces.claim(), name, entities)
        beside = await ask(pipeline, space, queries)
    await model.close()
    report = {
        "set": given.set,
        "beside": {name: len(entities) for name, entities in others.items()},
        "asked_again": compare(alone, again),
        "asked_beside": compare(alone, beside),
        "machine": machine,
    }
    show(report)
    bench.write_json(given.json, report)


def show(report: Mapping[str, Any]) -> None:
    table = Table(f"{report['set']}, asked", "again", f"beside {', '.join(report['beside'])}")
    for key, value in report["asked_again"].items():
        other = report["asked_beside"][key]
        table.add_row(key, f"{value:.4g}", f"{other:.4g}")
    bench.console.print(table)


if __name__ == "__main__":
    bench.run(main)
