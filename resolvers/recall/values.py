"""What the stages of a recall hand to one another: asked, collected, signals, matches."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class SignalSource(StrEnum):
    """The four reasons to recall something."""

    TEXT = "TEXT"
    VECTOR = "VECTOR"
    RELATION = "RELATION"
    RECENCY = "RECENCY"


class Channel(StrEnum):
    """What is fused: of each channel the strongest signal of a target counts."""

    NAME = "NAME"
    TEXT = "TEXT"
    VECTOR = "VECTOR"
    PHRASE = "PHRASE"
    NEIGHBOUR = "NEIGHBOUR"
    RECENCY = "RECENCY"

    @property
    def source(self) -> SignalSource:
        """The source a channel belongs to."""
        if self in {Channel.NAME, Channel.TEXT}:
            return SignalSource.TEXT
        if self in {Channel.PHRASE, Channel.NEIGHBOUR}:
            return SignalSource.RELATION
        return SignalSource(self.value)


class TargetType(StrEnum):
    """What can be recalled."""

    ENTITY = "ENTITY"
    ACTIVE_ENTITY = "ACTIVE_ENTITY"


class VectorPolicy(StrEnum):
    """When to ask the vector index. AUTO: always with a local embedder, else where names do not explain the text."""

    AUTO = "AUTO"
    ALWAYS = "ALWAYS"
    NEVER = "NEVER"


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """Who a signal or a match is about; the order breaks ties."""

    type: TargetType
    id: str
    """Uuid of an entity, or runtime id of an unbound active entity."""


@dataclass(frozen=True, slots=True)
class TextHit:
    """The stored text that shares words with the input."""

    field: str
    """`subject`, `alias`, `impression`, `feature`, `relation`, `evidence` or `mention`."""
    text: str
    matched_terms: tuple[str, ...]
    phrase: bool
    """Whether two or more of the matched terms stand in the same order, side by side, in both texts."""
    statement_uuid: str | None = None


@dataclass(frozen=True, slots=True)
class VectorHit:
    """The statement, or the live evidence, whose meaning is near the input's."""

    statement_uuid: str
    """Of the statement, or of the evidence."""
    text: str
    similarity: float
    """Cosine, in [-1, 1]."""
    is_evidence: bool = False


@dataclass(frozen=True, slots=True)
class RelationStep:
    """One edge from a named entity to the recalled one, in the edge's own direction."""

    from_uuid: str
    to_uuid: str
    relation: str


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason to recall one target."""

    channel: Channel
    raw: float
    """The measure in its own unit: name units, BM25, cosine, strength, age in seconds."""
    normalised: float
    """In [0, 1], absolute: a weak best hit stays weak."""
    reason: str
    contribution: float = 0.0
    """Its share of the match's score; the shares sum to it."""
    text_hit: TextHit | None = None
    vector_hit: VectorHit | None = None
    path: tuple[RelationStep, ...] = ()
    direct: bool = False
    """Whether it is an exact live name: a direct hit."""

    @property
    def source(self) -> SignalSource:
        """The source it belongs to."""
        return self.channel.source


@dataclass(frozen=True, slots=True)
class Found:
    """One signal and whom it is about: what the sources yield."""

    target: Target
    signal: Signal


class Rule(StrEnum):
    """Why a match is attached, or what cut it."""

    SCORE = "SCORE"
    PHRASE = "PHRASE"
    FOLLOW_UP = "FOLLOW_UP"
    MENTION = "MENTION"
    SPEAKER = "SPEAKER"
    BELOW_THRESHOLD = "BELOW_THRESHOLD"
    BELOW_HALF_OF_BEST = "BELOW_HALF_OF_BEST"
    BEYOND_LIMIT = "BEYOND_LIMIT"
    OUTSIDE_CANDIDATES = "OUTSIDE_CANDIDATES"
    NO_SIGNAL = "NO_SIGNAL"


@dataclass(frozen=True, slots=True)
class Match:
    """A target, its fused score and all its signals, strongest first."""

    target: Target
    score: float
    signals: tuple[Signal, ...]
    subject: str | None = None
    runtime_id: str | None = None
    """The live active entity of the conversation that stands for the target, where there is one."""
    attached: bool = False
    rule: Rule = Rule.NO_SIGNAL
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of several bearers of a name."""

    uuid: str
    subject: str


@dataclass(frozen=True, slots=True)
class AmbiguousName:
    """A name in the text, or a mention, that several entities bear."""

    name: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class LiveActive:
    """A live active entity of the conversation, as the recall saw it."""

    runtime_id: str
    subject: str | None
    bound_uuid: str | None
    bound_subject: str | None
    mention_keys: frozenset[str]
    created_at: datetime
    last_mentioned_at: datetime
    last_confidence: float
    """How sure its latest link was."""
    live: bool
    """False once its time-to-live has run out, though nobody has written that down yet."""

    @property
    def target(self) -> Target:
        """The entity it is bound to, else itself."""
        if self.bound_uuid is not None:
            return Target(TargetType.ENTITY, self.bound_uuid)
        return Target(TargetType.ACTIVE_ENTITY, self.runtime_id)


@dataclass(frozen=True, slots=True)
class NewMention:
    """A name the caller gave that nobody in the space bears yet."""

    name: str
    by_speaker: bool
    """Whether first-person words stand for it."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer of a recall, and what a projection needs to go on without asking again."""

    matches: tuple[Match, ...]
    ambiguous_names: tuple[AmbiguousName, ...] = ()
    notes: tuple[str, ...] = ()
    """What was capped or left out, in sentences."""
    vector_used: bool = False
    took_ms: float = 0.0
    terms: tuple[str, ...] = ()
    """The content terms of the text."""
    actives: tuple[LiveActive, ...] = field(default=(), repr=False)
    new_mentions: tuple[NewMention, ...] = ()
    vector: tuple[float, ...] | None = field(default=None, repr=False)
    near_duplicates: tuple[str, ...] = ()
    """Runtime ids of active entities whose live evidence says nearly the same."""
    linked: tuple[str, ...] = ()
    """Runtime ids of the live active entities that this very input is linked to already."""
    hidden: int = 0
    """Matches beyond the limit."""
