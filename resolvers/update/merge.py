"""Make one entity of two: what was known of the one that goes moves to the one that stays."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from resolvers.linking import live_key
from resolvers.update.changes import (
    Binding,
    BindingChange,
    Change,
    Changes,
    EntityChange,
    EntityRecord,
    NameChange,
    NameRecord,
    RelationChange,
    StatementChange,
    SupportChange,
)
from resolvers.update.records import entity_record, name_record, relation_record, statement_record
from resolvers.update.state import StoredEntity, StoredRelation


def merge_changes(
    space: str, into: StoredEntity, gone: StoredEntity, others: dict[str, EntityRecord], *, now: datetime
) -> Changes:
    """Return the changes of a merge.

    Names move as aliases. Statements and relations move; one that stands on both sides is reinforced. A relation
    between the two vanishes. Active entities are bound to the one that stays.

    Args:
        space: name of the space.
        into: the entity that stays.
        gone: the entity that goes.
        others: the entities at the other ends of the moved relations, to be touched.
        now: moment of the change.
    """
    before, record = entity_record(into), entity_record(gone)
    after = replace(before, external_id=before.external_id or record.external_id, updated_at=now)
    relations = tuple(_relations(into, gone, now))
    ends = {
        end
        for change in relations
        for each in (change.before, change.after)
        if each
        for end in (each.source, each.target)
    } - {into.uuid, gone.uuid}
    return (
        EntityChange(into.uuid, before, after),
        *_names(into, gone),
        *_statements(into, gone, now),
        *relations,
        *_bindings(space, into, gone),
        *(EntityChange(end, others[end], replace(others[end], updated_at=now)) for end in sorted(ends & set(others))),
        EntityChange(gone.uuid, record, None, into=into.uuid),
    )


def _names(into: StoredEntity, gone: StoredEntity) -> Iterator[Change]:
    borne = {name.key: name for name in into.names}
    for name in gone.names:
        yield NameChange(gone.uuid, name.key, name_record(name), None)
        if same := borne.get(name.key):
            if same.deprecated and not name.deprecated:
                yield NameChange(into.uuid, name.key, name_record(same), replace(name_record(same), deprecated=False))
        else:
            yield NameChange(into.uuid, name.key, None, NameRecord(name.text, "ALIAS", name.deprecated, name.since))


def _statements(into: StoredEntity, gone: StoredEntity, now: datetime) -> Iterator[Change]:
    stands = {(each.kind, each.key): each for each in into.statements}
    for each in gone.statements:
        before = statement_record(gone.uuid, each)
        same = stands.get((each.kind, each.key))
        if same is None:
            yield StatementChange(each.uuid, before, replace(before, entity=into.uuid, updated_at=now))
            continue
        evidence = same.evidence | each.evidence
        reinforced = replace(
            same,
            confidence=max(same.confidence, each.confidence),
            support=max(same.support, each.support, len(evidence)),
            updated_at=now,
        )
        yield StatementChange(each.uuid, before, None)
        yield StatementChange(same.uuid, statement_record(into.uuid, same), statement_record(into.uuid, reinforced))
        for new in sorted(evidence - same.evidence):
            yield SupportChange(same.uuid, new, before=False, after=True)


def _relations(into: StoredEntity, gone: StoredEntity, now: datetime) -> Iterator[RelationChange]:
    stands = {(each.source, each.key, each.target): each for each in into.relations}
    for each in gone.relations:
        source = into.uuid if each.source == gone.uuid else each.source
        target = into.uuid if each.target == gone.uuid else each.target
        before = relation_record(each)
        if source == target:
            yield RelationChange(each.uuid, before, None)
        elif same := stands.get((source, each.key, target)):
            yield RelationChange(each.uuid, before, None)
            after = _reinforced(same, each, now)
            stands[source, each.key, target] = after
            yield RelationChange(same.uuid, relation_record(same), relation_record(after))
        else:
            moved = replace(each, source=source, target=target, updated_at=now)
            stands[source, each.key, target] = moved
            yield RelationChange(each.uuid, before, relation_record(moved))


def _reinforced(same: StoredRelation, other: StoredRelation, now: datetime) -> StoredRelation:
    evidence = tuple(sorted({*same.evidence, *other.evidence}))
    return replace(
        same,
        strength=max(same.strength, other.strength),
        support=max(same.support, other.support, len(evidence)),
        evidence=evidence,
        updated_at=now,
    )


def _bindings(space: str, into: StoredEntity, gone: StoredEntity) -> Iterator[Change]:
    living = {active.conversation for active in into.bound if active.live_key}
    for active in gone.bound:
        key = live_key(space, active.conversation, "entity", into.uuid)
        if active.live_key and active.conversation in living:
            after = Binding(into.uuid, None, takes_over=key)
        else:
            after = Binding(into.uuid, key if active.live_key else None)
        yield BindingChange(active.runtime_id, Binding(gone.uuid, active.live_key), after)
