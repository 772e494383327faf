"""Whether what is stored in other spaces changes a space's answers.

One space is asked, others are loaded beside it, and it is asked the same again. A signal that is there both times must
not have moved at all: document frequencies are those of the space. What may change is which statements the indexes hand
over, since their own ranking counts all spaces: the figures say how many were lost by that, and what came of it.

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
from resolvers.recall.asking import Limits, Question
from resolvers.recall.pipeline import RecallPipeline, RecallSettings
from resolvers.recall.values import Channel, Signal
from resolvers.transfer.importing import import_entities

AT: Final = datetime(2026, 9, 1, 12, tzinfo=UTC)
ALL_MATCHES: Final = 1_000
SEED: Final = 7


Signals = Mapping[tuple[str, Channel, str], float]
"""Normalised values by target, channel and what was hit."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one query found."""

    signals: Signals
    scores: Mapping[str, float]
    """Of every target, also unattached ones."""
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
                signals={
                    (match.target.id, signal.channel, _hit(signal)): signal.normalised
                    for match in recall.matches
                    for signal in match.signals
                },
                scores={match.target.id: match.score for match in recall.matches},
                first=tuple(match.target.id for match in first),
                attached=frozenset(match.target.id for match in recall.matches if match.attached),
                recalled=len(relevant & found) / min(5, len(relevant)),
            )
        )
    return seen


def _hit(signal: Signal) -> str:
    if signal.vector_hit:
        return signal.vector_hit.statement_uuid
    return repr(signal.text_hit) if signal.text_hit else repr(signal.path)


def compare(before: Sequence[Seen], after: Sequence[Seen]) -> dict[str, Any]:
    """Say what has changed between two askings of the same queries."""
    pairs = list(zip(before, after, strict=True))
    moves = [
        abs(one.signals[key] - other.signals[key]) for one, other in pairs for key in one.signals & other.signals.keys()
    ]
    lost = [key for one, other in pairs for key in one.signals.keys() - other.signals.keys()]
    scores = [(score, other.scores.get(target, 0.0)) for one, other in pairs for target, score in one.scores.items()]
    return {
        "queries": len(pairs),
        "signals": len(moves) + len(lost),
        "largest_signal_move": max(moves, default=0.0),
        "text_signals_lost": sum(channel is Channel.TEXT for _, channel, _ in lost),
        "vector_signals_lost": sum(channel is Channel.VECTOR for _, channel, _ in lost),
        "other_signals_lost": sum(channel not in {Channel.TEXT, Channel.VECTOR} for _, channel, _ in lost),
        "scores": len(scores),
        "scores_moved": sum(one != other for one, other in scores),
        "largest_score_move": max((abs(one - other) for one, other in scores), default=0.0),
        "first_one_changed": sum(one.first[:1] != other.first[:1] for one, other in pairs),
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
    parser.add_argument("--wider", type=int, default=200, metavar="N", help="limits of a second asking")
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
        usual = RecallPipeline(store, embedder, RecallSettings())
        wider = RecallPipeline(store, embedder, RecallSettings(limits=Limits(texts=given.wider, vectors=given.wider)))
        space = spaces.claim()
        await fill(store, embedder, space, given.set, pool["entities"])
        before = [await ask(pipeline, space, queries) for pipeline in (usual, usual, wider)]
        for name, entities in others.items():
            await fill(store, embedder, spaces.claim(), name, entities)
        after = [await ask(pipeline, space, queries) for pipeline in (usual, wider)]
    await model.close()
    report = {
        "set": given.set,
        "beside": {name: len(entities) for name, entities in others.items()},
        "asked_again": compare(before[0], before[1]),
        "asked_beside": compare(before[0], after[0]),
        "asked_beside_wider": {"limit": given.wider, **compare(before[2], after[1])},
        "machine": machine,
    }
    show(report)
    bench.write_json(given.json, report)


def show(report: Mapping[str, Any]) -> None:
    wider = report["asked_beside_wider"]
    table = Table(f"{report['set']}, asked", "again", "beside others", f"beside, limits {wider['limit']}")
    for key, value in report["asked_again"].items():
        table.add_row(key, f"{value:.5g}", f"{report['asked_beside'][key]:.5g}", f"{wider[key]:.5g}")
    bench.console.print(table)


if __name__ == "__main__":
    bench.run(main)
