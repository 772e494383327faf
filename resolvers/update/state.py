"""What stands in the graph around a plan: read once, under locks when it is to be applied."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph.values import StatementKind
from resolvers.update.seen import KnownBearer


@dataclass(frozen=True, slots=True)
class StoredName:
    """One name of an entity."""

    key: str
    text: str
    kind: str
    deprecated: bool
    since: datetime


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """One statement of an entity."""

    uuid: str
    kind: StatementKind
    key: str
    text: str
    confidence: float
    support: int
    created_at: datetime
    updated_at: datetime
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class StoredRelation:
    """One relation from or to an entity."""

    uuid: str
    source: str
    target: str
    relation: str
    key: str
    strength: float
    support: int
    evidence: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    target_subject: str = ""
    """As it was read, for people."""


@dataclass(frozen=True, slots=True)
class BoundActive:
    """An active entity bound to an entity."""

    runtime_id: str
    conversation: str
    live_key: str | None
    """None once it expired."""


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """An entity with all that is known of it."""

    uuid: str
    subject: str
    external_id: str | None
    revision: int
    created_at: datetime
    updated_at: datetime
    names: tuple[StoredName, ...]
    statements: tuple[StoredStatement, ...]
    relations: tuple[StoredRelation, ...]
    bound: tuple[BoundActive, ...]
    """The active entities bound to it, expired ones too."""


@dataclass(frozen=True, slots=True)
class PlanState:
    """The entities a plan touches or points to, and the owners of the names it gives."""

    entities: Mapping[str, StoredEntity]
    owners: Mapping[str, tuple[KnownBearer, ...]]
    """By identity key."""
    statements: Mapping[str, str]
    """Entity uuid by statement uuid, of the statements to be removed."""
    relations: Mapping[str, str]
    """Source uuid by relation uuid, of the relations to be removed."""
    external_ids: Mapping[str, str]
    """Entity uuid by id from outside, of the ids it gives."""
    evidence: frozenset[str] = frozenset()
    """Of the evidence it rests on, what stands."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "PlanState":
        """Read the one row of `update/read_state`."""
        owners: dict[str, list[KnownBearer]] = {}
        for owner in row["owners"]:
            owners.setdefault(owner["key"], []).append(KnownBearer(owner["uuid"], owner["subject"]))
        return cls(
            entities={entity["uuid"]: _entity(entity) for entity in row["entities"]},
            owners={key: tuple(dict.fromkeys(bearers)) for key, bearers in owners.items()},
            statements={each["uuid"]: each["entity"] for each in row["statements"]},
            relations={each["uuid"]: each["source"] for each in row["relations"]},
            external_ids={each["id"]: each["uuid"] for each in row["externalIds"]},
            evidence=frozenset(row["evidence"]),
        )


def _entity(row: Mapping[str, Any]) -> StoredEntity:
    return StoredEntity(
        uuid=row["uuid"],
        subject=row["subject"],
        external_id=row["externalId"],
        revision=row["revision"],
        created_at=row["createdAt"],
        updated_at=row["updatedAt"],
        names=tuple(StoredName(**name) for name in row["names"]),
        statements=tuple(_statement(each) for each in row["statements"]),
        relations=tuple(StoredRelation(**{**each, "evidence": tuple(each["evidence"])}) for each in row["relations"]),
        bound=tuple(BoundActive(**each) for each in row["bound"]),
    )


def _statement(row: Mapping[str, Any]) -> StoredStatement:
    return StoredStatement(**{**row, "kind": StatementKind(row["kind"]), "evidence": frozenset(row["evidence"])})
