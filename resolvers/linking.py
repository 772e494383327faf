"""What an input is to be linked to: a pure decision over its recall."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Final
from uuid import UUID, uuid4, uuid5

from graph.names import identity_key
from graph.values import EvidenceSource
from resolvers.lifetimes import LifecycleSettings, to_expire
from resolvers.name_like import name_like
from resolvers.recall.values import Match, Recall, Rule, TargetType, VectorHit

FOLLOW_UP_CONFIDENCE: Final = 0.3
PROJECTED_STATEMENTS: Final = 5
"""Statements of one entity that one input touches at most: the strongest hits."""
_EVIDENCE: Final = UUID("7d1f3f0a-52f5-4b0f-9d4e-3a3f6e0c2b11")
INFORMATIVE_WORDS: Final = 2
"""Different content words from which an unmatched input says something worth an active entity."""


@dataclass(frozen=True, slots=True)
class Input:
    """One checked input of a conversation."""

    text: str
    space: str
    conversation: str
    source: EvidenceSource
    at: datetime
    speaker: str | None = None
    mentions: tuple[str, ...] = ()

    def hash_of(self, folded: str) -> str:
        """Return what makes it the same evidence, given its text folded."""
        return evidence_hash(folded, self.source, self.speaker, self.conversation)


def evidence_hash(
    folded: str, source: EvidenceSource, speaker: str | None, conversation: str, *, role: str | None = None
) -> str:
    """Return what makes a text the same evidence: content as folded, source, speaker and conversation.

    Args:
        folded: the content, folded: that takes time, and whoever asks needs it once more.
        source: where it comes from.
        speaker: who said it, by name.
        conversation: where it was said.
        role: of a rolled message, where it is not the user's.
    """
    parts = (folded, source.value, identity_key(speaker or ""), conversation, *([role] if role else ()))
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def evidence_uuid(space: str, hash_: str) -> str:
    """Return the id of the evidence with a hash: one text has one id, whoever stores it first."""
    return str(uuid5(_EVIDENCE, f"{space}\0{hash_}"))


@dataclass(frozen=True, slots=True)
class Attachment:
    """What the write is to link the input to."""

    confidence: float
    reasons: tuple[str, ...]
    live_key: str
    """Unique while the active entity lives; of an unbound one that stands already it is not used."""
    runtime_id: str
    """Of the one that stands, or for the one that may be opened."""
    entity: str | None = None
    known_unbound: bool = False
    subject: str | None = None
    names: tuple[str, ...] = ()
    statements: tuple[tuple[str, float], ...] = ()
    unless_linked: bool = False
    """Only open it if the same input has not been linked to anything before."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be written for one input, and in words why."""

    attachments: tuple[Attachment, ...]
    expire: tuple[str, ...]
    reason: str
    unbound: tuple[str, ...] = ()
    """Runtime ids of the conversation's active entities that nobody is known behind: by now somebody may be."""


def decide(given: Input, hash_: str, recall: Recall, settings: LifecycleSettings) -> Decision:
    """Return what to write for an input of this hash, given what it was recalled to be about."""
    attached = [_attachment(given, match) for match in recall.matches if match.attached]
    attached += [_opening(given, each.name, by_speaker=each.by_speaker) for each in recall.new_mentions]
    reason = f"it is about {len(attached)} known or named" if attached else ""
    if not attached:
        attached, reason = _unmatched(given, hash_, recall)
    again = bool(recall.linked)
    opening = sum(
        not each.entity and not each.known_unbound and not (each.unless_linked and again) for each in attached
    )
    kept = {each.runtime_id for each in attached} | set(recall.linked)
    expire = to_expire(
        [active for active in recall.actives if active.runtime_id not in kept or not active.live],
        settings,
        at=given.at,
        opening=opening + sum(active.runtime_id in kept and active.bound_uuid is None for active in recall.actives),
    )
    unbound = (active.runtime_id for active in recall.actives if active.live and active.bound_uuid is None)
    return Decision(tuple(attached), expire, reason, tuple(sorted(set(unbound) - set(expire))))


def _attachment(given: Input, match: Match) -> Attachment:
    certain = match.rule in {Rule.MENTION, Rule.SPEAKER}
    confidence = 1.0 if certain else FOLLOW_UP_CONFIDENCE if match.rule is Rule.FOLLOW_UP else match.score
    entity = match.target.id if match.target.type is TargetType.ENTITY else None
    names = dict.fromkeys(signal.text_hit.text for signal in match.signals if signal.direct and signal.text_hit)
    hits: dict[str, float] = {}
    for signal in match.signals:
        hit = signal.vector_hit or signal.text_hit
        if isinstance(hit, VectorHit) and hit.is_evidence:
            continue
        if hit and hit.statement_uuid:
            hits[hit.statement_uuid] = max(hits.get(hit.statement_uuid, 0.0), signal.normalised)
    strongest = sorted(hits.items(), key=lambda each: (-each[1], each[0]))[:PROJECTED_STATEMENTS]
    return Attachment(
        confidence=confidence,
        reasons=(match.reason,),
        live_key=live_key(given.space, given.conversation, "entity", entity) if entity else "",
        runtime_id=(match.runtime_id if entity is None and match.runtime_id else new_runtime_id()),
        entity=entity,
        known_unbound=entity is None,
        names=tuple(names),
        statements=tuple(strongest),
    )


def _opening(given: Input, name: str, *, by_speaker: bool = False) -> Attachment:
    return Attachment(
        confidence=1.0,
        reasons=("the text's first-person words stand for it" if by_speaker else "the caller's mentions name it",),
        live_key=live_key(given.space, given.conversation, "name", identity_key(name)),
        runtime_id=new_runtime_id(),
        subject=name,
        names=(name,),
    )


def _unmatched(given: Input, hash_: str, recall: Recall) -> tuple[list[Attachment], str]:
    """Open an active entity for an input that is about nobody known, join one that says the same, or leave it."""
    if recall.ambiguous_names:
        listed = ", ".join(repr(each.name) for each in recall.ambiguous_names)
        return [], f"nothing was opened: {listed} may be any of several"
    guesses = name_like(given.text)
    if len(set(recall.terms)) < INFORMATIVE_WORDS and not guesses:
        return [], "it says too little to be about anything: nothing was opened"
    unbound = {active.runtime_id for active in recall.actives if active.live and active.bound_uuid is None}
    for runtime_id in recall.near_duplicates:
        if runtime_id in unbound:
            joined = Attachment(1.0, ("it says nearly the same as before",), "", runtime_id, known_unbound=True)
            return [joined], "it is about nobody known and joins what said nearly the same"
    opened = Attachment(
        confidence=1.0,
        reasons=("the input opened it",),
        live_key=live_key(given.space, given.conversation, "name", identity_key(guesses[0]))
        if guesses
        else live_key(given.space, given.conversation, "input", hash_),
        runtime_id=new_runtime_id(),
        subject=guesses[0] if guesses else None,
        names=guesses[:1],
        unless_linked=True,
    )
    return [opened], "it is about nobody known: an active entity was opened"


def live_key(space: str, conversation: str, kind: str, key: str) -> str:
    """Return the key under which only one active entity of a conversation can live.

    Args:
        space: name of the space.
        conversation: name of the conversation.
        kind: `entity`, `name` or `input`: what opened it.
        key: uuid of the entity, identity key of the name, or hash of the input.
    """
    parts = (space, conversation, kind, key)
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def new_runtime_id() -> str:
    """Return 12 random hexadecimal digits."""
    return uuid4().hex[:12]
