"""Kill the service, its Neo4j, or both, again and again under load, and see that nothing acknowledged is lost.

    .venv/bin/python benchmarks/kills.py --rounds 20

Each round serves from a folder of its own, sends a mixed load of projections, edits and handed-in observations, kills
at a random moment, starts again, sends what was not acknowledged once more under the same keys, and looks: everything
acknowledged is there, once; nothing is half there; no run stays open; `impressions doctor --deep` finds nothing.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
from rich.console import Console

import cypher
from graph.neo4j_home import Home, read_password
from graph.neo4j_server import ManagedServer
from graph.store import Connection, Store

IMPRESSIONS: Final = Path(sys.executable).with_name("impressions")
SPACE: Final = "kills"
WRITERS: Final = 6
START_SECONDS: Final = 180.0
SETTLE_SECONDS: Final = 60.0
"""Within so much every run that was interrupted is at its end, or waits for somebody."""
DOES: Final = "keeps bees behind the old mill"
VICTIMS: Final = ("service", "neo4j", "both", "stop")
"""`stop` is an orderly end, SIGTERM, under the same load."""

console = Console(stderr=True, width=None if sys.stderr.isatty() else 120)

_RUN: Final = (
    "__typename ... on UpdateRun { id status reason } ... on Conflict { message } ... on Unavailable { message }"
)
CREATE: Final = (
    f"mutation($i: CreateEntityInput!, $k: String) {{ it: createEntity(input: $i, idempotencyKey: $k) {{ {_RUN} }} }}"
)
SUBMIT: Final = (
    "mutation($p: [ObservationPlanInput!]!, $r: RollingInput, $s: String!, $k: String) {"
    f" it: submitObservations(plans: $p, rolling: $r, space: $s, idempotencyKey: $k) {{ {_RUN} }} }}"
)
PROJECT: Final = (
    "mutation($i: ProjectEntityInput!) { it: projectEntity(input: $i) { __typename "
    "... on Projection { evidence { content } } } }"
)


_KNOWN: Final = cypher.parse(
    "benchmarks/known",
    """\
// How many entities bear each subject of a space, and how many features they have.
//
// Access: read
// Parameters:
//   space: name of the space
// Columns:
//   name: the subject
//   entities: how many bear it
//   features: how many features they have together
MATCH (entity:Entity {space: $space})
RETURN entity.subject AS name, count(entity) AS entities, sum(COUNT { (entity)-[:HAS_FEATURE]->() }) AS features
""",
)
_SAID: Final = cypher.parse(
    "benchmarks/said",
    """\
// How often each text stands as evidence of an active entity, or of a statement.
//
// Access: read
// Parameters:
//   space: name of the space
// Columns:
//   content: the text
//   times: how many pieces of evidence it is
MATCH (evidence:Evidence {space: $space})
WHERE EXISTS { (evidence)<-[:HAS_EVIDENCE|SUPPORTED_BY]-() } AND evidence.conversation STARTS WITH 'talk-'
RETURN evidence.content AS content, count(evidence) AS times
""",
)
_OPEN: Final = cypher.parse(
    "benchmarks/open_runs",
    """\
// Runs that nobody has brought to an end.
//
// Access: read
// Parameters:
//   space: name of the space
// Columns:
//   run: id and status
MATCH (run:UpdateRun)
WHERE run.space = $space AND run.status IN ['OBSERVING', 'CONFIRMED', 'PREPARED']
RETURN run.runId + ' ' + run.status AS run
""",
)


@dataclass(frozen=True)
class Looked:
    """What the database holds."""

    known: dict[str, tuple[int, int]]
    """Entities and their features, by subject."""
    said: dict[str, int]
    """Pieces of evidence by text."""
    open_runs: tuple[str, ...]


@dataclass
class Memory:
    """What a client was told, and what it is still to hear of."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    """Kind of write by the one word that only it has brought into the memory."""
    asked: dict[str, tuple[str, str, dict[str, Any]]] = field(default_factory=dict)
    """Kind, document and variables by word, while there is no answer."""
    told: dict[str, str] = field(default_factory=dict)
    """The last answer by word, while it is no acknowledgement."""
    answers: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0


class Service:
    """`impressions serve` in a folder of its own."""

    def __init__(self, home: Path) -> None:
        self.env = {
            **os.environ,
            "IMPRESSIONS_HOME": str(home),
            "IMPRESSIONS_PORT": "0",
            "IMPRESSIONS_NEO4J_HEAP": "512m",
        }
        self.home = home
        self._log = (home.parent / "service.log").open("ab")
        self._process: asyncio.subprocess.Process | None = None
        self.url = ""

    async def start(self) -> float:
        """Start it, and return after how many seconds it was ready."""
        began = time.monotonic()
        self._process = await asyncio.create_subprocess_exec(
            IMPRESSIONS, "serve", "--json", env=self.env, stdout=asyncio.subprocess.PIPE, stderr=self._log
        )
        assert self._process.stdout is not None
        self.url = json.loads(await asyncio.wait_for(self._process.stdout.readline(), START_SECONDS))["graphql"]
        return time.monotonic() - began

    def kill(self, victim: str) -> None:
        if victim in {"neo4j", "both"}:
            for process in self._neo4j():
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        if victim in {"service", "both", "stop"} and self._process:
            self._process.send_signal(signal.SIGTERM if victim == "stop" else signal.SIGKILL)

    async def gone(self) -> None:
        """Wait until the process has ended."""
        if self._process:
            await self._process.wait()

    async def ready(self) -> None:
        """Wait until it says that it can serve."""
        async with httpx.AsyncClient(timeout=5) as http, asyncio.timeout(START_SECONDS):
            while True:
                with suppress(httpx.HTTPError):
                    if (await http.get(self.url.replace("/graphql", "/readyz"))).status_code == httpx.codes.OK:
                        return
                await asyncio.sleep(0.2)

    async def end(self) -> None:
        self.kill("stop")
        await self.gone()
        await self._told("neo4j", "stop", "--force")
        self._log.close()

    async def doctor(self) -> list[str]:
        """Return what `doctor --deep` finds wrong."""
        checks = json.loads(await self._told("doctor", "--deep", "--json"))["checks"]
        return [f"{each['name']}: {each['found']}" for each in checks if each["verdict"] == "WRONG"]

    async def look(self) -> Looked:
        """Read from the database itself what the space holds."""
        status = await ManagedServer(self.home).status()
        store = await Store.connect(Connection(str(status.bolt_uri), "neo4j", read_password(Home(self.home)) or ""))
        try:
            known = {row["name"]: (row["entities"], row["features"]) for row in await store.read(_KNOWN, space=SPACE)}
            said = {row["content"]: row["times"] for row in await store.read(_SAID, space=SPACE)}
            runs = tuple(row["run"] for row in await store.read(_OPEN, space=SPACE))
        finally:
            await store.close()
        return Looked(known, said, runs)

    async def _told(self, *words: str) -> str:
        process = await asyncio.create_subprocess_exec(
            IMPRESSIONS, *words, env=self.env, stdout=asyncio.subprocess.PIPE, stderr=self._log
        )
        return (await process.communicate())[0].decode()

    def _neo4j(self) -> list[psutil.Process]:
        return [
            each
            for each in psutil.process_iter(["cmdline"])
            if any(f"--home-dir={self.home}" in word for word in each.info["cmdline"] or [])
        ]


def _chance(seed: float) -> random.Random:
    return random.Random(seed)  # noqa: S311 -- makes rounds differ, keeps no secret


def made_up(word: str, chance: random.Random) -> tuple[str, str, dict[str, Any]]:
    """Return a write that brings this word into the memory: its kind, document and variables."""
    name = f"Person {word}"
    said = f"{name} {DOES}"
    kind = chance.choice(("create", "submit", "submit", "project"))
    if kind == "create":
        return kind, CREATE, {"i": {"subject": name, "space": SPACE}, "k": word}
    if kind == "project":
        given = {"text": said, "space": SPACE, "conversation": f"talk-{chance.randrange(4)}", "mentions": [name]}
        return kind, PROJECT, {"i": given}
    seen = {
        "proposedSubject": name,
        "evidenceSnippets": [said],
        "features": [{"text": "keeps bees", "confidence": 0.9}],
    }
    rolling = {"summary": said, "conversation": "rolled", "messages": [{"role": "user", "text": said}]}
    return kind, SUBMIT, {"p": [{"observations": [seen]}], "r": rolling, "s": SPACE, "k": word}


async def send(http: httpx.AsyncClient, url: str, word: str, memory: Memory) -> None:
    """Send one write and note what was answered."""
    kind, document, variables = memory.asked[word]
    began = time.monotonic()
    try:
        answer = (await http.post(url, json={"query": document, "variables": variables})).json()
    except (httpx.HTTPError, json.JSONDecodeError) as error:
        memory.answers[type(error).__name__] += 1
        return
    finally:
        memory.slowest = max(memory.slowest, time.monotonic() - began)
    it = (answer.get("data") or {}).get("it") or {}
    done = it.get("status") == "APPLIED" or (it.get("__typename") == "Projection" and it.get("evidence"))
    codes = [error.get("extensions", {}).get("code", "?") for error in answer.get("errors", ())]
    memory.answers[f"{kind}: {it.get('status') or it.get('__typename') or ','.join(codes)}"] += 1
    memory.told[word] = json.dumps(answer)[:300]
    if done:
        del memory.asked[word], memory.told[word]
        memory.acknowledged[word] = kind


async def load(url: str, memory: Memory, chance: random.Random, stop: asyncio.Event) -> None:
    """Send writes one after the other until told to stop."""
    async with httpx.AsyncClient(timeout=60) as http:
        while not stop.is_set():
            word = f"{chance.getrandbits(40):010x}"
            memory.asked[word] = made_up(word, chance)
            await send(http, url, word, memory)


async def again(url: str, memory: Memory) -> list[str]:
    """Send what was not acknowledged once more, until it is; return what is still not."""
    deadline = time.monotonic() + SETTLE_SECONDS
    async with httpx.AsyncClient(timeout=60) as http:
        while memory.asked and time.monotonic() < deadline:
            for word in [*memory.asked]:
                await send(http, url, word, memory)
            await asyncio.sleep(0.5 if memory.asked else 0)
    stuck = [
        f"{kind} {word} is never acknowledged: {memory.told.get(word)}" for word, (kind, *_) in memory.asked.items()
    ]
    memory.asked.clear()
    return stuck


async def faults(service: Service, memory: Memory) -> list[str]:
    """Return what of the acknowledged writes is lost or doubled, and which runs stay open."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while (looked := await service.look()).open_runs and time.monotonic() < deadline:  # noqa: ASYNC110 -- polled
        await asyncio.sleep(1)
    found = [f"run {run} stays open" for run in looked.open_runs]
    for word, kind in memory.acknowledged.items():
        name = f"Person {word}"
        if kind == "project":
            if (times := looked.said.get(f"{name} {DOES}", 0)) != 1:
                found.append(f"project {word}: {times} pieces of linked evidence")
        elif looked.known.get(name) != (1, int(kind == "submit")):
            found.append(f"{kind} {word}: (entities, features) are {looked.known.get(name)}")
    return found


async def one_round(service: Service, memory: Memory, victim: str, chance: random.Random) -> list[str]:
    """Load, kill, start again, send again, look."""
    stop = asyncio.Event()
    loading = [asyncio.create_task(load(service.url, memory, _chance(chance.random()), stop)) for _ in range(WRITERS)]
    await asyncio.sleep(chance.uniform(0.5, 4.0))
    service.kill(victim)
    if victim == "neo4j":
        await asyncio.sleep(1.0)
    else:
        await service.gone()
    stop.set()
    await asyncio.gather(*loading)
    if victim != "neo4j":
        await service.start()
    await service.ready()
    stuck = await again(service.url, memory)
    return [*stuck, *await faults(service, memory), *await service.doctor()]


async def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--seed", type=int, default=9)
    asked = options.parse_args()
    chance, memory, wrong = _chance(asked.seed), Memory(), 0
    with tempfile.TemporaryDirectory(prefix="impressions-kills-") as folder:
        service = Service(Path(folder) / "home")
        console.print(f"ready after {await service.start():.1f} s")
        try:
            for number in range(asked.rounds):
                victim = VICTIMS[number % len(VICTIMS)]
                began = time.monotonic()
                found = await one_round(service, memory, victim, chance)
                wrong += bool(found)
                told = "; ".join(found) or "nothing lost, doubled or stuck"
                console.print(
                    f"{number + 1:4} {victim:8} {len(memory.acknowledged):6} acknowledged  "
                    f"{time.monotonic() - began:5.1f} s  {told}"
                )
        finally:
            await service.end()
    print(json.dumps({
        "rounds": asked.rounds, "acknowledged": len(memory.acknowledged), "roundsWithFaults": wrong,
        "slowestAnswerSeconds": round(memory.slowest, 1), "answers": dict(memory.answers.most_common()),
    }, indent=1))  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
