"""A plan as a diff for people: what each step adds, reinforces, replaces, removes or renames, and what was refused.

Walks the same closed union of steps and patches as `realise`, which writes them. Numbers stand beside the texts, so
that a reinforcement shows: `lives in Hangzhou (0.60)` becomes `lives in Hangzhou (0.80)`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from graph.names import identity_key
from graph.values import StatementKind
from resolvers.update.diff import ChangeKind, Part, PlanDiff, ShownChange, ShownStep, StepKind
from resolvers.update.seen import Dropped
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
    UpdatePlan,
)
from resolvers.update.validate import PlanFacts, StandingRelation, StandingStatement


def explain(plan: UpdatePlan, facts: PlanFacts) -> PlanDiff:
    """Return what a plan changes, given what stands."""
    return PlanDiff(
        steps=tuple(_step(step, facts) for step in plan.steps),
        refused=tuple(map(_refused, plan.dropped)),
    )


def _step(step: Step, facts: PlanFacts) -> ShownStep:
    match step:
        case CreateEntityStep():
            subject = ShownChange(ChangeKind.ADDED, Part.SUBJECT, None, step.subject)
            return ShownStep(
                StepKind.CREATE, None, step.subject, (subject, *_patches(step.patches, _Standing((), (), step.subject)))
            )
        case UpdateExistingStep():
            standing = _standing(facts, step.entity_uuid, step.subject)
            return ShownStep(
                StepKind.UPDATE, step.entity_uuid, standing.subject, tuple(_patches(step.patches, standing))
            )
        case MergeStep():
            return ShownStep(StepKind.MERGE, step.into_uuid, step.into_subject, tuple(_merge(step, facts)))
        case _:
            assert_never(step)


@dataclass(frozen=True, slots=True)
class _Standing:
    """What an entity has before the step."""

    statements: tuple[StandingStatement, ...]
    relations: tuple[StandingRelation, ...]
    subject: str

    def statement(self, kind: StatementKind, text: str) -> StandingStatement | None:
        key = identity_key(text)
        return next((each for each in self.statements if each.kind is kind and identity_key(each.text) == key), None)

    def either_kind(self, text: str) -> StandingStatement | None:
        key = identity_key(text)
        return next((each for each in self.statements if identity_key(each.text) == key), None)

    def relation(self, relation: str, target_uuid: str) -> StandingRelation | None:
        key = identity_key(relation)
        return next(
            (each for each in self.relations if each.target_uuid == target_uuid and identity_key(each.relation) == key),
            None,
        )


def _standing(facts: PlanFacts, uuid: str, subject: str) -> _Standing:
    return _Standing(
        facts.standing_statements.get(uuid, ()),
        facts.standing_relations.get(uuid, ()),
        facts.entities.get(uuid, subject),
    )


def _patches(patches: Iterable[Patch], standing: _Standing) -> Iterator[ShownChange]:
    for patch in patches:
        match patch:
            case AddStatement():
                yield _added_statement(patch, standing)
            case ReplaceStatement():
                before = standing.statement(patch.kind, patch.text) or standing.either_kind(patch.text)
                yield ShownChange(
                    ChangeKind.REPLACED,
                    _part(patch.kind),
                    _weighed(before.text, before.confidence) if before else patch.text,
                    _weighed(patch.new_text, patch.confidence),
                    reason=patch.reason,
                )
            case RemoveStatement():
                yield _removed_statement(patch, standing)
            case AddAlias():
                yield ShownChange(ChangeKind.ADDED, Part.ALIAS, None, patch.alias, reason=patch.reason)
            case RemoveAlias():
                after = "deprecated" if patch.deprecate else None
                yield ShownChange(ChangeKind.REMOVED, Part.ALIAS, patch.alias, after, reason=patch.reason)
            case Rename():
                kept = "the old name stays as an alias" if patch.keep_old_subject_as_alias else "the old name goes"
                reason = f"{patch.reason}; {kept}" if patch.reason else kept
                yield ShownChange(ChangeKind.RENAMED, Part.SUBJECT, standing.subject, patch.subject, reason=reason)
            case AddRelation():
                yield _added_relation(patch, standing)
            case RemoveRelation():
                relation = next((each for each in standing.relations if each.uuid == patch.relation_uuid), None)
                text = _relation(relation) if relation else patch.relation_uuid
                yield ShownChange(ChangeKind.REMOVED, Part.RELATION, text, None, reason=patch.reason)
            case _:
                assert_never(patch)


def _added_statement(patch: AddStatement, standing: _Standing) -> ShownChange:
    stands = standing.statement(patch.kind, patch.text)
    return ShownChange(
        ChangeKind.REINFORCED if stands else ChangeKind.ADDED,
        _part(patch.kind),
        _weighed(stands.text, stands.confidence) if stands else None,
        _weighed(stands.text, max(stands.confidence, patch.confidence))
        if stands
        else _weighed(patch.text, patch.confidence),
        patch.evidence,
        patch.reason,
    )


def _removed_statement(patch: RemoveStatement, standing: _Standing) -> ShownChange:
    stands = next((each for each in standing.statements if each.uuid == patch.statement_uuid), None)
    return ShownChange(
        ChangeKind.REMOVED,
        _part(stands.kind) if stands else Part.IMPRESSION,
        _weighed(stands.text, stands.confidence) if stands else patch.statement_uuid,
        None,
        reason=patch.reason,
    )


def _added_relation(patch: AddRelation, standing: _Standing) -> ShownChange:
    uuid = patch.target.uuid if isinstance(patch.target, KnownTarget) else ""
    stands = standing.relation(patch.relation, uuid)
    strength = max(stands.strength, patch.strength) if stands else patch.strength
    relation = stands.relation if stands else patch.relation
    return ShownChange(
        ChangeKind.REINFORCED if stands else ChangeKind.ADDED,
        Part.RELATION,
        _relation(stands) if stands else None,
        _weighed(f"{relation} → {patch.target.subject}", strength),
        patch.evidence,
        patch.reason,
    )


def _merge(step: MergeStep, facts: PlanFacts) -> Iterator[ShownChange]:
    """Yield what moves: statements and relations that stand on both sides reinforce, a relation between them goes."""
    into = _standing(facts, step.into_uuid, step.into_subject)
    gone = _standing(facts, step.from_uuid, step.from_subject)
    yield ShownChange(
        ChangeKind.RENAMED, Part.SUBJECT, gone.subject, into.subject, reason="its names become aliases of the other"
    )
    for statement in gone.statements:
        moved = AddStatement(statement.kind, statement.text, statement.confidence)
        yield _added_statement(moved, into)
    for relation in gone.relations:
        if relation.target_uuid in {step.into_uuid, step.from_uuid}:
            yield ShownChange(ChangeKind.REMOVED, Part.RELATION, _relation(relation), None, reason="to itself")
        else:
            target = KnownTarget(relation.target_uuid, relation.target_subject)
            yield _added_relation(AddRelation(target, relation.relation, relation.strength), into)
    for relation in into.relations:
        if relation.target_uuid == step.from_uuid:
            yield ShownChange(ChangeKind.REMOVED, Part.RELATION, _relation(relation), None, reason="to itself")


def _refused(dropped: Dropped) -> ShownChange:
    reason = f"{dropped.code.value}: {dropped.reason}"
    return ShownChange(ChangeKind.REFUSED, Part.OBSERVATION, None, dropped.text, reason=reason)


def _part(kind: StatementKind) -> Part:
    return Part.IMPRESSION if kind is StatementKind.IMPRESSION else Part.FEATURE


def _relation(relation: StandingRelation) -> str:
    return _weighed(f"{relation.relation} → {relation.target_subject}", relation.strength)


def _weighed(text: str, weight: float) -> str:
    return f"{text} ({weight:.2f})"
