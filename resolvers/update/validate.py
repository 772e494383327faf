"""Whether a plan can be applied: every violation at once, with code, path and message.

A safety net under `build`, and the only way in for a person's edits. Pure, and never raises: what is odd in a plan is
a violation.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from graph.checks import MAX_RELATION, MAX_STATEMENT
from graph.names import identity_key
from graph.values import StatementKind
from resolvers.update.name_claims import name_violations
from resolvers.update.seen import KnownBearer
from resolvers.update.steps import (
    MOST_STEPS,
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    MergeStep,
    Patch,
    PlannedTarget,
    RemoveAlias,
    RemoveRelation,
    RemoveStatement,
    Rename,
    ReplaceStatement,
    Step,
    UpdateExistingStep,
    UpdatePlan,
    ValidPlan,
    Violation,
)
from resolvers.update.violations import (
    ViolationCode,
    name_refusal,
    path_order,
    text_refusal,
    unit_refusal,
    violation,
)


@dataclass(frozen=True, slots=True)
class StandingStatement:
    """A statement that an entity has."""

    uuid: str
    kind: StatementKind
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class StandingRelation:
    """A relation that an entity has to another."""

    uuid: str
    target_uuid: str
    target_subject: str
    relation: str
    strength: float


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What is known around a plan, all of one space."""

    entities: Mapping[str, str]
    """Subject by uuid, of the entities the plan touches or points to, as far as they exist."""
    owners: Mapping[str, tuple[KnownBearer, ...]]
    """By identity key, of the names the plan gives or takes."""
    statements: Mapping[str, str]
    """Entity uuid by statement uuid, of the statements the plan removes."""
    relations: Mapping[str, str]
    """Source uuid by relation uuid, of the relations the plan removes."""
    external_ids: Mapping[str, str] = field(default_factory=dict)
    """Entity uuid by id from outside, of those the plan gives."""
    standing_statements: Mapping[str, tuple[StandingStatement, ...]] = field(default_factory=dict)
    """By entity uuid. An entity that is left out was not looked at: replacements in it are not checked."""
    standing_relations: Mapping[str, tuple[StandingRelation, ...]] = field(default_factory=dict)
    """By uuid of the entity they start from; for `explain`."""


def validate(plan: UpdatePlan, known: PlanFacts) -> ValidPlan | tuple[Violation, ...]:
    """Return the plan as one that can be applied, or everything that is wrong with it, in the order of its steps."""
    checker = _Checker(plan, known)
    violations = [
        *_too_many(plan),
        *_repeated(plan),
        *name_violations(plan, known.owners),
        *(each for place, step in enumerate(plan.steps) for each in checker.step(step, f"steps.{place}")),
    ]
    return tuple(sorted(violations, key=path_order)) if violations else ValidPlan(plan)


def _too_many(plan: UpdatePlan) -> Iterator[Violation]:
    if len(plan.steps) > MOST_STEPS:
        message = f"{len(plan.steps)} steps, {MOST_STEPS} are the most one transaction takes"
        yield violation(ViolationCode.TOO_MANY_STEPS, "steps", message)


def _repeated(plan: UpdatePlan) -> Iterator[Violation]:
    """Yield steps about one entity: each would be made without the other's changes."""
    first: dict[str, int] = {}
    for place, step in enumerate(plan.steps):
        match step:
            case UpdateExistingStep():
                uuids = {step.entity_uuid}
            case MergeStep():
                uuids = {step.into_uuid, step.from_uuid}
            case CreateEntityStep():
                uuids = set()
            case _:
                assert_never(step)
        for uuid in sorted(uuids):
            if uuid in first:
                message = f"step {first[uuid]} is about entity {uuid!r} already"
                yield violation(ViolationCode.ENTITY_TWICE, f"steps.{place}", message)
            first.setdefault(uuid, place)


class _Checker:
    """Checks each step by itself."""

    def __init__(self, plan: UpdatePlan, known: PlanFacts) -> None:
        self._known = known
        self._planned = Counter(identity_key(step.subject) for step in plan.steps if isinstance(step, CreateEntityStep))

    def step(self, step: Step, path: str) -> Iterator[Violation]:
        match step:
            case UpdateExistingStep():
                yield from self._entity(step.entity_uuid, f"{path}.entity_uuid")
                if not step.patches:
                    yield violation(ViolationCode.EMPTY_STEP, path, f"it changes nothing about {step.subject!r}")
                for place, patch in enumerate(step.patches):
                    yield from self._patch(patch, step, f"{path}.patches.{place}")
            case CreateEntityStep():
                yield from name_refusal(step.subject, f"{path}.subject")
                if step.external_id is not None and step.external_id in self._known.external_ids:
                    message = f"another entity has the id {step.external_id!r}"
                    yield violation(ViolationCode.EXTERNAL_ID_TAKEN, f"{path}.external_id", message)
                for place, patch in enumerate(step.patches):
                    yield from self._patch(patch, step, f"{path}.patches.{place}")
            case MergeStep():
                yield from self._entity(step.into_uuid, f"{path}.into_uuid")
                yield from self._entity(step.from_uuid, f"{path}.from_uuid")
                if step.into_uuid == step.from_uuid:
                    message = f"{step.into_subject!r} cannot be merged with itself"
                    yield violation(ViolationCode.MERGE_WITH_ITSELF, path, message)
            case _:
                assert_never(step)

    def _entity(self, uuid: str, path: str) -> Iterator[Violation]:
        if uuid not in self._known.entities:
            yield violation(ViolationCode.ENTITY_UNKNOWN, path, f"this space has no entity {uuid!r}")

    def _patch(self, patch: Patch, step: UpdateExistingStep | CreateEntityStep, path: str) -> Iterator[Violation]:
        match patch:
            case AddStatement():
                yield from text_refusal(patch.text, f"{path}.text", longest=MAX_STATEMENT)
                yield from unit_refusal(patch.confidence, f"{path}.confidence")
            case AddAlias():
                yield from name_refusal(patch.alias, f"{path}.alias")
            case AddRelation():
                yield from text_refusal(patch.relation, f"{path}.relation", longest=MAX_RELATION)
                yield from unit_refusal(patch.strength, f"{path}.strength")
                yield from self._target(patch, step, f"{path}.target")
            case ReplaceStatement() | RemoveStatement() | RemoveAlias() | Rename() | RemoveRelation():
                if isinstance(step, UpdateExistingStep):
                    yield from self._change(patch, step.entity_uuid, path)
                else:
                    message = f"{step.subject!r} is new: it has nothing to replace, remove or rename"
                    yield violation(ViolationCode.PATCH_MISPLACED, path, message)
            case _:
                assert_never(patch)

    def _change(
        self,
        patch: ReplaceStatement | RemoveStatement | RemoveAlias | Rename | RemoveRelation,
        entity: str,
        path: str,
    ) -> Iterator[Violation]:
        match patch:
            case ReplaceStatement():
                yield from text_refusal(patch.new_text, f"{path}.new_text", longest=MAX_STATEMENT)
                yield from unit_refusal(patch.confidence, f"{path}.confidence")
                standing = self._known.standing_statements.get(entity)
                key = identity_key(patch.text)
                if standing is not None and key not in {identity_key(each.text) for each in standing}:
                    message = f"the entity has no statement {patch.text!r}"
                    yield violation(ViolationCode.STATEMENT_UNKNOWN, f"{path}.text", message)
            case RemoveStatement():
                if self._known.statements.get(patch.statement_uuid) != entity:
                    message = f"the entity has no statement {patch.statement_uuid!r}"
                    yield violation(ViolationCode.STATEMENT_UNKNOWN, f"{path}.statement_uuid", message)
            case RemoveRelation():
                if self._known.relations.get(patch.relation_uuid) != entity:
                    message = f"the entity has no relation {patch.relation_uuid!r}"
                    yield violation(ViolationCode.RELATION_UNKNOWN, f"{path}.relation_uuid", message)
            case RemoveAlias():
                yield from self._removed_alias(patch, entity, f"{path}.alias")
            case Rename():
                yield from name_refusal(patch.subject, f"{path}.subject")
            case _:
                assert_never(patch)

    def _removed_alias(self, patch: RemoveAlias, entity: str, path: str) -> Iterator[Violation]:
        key = identity_key(patch.alias)
        if key == identity_key(self._known.entities.get(entity, "")):
            message = f"{patch.alias!r} is its canonical name: rename the entity first"
            yield violation(ViolationCode.SUBJECT_NOT_REMOVABLE, path, message)
        elif entity not in {bearer.uuid for bearer in self._known.owners.get(key, ())}:
            yield violation(ViolationCode.ALIAS_UNKNOWN, path, f"the entity is not called {patch.alias!r}")

    def _target(
        self, patch: AddRelation, step: UpdateExistingStep | CreateEntityStep, path: str
    ) -> Iterator[Violation]:
        match patch.target:
            case KnownTarget(uuid, subject):
                if uuid not in self._known.entities:
                    message = f"this space has no entity {uuid!r} ({subject!r})"
                    yield violation(ViolationCode.TARGET_UNKNOWN, path, message)
                is_self = isinstance(step, UpdateExistingStep) and uuid == step.entity_uuid
            case PlannedTarget(key, subject):
                if self._planned[key] == 0:
                    yield violation(ViolationCode.TARGET_UNKNOWN, path, f"the plan creates nobody called {subject!r}")
                elif self._planned[key] > 1:
                    message = f"the plan creates {self._planned[key]} entities called {subject!r}"
                    yield violation(ViolationCode.TARGET_AMBIGUOUS, path, message)
                is_self = isinstance(step, CreateEntityStep) and key == identity_key(step.subject)
            case _:
                assert_never(patch.target)
        if is_self:
            message = f"nobody is the {patch.relation!r} of oneself"
            yield violation(ViolationCode.SELF_RELATION, path, message)
