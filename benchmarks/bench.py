"""What every benchmark stands on: a database, spaces that are gone afterwards, the data, figures as a file.

The server is the managed one in the user's data folder, or that of NEO4J_URI, NEO4J_USER and NEO4J_PASSWORD.
"""

import argparse
import asyncio
import itertools
import json
import os
import platform
import signal
import statistics
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import cypher
from graph.neo4j_server import ManagedServer, default_home
from graph.ports import Embedder, Vector
from graph.schema import VectorSpace, prepare
from graph.store import Connection, Store

DATA: Final = Path(__file__).parents[2] / "shared" / "data"
"""Where the evaluation data lies unless told otherwise: next to the checkout, for it may not be part of it."""
WIPED_AT_ONCE: Final = 1_000
"""Nodes of one deleting transaction; statements carry vectors, and a transaction is kept in memory."""

console = Console(stderr=True, width=None if sys.stderr.isatty() else 120)

_WIPE: Final = cypher.parse(
    "benchmarks/wipe_space",
    """\
// Delete some nodes of some spaces, whatever they are.
//
// Access: write
// Parameters:
//   spaces: names of the spaces
//   limit: how many at most
// Columns:
//   deleted: how many there were
CYPHER 25
CALL () {
  MATCH (node:Evidence) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:ActiveEntity) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:Impression) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:Feature) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:Entity) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:Alias) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:Term) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:UpdateStep) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:Observation) WHERE node.space IN $spaces RETURN node LIMIT $limit
  UNION ALL
  MATCH (node:UpdateRun) WHERE node.space IN $spaces RETURN node LIMIT $limit
}
WITH node LIMIT $limit
DETACH DELETE node
RETURN count(*) AS deleted
""",
)


class Spaces:
    """The spaces one run has made."""

    def __init__(self, store: Store, script: str) -> None:
        self._store = store
        self._prefix = f"bench-{script}-{uuid.uuid4().hex[:8]}"
        self._numbers = itertools.count(1)
        self._claimed: list[str] = []

    def claim(self) -> str:
        """Return the name of a space nobody uses, which will be wiped when the run ends, however it ends."""
        space = f"{self._prefix}-{next(self._numbers)}"
        self._claimed.append(space)
        return space

    async def wipe(self, *spaces: str) -> None:
        """Delete all that some spaces hold, in steps the server can take."""
        while (await self._store.write(_WIPE, spaces=spaces, limit=WIPED_AT_ONCE)).one()["deleted"]:
            pass
        self._claimed = [space for space in self._claimed if space not in spaces]

    async def wipe_all(self) -> None:
        if self._claimed:
            console.print(f"[dim]clearing up {len(self._claimed)} space(s)[/dim]")
            await self.wipe(*self._claimed)


@asynccontextmanager
async def opened(script: str, vectors: VectorSpace) -> AsyncIterator[tuple[Store, Spaces]]:
    """Give a store whose schema stands, and spaces; the spaces are wiped also when the run is interrupted."""
    server = None if "NEO4J_URI" in os.environ else ManagedServer(default_home())
    try:
        store = await Store.connect(await _connection(server))
        try:
            await prepare(store, vectors)
            spaces = Spaces(store, script)
            try:
                yield store, spaces
            finally:
                await spaces.wipe_all()
        finally:
            await store.close()
    finally:
        if server:
            await server.detach()


async def _connection(server: ManagedServer | None) -> Connection:
    if server:
        address = await server.attach()
        return Connection(address.bolt_uri, address.user, address.password, time_limit=60.0)
    return Connection(
        os.environ["NEO4J_URI"],
        os.environ.get("NEO4J_USER", "neo4j"),
        os.environ["NEO4J_PASSWORD"],
        os.environ.get("NEO4J_DATABASE"),
        time_limit=60.0,
    )


class KnownVectors:
    """An embedder that answers from what was embedded before, so that a timed recall does not include the model."""

    local: Final = True

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self.name = embedder.name
        self.dimensions = embedder.dimensions

    async def learn(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        # All at once, so that the model works in whole batches.
        vectors = await asyncio.gather(*(self._embedder.embed_query(text) for text in new))
        self._known.update(zip(new, vectors, strict=True))

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return await self._embedder.embed(texts)

    async def embed_query(self, text: str) -> Vector:
        return self._known[text]


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return the options every script has."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the evaluation data (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to this file")
    return parser


def run(main: Callable[[], Awaitable[None]]) -> None:
    """Run a script; Ctrl-C and SIGTERM end it in order, its spaces wiped."""

    async def ended_in_order() -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        await main()

    try:
        asyncio.run(ended_in_order())
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except asyncio.CancelledError:
        sys.exit(128 + signal.SIGTERM)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the JSON documents of a file, one a line."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def importable(entity: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entity of the data without its labels, which say nothing of it."""
    return {key: entity.get(key) or [] for key in ("subject", "aliases", "impressions", "features", "relations")}


def write_json(path: Path | None, figures: dict[str, Any]) -> None:
    if path:
        path.write_text(json.dumps(figures, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        console.print(f"figures in {path}")


def machine() -> dict[str, Any]:
    """Say on what the figures were measured."""
    return {
        "cores": os.cpu_count(),
        "load_1min": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def progress_bar() -> Progress:
    columns = (TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of the values lies; 0.0 where there are none."""
    if not values:
        return 0.0
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else 0.0
