"""What the service stores and answers, as frozen values in the words of the design."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class EvidenceSource(StrEnum):
    """Where an evidence's text came from."""

    USER_INPUT = "USER_INPUT"
    ASSISTANT_REPLY = "ASSISTANT_REPLY"
    ROLLING = "ROLLING"


class ActiveState(StrEnum):
    """Whether an active entity is still what the conversation is about."""

    ACTIVE = "ACTIVE"
    EXPIRED = "EXPIRED"


class StatementKind(StrEnum):
    """An impression may change its mind; a feature is a stable fact."""

    IMPRESSION = "Impression"
    FEATURE = "Feature"


@dataclass(frozen=True, slots=True)
class Alias:
    """A name of an entity. A deprecated one still owns its identity but no longer counts as a direct hit."""

    text: str
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """One input text as it was said."""

    uuid: str
    content: str
    source: EvidenceSource
    speaker: str | None
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Statement:
    """An impression or a feature of one entity."""

    uuid: str
    kind: StatementKind
    text: str
    confidence: float
    """How sure the memory is, in [0, 1]."""
    support: int
    """Number of distinct pieces of evidence behind it; at least 1."""
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed edge between two entities: source's `relation` is target."""

    uuid: str
    source_uuid: str
    target_uuid: str
    relation: str
    strength: float
    """In [0, 1]."""
    support: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something the memory knows for long."""

    uuid: str
    space: str
    external_id: str | None
    subject: str
    revision: int
    """Grows by one with every write to what is known about it."""
    created_at: datetime
    updated_at: datetime
    last_mentioned_at: datetime | None


@dataclass(frozen=True, slots=True)
class EvidenceLink:
    """Why an active entity holds an evidence."""

    evidence: Evidence
    association_confidence: float
    """How sure the service is that the text is about the active entity, in [0, 1]; says nothing about its truth."""


@dataclass(frozen=True, slots=True)
class ProjectedStatement:
    """A statement of the bound entity that the conversation touched."""

    statement: Statement
    score: float
    at: datetime


@dataclass(frozen=True, slots=True)
class ActiveEntity:
    """What the current conversation is about: unbound, or bound to one entity."""

    runtime_id: str
    """12 hexadecimal digits."""
    space: str
    conversation: str
    subject: str | None
    state: ActiveState
    created_at: datetime
    last_mentioned_at: datetime
    bound_uuid: str | None
    mentions: tuple[str, ...] = field(default=())
