"""What has to be read around a plan before it can be checked or carried out: pure."""

from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter

from graph.names import identity_key
from resolvers.update.state import PlanState
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    MergeStep,
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

_STEP: Final[TypeAdapter[Any]] = TypeAdapter(Step)


@dataclass(frozen=True, slots=True)
class Vicinity:
    """The surroundings of a plan."""

    uuids: tuple[str, ...] = ()
    """Entities it touches or points to."""
    names: tuple[str, ...] = ()
    """Names it gives or takes."""
    statements: tuple[str, ...] = ()
    """Statements it removes."""
    relations: tuple[str, ...] = ()
    """Relations it removes."""
    external_ids: tuple[str, ...] = ()
    """Ids from outside that it gives."""
    merged: tuple[str, ...] = ()
    """Entities it merges: what is around them is read too."""
    evidence: tuple[str, ...] = ()
    """Evidence it rests on."""

    def parameters(self, space: str, *, lock: bool) -> dict[str, object]:
        """Return the parameters of `update/read_state`."""
        around = {
            "uuids": sorted(self.uuids),
            "keys": sorted({identity_key(name) for name in self.names}),
            "statementUuids": sorted(self.statements),
            "relationUuids": sorted(self.relations),
            "externalIds": sorted(self.external_ids),
            "merged": sorted(self.merged),
            "evidence": sorted(self.evidence),
        }
        return {"space": space, "around": around, "lock": lock}


def vicinity_of(*plans: UpdatePlan) -> Vicinity:
    """Return what plans touch, point to, give and remove."""
    steps = [step for plan in plans for step in plan.steps]
    patches = [patch for step in steps if not isinstance(step, MergeStep) for patch in step.patches]
    uuids: set[str] = set()
    names: set[str] = set()
    for step in steps:
        match step:
            case MergeStep():
                uuids |= {step.into_uuid, step.from_uuid}
            case UpdateExistingStep():
                uuids.add(step.entity_uuid)
            case CreateEntityStep():
                names.add(step.subject)
    uuids |= {
        patch.target.uuid
        for patch in patches
        if isinstance(patch, AddRelation) and isinstance(patch.target, KnownTarget)
    }
    names |= {patch.alias for patch in patches if isinstance(patch, AddAlias | RemoveAlias)}
    names |= {patch.subject for patch in patches if isinstance(patch, Rename)}
    return Vicinity(
        uuids=tuple(uuids),
        names=tuple(names),
        statements=tuple(patch.statement_uuid for patch in patches if isinstance(patch, RemoveStatement)),
        relations=tuple(patch.relation_uuid for patch in patches if isinstance(patch, RemoveRelation)),
        external_ids=tuple(
            step.external_id for step in steps if isinstance(step, CreateEntityStep) and step.external_id
        ),
        merged=tuple(
            uuid for step in steps if isinstance(step, MergeStep) for uuid in (step.into_uuid, step.from_uuid)
        ),
        evidence=tuple(
            {each for patch in patches if isinstance(patch, AddStatement | AddRelation) for each in patch.evidence}
        ),
    )


def texts_of(plan: UpdatePlan) -> list[str]:
    """Return the texts of statements that a plan may add, each once."""
    texts = (
        patch.new_text if isinstance(patch, ReplaceStatement) else patch.text
        for step in plan.steps
        if not isinstance(step, MergeStep)
        for patch in step.patches
        if isinstance(patch, AddStatement | ReplaceStatement)
    )
    return list(dict.fromkeys(texts))


def facts_of(state: PlanState) -> PlanFacts:
    """Return what a plan is checked against."""
    return PlanFacts(
        entities={uuid: entity.subject for uuid, entity in state.entities.items()},
        owners=state.owners,
        statements=state.statements,
        relations=state.relations,
        external_ids=state.external_ids,
        standing_statements={
            uuid: tuple(
                StandingStatement(each.uuid, each.kind, each.text, each.confidence) for each in entity.statements
            )
            for uuid, entity in state.entities.items()
        },
        standing_relations={
            uuid: tuple(
                StandingRelation(each.uuid, each.target, each.target_subject, each.relation, each.strength)
                for each in entity.relations
                if each.source == uuid
            )
            for uuid, entity in state.entities.items()
        },
    )


def payload(step: Step) -> str:
    """Return a step as JSON, for the audit."""
    return str(_STEP.dump_json(step).decode())
