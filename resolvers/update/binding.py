"""Which unbound active entities a plan binds to which entity: pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph.names import identity_key
from resolvers.linking import live_key
from resolvers.update.changes import Binding, BindingChange, EntityChange
from resolvers.update.realise import RealisedStep
from resolvers.update.seen import ActiveSource
from resolvers.update.state import PlanState
from resolvers.update.steps import AddAlias, CreateEntityStep, MergeStep, UpdateExistingStep, UpdatePlan


@dataclass(frozen=True, slots=True)
class PlannedBinding:
    """An unbound active entity and the step whose entity it turns out to be."""

    runtime_id: str
    entity_uuid: str | None
    """Of the entity that is updated."""
    created_key: str | None
    """Identity key of the subject of the entity that is created."""


def plan_bindings(plan: UpdatePlan, sources: Iterable[ActiveSource]) -> tuple[PlannedBinding, ...]:
    """Return the unbound active entities that exactly one step of the plan is about.

    A step is about an active entity that it came from, or was mentioned by one of its names; where several came from
    it, the names alone tell.
    """
    steps = [step for step in plan.steps if not isinstance(step, MergeStep)]
    bound = []
    for source in sorted(sources, key=lambda source: source.runtime_id):
        if source.bound_uuid is not None:
            continue
        names = {identity_key(name) for name in (*source.mentions, source.subject or "")}
        named = [step for step in steps if names & _names(step)]
        claimed = [step for step in steps if source.runtime_id in step.sources]
        for candidates in (named, claimed):
            if len(candidates) == 1:
                bound.append(_planned(source, candidates[0]))
                break
    return tuple(bound)


def _names(step: UpdateExistingStep | CreateEntityStep) -> set[str]:
    aliases = (patch.alias for patch in step.patches if isinstance(patch, AddAlias))
    return {identity_key(name) for name in (step.subject, *aliases)}


def _planned(source: ActiveSource, step: UpdateExistingStep | CreateEntityStep) -> PlannedBinding:
    if isinstance(step, CreateEntityStep):
        return PlannedBinding(source.runtime_id, None, identity_key(step.subject))
    return PlannedBinding(source.runtime_id, step.entity_uuid, None)


def binding_changes(
    planned: Sequence[PlannedBinding],
    actives: Mapping[str, Binding],
    realised: Sequence[RealisedStep],
    state: PlanState,
    *,
    space: str,
    conversation: str,
) -> tuple[BindingChange, ...]:
    """Return the changes of bindings, now that the new entities have their ids and the active entities are locked.

    One that is gone by now, or was bound by somebody else, is left alone; one that expired stays so.

    An entity has one live active entity in a conversation: where there is one already, or another of these becomes it,
    that one takes over the evidence and this one expires.
    """
    created = _created(realised)
    living = {
        uuid
        for uuid, entity in state.entities.items()
        for active in entity.bound
        if active.live_key and active.conversation == conversation
    }
    changes = []
    for each in planned:
        now = actives.get(each.runtime_id)
        if now is None or now.entity is not None:
            continue
        uuid = each.entity_uuid or created[each.created_key or ""]
        key = live_key(space, conversation, "entity", uuid)
        if uuid in living:
            after = Binding(uuid, None, takes_over=key)
        else:
            after = Binding(uuid, key if now.live_key else None)
            if now.live_key:
                living.add(uuid)
        changes.append(BindingChange(each.runtime_id, now, after))
    return tuple(changes)


def _created(realised: Sequence[RealisedStep]) -> Mapping[str, str]:
    return {
        identity_key(change.after.subject): change.uuid
        for step in realised
        for change in step.changes
        if isinstance(change, EntityChange) and change.before is None and change.after is not None
    }
