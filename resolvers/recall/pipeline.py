"""Recall: text -> signals of four sources -> normalised -> fused by target -> attach rules -> matches.

The only part of it that does I/O: one round trip to the database, two with a remote embedder that has to be asked.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

from cypher import load
from graph.errors import NotFound
from graph.ports import Embedder, Vector
from graph.store import Store
from resolvers.off_loop import off_loop
from resolvers.recall import naming, text
from resolvers.recall.asking import Limits, Question, Reading, covers, parameters, read
from resolvers.recall.attach import AttachSettings, Context, attach
from resolvers.recall.collected import Collected, NameRow, NearRow, NeighbourRow, RelationRow, TextRow, VectorRow
from resolvers.recall.fuse import SCORE_DIGITS, fuse
from resolvers.recall.normalise import CALIBRATIONS, USUAL_CALIBRATION, Calibration
from resolvers.recall.recency import recency_signals
from resolvers.recall.relation import relation_signals
from resolvers.recall.values import (
    Found,
    Match,
    Recall,
    Rule,
    Target,
    TargetType,
    VectorPolicy,
)
from resolvers.recall.vector import near_signals, vector_signals

_Subjected = NameRow | NeighbourRow | TextRow | RelationRow | VectorRow

NEAR_DUPLICATE: Final = 0.8
"""Overlap of terms from which two inputs say nearly the same."""
EXAMINED_STATEMENTS: Final = 500
"""Names and statements of one entity that "why not?" looks at."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """All that can be set about a recall."""

    attach: AttachSettings = field(default_factory=AttachSettings)
    limits: Limits = field(default_factory=Limits)
    recency_half_life: timedelta = timedelta(minutes=15)
    evidence_half_life: timedelta = timedelta(hours=24)
    time_to_live: timedelta = timedelta(hours=72)
    """How long an active entity is recalled without a mention."""
    calibration: Calibration | None = None
    """None means the one measured for the embedding model."""


class RecallPipeline:
    """Recalls. Holds no state of its own."""

    def __init__(self, store: Store, embedder: Embedder, settings: RecallSettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._calibration = settings.calibration or CALIBRATIONS.get(embedder.name, USUAL_CALIBRATION)

    async def recall(self, question: Question) -> Recall:
        """Return what a text is about, and why.

        Raises:
            Unavailable: the database or the embedding model did not answer.
        """
        return await self.answer(await off_loop(question.text, read, question))

    async def answer(self, reading: Reading) -> Recall:
        """Return what a text is about that was read already; raises as `recall`."""
        started = time.perf_counter()
        collected, vector = await self._collect(reading)
        return await off_loop(reading.question.text, self._recalled, reading, collected, vector, started)

    def _recalled(self, reading: Reading, collected: Collected, vector: Vector | None, started: float) -> Recall:
        question = reading.question
        found = tuple(self._signals(reading, collected))
        matches = self._judge(reading, collected, found)
        shown = _called(_within_limit(matches, question.limit), collected)
        return Recall(
            matches=shown,
            ambiguous_names=naming.ambiguous(reading, collected, text.names_in_text(reading.candidates, collected)),
            notes=(*reading.notes, *_cap_notes(collected, self._settings.limits, matches, shown)),
            vector_used=vector is not None,
            took_ms=(time.perf_counter() - started) * 1000,
            terms=reading.terms,
            actives=collected.actives,
            new_mentions=naming.new_mentions(reading, collected),
            vector=vector,
            near_duplicates=text.near_duplicates(
                collected.evidence,
                text.asked(reading.searched, collected.documents, reading.space_token),
                reading.conversation_token,
                NEAR_DUPLICATE,
            ),
            linked=collected.linked,
            hidden=len(matches) - len(shown),
        )

    async def why_not(self, question: Question, uuid: str) -> Match:
        """Return the match of one entity, whatever its rank, with the rule that attached it or cut it.

        Raises:
            NotFound: the entity is not in this space.
            Unavailable: the database or the embedding model did not answer.
        """
        reading = await off_loop(question.text, read, question)
        collected, vector = await self._collect(reading)
        vectors = [list(vector)] if vector else []
        examined = (
            await self._store.read(
                load("recall/examine_entity"),
                space=question.space,
                uuid=uuid,
                vectors=vectors,
                statementLimit=EXAMINED_STATEMENTS,
            )
        ).one_or_none()
        if examined is None:
            raise NotFound(f"no entity {uuid!r} in space {question.space!r}")
        return await off_loop(question.text, self._examined, reading, collected, uuid, examined)

    def _examined(self, reading: Reading, collected: Collected, uuid: str, examined: Mapping[str, Any]) -> Match:
        target = Target(TargetType.ENTITY, uuid)
        usual = self._judge(reading, collected, tuple(self._signals(reading, collected)))
        match = next(iter(_called((match for match in usual if match.target == target), collected)), None)
        if match is not None and (match.attached or match.score >= self._settings.attach.threshold):
            return match
        # The indexes hand over the best hits only: look at this entity's own statements, however weak.
        whole = replace(
            collected,
            texts=tuple(TextRow(**row) for row in examined["texts"]),
            relations=tuple(RelationRow(**row) for row in examined["relations"]),
            vectors=tuple(VectorRow(**row) for rows in examined["vectors"] for row in rows),
        )
        found = (each for each in self._signals(reading, whole) if each.target == target)
        alone = fuse(found)
        if not alone:
            return Match(target, 0.0, (), examined["subject"], rule=Rule.NO_SIGNAL, reason="no source found it")
        if match is not None and round(alone[0].score - match.score, SCORE_DIGITS) <= 0:
            return match
        had = f", which found it a score of {match.score:.2f}" if match else ""
        reason = f"its score {alone[0].score:.2f} comes from hits too weak for the indexes to hand over{had}"
        return replace(
            match or alone[0],
            score=alone[0].score,
            signals=alone[0].signals,
            subject=examined["subject"],
            rule=Rule.OUTSIDE_CANDIDATES,
            reason=reason,
        )

    async def _collect(self, reading: Reading) -> tuple[Collected, Vector | None]:
        question, settings = reading.question, self._settings
        # A text of function words alone is near every other such text: its vector says nothing.
        wanted = question.vector is not VectorPolicy.NEVER and bool(reading.terms)
        later = wanted and question.vector is VectorPolicy.AUTO and not self._embedder.local
        vector = await self._embedder.embed_query(question.text) if wanted and not later else None
        asked = await off_loop(question.text, parameters, reading, vector, settings.limits, settings.time_to_live)
        collected = Collected.of((await self._store.read(load("recall/collect_signals"), **asked)).one())
        if later and not await off_loop(question.text, _explained, reading, collected):
            vector = await self._embedder.embed_query(question.text)
            near = await self._store.read(
                load("recall/nearest_statements"),
                space=question.space,
                conversation=question.conversation,
                vector=list(vector),
                hash=question.evidence_hash,
                aliveSince=question.at - settings.time_to_live,
                vectorLimit=settings.limits.vectors,
                fewStatements=settings.limits.few_statements,
                nearLimit=settings.limits.near,
            )
            row = near.one()
            collected = replace(
                collected,
                vectors=tuple(VectorRow(**each) for each in row["vectors"]),
                near=tuple(NearRow(**each) for each in row["near"]),
            )
        return collected, vector

    def _signals(self, reading: Reading, collected: Collected) -> Iterator[Found]:
        question, settings = reading.question, self._settings
        named = text.names_in_text(reading.candidates, collected)
        uuids = frozenset(row.uuid for name in named for row in name.bearers)
        asked = text.asked(reading.searched, collected.documents, reading.space_token)
        actives = {active.runtime_id: active for active in collected.actives if active.live}
        yield from text.name_signals(named, asked.rarity)
        yield from text.text_signals(collected, asked, reading.space_token)
        yield from text.evidence_signals(
            collected.evidence,
            actives,
            asked,
            reading.conversation_token,
            at=question.at,
            half_life=settings.evidence_half_life.total_seconds(),
        )
        yield from vector_signals(collected.vectors, self._calibration)
        yield from near_signals(
            collected.near,
            actives,
            self._calibration,
            at=question.at,
            half_life=settings.evidence_half_life.total_seconds(),
        )
        yield from relation_signals(collected.neighbours, uuids, reading.candidates.folded, frozenset(reading.terms))
        yield from recency_signals(
            collected.actives, at=question.at, half_life=settings.recency_half_life.total_seconds()
        )
        yield from naming.mention_signals(reading, collected)

    def _judge(self, reading: Reading, collected: Collected, found: tuple[Found, ...]) -> tuple[Match, ...]:
        return attach(fuse(found), _context(reading, collected), self._settings.attach)


def _explained(reading: Reading, collected: Collected) -> bool:
    named = text.names_in_text(reading.candidates, collected)
    return covers(reading.searched, [name.key for name in named if text.is_direct(name.key)])


def _context(reading: Reading, collected: Collected) -> Context:
    resolved = naming.resolve(reading, collected)
    speaker = naming.speaker_key(reading)
    speakers = frozenset(target for key, target in resolved.items() if key == speaker)
    latest = (active.target for active in collected.actives if active.live and active.target not in speakers)
    return Context(
        mentioned=frozenset(target for key, target in resolved.items() if key != speaker),
        speakers=speakers,
        pronoun=reading.third_person,
        latest=next(latest, None),
    )


def _subjects(collected: Collected) -> dict[Target, str | None]:
    """Return what to call each target: an entity's canonical name, an active entity's first mention."""
    rows: tuple[_Subjected, ...] = (
        *collected.names,
        *collected.neighbours,
        *collected.texts,
        *collected.relations,
        *collected.vectors,
    )
    subjects: dict[Target, str | None] = {Target(TargetType.ENTITY, row.uuid): row.subject for row in rows}
    for active in collected.actives:
        subjects.setdefault(active.target, active.bound_subject or active.subject)
    return subjects


def _called(matches: Iterable[Match], collected: Collected) -> tuple[Match, ...]:
    """Say what each match is called, and which live active entity stands for it."""
    subjects = _subjects(collected)
    actives = {active.target: active.runtime_id for active in reversed(collected.actives) if active.live}
    return tuple(
        replace(match, subject=subjects.get(match.target), runtime_id=actives.get(match.target)) for match in matches
    )


def _within_limit(matches: tuple[Match, ...], limit: int) -> tuple[Match, ...]:
    """Keep all that are attached, and the best of the others up to the limit."""
    spare = max(0, limit - sum(match.attached for match in matches))
    others = {match.target for match in [match for match in matches if not match.attached][:spare]}
    return tuple(match for match in matches if match.attached or match.target in others)


def _cap_notes(
    collected: Collected, limits: Limits, matches: tuple[Match, ...], shown: tuple[Match, ...]
) -> Iterator[str]:
    if len(collected.names) >= limits.bearers:
        yield f"the names in the text have {limits.bearers} bearers or more: {limits.bearers} were looked at"
    elif len({row.uuid for row in collected.names}) > limits.named:
        yield f"the names in the text have many bearers: the relations of {limits.named} were looked at"
    crowded = {row.source: row.degree for row in collected.neighbours if row.degree > limits.neighbours}
    for source, degree in sorted(crowded.items()):
        yield f"entity {source} has {degree} relations, the {limits.neighbours} strongest were looked at"
    if len(collected.actives) >= limits.actives:
        yield f"the conversation has {limits.actives} active entities or more: the latest were looked at"
    if cut := sum(match.rule is Rule.BEYOND_LIMIT for match in matches):
        yield f"{cut} further matches reach the threshold but were not attached: there are too many stronger ones"
    if hidden := len(matches) - len(shown):
        yield f"{hidden} weaker matches are not shown"
