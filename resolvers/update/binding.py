"""Which unbound active entities a plan binds to which entity: pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graph.names import identity_key
from resolvers.linking import live_key
from resolvers.update.changes import Binding, BindingChange, EntityChange, NameChange
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
    conversation: str | None = None
    """Where the active entity lives; None for the conversation of the run."""


@dataclass(frozen=True, slots=True)
class UnboundActive:
    """A live active entity that is bound to nobody, as it stands while a plan is applied."""

    runtime_id: str
    conversation: str
    owners: Mapping[str, frozenset[str]]
    """For each name it was mentioned by, by identity key, the entities that bear it before the plan."""


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


def names_gained(realised: Sequence[RealisedStep]) -> Mapping[str, frozenset[str]]:
    """Return the entities that get a name by a plan, by identity key."""
    gained: dict[str, set[str]] = {}
    for change in _name_changes(realised):
        if change.after is not None:
            gained.setdefault(change.key, set()).add(change.entity)
    return {key: frozenset(uuids) for key, uuids in gained.items()}


def bindings_by_name(unbound: Iterable[UnboundActive], realised: Sequence[RealisedStep]) -> tuple[PlannedBinding, ...]:
    """Return who a plan makes known, of the active entities that go by its names in any conversation.

    As for what was observed: of each of its names that anybody bears after the plan take the bearers; where these sets
    have exactly one entity in common, it is that one.
    """
    gained = names_gained(realised)
    lost = {(change.key, change.entity) for change in _name_changes(realised) if change.after is None}
    found = []
    for active in unbound:
        bearers = [
            {uuid for uuid in uuids | gained.get(key, frozenset()) if (key, uuid) not in lost}
            for key, uuids in active.owners.items()
        ]
        common = set.intersection(*filter(None, bearers)) if any(bearers) else set()
        if len(common) == 1:
            found.append(PlannedBinding(active.runtime_id, common.pop(), None, active.conversation))
    return tuple(found)


def _name_changes(realised: Sequence[RealisedStep]) -> Iterator[NameChange]:
    for step in realised:
        if not isinstance(step.step, MergeStep):  # the active entities of both are put together by the merge itself
            yield from (change for change in step.changes if isinstance(change, NameChange))


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
        (uuid, active.conversation)
        for uuid, entity in state.entities.items()
        for active in entity.bound
        if active.live_key
    }
    changes = []
    for each in planned:
        now = actives.get(each.runtime_id)
        if now is None or now.entity is not None:
            continue
        uuid = each.entity_uuid or created[each.created_key or ""]
        where = conversation if each.conversation is None else each.conversation
        key = live_key(space, where, "entity", uuid)
        if (uuid, where) in living:
            after = Binding(uuid, None, takes_over=key)
        else:
            after = Binding(uuid, key if now.live_key else None)
            if now.live_key:
                living.add((uuid, where))
        changes.append(BindingChange(each.runtime_id, now, after))
    return tuple(changes)


def _created(realised: Sequence[RealisedStep]) -> Mapping[str, str]:
    return {
        identity_key(change.after.subject): change.uuid
        for step in realised
        for change in step.changes
        if isinstance(change, EntityChange) and change.before is None and change.after is not None
    }
