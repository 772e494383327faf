"""What is written of each stored thing, for changes and their audit."""

from resolvers.update.changes import EntityRecord, NameRecord, RelationRecord, StatementRecord
from resolvers.update.state import StoredEntity, StoredName, StoredRelation, StoredStatement


def entity_record(entity: StoredEntity) -> EntityRecord:
    """Return an entity without what hangs on it."""
    return EntityRecord(entity.subject, entity.external_id, entity.created_at, entity.updated_at)


def name_record(name: StoredName) -> NameRecord:
    """Return how a name is borne."""
    return NameRecord(name.text, name.kind, name.deprecated, name.since)


def statement_record(owner: str, each: StoredStatement) -> StatementRecord:
    """Return a statement with its owner's uuid."""
    return StatementRecord(
        owner, each.kind, each.key, each.text, each.confidence, each.support, each.created_at, each.updated_at
    )


def relation_record(each: StoredRelation) -> RelationRecord:
    """Return a relation."""
    return RelationRecord(
        each.source, each.target, each.relation, each.key, each.strength, each.support, each.evidence,
        each.created_at, each.updated_at,
    )  # fmt: skip
