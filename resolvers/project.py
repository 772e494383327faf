"""Projection: one input -> its matches -> the active entities it is about, with the input as their evidence.

Reads first (the recall), then a pure decision, then one write. Touches no entity's revision: only what the runtime
knows changes.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cypher import load
from graph.errors import Conflict, Unavailable
from graph.names import fold, identity_key, loose_key
from graph.schema import VectorSpace, check_vectors, read_made
from graph.store import Store, Transaction, vector_parameter
from graph.text import scope_token, scoped
from graph.values import EvidenceSource
from resolvers.lifecycle import expire
from resolvers.lifetimes import LifecycleSettings
from resolvers.linking import Attachment, Decision, Input, decide, evidence_uuid
from resolvers.off_loop import off_loop
from resolvers.recall.asking import Question, Reading, read
from resolvers.recall.pipeline import RecallPipeline
from resolvers.recall.values import Recall

_ATTEMPTS: Final = 3
_SHOWN: Final = 200
"""Characters of an earlier spelling that a note quotes."""


class _WarmError(Exception):
    """Takes a warm-up back."""


@dataclass(frozen=True, slots=True)
class Linked:
    """An active entity the input is linked to now."""

    runtime_id: str
    opened: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Projection:
    """What became of one input."""

    recall: Recall
    linked: tuple[Linked, ...]
    evidence_uuid: str | None
    reason: str
    notes: tuple[str, ...] = ()

    @property
    def created(self) -> bool:
        """Whether an active entity was opened."""
        return any(each.opened for each in self.linked)


class Projector:
    """Projects inputs. Holds no state of its own.

    Given whose vectors the recall makes, it stores none beside those of another model.
    """

    def __init__(
        self,
        store: Store,
        recall: RecallPipeline,
        settings: LifecycleSettings,
        *,
        vectors: VectorSpace | None = None,
    ) -> None:
        self._store = store
        self._recall = recall
        self._settings = settings
        self._vectors = vectors

    async def project(self, given: Input) -> Projection:
        """Link one input to what it is about, opening active entities where none lives.

        Raises:
            ModelMismatch: a reindex has begun since this process started.
            Unavailable: the database or the embedding model did not answer, or the conversation changed all the time.
        """
        reading = await off_loop(given.text, _read, given)
        for _ in range(_ATTEMPTS):
            recall = await self._recall.answer(reading)
            hash_ = reading.question.evidence_hash
            decision = await off_loop(given.text, decide, given, hash_, recall, self._settings)
            await expire(self._store, decision.expire)
            if not decision.attachments:
                return Projection(recall, (), None, decision.reason, recall.notes)
            # What was recalled may be gone since: an unbound active entity expired or bound, an entity forgotten.
            try:
                rows = await self._store.write(
                    load("project/record_input"), **self._parameters(given, hash_, decision, recall)
                )
            except Conflict:
                continue
            wanted = {
                each.entity or each.runtime_id for each in decision.attachments if each.entity or each.known_unbound
            }
            if rows.rows and wanted <= {row[key] for row in rows for key in ("runtimeId", "entity")}:
                return self._projection(given, recall, decision, rows.rows)
            if not rows.rows and self._vectors:
                check_vectors(await read_made(self._store), self._vectors)
        raise Unavailable("the conversation changed while the input was projected: send it again")

    async def warm_up(self, space: str, *, at: datetime) -> None:
        """Let the server plan what a projection asks and writes, which takes it seconds. Leaves nothing behind.

        It plans anew for other orders of the lengths of what it is given: so this is a short text about one new thing.

        Args:
            space: any name, of a space that holds nothing; see `UpdatePipeline.warm_up`.
            at: now.

        Raises:
            Unavailable: the database or the embedding model does not answer.
        """
        given = Input("Is Warm-Up there?", space, "default", EvidenceSource.USER_INPUT, at)
        reading = _read(given)
        hash_ = reading.question.evidence_hash
        recall = await self._recall.answer(reading)
        parameters = self._parameters(given, hash_, decide(given, hash_, recall, self._settings), recall)

        async def work(transaction: Transaction) -> None:
            await transaction.run(load("project/record_input"), **parameters)
            raise _WarmError

        with suppress(_WarmError):
            await self._store.transaction("warm up", work)

    def _parameters(self, given: Input, hash_: str, decision: Decision, recall: Recall) -> dict[str, object]:
        attachments = decision.attachments
        token = scope_token(given.space, given.conversation)
        return {
            "space": given.space,
            "conversation": given.conversation,
            "at": given.at,
            "aliveSince": given.at - self._settings.time_to_live,
            "entities": sorted((_row(each) for each in attachments if each.entity), key=lambda row: str(row["entity"])),
            "unbound": sorted(
                (_row(each) for each in attachments if each.known_unbound), key=lambda row: str(row["runtimeId"])
            ),
            "opened": sorted(
                (_row(each) for each in attachments if not each.entity and not each.known_unbound),
                key=lambda row: str(row["liveKey"]),
            ),
            "waiting": list(decision.unbound),
            "evidence": {
                "uuid": evidence_uuid(given.space, hash_),
                "hash": hash_,
                "content": given.text,
                "terms": scoped(recall.terms, token),
                "source": given.source.value,
                "speaker": given.speaker,
                "embedding": vector_parameter(recall.vector) if recall.vector else None,
            },
            "vectors": {"model": self._vectors.model, "dimensions": self._vectors.dimensions}
            if self._vectors
            else None,
        }

    def _projection(
        self, given: Input, recall: Recall, decision: Decision, rows: Sequence[dict[str, object]]
    ) -> Projection:
        linked = tuple(
            Linked(str(row["runtimeId"]), bool(row["opened"]), float(str(row["confidence"]))) for row in rows
        )
        due = [row["runtimeId"] for row in rows if int(str(row["liveEvidence"])) > self._settings.rolling_due]
        notes = tuple(
            f"active entity {each} has more than {self._settings.rolling_due} pieces of unrolled evidence: "
            "a rolling is due"
            for each in due
        )
        kept = str(rows[0]["content"])
        spelt = (f"the same was said before in another spelling, which stays its evidence: {kept[:_SHOWN]!r}",)
        notes = (*recall.notes, *(spelt if kept != given.text else ()), *notes)
        return Projection(recall, linked, str(rows[0]["evidence"]), decision.reason, notes)


def _read(given: Input) -> Reading:
    folded = fold(given.text)
    question = Question(
        given.text, given.space, given.conversation, given.at, given.speaker, given.mentions,
        evidence_hash=given.hash_of(folded),
    )  # fmt: skip
    return read(question, folded)


def _row(attachment: Attachment) -> dict[str, object]:
    return {
        "liveKey": attachment.live_key,
        "runtimeId": attachment.runtime_id,
        "entity": attachment.entity,
        "subject": attachment.subject,
        "confidence": attachment.confidence,
        "reasons": list(attachment.reasons),
        "names": [
            {"key": identity_key(name), "looseKey": loose_key(name), "text": name}
            for name in sorted(attachment.names, key=identity_key)
        ],
        "statements": [{"uuid": uuid, "score": score} for uuid, score in attachment.statements],
        "unlessLinked": attachment.unless_linked,
    }
