"""What travels through an update before there is a plan: sources, observations, and what is decided about them.

Each stage takes the type of the stage before and returns the next: `Observation` -> `AggregatedObservation` ->
`Resolution` -> `UpdatePlan` -> `ValidPlan` (the last two in `resolvers.update.steps`).
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from graph.values import StatementKind


class Role(StrEnum):
    """Who said a text: what only the assistant said supports no fact and creates nobody."""

    USER = "USER"
    ASSISTANT = "ASSISTANT"


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text a quote may come from: a message of the rolling, or live evidence of an active entity."""

    id: str
    """Uuid of the evidence that stands, or that the apply will make of the message."""
    text: str
    role: Role
    speaker: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Rolling:
    """One checked `RollingResult`: the agent's summary of a slice of its conversation, and the slice."""

    conversation: str
    summary: str
    messages: tuple[SourceText, ...]
    id: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    summary_source: SourceText | None = None
    """The summary as a text of its own, for a rolling without messages and a conversation without evidence."""


@dataclass(frozen=True, slots=True)
class ActiveSource:
    """An active entity with unrolled evidence, as an observer sees it."""

    runtime_id: str
    subject: str | None
    """The bound entity's canonical name, so that names stay consistent; else what it was first called."""
    bound_uuid: str | None
    mentions: tuple[str, ...]
    evidence: tuple[SourceText, ...]
    """Unrolled, oldest first."""
    last_mentioned_at: datetime
    live_key: str | None = None
    """Under which it lives; None for an expired one."""


@dataclass(frozen=True, slots=True)
class StatementPatch:
    """An observed statement and the quote behind it."""

    kind: StatementKind
    text: str
    quote: str
    confidence: float
    sources: frozenset[str] = frozenset()
    """Ids of the source texts the quote was found in; filled by Aggregate."""


@dataclass(frozen=True, slots=True)
class RelationPatch:
    """An observed relation and the quote behind it."""

    target: str
    relation: str
    quote: str
    strength: float
    sources: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Observation:
    """What one observer saw about one subject."""

    subject: str
    aliases: tuple[str, ...]
    statements: tuple[StatementPatch, ...]
    relations: tuple[RelationPatch, ...]
    sources: frozenset[str]
    """Runtime ids of the active entities it came from."""
    snippets: tuple[str, ...]
    confidence: float
    reason: str = ""
    snippets_stand_in: bool = False
    """Whether its snippets support the patches that bring no quote of their own, as in handed-in plans."""


class DropCode(StrEnum):
    """Why something observed did not make it into the plan."""

    REJECTED_PLAN = "REJECTED_PLAN"
    EMPTY_OBSERVATION = "EMPTY_OBSERVATION"
    UNKNOWN_LABEL = "UNKNOWN_LABEL"
    NAME_REFUSED = "NAME_REFUSED"
    ID_IN_NAME = "ID_IN_NAME"
    TEXT_REFUSED = "TEXT_REFUSED"
    NUMBER_REFUSED = "NUMBER_REFUSED"
    QUOTE_MISSING = "QUOTE_MISSING"
    QUOTE_TOO_SHORT = "QUOTE_TOO_SHORT"
    QUOTE_INVENTED = "QUOTE_INVENTED"
    ASSISTANT_ONLY = "ASSISTANT_ONLY"
    LOW_CONFIDENCE = "LOW_CONFIDENCE"
    TEMPLATED = "TEMPLATED"
    GENERIC_ALIAS = "GENERIC_ALIAS"
    GENERIC_TARGET = "GENERIC_TARGET"
    SELF_RELATION = "SELF_RELATION"
    TARGET_UNKNOWN = "TARGET_UNKNOWN"
    TARGET_AMBIGUOUS = "TARGET_AMBIGUOUS"
    ALIAS_TAKEN = "ALIAS_TAKEN"
    NOTHING_LEFT = "NOTHING_LEFT"
    POSTPONED = "POSTPONED"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something observed that is not in the plan, and why; relations to somebody unknown are kept pending."""

    code: DropCode
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class AggregatedObservation:
    """All that was observed about one subject, grounded and without what cannot be used."""

    key: str
    """Identity key of the subject; empty for a generic one (a pronoun, "the user")."""
    subject: str
    aliases: tuple[str, ...]
    """Other names, by key, without the subject's."""
    statements: tuple[StatementPatch, ...]
    """By kind and key; of equal ones the surest, with all their sources."""
    relations: tuple[RelationPatch, ...]
    """By relation key and target key."""
    sources: frozenset[str]
    confidence: float
    grounded: bool
    """Whether at least one quote of it was found."""
    assistant_only: bool
    """Whether all of its quotes were said by the assistant alone."""
    evidence: frozenset[str] = frozenset()
    """Ids of the source texts of all its quotes, those of its snippets too."""
    pending: frozenset[str] = frozenset()
    """Ids of the pending observations of earlier runs that it is: none, or its own."""


@dataclass(frozen=True, slots=True)
class Aggregated:
    """The one list of independent observations of a run, whatever the batching."""

    observations: tuple[AggregatedObservation, ...]
    """By key, generic ones last. Pending ones of earlier runs stand for themselves, beside new ones of their key."""
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class KnownBearer:
    """An entity that bears a name, deprecated or not."""

    uuid: str
    subject: str


@dataclass(frozen=True, slots=True)
class KnownIdentities:
    """What the database says about the observed names: the identity index, cut to what a run asks."""

    owners: dict[str, tuple[KnownBearer, ...]]
    """By identity key."""
    variants: dict[str, tuple[KnownBearer, ...]]
    """By loose key: bearers of names that are written nearly so."""
    bindings: dict[str, str]
    """Entity uuid by runtime id of the bound source active entities."""
    speakers: dict[str, str] = field(default_factory=dict)
    """Name of the speaker by id of a source text, for first-person words; empty where nobody is named."""


class Decision(StrEnum):
    """What an observation is resolved to."""

    UPDATE = "UPDATE"
    CREATE = "CREATE"
    POSTPONED = "POSTPONED"
    DISCARDED = "DISCARDED"
    """A person threw it away."""


class ResolutionCode(StrEnum):
    """Why."""

    EXACT_NAME = "EXACT_NAME"
    NAMES_INTERSECT = "NAMES_INTERSECT"
    BINDING_NARROWS = "BINDING_NARROWS"
    SPEAKER = "SPEAKER"
    DECIDED = "DECIDED"
    NEW_NAME = "NEW_NAME"
    AMBIGUOUS = "AMBIGUOUS"
    POSSIBLE_VARIANT = "POSSIBLE_VARIANT"
    GENERIC_SUBJECT = "GENERIC_SUBJECT"
    WEAK_EVIDENCE = "WEAK_EVIDENCE"
    ASSISTANT_ONLY = "ASSISTANT_ONLY"
    TARGET_UNKNOWN = "TARGET_UNKNOWN"
    """Its relations wait until their targets are known; the rest of the observation has landed."""
    TARGET_AMBIGUOUS = "TARGET_AMBIGUOUS"


@dataclass(frozen=True, slots=True)
class Resolution:
    """One observation and what the code decided about its identity."""

    observation: AggregatedObservation
    decision: Decision
    code: ResolutionCode
    reason: str
    entity_uuid: str | None = None
    """For an update."""
    candidates: tuple[KnownBearer, ...] = ()
    """For an update the entity alone; else those it may be."""
