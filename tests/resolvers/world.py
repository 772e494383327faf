"""A space of its own to remember, recall and project in."""

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, LiteralString

from cypher import load
from graph.ports import Embedder
from graph.store import Store
from graph.values import EvidenceSource
from resolvers.lifetimes import LifecycleSettings
from resolvers.linking import Input
from resolvers.project import Projection, Projector
from resolvers.recall.asking import Question
from resolvers.recall.pipeline import RecallPipeline, RecallSettings
from resolvers.recall.values import Match, Recall, VectorPolicy
from resolvers.transfer.importing import import_entities
from tests.fakes import NOON, FixedClock
from tests.prepared import rows

Row = dict[str, Any]


@contextmanager
def round_trips(store: Store) -> Iterator[list[str]]:
    """Hear the names of the queries a store is asked."""
    heard: list[str] = []
    store.observers.append(told := lambda name, _: heard.append(name))
    try:
        yield heard
    finally:
        store.observers.remove(told)


async def roll(store: Store, *, space: str, evidence: Sequence[str], run: str, settings: LifecycleSettings) -> int:
    """Mark evidence as rolled, as the end of a run does; return how many pieces were."""
    done = await store.write(
        load("project/roll_evidence"),
        space=space,
        evidence=sorted(evidence),
        run=run,
        mostRolled=settings.most_rolled,
    )
    return int(done.one()["rolled"])


def entity(subject: str, **more: Any) -> Row:
    return {"subject": subject, **more}


async def load_rows(store: Store, embedder: Embedder, space: str, given: Sequence[Row]) -> dict[str, str]:
    """Import entities and return the uuids of the space's, by their subjects."""
    lines = [json.dumps(row).encode() for row in given]
    report = await import_entities(store, embedder, FixedClock(), lines, space=space)
    assert not report.refused, report.refused[:3]
    found = await rows(
        store, "MATCH (e:Entity) WHERE e.space = $space RETURN e.subject AS subject, e.uuid AS uuid", space=space
    )
    return {row["subject"]: row["uuid"] for row in found}


@dataclass(frozen=True)
class World:
    """One conversation of one space, and the collaborators that serve it."""

    store: Store
    embedder: Embedder
    space: str
    conversation: str = "c"
    recalling: RecallSettings = field(default_factory=RecallSettings)
    living: LifecycleSettings = field(default_factory=LifecycleSettings)

    def but(self, **changed: Any) -> "World":
        return replace(self, **changed)

    def another_space(self) -> "World":
        return self.but(space=f"test-{uuid.uuid4().hex}")

    @property
    def pipeline(self) -> RecallPipeline:
        return RecallPipeline(self.store, self.embedder, self.recalling)

    @property
    def projector(self) -> Projector:
        return Projector(self.store, self.pipeline, self.living)

    async def load(self, *given: Row) -> dict[str, str]:
        return await load_rows(self.store, self.embedder, self.space, given)

    def question(self, text: str, **more: Any) -> Question:
        return Question(text, self.space, self.conversation, more.pop("at", NOON), **more)

    async def recall(self, text: str, *, vector: VectorPolicy = VectorPolicy.NEVER, **more: Any) -> Recall:
        """Recall without vectors unless asked for: what the fake embedder finds near is the words again."""
        return await self.pipeline.recall(self.question(text, vector=vector, **more))

    async def why_not(self, text: str, uuid: str, **more: Any) -> Match:
        return await self.pipeline.why_not(self.question(text, **{"vector": VectorPolicy.NEVER, **more}), uuid)

    def input(self, text: str, **more: Any) -> Input:
        source = more.pop("source", EvidenceSource.USER_INPUT)
        return Input(text, self.space, self.conversation, source, more.pop("at", NOON), **more)

    async def project(self, text: str, **more: Any) -> Projection:
        return await self.projector.project(self.input(text, **more))

    async def rows(self, text: LiteralString, **more: object) -> list[Row]:
        return await rows(self.store, text, space=self.space, **more)

    async def actives(self, state: str = "ACTIVE") -> list[Row]:
        """Return the conversation's active entities with what hangs on them, the oldest first."""
        return await rows(
            self.store,
            """
            MATCH (active:ActiveEntity {space: $space, conversation: $conversation, state: $state})
            RETURN active.runtimeId AS id, active.subject AS subject, active.liveKey AS liveKey,
              active.lastMentionedAt AS lastMentionedAt, active.createdAt AS createdAt,
              head([(active)-[:BOUND_TO]->(entity) | entity.subject]) AS bound,
              [(active)-[mention:MENTIONED_AS]->() | mention.text] AS mentions,
              COLLECT {
                MATCH (active)-[link:HAS_EVIDENCE]->(evidence)
                RETURN {text: evidence.content, confidence: link.associationConfidence, live: evidence:LiveEvidence}
                ORDER BY evidence.content
              } AS evidence
            ORDER BY active.createdAt, active.subject, active.runtimeId
            """,
            space=self.space,
            conversation=self.conversation,
            state=state,
        )

    async def counts(self) -> Row:
        """Return how many nodes and relationships the space holds, by label and type."""
        nodes = await self.rows(
            "MATCH (n) WHERE n.space = $space UNWIND labels(n) AS label RETURN label AS kind, count(*) AS count"
        )
        edges = await self.rows("MATCH (n)-[r]->() WHERE n.space = $space RETURN type(r) AS kind, count(*) AS count")
        return {row["kind"]: row["count"] for row in [*nodes, *edges]}


def later(**passed: float) -> datetime:
    return NOON + timedelta(**passed)


def attached(recall: Recall) -> set[str | None]:
    return {match.subject for match in recall.matches if match.attached}


def match_of(recall: Recall, subject: str) -> Match:
    return next(match for match in recall.matches if match.subject == subject)
