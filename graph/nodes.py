"""The graph's vocabulary as neomodel classes: labels, relationship types, properties, single-property uniqueness.

They are the single source of those words: a test holds every query file against them. They never load or save by
themselves; queries do, and `*_value` turns what a query shows of a node into a frozen value.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from neomodel import (
    ArrayProperty,
    AsyncRelationshipTo,
    AsyncStructuredNode,
    AsyncStructuredRel,
    BooleanProperty,
    DateTimeNeo4jFormatProperty,
    FloatProperty,
    IntegerProperty,
    StringProperty,
)

from graph import values


class KnownAs(AsyncStructuredRel):
    """A name as its bearer wears it; `kind` is SUBJECT or ALIAS."""

    text = StringProperty(required=True)
    kind = StringProperty(required=True)
    deprecated = BooleanProperty(default=False)
    since = DateTimeNeo4jFormatProperty()


class MentionedAs(AsyncStructuredRel):
    """A name by which a conversation mentioned an active entity."""

    text = StringProperty(required=True)


class RelatesTo(AsyncStructuredRel):
    """Source's `relation` is target."""

    uuid = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    relation = StringProperty(required=True)
    key = StringProperty(required=True)
    terms = StringProperty()
    strength = FloatProperty(required=True)
    support = IntegerProperty(required=True)
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    updatedAt = DateTimeNeo4jFormatProperty(required=True)
    evidence = ArrayProperty(StringProperty())


class Projects(AsyncStructuredRel):
    """A statement that the conversation touched, with the score of the hit."""

    score = FloatProperty(required=True)
    at = DateTimeNeo4jFormatProperty(required=True)


class HasEvidence(AsyncStructuredRel):
    """How sure we are that an evidence is about an active entity, and why."""

    associationConfidence = FloatProperty(required=True)
    reasons = ArrayProperty(StringProperty())
    takenFrom = StringProperty()


class Alias(AsyncStructuredNode):
    """A name under its identity key; belongs to all who are called so."""

    space = StringProperty(required=True)
    key = StringProperty(required=True)
    looseKey = StringProperty(required=True)
    text = StringProperty(required=True)
    terms = StringProperty()
    lock = StringProperty()


class Term(AsyncStructuredNode):
    """How many names, statements and relations of a space hold a term; the bare space token counts them all."""

    key = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    documents = IntegerProperty(required=True)


class Evidence(AsyncStructuredNode):
    """One input text. While it can still be recalled it is also a `LiveEvidence`."""

    uuid = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    conversation = StringProperty(required=True)
    hash = StringProperty(required=True)
    content = StringProperty(required=True)
    terms = StringProperty()
    source = StringProperty(required=True)
    speaker = StringProperty()
    firstAt = DateTimeNeo4jFormatProperty(required=True)
    lastAt = DateTimeNeo4jFormatProperty(required=True)
    rolledIn = StringProperty()
    embedding = ArrayProperty(FloatProperty())


class LiveEvidence(Evidence):
    """An evidence that was neither rolled nor expired: the only one in the full-text index."""


class Impression(AsyncStructuredNode):
    """A subjective, changeable statement about an entity."""

    uuid = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    key = StringProperty(required=True)
    text = StringProperty(required=True)
    terms = StringProperty()
    confidence = FloatProperty(required=True)
    support = IntegerProperty(required=True)
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    updatedAt = DateTimeNeo4jFormatProperty(required=True)
    embedding = ArrayProperty(FloatProperty())

    SUPPORTED_BY = AsyncRelationshipTo("Evidence", "SUPPORTED_BY")


class Feature(AsyncStructuredNode):
    """A stable, factual statement about an entity; stored like an impression."""

    uuid = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    key = StringProperty(required=True)
    text = StringProperty(required=True)
    terms = StringProperty()
    confidence = FloatProperty(required=True)
    support = IntegerProperty(required=True)
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    updatedAt = DateTimeNeo4jFormatProperty(required=True)
    embedding = ArrayProperty(FloatProperty())

    SUPPORTED_BY = AsyncRelationshipTo("Evidence", "SUPPORTED_BY")


class Entity(AsyncStructuredNode):
    """Somebody or something long-term."""

    uuid = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    externalId = StringProperty()
    subject = StringProperty(required=True)
    revision = IntegerProperty(required=True)
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    updatedAt = DateTimeNeo4jFormatProperty(required=True)
    lastMentionedAt = DateTimeNeo4jFormatProperty()

    KNOWN_AS = AsyncRelationshipTo("Alias", "KNOWN_AS", model=KnownAs)
    HAS_IMPRESSION = AsyncRelationshipTo("Impression", "HAS_IMPRESSION")
    HAS_FEATURE = AsyncRelationshipTo("Feature", "HAS_FEATURE")
    RELATES_TO = AsyncRelationshipTo("Entity", "RELATES_TO", model=RelatesTo)


class ActiveEntity(AsyncStructuredNode):
    """What a conversation is about right now, or was."""

    runtimeId = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    conversation = StringProperty(required=True)
    subject = StringProperty()
    state = StringProperty(required=True)
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    lastMentionedAt = DateTimeNeo4jFormatProperty(required=True)
    lastConfidence = FloatProperty()
    liveKey = StringProperty(unique_index=True)

    BOUND_TO = AsyncRelationshipTo("Entity", "BOUND_TO")
    # A type of its own: a name stays quick to follow to its entities however many conversations used it.
    MENTIONED_AS = AsyncRelationshipTo("Alias", "MENTIONED_AS", model=MentionedAs)
    PROJECTS_IMPRESSION = AsyncRelationshipTo("Impression", "PROJECTS", model=Projects)
    PROJECTS_FEATURE = AsyncRelationshipTo("Feature", "PROJECTS", model=Projects)
    HAS_EVIDENCE = AsyncRelationshipTo("Evidence", "HAS_EVIDENCE", model=HasEvidence)


class Superseded(AsyncStructuredNode):
    """A statement that was replaced or removed: out of every index, kept so that an undo brings it back whole."""

    uuid = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    entity = StringProperty(required=True)
    key = StringProperty(required=True)
    text = StringProperty(required=True)
    terms = StringProperty()
    confidence = FloatProperty(required=True)
    support = IntegerProperty(required=True)
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    updatedAt = DateTimeNeo4jFormatProperty(required=True)
    embedding = ArrayProperty(FloatProperty())

    SUPPORTED_BY = AsyncRelationshipTo("Evidence", "SUPPORTED_BY")


class MergedEntity(AsyncStructuredNode):
    """An entity that was merged into another: nobody finds it, an undo brings it back with its history."""

    uuid = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    externalId = StringProperty()
    subject = StringProperty(required=True)
    revision = IntegerProperty(required=True)
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    updatedAt = DateTimeNeo4jFormatProperty(required=True)
    lastMentionedAt = DateTimeNeo4jFormatProperty()

    MERGED_INTO = AsyncRelationshipTo("Entity", "MERGED_INTO")


class Ordered(AsyncStructuredRel):
    """A step's place in its plan."""

    order = IntegerProperty(required=True)


class Changed(AsyncStructuredRel):
    """An entity that a step changed, its revision before the run and right after.

    Undoing a later run lets `revision` follow: what stands then is what the earlier run left.
    """

    before = IntegerProperty(required=True)
    revision = IntegerProperty(required=True)


class UpdateStep(AsyncStructuredNode):
    """One step of a run, with what it changed."""

    kind = StringProperty(required=True)
    space = StringProperty(required=True)
    payload = StringProperty(required=True)
    changes = StringProperty()
    diff = StringProperty()
    entities = ArrayProperty(StringProperty())

    CHANGED = AsyncRelationshipTo("Entity", "CHANGED", model=Changed)


class Observation(AsyncStructuredNode):
    """What was seen about one subject, and what was decided about its identity."""

    observationId = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    subject = StringProperty(required=True)
    aliases = ArrayProperty(StringProperty())
    decision = StringProperty(required=True)
    pending = BooleanProperty(default=False)
    code = StringProperty(required=True)
    reason = StringProperty(required=True)
    candidates = ArrayProperty(StringProperty())
    payload = StringProperty(required=True)
    at = DateTimeNeo4jFormatProperty(required=True)

    FROM = AsyncRelationshipTo("ActiveEntity", "FROM")
    CITES = AsyncRelationshipTo("Evidence", "CITES")


class UpdateRun(AsyncStructuredNode):
    """The record of one pass of the update pipeline, or of one edit."""

    runId = StringProperty(required=True, unique_index=True)
    space = StringProperty(required=True)
    conversation = StringProperty(required=True)
    key = StringProperty()
    contentHash = StringProperty()
    status = StringProperty(required=True)
    origin = StringProperty(required=True)
    confirm = StringProperty(required=True)
    reason = StringProperty()
    owner = StringProperty()
    leaseUntil = DateTimeNeo4jFormatProperty()
    takeovers = IntegerProperty()
    createdAt = DateTimeNeo4jFormatProperty(required=True)
    updatedAt = DateTimeNeo4jFormatProperty(required=True)
    rolling = StringProperty()
    batches = StringProperty()
    plan = StringProperty()
    resolutions = StringProperty()
    dropped = StringProperty()
    violations = StringProperty()
    counts = StringProperty()
    shown = ArrayProperty(StringProperty())
    rolls = ArrayProperty(StringProperty())
    sources = ArrayProperty(StringProperty())
    notes = ArrayProperty(StringProperty())

    OBSERVED = AsyncRelationshipTo("Observation", "OBSERVED")
    SETTLED = AsyncRelationshipTo("Observation", "SETTLED")
    HAS_STEP = AsyncRelationshipTo("UpdateStep", "HAS_STEP", model=Ordered)


class ServiceMeta(AsyncStructuredNode):
    """The one record of what this database was made with."""

    name = StringProperty(required=True, unique_index=True)
    schemaVersion = IntegerProperty()
    embeddingModel = StringProperty()
    dimensions = IntegerProperty()
    lock = StringProperty()
    lockedUntil = DateTimeNeo4jFormatProperty()
    asked = StringProperty()
    reindexModel = StringProperty()
    reindexDimensions = IntegerProperty()
    reindexSince = DateTimeNeo4jFormatProperty()
    reindexCursor = StringProperty()
    reindexSeen = IntegerProperty()
    reindexOwner = StringProperty()
    reindexUntil = DateTimeNeo4jFormatProperty()


STORED: tuple[type[AsyncStructuredNode], ...] = (
    Entity,
    Alias,
    Term,
    Impression,
    Feature,
    Evidence,
    ActiveEntity,
    Superseded,
    MergedEntity,
    UpdateStep,
    Observation,
    UpdateRun,
)
"""The classes whose single-property uniqueness `graph.schema` installs (`LiveEvidence` is covered by `Evidence`)."""


def moment(text: str) -> datetime:
    """Read a moment that the server wrote as text: hydrating its own takes a hundred times as long."""
    return datetime.fromisoformat(text)


def entity_value(shown: Mapping[str, Any]) -> values.Entity:
    """Read what a query shows of an `:Entity`."""
    mentioned = shown["lastMentionedAt"]
    return values.Entity(
        uuid=shown["uuid"],
        space=shown["space"],
        external_id=shown["externalId"],
        subject=shown["subject"],
        revision=shown["revision"],
        created_at=moment(shown["createdAt"]),
        updated_at=moment(shown["updatedAt"]),
        last_mentioned_at=moment(mentioned) if mentioned else None,
    )


def statement_value(shown: Mapping[str, Any], kind: values.StatementKind) -> values.Statement:
    """Read what a query shows of an `:Impression` or a `:Feature`: never its vector, which is larger than all else."""
    return values.Statement(
        uuid=shown["uuid"],
        kind=kind,
        text=shown["text"],
        confidence=shown["confidence"],
        support=shown["support"],
        created_at=moment(shown["createdAt"]),
        updated_at=moment(shown["updatedAt"]),
    )


def evidence_value(shown: Mapping[str, Any]) -> values.Evidence:
    """Read what a query shows of an `:Evidence`: never its vector."""
    return values.Evidence(
        uuid=shown["uuid"],
        content=shown["content"],
        source=values.EvidenceSource(shown["source"]),
        speaker=shown["speaker"],
        first_at=moment(shown["firstAt"]),
        last_at=moment(shown["lastAt"]),
    )


def active_entity_value(
    shown: Mapping[str, Any], *, bound_uuid: str | None, mentions: tuple[str, ...]
) -> values.ActiveEntity:
    """Read what a query shows of an `:ActiveEntity`, given what it is bound to and was mentioned by."""
    return values.ActiveEntity(
        runtime_id=shown["runtimeId"],
        space=shown["space"],
        conversation=shown["conversation"],
        subject=shown["subject"],
        state=values.ActiveState(shown["state"]),
        created_at=moment(shown["createdAt"]),
        last_mentioned_at=moment(shown["lastMentionedAt"]),
        bound_uuid=bound_uuid,
        mentions=mentions,
    )
