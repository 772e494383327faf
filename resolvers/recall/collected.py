"""What the database answered to one recall: the rows of `recall/collect_signals`, typed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from resolvers.recall.values import LiveActive


@dataclass(frozen=True, slots=True)
class NameRow:
    """One bearer of a name whose key was asked for."""

    key: str
    uuid: str
    subject: str
    text: str
    kind: str
    deprecated: bool


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """One relation of a named entity."""

    source: str
    uuid: str
    subject: str
    relation_uuid: str
    relation: str
    outgoing: bool
    strength: float
    degree: int
    """Relations of the named entity in all."""


@dataclass(frozen=True, slots=True)
class TextRow:
    """A name or statement that shares terms with the text."""

    uuid: str
    subject: str
    field: str
    statement: str | None
    text: str
    terms: str
    deprecated: bool


@dataclass(frozen=True, slots=True)
class RelationRow:
    """A relation whose name shares terms with the text."""

    uuid: str
    subject: str
    relation_uuid: str
    text: str
    terms: str


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """Live evidence of an active entity that shares terms with the text."""

    runtime_id: str
    evidence: str
    text: str
    terms: str
    confidence: float
    last_at: datetime


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A statement near the text's vector."""

    uuid: str
    subject: str
    field: str
    statement: str
    text: str
    cosine: float


@dataclass(frozen=True, slots=True)
class NearRow:
    """Live evidence of an active entity, and how near its meaning is."""

    runtime_id: str
    evidence: str
    text: str
    cosine: float
    confidence: float
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything one recall knows of the database."""

    names: tuple[NameRow, ...]
    neighbours: tuple[NeighbourRow, ...]
    texts: tuple[TextRow, ...]
    relations: tuple[RelationRow, ...]
    evidence: tuple[EvidenceRow, ...]
    vectors: tuple[VectorRow, ...]
    near: tuple[NearRow, ...]
    actives: tuple[LiveActive, ...]
    documents: Mapping[str, int]
    """Documents of the space by term key; the bare space token counts all."""
    linked: tuple[str, ...] = ()
    """Runtime ids of the live active entities that this very input is linked to already."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Collected":
        """Read the query's one row."""
        return cls(
            names=tuple(NameRow(**each) for each in row["names"]),
            neighbours=tuple(NeighbourRow(**each) for each in row["neighbours"]),
            texts=tuple(TextRow(**each) for each in row["texts"]),
            relations=tuple(RelationRow(**each) for each in row["relations"]),
            evidence=tuple(EvidenceRow(**each) for each in row["evidence"]),
            vectors=tuple(VectorRow(**each) for each in row["vectors"]),
            near=tuple(NearRow(**each) for each in row["near"]),
            actives=tuple(_active(each) for each in row["actives"]),
            documents={each["key"]: each["documents"] for each in row["terms"]},
            linked=tuple(sorted(row["linked"])),
        )


def _active(row: Mapping[str, Any]) -> LiveActive:
    return LiveActive(
        runtime_id=row["runtime_id"],
        subject=row["subject"],
        bound_uuid=row["bound"],
        bound_subject=row["bound_subject"],
        mention_keys=frozenset(row["mentions"]),
        created_at=row["created_at"],
        last_mentioned_at=row["last_mentioned_at"],
        last_confidence=row["last_confidence"],
        live=row["live"],
    )
