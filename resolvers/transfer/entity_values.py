"""What an import knows of stored entities, and what it is going to write, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass

from graph.values import StatementKind
from resolvers.transfer.report import RefusedLine
from resolvers.transfer.rows import Name, Row, RowStatement

StatementKey = tuple[StatementKind, str]


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """A statement in the graph, as far as an import needs it."""

    uuid: str
    confidence: float


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """An entity in the graph, as far as an import needs it."""

    uuid: str
    external_id: str | None
    subject: str
    subject_key: str
    names: frozenset[str]
    """Identity keys."""
    statements: Mapping[StatementKey, StoredStatement]


@dataclass(frozen=True, slots=True)
class NewName:
    """A name that an entity is to be known by."""

    entity: str
    name: Name
    is_subject: bool


@dataclass(frozen=True, slots=True)
class NewStatement:
    """A statement that is to be added to an entity."""

    entity: str
    statement: RowStatement


@dataclass(frozen=True, slots=True)
class RaisedStatement:
    """A stored statement that is to be held with more confidence."""

    uuid: str
    confidence: float


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An entity to create."""

    uuid: str
    external_id: str | None
    subject: str


@dataclass(frozen=True, slots=True)
class ChangedEntity:
    """A stored entity about which something is new."""

    uuid: str
    external_id: str | None
    """Where it gets one now."""


@dataclass(frozen=True, slots=True)
class EntityPlan:
    """Everything a batch of rows writes, and where each row belongs."""

    created: tuple[NewEntity, ...]
    changed: tuple[ChangedEntity, ...]
    names: tuple[NewName, ...]
    statements: tuple[NewStatement, ...]
    raised: tuple[RaisedStatement, ...]
    locks: tuple[Name, ...]
    """Names to lock before anything is decided for good: the subjects of rows that write, and all new names."""
    homes: tuple[tuple[Row, str], ...]
    """The rows taken, each with the uuid of its entity."""
    renamed: tuple[tuple[int, str], ...]
    """Lines found by id whose subject is not the stored one, each with the stored one."""
    refused: tuple[RefusedLine, ...]

    @property
    def writes(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.created or self.changed)

    @property
    def given_ids(self) -> tuple[str, ...]:
        """The ids from outside that entities get."""
        ids = [each.external_id for each in self.created] + [each.external_id for each in self.changed]
        return tuple(each for each in ids if each is not None)
