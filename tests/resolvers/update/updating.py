"""A space whose memory is updated: its pipeline, what it is told, and looks at everything that stands in the graph."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from graph.store import Store
from graph.text import scope_token, scoped, search_terms
from graph.values import Entity, Statement
from resolvers.curate import Curator
from resolvers.project import Projection
from resolvers.reading import MOST_STATEMENTS, Reader
from resolvers.transfer.exporting import export_entities
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import Observer
from resolvers.update.pipeline import Outcome, UpdatePipeline, UpdateSettings
from resolvers.update.requests import Message, observation_plans
from resolvers.update.requests import rolling as checked_rolling
from resolvers.update.run_reading import RunReader
from resolvers.update.runs import ConfirmMode, Run, RunStatus
from resolvers.update.seen import Rolling
from tests.fakes import NOON
from tests.prepared import rows
from tests.resolvers.world import Row, World

AUDIT = ["UpdateRun", "UpdateStep", "Observation", "Superseded", "MergedEntity", "Term"]
"""Labels of what the service keeps about itself."""
ALIVE = timedelta(hours=72)


class Ticking:
    """Goes on by a second each time somebody looks."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def seen(subject: str, quote: str = "", **more: Any) -> Row:
    """Return an observation, each of its statements and relations resting on the quote.

    Args:
        subject: whom it is about.
        quote: what was said.
        more: `features`, `impressions`: texts; `relations`: relation by target; `aliases`, `sources`, `confidence`.
    """
    sure = more.pop("sure", 0.8)
    found = {
        "proposedSubject": subject,
        "aliases": list(more.pop("aliases", ())),
        "impressions": [{"text": t, "evidence": quote, "confidence": sure} for t in more.pop("impressions", ())],
        "features": [{"text": t, "evidence": quote, "confidence": sure} for t in more.pop("features", ())],
        "relations": [
            {"target": target, "relation": relation, "evidence": quote, "strength": sure}
            for target, relation in more.pop("relations", {}).items()
        ],
        "sourceActiveRuntimeIds": list(more.pop("sources", ())),
        "evidenceSnippets": [quote] if quote else [],
        "confidence": more.pop("confidence", 0.9),
        "reason": "",
    }
    assert not more, more
    return found


def plan_of(*observations: Row) -> ImpressionObservationPlan:
    plan = {"observations": list(observations), "status": "PREPARED", "reason": ""}
    return observation_plans([plan])[0]


def rolled(*messages: str | Message, conversation: str = "c", summary: str = "they talked") -> Rolling:
    told = [each if isinstance(each, Message) else Message("user", each) for each in messages]
    return checked_rolling(summary, told, now=NOON, conversation=conversation)


async def statements_of(reader: Reader, space: str, uuid: str) -> list[Statement]:
    """Return all impressions and features of an entity."""
    return [
        *(await reader.impressions(space, [uuid], MOST_STATEMENTS))[0],
        *(await reader.features(space, [uuid], MOST_STATEMENTS))[0],
    ]


@dataclass
class Updating:
    """One conversation of one space, and what updates its memory."""

    world: World
    clock: Ticking = field(default_factory=Ticking)
    observer: Observer | None = None
    settings: UpdateSettings = field(default_factory=UpdateSettings)

    def __post_init__(self) -> None:
        self.pipeline = self.another()
        self.runs = RunReader(self.store)
        self.reader = Reader(self.store, ALIVE)
        self.curator = Curator(self.reader, self.pipeline)

    @property
    def store(self) -> Store:
        return self.world.store

    @property
    def space(self) -> str:
        return self.world.space

    def another(self, store: Store | None = None) -> UpdatePipeline:
        """Return a pipeline of another process."""
        return UpdatePipeline(
            store or self.store, self.world.embedder, self.clock, settings=self.settings, observer=self.observer
        )

    async def project(self, text: str, **more: Any) -> Projection:
        return await self.world.project(text, **more)

    async def handed_in(
        self, *observations: Row, said: Sequence[str | Message] = (), conversation: str = "c", **more: Any
    ) -> Outcome:
        """Hand in one plan, with a rolling of what was said, or without one."""
        told = rolled(*said, conversation=conversation) if said else None
        return await self.pipeline.submit(self.space, conversation, [plan_of(*observations)], rolling=told, **more)

    async def submit(self, *observations: Row, said: Sequence[str | Message] = (), **more: Any) -> Run:
        return (await self.handed_in(*observations, said=said, **more)).run

    async def learn(self, subject: str, **more: Any) -> Run:
        """Land one observation whose quote is a message of its own."""
        quote = more.pop("quote", f"{subject} said hello to everybody")
        run = await self.submit(seen(subject, quote, **more), said=[quote])
        assert run.status is RunStatus.APPLIED, (run.status, run.violations, run.dropped)
        return run

    async def undo(self, run: Run) -> Run:
        return await self.pipeline.undo(self.space, run.id)

    async def confirm(self, run: Run) -> Run:
        return await self.pipeline.confirm(self.space, run.id)

    async def manual(self, *observations: Row, said: Sequence[str] = (), **more: Any) -> Run:
        return await self.submit(*observations, said=said, confirm=ConfirmMode.MANUAL, **more)

    async def entity(self, name: str) -> Entity:
        found = await self.reader.by_name(self.space, name)
        assert len(found) == 1, (name, found)
        return found[0]

    async def known(self, name: str) -> tuple[Entity, ...]:
        return await self.reader.by_name(self.space, name)

    async def statements(self, name: str) -> dict[str, float]:
        found = await statements_of(self.reader, self.space, (await self.entity(name)).uuid)
        return {each.text: each.confidence for each in found}

    async def names(self, name: str) -> set[str]:
        """Return the aliases of an entity, deprecated ones in brackets."""
        found = (await self.reader.aliases(self.space, [(await self.entity(name)).uuid], 100))[0]
        return {f"({each.text})" if each.deprecated else each.text for each in found}

    async def relations(self) -> set[tuple[str, str, str]]:
        found = await self.rows(
            """
            MATCH (a:Entity {space: $space})-[r:RELATES_TO]->(b)
            RETURN a.subject AS a, r.relation AS r, b.subject AS b
            """
        )
        return {(row["a"], row["r"], row["b"]) for row in found}

    async def rows(self, text: Any, **more: object) -> list[Row]:
        return await rows(self.store, text, space=self.space, **more)

    async def export(self) -> list[str]:
        return [line async for line in export_entities(self.store, space=self.space)]

    async def memory(self) -> Mapping[str, Any]:
        """Return all that stands in the space but what the service keeps about itself: nodes by id, links, counters.

        A revision only grows: it is left out.
        """
        nodes = await self.rows(
            """
            MATCH (n) WHERE n.space = $space AND none(label IN labels(n) WHERE label IN $audit)
            RETURN labels(n) AS labels, n { .*, revision: null } AS properties
            """,
            audit=AUDIT,
        )
        links = await self.rows(
            """
            MATCH (a)-[r]->(b)
            WHERE a.space = $space AND none(label IN labels(a) + labels(b) WHERE label IN $audit)
            RETURN coalesce(a.uuid, a.runtimeId, a.key) AS source, type(r) AS type, properties(r) AS properties,
              coalesce(b.uuid, b.runtimeId, b.key) AS target
            """,
            audit=AUDIT,
        )
        return {
            "nodes": sorted((_sorted(node) for node in nodes), key=str),
            "links": sorted((_sorted(link) for link in links), key=str),
            "terms": await self.counted(),
        }

    async def counted(self) -> dict[str, int]:
        """Return the space's term counters as they are kept."""
        found = await self.rows("MATCH (t:Term {space: $space}) RETURN t.key AS key, t.documents AS documents")
        return {row["key"]: row["documents"] for row in found if row["documents"]}

    async def recounted(self) -> dict[str, int]:
        """Return them as they should be: counted again from what stands."""
        texts = await self.rows(
            """
            MATCH (e:Entity {space: $space})-[k:KNOWN_AS]->() RETURN k.text AS text
            UNION ALL
            MATCH (e:Entity {space: $space})-[:HAS_IMPRESSION|HAS_FEATURE]->(s) RETURN s.text AS text
            UNION ALL
            MATCH (e:Entity {space: $space})-[r:RELATES_TO]->() RETURN r.relation AS text
            """
        )
        token = scope_token(self.space)
        counts: Counter[str] = Counter()
        for row in texts:
            counts.update({token, *scoped(search_terms(row["text"]), token).split()})
        return dict(counts)

    async def check(self) -> None:
        """Hold the graph against what must always be true of it."""
        assert await self.counted() == await self.recounted()
        twice = await self.rows(
            """
            MATCH (e:Entity {space: $space})-[:HAS_IMPRESSION|HAS_FEATURE]->(s)
            WITH e, labels(s) AS kind, s.key AS key, count(*) AS times WHERE times > 1 RETURN e.subject AS subject, key
            """
        )
        assert not twice
        without = await self.rows(
            """
            MATCH (s:Impression|Feature {space: $space})
            WHERE s.embedding IS NULL OR NOT EXISTS { (s)<-[:HAS_IMPRESSION|HAS_FEATURE]-(:Entity) }
            RETURN s.text AS text
            """
        )
        assert not without
        unsupported = await self.rows(
            """
            MATCH (s:Impression|Feature {space: $space}) WHERE COUNT { (s)-[:SUPPORTED_BY]->(:Evidence) } > s.support
            RETURN s.text AS text
            UNION ALL
            MATCH (:Entity {space: $space})-[r:RELATES_TO]->() UNWIND r.evidence AS uuid
            WITH r, uuid WHERE NOT EXISTS { (:Evidence {uuid: uuid}) } RETURN r.relation AS text
            """
        )
        assert not unsupported

    async def rolled(self) -> dict[str, bool]:
        """Return whether each evidence was rolled, by its text."""
        found = await self.rows(
            "MATCH (e:Evidence {space: $space}) RETURN e.content AS text, e.rolledIn IS NOT NULL AS rolled"
        )
        return {row["text"]: row["rolled"] for row in found}

    async def texts(self) -> str:
        """Return every text of the space, of nodes and relationships, in lower case."""
        found = await self.rows(
            """
            MATCH (n) WHERE n.space = $space UNWIND keys(n) AS key
            WITH n[key] AS value, key WHERE NOT key IN ['space', 'embedding'] RETURN value
            UNION ALL
            MATCH (n)-[r]->() WHERE n.space = $space UNWIND keys(r) AS key RETURN r[key] AS value
            """
        )
        return "\n".join(str(row["value"]) for row in found).lower()


def _sorted(row: Row) -> Row:
    return {key: _in_order(value) for key, value in sorted(row.items())}


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _in_order(each) for key, each in sorted(value.items()) if each is not None}
    if isinstance(value, list) and value and isinstance(value[0], str):
        return sorted(value)
    return value
