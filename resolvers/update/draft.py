"""One entity while a plan is built: the resolutions that are about it, and the names it is to get.

A name is given only where it is nobody's: neither a known entity's nor, in the same plan, another one's. What several
claim none gets, and a new entity's subject goes before anybody's alias.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph.names import identity_key
from resolvers.update.generic import is_generic
from resolvers.update.seen import Decision, DropCode, Dropped, KnownIdentities, Resolution
from resolvers.update.steps import KnownTarget, PlannedTarget, RelationTarget


@dataclass(frozen=True, slots=True)
class Draft:
    """All that is to be known of one entity: one that stands, or one that the plan creates."""

    uuid: str | None
    key: str
    """Identity key of the subject."""
    subject: str
    resolutions: tuple[Resolution, ...]

    @property
    def place(self) -> tuple[bool, str]:
        """Return what orders the steps of a plan: creates by key, then updates by uuid."""
        return self.uuid is not None, self.uuid or self.key

    @property
    def target(self) -> RelationTarget:
        """Return what a relation to it points to."""
        return KnownTarget(self.uuid, self.subject) if self.uuid else PlannedTarget(self.key, self.subject)

    @property
    def sources(self) -> frozenset[str]:
        """Return the runtime ids of the active entities it was observed of."""
        return frozenset[str]().union(*(each.observation.sources for each in self.resolutions))

    def names(self) -> dict[str, str]:
        """Return all its observed names by key, as written by the first observation."""
        names: dict[str, str] = {}
        for resolution in self.resolutions:
            for key, name in names_of(resolution).items():
                names.setdefault(key, name)
        return names


def names_of(resolution: Resolution) -> dict[str, str]:
    """Return the observed names of one observation by key, as they were first written."""
    observation = resolution.observation
    observed = (observation.subject, *observation.aliases) if observation.key else observation.aliases
    return {identity_key(name): name for name in reversed(observed)}


def drafts_of(resolutions: Iterable[Resolution]) -> tuple[Draft, ...]:
    """Return one draft for each entity, in the order of their steps."""
    updates: dict[str, list[Resolution]] = {}
    creates: dict[str, list[Resolution]] = {}
    for resolution in resolutions:
        if resolution.decision is Decision.UPDATE and resolution.entity_uuid:
            updates.setdefault(resolution.entity_uuid, []).append(resolution)
        elif resolution.decision is Decision.CREATE:
            creates.setdefault(resolution.observation.key, []).append(resolution)
    drafts = [_updated(uuid, each) for uuid, each in updates.items()]
    drafts += [_created(key, each) for key, each in creates.items()]
    return tuple(sorted(drafts, key=lambda draft: draft.place))


def _updated(uuid: str, resolutions: Sequence[Resolution]) -> Draft:
    subjects = (bearer.subject for each in resolutions for bearer in each.candidates if bearer.uuid == uuid)
    subject = min(subjects, default=min(each.observation.subject for each in resolutions))
    return Draft(uuid, identity_key(subject), subject, tuple(resolutions))


def _created(key: str, resolutions: Sequence[Resolution]) -> Draft:
    observations = [each.observation for each in resolutions]
    subject = min(observations, key=lambda each: (-each.confidence, each.subject)).subject
    return Draft(None, key, subject, tuple(resolutions))


@dataclass(frozen=True, slots=True)
class NewNames:
    """The names that each draft's entity gets, by key, and those it was refused."""

    given: Mapping[tuple[bool, str], Mapping[str, str]]
    """By the draft's place."""
    refused: Mapping[tuple[bool, str], Mapping[str, Dropped]]
    """By the draft's place, too."""

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Return all that were refused."""
        return tuple(each for names in self.refused.values() for each in names.values())


def new_names(drafts: Sequence[Draft], known: KnownIdentities) -> NewNames:
    """Return the names to add, beside those that the entities have."""
    wanted = {draft.place: _wanted(draft, known) for draft in drafts}
    claims = Counter(key for names in wanted.values() for key in names)
    subjects = {draft.key: draft.place for draft in drafts if draft.uuid is None}
    given: dict[tuple[bool, str], dict[str, str]] = {}
    refused: dict[tuple[bool, str], dict[str, Dropped]] = {}
    for draft in drafts:
        names, taken = given.setdefault(draft.place, {}), refused.setdefault(draft.place, {})
        for key, name in sorted(wanted[draft.place].items()):
            if known.owners.get(key):
                others = ", ".join(sorted({repr(bearer.subject) for bearer in known.owners[key]}))
                reason = f"another entity is called so: {others}; {draft.subject!r} does not get it"
            elif claims[key] > 1 or key in subjects:
                reason = f"it was observed of others too, so {draft.subject!r} does not get it"
            else:
                names[key] = name
                continue
            taken[key] = Dropped(DropCode.ALIAS_TAKEN, name, reason)
    return NewNames(given, refused)


def _wanted(draft: Draft, known: KnownIdentities) -> dict[str, str]:
    return {
        key: name
        for key, name in draft.names().items()
        if key != draft.key
        and not is_generic(name)
        and draft.uuid not in {bearer.uuid for bearer in known.owners.get(key, ())}
    }
