"""From a valid plan and what stands to the changes to write: pure, the same for a preview and the real thing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import assert_never

from graph.names import identity_key
from resolvers.update.changes import (
    Change,
    Changes,
    EntityChange,
    EntityRecord,
    NameChange,
    RelationChange,
    StatementChange,
    SupportChange,
)
from resolvers.update.merge import merge_changes
from resolvers.update.records import entity_record, name_record, relation_record, statement_record
from resolvers.update.state import PlanState, StoredEntity, StoredName, StoredRelation, StoredStatement
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    MergeStep,
    Patch,
    RemoveAlias,
    RemoveRelation,
    RemoveStatement,
    Rename,
    ReplaceStatement,
    Step,
    UpdateExistingStep,
    ValidPlan,
)


@dataclass(frozen=True, slots=True)
class RealisedStep:
    """One step, whose entity it is about, and its changes. A step that changes nothing has none."""

    step: Step
    entity_uuid: str
    changes: Changes


def realise(
    valid: ValidPlan, state: PlanState, *, space: str, now: datetime, new_uuid: Callable[[], str]
) -> tuple[RealisedStep, ...]:
    """Return the changes of each step, given the state they are applied to.

    Args:
        valid: the plan.
        state: everything around it, as it stands.
        space: name of the space.
        now: moment of the change.
        new_uuid: makes ids; called once for each thing that comes into being.
    """
    steps = valid.plan.steps
    created = {identity_key(step.subject): new_uuid() for step in steps if isinstance(step, CreateEntityStep)}
    realised = []
    for step in steps:
        match step:
            case CreateEntityStep():
                uuid = created[identity_key(step.subject)]
                desk = _Desk(_blank(uuid, step, now), created, now, new_uuid)
                desk.come_into_being(step)
                desk.apply(step.patches)
            case UpdateExistingStep():
                uuid = step.entity_uuid
                desk = _Desk(state.entities[uuid], created, now, new_uuid)
                desk.apply(step.patches)
            case MergeStep():
                uuid = step.into_uuid
                into, gone = state.entities[uuid], state.entities[step.from_uuid]
                others = {each: entity_record(known) for each, known in state.entities.items()}
                realised.append(RealisedStep(step, uuid, merge_changes(space, into, gone, others, now=now)))
                continue
            case _:
                assert_never(step)
        realised.append(RealisedStep(step, uuid, desk.changes(state)))
    return tuple(realised)


def _blank(uuid: str, step: CreateEntityStep, now: datetime) -> StoredEntity:
    return StoredEntity(uuid, step.subject, step.external_id, 0, now, now, (), (), (), ())


class _Desk:
    """One entity while its patches are applied to it, one after the other."""

    def __init__(
        self, entity: StoredEntity, created: dict[str, str], now: datetime, new_uuid: Callable[[], str]
    ) -> None:
        self._entity = entity
        self._created = created
        self._now = now
        self._new_uuid = new_uuid
        self._subject = entity.subject
        self._is_new = False
        self._names = {name.key: name for name in entity.names}
        self._statements = {(each.kind, each.key): each for each in entity.statements}
        self._relations = {(each.key, each.target): each for each in entity.relations if each.source == entity.uuid}
        self._changes: list[Change] = []

    def come_into_being(self, step: CreateEntityStep) -> None:
        self._is_new = True
        record = EntityRecord(step.subject, step.external_id, self._now, self._now)
        self._changes.append(EntityChange(self._entity.uuid, None, record))
        self._set_name(identity_key(step.subject), step.subject, "SUBJECT", deprecated=False)

    def apply(self, patches: Sequence[Patch]) -> None:
        for patch in patches:
            match patch:
                case AddStatement():
                    self._add_statement(patch)
                case ReplaceStatement():
                    self._replace_statement(patch)
                case RemoveStatement():
                    self._remove_statements(uuid=patch.statement_uuid)
                case AddAlias():
                    self._add_alias(patch)
                case RemoveAlias():
                    self._remove_alias(patch)
                case Rename():
                    self._rename(patch)
                case AddRelation():
                    self._add_relation(patch)
                case RemoveRelation():
                    self._remove_relation(patch)
                case _:
                    assert_never(patch)

    def changes(self, state: PlanState) -> Changes:
        """Return what came of it; the entity itself, and those its relations lead to, are touched with it."""
        if not self._changes or self._is_new:
            touched_self: list[Change] = []
        else:
            before = entity_record(self._entity)
            touched_self = [
                EntityChange(self._entity.uuid, before, replace(before, subject=self._subject, updated_at=self._now))
            ]
        ends = {
            record.target
            for change in self._changes
            if isinstance(change, RelationChange) and (record := change.after or change.before)
        }
        others = (state.entities[end] for end in sorted(ends) if end in state.entities and end != self._entity.uuid)
        touched = (
            EntityChange(each.uuid, entity_record(each), replace(entity_record(each), updated_at=self._now))
            for each in others
        )
        return (*touched_self, *self._changes, *touched)

    def _add_statement(self, patch: AddStatement) -> None:
        key = (patch.kind, identity_key(patch.text))
        if stands := self._statements.get(key):
            evidence = stands.evidence | set(patch.evidence)
            after = replace(
                stands,
                confidence=max(stands.confidence, patch.confidence),
                support=max(stands.support, len(evidence)),
                evidence=evidence,
            )
        else:
            evidence = frozenset(patch.evidence)
            after = StoredStatement(
                self._new_uuid(), patch.kind, key[1], patch.text, patch.confidence, max(1, len(evidence)),
                self._now, self._now, evidence,
            )  # fmt: skip
        self._set_statement(stands, after)

    def _replace_statement(self, patch: ReplaceStatement) -> None:
        key, new_key = identity_key(patch.text), identity_key(patch.new_text)
        stands = self._statements.get((patch.kind, key))
        if stands and key == new_key:
            self._set_statement(stands, replace(stands, text=patch.new_text, confidence=patch.confidence))
            return
        # Of either kind: what is replaced must not live on as the other one.
        self._remove_statements(key=key)
        self._add_statement(AddStatement(patch.kind, patch.new_text, patch.confidence, reason=patch.reason))

    def _remove_statements(self, *, uuid: str = "", key: str = "") -> None:
        for place, each in [*self._statements.items()]:
            if uuid == each.uuid or key == each.key:
                del self._statements[place]
                self._changes.append(StatementChange(each.uuid, statement_record(self._entity.uuid, each), None))

    def _set_statement(self, before: StoredStatement | None, after: StoredStatement) -> None:
        if before == after:
            return
        after = replace(after, updated_at=self._now)
        self._statements[after.kind, after.key] = after
        owner = self._entity.uuid
        self._changes.append(
            StatementChange(
                after.uuid, statement_record(owner, before) if before else None, statement_record(owner, after)
            )
        )
        new = after.evidence - (before.evidence if before else frozenset())
        self._changes += (SupportChange(after.uuid, each, before=False, after=True) for each in sorted(new))

    def _add_alias(self, patch: AddAlias) -> None:
        key = identity_key(patch.alias)
        stands = self._names.get(key)
        if stands is None or stands.deprecated:
            self._set_name(key, patch.alias, stands.kind if stands else "ALIAS", deprecated=False)

    def _remove_alias(self, patch: RemoveAlias) -> None:
        key = identity_key(patch.alias)
        stands = self._names[key]
        if patch.deprecate:
            self._set_name(key, stands.text, stands.kind, deprecated=True)
        else:
            self._drop_name(key)

    def _rename(self, patch: Rename) -> None:
        key, old_key = identity_key(patch.subject), identity_key(self._subject)
        if key != old_key:
            if patch.keep_old_subject_as_alias:
                self._set_name(old_key, self._subject, "ALIAS", deprecated=False)
            else:
                self._drop_name(old_key)
        self._subject = patch.subject
        self._set_name(key, patch.subject, "SUBJECT", deprecated=False)

    def _set_name(self, key: str, text: str, kind: str, *, deprecated: bool) -> None:
        before = self._names.get(key)
        after = StoredName(key, text, kind, deprecated, before.since if before else self._now)
        if before == after:
            return
        self._names[key] = after
        self._changes.append(
            NameChange(self._entity.uuid, key, name_record(before) if before else None, name_record(after))
        )

    def _drop_name(self, key: str) -> None:
        self._changes.append(NameChange(self._entity.uuid, key, name_record(self._names.pop(key)), None))

    def _add_relation(self, patch: AddRelation) -> None:
        target = patch.target.uuid if isinstance(patch.target, KnownTarget) else self._created[patch.target.key]
        key = (identity_key(patch.relation), target)
        stands = self._relations.get(key)
        evidence = tuple(sorted({*(stands.evidence if stands else ()), *patch.evidence}))
        if stands:
            after = replace(
                stands,
                strength=max(stands.strength, patch.strength),
                support=max(stands.support, len(evidence)),
                evidence=evidence,
            )
            if after == stands:
                return
            after = replace(after, updated_at=self._now)
        else:
            after = StoredRelation(
                self._new_uuid(), self._entity.uuid, target, patch.relation, key[0], patch.strength,
                max(1, len(evidence)), evidence, self._now, self._now,
            )  # fmt: skip
        self._relations[key] = after
        self._changes.append(
            RelationChange(after.uuid, relation_record(stands) if stands else None, relation_record(after))
        )

    def _remove_relation(self, patch: RemoveRelation) -> None:
        for key, each in [*self._relations.items()]:
            if each.uuid == patch.relation_uuid:
                del self._relations[key]
                self._changes.append(RelationChange(each.uuid, relation_record(each), None))
