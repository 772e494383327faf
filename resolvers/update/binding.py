"""Which unbound active entities a plan binds to which entity: pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph.names import identity_key
from resolvers.linking import live_key
from resolvers.update.changes import Binding, BindingChange, EntityChange
from resolvers.update.realise import RealisedStep
from resolvers.update.state import PlanState
from resolvers.update.steps import ActiveSource, CreateEntityStep, MergeStep, UpdateExistingStep, UpdatePlan


@dataclass(frozen=True, slots=True)
class PlannedBinding:
    """An unbound active entity and the step whose entity it turns out to be."""

    runtime_id: str
    live_key: str | None
    entity_uuid: str | None
    """Of the entity that is updated."""
    created_key: str | None
    """Identity key of the subject of the entity that is created."""


def plan_bindings(plan: UpdatePlan, sources: Iterable[ActiveSource]) -> tuple[PlannedBinding, ...]:
    """Return the unbound active entities that exactly one step of the plan names as its source.

    One that several steps name is bound to none of them, unless just one of these bears a name it was mentioned by.
    """
    claims: defaultdict[str, list[UpdateExistingStep | CreateEntityStep]] = defaultdict(list)
    for step in plan.steps:
        if not isinstance(step, MergeStep):
            for runtime_id in step.sources:
                claims[runtime_id].append(step)
    bound = []
    for source in sorted(sources, key=lambda source: source.runtime_id):
        if source.bound_uuid is not None:
            continue
        steps = claims[source.runtime_id]
        if len(steps) > 1:
            names = {identity_key(name) for name in (*source.mentions, source.subject or "")}
            steps = [step for step in steps if identity_key(step.subject) in names]
        if len(steps) == 1:
            step = steps[0]
            is_new = isinstance(step, CreateEntityStep)
            bound.append(
                PlannedBinding(
                    source.runtime_id,
                    source.live_key,
                    None if isinstance(step, CreateEntityStep) else step.entity_uuid,
                    identity_key(step.subject) if is_new else None,
                )
            )
    return tuple(bound)


def binding_changes(
    planned: Sequence[PlannedBinding],
    realised: Sequence[RealisedStep],
    state: PlanState,
    *,
    space: str,
    conversation: str,
) -> tuple[BindingChange, ...]:
    """Return the changes of bindings, now that the new entities have their ids.

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
        uuid = each.entity_uuid or created[each.created_key or ""]
        key = live_key(space, conversation, "entity", uuid)
        if uuid in living:
            after = Binding(uuid, None, takes_over=key)
        else:
            after = Binding(uuid, key if each.live_key else None)
            if each.live_key:
                living.add(uuid)
        changes.append(BindingChange(each.runtime_id, Binding(None, each.live_key), after))
    return tuple(changes)


def _created(realised: Sequence[RealisedStep]) -> Mapping[str, str]:
    return {
        identity_key(change.after.subject): change.uuid
        for step in realised
        for change in step.changes
        if isinstance(change, EntityChange) and change.before is None and change.after is not None
    }
