"""From changes to the parameters of the one statement that writes them: pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graph.names import loose_key
from graph.ports import Vector
from graph.text import scoped, search_terms
from graph.values import StatementKind
from resolvers.update.changes import (
    Binding,
    BindingChange,
    Changes,
    EntityChange,
    NameChange,
    NameRecord,
    RelationChange,
    RelationRecord,
    StatementChange,
    SupportChange,
)

Rows = list[dict[str, Any]]


@dataclass(slots=True)
class Writing:
    """The parameters of `update/write_changes`, and which documents they add and remove."""

    token: str
    """Of the space."""
    rows: dict[str, Rows] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    """Stored terms of names, statements and relations that come."""
    removed: list[str] = field(default_factory=list)

    def put(self, kind: str, /, **row: object) -> None:
        """Add one row to a list of the statement."""
        self.rows.setdefault(kind, []).append(row)

    def terms(self, text: str) -> str:
        """Return the stored terms of a text."""
        return scoped(search_terms(text), self.token)

    def exchange(self, before: str | None, after: str | None) -> None:
        """Count a document that goes for one that comes; the same words for the same words count as nothing."""
        if before == after:
            return
        if before is not None:
            self.removed.append(self.terms(before))
        if after is not None:
            self.added.append(self.terms(after))


KINDS = (
    "newEntities", "entities", "goneEntities", "mergedEntities", "backEntities", "names", "goneNames", "newImpressions",
    "newFeatures", "statements", "goneStatements", "backStatements", "relations", "changedRelations", "goneRelations",
    "supports", "goneSupports", "bindings",
)  # fmt: skip
"""Parameters of the statement that come from changes."""
COUNTED = tuple(kind for kind in KINDS if kind != "goneSupports")
"""Those whose number is compared with what the database counted: support of what goes may be gone with its evidence."""


def writing_of(
    changes: Changes, *, token: str, vectors: Mapping[str, Vector], superseded: frozenset[str] = frozenset()
) -> Writing:
    """Return how to write changes.

    Args:
        changes: one for each thing, see `collapse`.
        token: of the space.
        vectors: of the texts of new statements.
        superseded: statements that come back instead of being made anew (an undo).
    """
    writing = Writing(token)
    for change in changes:
        match change:
            case EntityChange():
                _entity(writing, change)
            case NameChange():
                _name(writing, change)
            case StatementChange():
                _statement(writing, change, vectors, superseded)
            case RelationChange():
                _relation(writing, change)
            case SupportChange():
                kind = "supports" if change.after else "goneSupports"
                writing.put(kind, statement=change.statement, evidence=change.evidence)
            case BindingChange():
                _binding(writing, change)
    return writing


def _entity(writing: Writing, change: EntityChange) -> None:
    if change.after is None:
        if change.into is None:
            writing.put("goneEntities", uuid=change.uuid)
        else:
            writing.put("mergedEntities", uuid=change.uuid, into=change.into)
        return
    row = {"uuid": change.uuid, "subject": change.after.subject, "externalId": change.after.external_id}
    if change.before is None and change.into is not None:
        writing.put("backEntities", **row, updatedAt=change.after.updated_at)
    elif change.before is None:
        writing.put("newEntities", **row, createdAt=change.after.created_at, updatedAt=change.after.updated_at)
    else:
        writing.put("entities", **row, updatedAt=change.after.updated_at)


def _name(writing: Writing, change: NameChange) -> None:
    before, after = change.before, change.after
    writing.exchange(before.text if before else None, after.text if after else None)
    if after is None:
        writing.put("goneNames", entity=change.entity, key=change.key)
    else:
        writing.put("names", entity=change.entity, key=change.key, **_named(writing, after))


def _named(writing: Writing, name: NameRecord) -> dict[str, object]:
    return {
        "looseKey": loose_key(name.text),
        "text": name.text,
        "terms": writing.terms(name.text),
        "kind": name.kind,
        "deprecated": name.deprecated,
        "since": name.since,
    }


def _statement(
    writing: Writing, change: StatementChange, vectors: Mapping[str, Vector], superseded: frozenset[str]
) -> None:
    before, after = change.before, change.after
    writing.exchange(before.text if before else None, after.text if after else None)
    if after is None:
        if before is not None:
            writing.put("goneStatements", uuid=change.uuid, entity=before.entity)
        return
    row = {
        "uuid": change.uuid,
        "entity": after.entity,
        "text": after.text,
        "terms": writing.terms(after.text),
        "confidence": after.confidence,
        "support": after.support,
        "updatedAt": after.updated_at,
    }
    if before is not None:
        writing.put("statements", **row, **{"from": before.entity})
    elif change.uuid in superseded:
        writing.put("backStatements", **row, impression=after.kind is StatementKind.IMPRESSION)
    else:
        kind = "newImpressions" if after.kind is StatementKind.IMPRESSION else "newFeatures"
        writing.put(kind, **row, key=after.key, createdAt=after.created_at, embedding=vectors[after.text])


def _relation(writing: Writing, change: RelationChange) -> None:
    before, after = change.before, change.after
    moved = before is not None and after is not None and (before.source, before.target) != (after.source, after.target)
    writing.exchange(before.relation if before else None, after.relation if after else None)
    if before is not None and (after is None or moved):
        writing.put("goneRelations", uuid=change.uuid, source=before.source)
    if after is None:
        return
    row = {
        "uuid": change.uuid,
        "source": after.source,
        "strength": after.strength,
        "support": after.support,
        "evidence": list(after.evidence),
        "updatedAt": after.updated_at,
    }
    if before is None or moved:
        writing.put("relations", **row, **_related(writing, after))
    else:
        writing.put("changedRelations", **row)


def _related(writing: Writing, relation: RelationRecord) -> dict[str, object]:
    return {
        "target": relation.target,
        "relation": relation.relation,
        "key": relation.key,
        "terms": writing.terms(relation.relation),
        "createdAt": relation.created_at,
    }


def _binding(writing: Writing, change: BindingChange) -> None:
    after: Binding = change.after
    writing.put(
        "bindings",
        runtimeId=change.runtime_id,
        entity=after.entity,
        was=change.before.live_key,
        liveKey=after.live_key,
        live=after.takes_over,
        givesBack=change.before.takes_over is not None,
    )


def mismatches(writing: Writing, counts: Mapping[str, int]) -> Sequence[str]:
    """Return in words where the database wrote another number of things than it was sent."""
    return [
        f"{kind}: {counts[kind]} of {sent} written"
        for kind in COUNTED
        if counts[kind] != (sent := len(writing.rows.get(kind, ())))
    ]
