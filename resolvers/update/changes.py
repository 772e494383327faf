"""What a plan comes down to in the graph: small changes, each with what was before and what is after.

They are what is written, what is stored as a run's audit, and, turned round, what undoes it. None before means that it
comes into being, None after that it goes.
"""

from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Annotated, Final, Literal, assert_never

from pydantic import Field, TypeAdapter

from graph.values import StatementKind


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entity without what hangs on it."""

    subject: str
    external_id: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class EntityChange:
    """An entity comes, goes, or is touched: its revision grows with every change to what is known of it."""

    uuid: str
    before: EntityRecord | None
    after: EntityRecord | None
    into: str | None = None
    """Uuid of the entity it was merged into."""
    change: Literal["entity"] = "entity"


@dataclass(frozen=True, slots=True)
class NameRecord:
    """How an entity bears a name."""

    text: str
    kind: str
    """SUBJECT or ALIAS."""
    deprecated: bool
    since: datetime


@dataclass(frozen=True, slots=True)
class NameChange:
    """A name of an entity, by its identity key."""

    entity: str
    key: str
    before: NameRecord | None
    after: NameRecord | None
    change: Literal["name"] = "name"


@dataclass(frozen=True, slots=True)
class StatementRecord:
    """A statement that stands, and whose it is."""

    entity: str
    kind: StatementKind
    key: str
    text: str
    confidence: float
    support: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class StatementChange:
    """A statement; one that goes is kept as superseded, out of every index, so that an undo brings it back whole."""

    uuid: str
    before: StatementRecord | None
    after: StatementRecord | None
    change: Literal["statement"] = "statement"


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation that stands."""

    source: str
    target: str
    relation: str
    key: str
    strength: float
    support: int
    evidence: tuple[str, ...]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class RelationChange:
    """A relation between two entities."""

    uuid: str
    before: RelationRecord | None
    after: RelationRecord | None
    change: Literal["relation"] = "relation"


@dataclass(frozen=True, slots=True)
class SupportChange:
    """Evidence behind a statement."""

    statement: str
    evidence: str
    before: bool
    after: bool
    change: Literal["support"] = "support"


@dataclass(frozen=True, slots=True)
class Binding:
    """What an active entity is bound to, and whether it is the live one of its conversation."""

    entity: str | None
    live_key: str | None
    """None once it expired, or was merged into the conversation's live active entity of the same entity."""
    takes_over: str | None = None
    """Live key of the active entity that takes over its evidence, where it was merged."""


@dataclass(frozen=True, slots=True)
class BindingChange:
    """An active entity is bound, or let go again."""

    runtime_id: str
    before: Binding
    after: Binding
    change: Literal["binding"] = "binding"


Change = Annotated[
    EntityChange | NameChange | StatementChange | RelationChange | SupportChange | BindingChange,
    Field(discriminator="change"),
]
Changes = tuple[Change, ...]

CHANGES: Final[TypeAdapter[Changes]] = TypeAdapter(Changes)
"""Reads and writes changes as JSON, for the audit."""


def inverse(changes: Changes) -> Changes:
    """Return the changes that take these back, in the opposite order."""
    return tuple(
        replace(change, before=change.after, after=change.before)  # type: ignore[arg-type] # of one kind, before and after
        for change in reversed(changes)
    )


def collapse(changes: Changes) -> Changes:
    """Return one change for each thing, from before the first to after the last; what ends as it began is left out.

    An entity that was touched stays touched: its revision grows, even within the same moment.
    """
    collapsed: dict[tuple[str, ...], Change] = {}
    for change in changes:
        key = _identity(change)
        collapsed[key] = _joined(collapsed[key], change) if key in collapsed else change
    fleeting = {
        change.uuid
        for change in collapsed.values()
        if isinstance(change, StatementChange) and change.before is change.after is None
    }
    return tuple(
        change
        for change in collapsed.values()
        if (change.before != change.after or (isinstance(change, EntityChange) and change.after))
        and not (isinstance(change, SupportChange) and change.statement in fleeting)
    )


def _identity(change: Change) -> tuple[str, ...]:
    match change:
        case EntityChange() | StatementChange() | RelationChange():
            return change.change, change.uuid
        case NameChange():
            return change.change, change.entity, change.key
        case SupportChange():
            return change.change, change.statement, change.evidence
        case BindingChange():
            return change.change, change.runtime_id
        case _:
            assert_never(change)


def _joined(first: Change, last: Change) -> Change:
    if (
        isinstance(first, EntityChange)
        and isinstance(last, EntityChange)
        and first.after
        and last.before
        and last.after
    ):
        # Several steps may touch one entity, each seeing it as it stood at first: keep what each has changed.
        old, new = asdict(last.before), asdict(last.after)
        return replace(first, after=replace(first.after, **{name: new[name] for name in new if new[name] != old[name]}))
    return replace(first, after=last.after)  # type: ignore[arg-type] # one identity, one kind


def touched(changes: Changes) -> tuple[str, ...]:
    """Return the uuids of the entities that changes touch, sorted."""
    return tuple(sorted({change.uuid for change in changes if isinstance(change, EntityChange)}))
