"""From resolutions to the plan of what is to be written.

What cannot be done is left out with its code, and the rest of the observation lands. A relation to somebody who is not
known, or may be any of several, waits as a postponed observation that holds nothing else. Resolutions to one entity
become one step. The result depends on nothing but the content of the arguments: creates by key, then updates by uuid.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graph.names import identity_key
from resolvers.update.again import Pending, waits_on
from resolvers.update.draft import Draft, NewNames, drafts_of, names_of, new_names
from resolvers.update.intake import shown
from resolvers.update.seen import (
    Decision,
    DropCode,
    Dropped,
    KnownIdentities,
    RelationPatch,
    Resolution,
    ResolutionCode,
)
from resolvers.update.speaker import target_name, with_named_targets
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    Patch,
    RelationTarget,
    UpdateExistingStep,
    UpdatePlan,
)
from resolvers.update.surest import surest_edges, surest_statements

_WAITING = {
    DropCode.TARGET_UNKNOWN: ResolutionCode.TARGET_UNKNOWN,
    DropCode.TARGET_AMBIGUOUS: ResolutionCode.TARGET_AMBIGUOUS,
}


@dataclass(frozen=True, slots=True)
class _Edge:
    """One observed relation and where it leads, or why it leads nowhere."""

    resolution: Resolution
    patch: RelationPatch
    target: RelationTarget | None = None
    refused: DropCode = DropCode.TARGET_UNKNOWN
    reason: str = ""

    @property
    def waits(self) -> bool:
        """Whether it may lead somewhere on a later run."""
        return self.target is None and self.refused in _WAITING


Edges = Mapping[tuple[bool, str], Sequence[_Edge]]
"""By the place of the draft they start from."""


def build(
    resolutions: Sequence[Resolution],
    known: KnownIdentities,
    *,
    dropped: Iterable[Dropped] = (),
    pending: Pending | None = None,
) -> UpdatePlan:
    """Return the plan, without steps where nothing is left to do.

    What it left out is its own: what an earlier run has left waiting, and waits on, that run has told.

    Args:
        resolutions: of all observations of a run.
        known: the owners of every name in them, those of relation targets too.
        dropped: what was left out before.
        pending: what earlier runs left waiting and is tried again.
    """
    drafts = drafts_of(resolutions)
    names = new_names(drafts, known)
    edges = _edges(drafts, names, known)
    steps = {draft.place: _step(draft, names, edges, known) for draft in drafts}
    postponed = [each for each in resolutions if each.decision is Decision.POSTPONED]
    waiting = [each for draft in drafts for each in _waiting(draft, names, edges, known)]
    old = frozenset(
        waiting
        for each in (*postponed, *waiting)
        if waits_on(each, pending or {})
        for waiting in each.observation.pending
    )
    left_out = [
        *dropped,
        *(
            refused
            for draft in drafts
            for key, refused in names.refused[draft.place].items()
            if not all(_is_among(each, old) for each in draft.resolutions if key in names_of(each))
        ),
        *(
            _dropped_edge(draft, edge)
            for draft in drafts
            for edge in edges[draft.place]
            if edge.target is None and not _is_among(edge.resolution, old)
        ),
        *(
            _nothing_left(draft)
            for draft in drafts
            if steps[draft.place] is None and not all(_is_among(each, old) for each in draft.resolutions)
        ),
        *(
            _dropped(DropCode.POSTPONED, each.observation.subject, each.reason)
            for each in postponed
            if not _is_among(each, old)
        ),
    ]
    return UpdatePlan(
        steps=tuple(step for step in steps.values() if step),
        dropped=tuple(sorted(left_out, key=lambda each: (each.code, each.text, each.reason))),
        postponed=tuple(
            replace(each, observation=with_named_targets(each.observation, known.speakers))
            for each in (*postponed, *waiting)
        ),
    )


def _is_among(resolution: Resolution, old: frozenset[str]) -> bool:
    """Tell whether an observation is one of those that wait on."""
    pending = resolution.observation.pending
    return bool(pending) and pending <= old


def _edges(drafts: Sequence[Draft], names: NewNames, known: KnownIdentities) -> Edges:
    """Return where each relation leads, given that nobody is created of whom nothing is known.

    A new entity may be known by its relations alone, which may lead to another of that kind: those that have nothing go
    first, until all that remain have something.
    """
    standing = list(drafts)
    while True:
        planned = _planned_targets(standing, names)
        edges = {draft.place: [*_edges_from(draft, planned, known)] for draft in drafts}
        left = [draft for draft in standing if draft.uuid or _is_told_of(draft, edges)]
        if len(left) == len(standing):
            return edges
        standing = left


def _planned_targets(drafts: Iterable[Draft], names: NewNames) -> Mapping[str, set[RelationTarget]]:
    """Return what the plan's own names lead to: its new entities, and the new aliases of all."""
    planned: dict[str, set[RelationTarget]] = {}
    for draft in drafts:
        own = {draft.key} if draft.uuid is None else set()
        for key in own | names.given[draft.place].keys():
            planned.setdefault(key, set()).add(draft.target)
    return planned


def _edges_from(draft: Draft, planned: Mapping[str, set[RelationTarget]], known: KnownIdentities) -> Iterator[_Edge]:
    for resolution in draft.resolutions:
        for patch in resolution.observation.relations:
            name = target_name(patch.target, patch.sources, known.speakers)
            if name is None:
                reason = f"{patch.target!r} names nobody"
                yield _Edge(resolution, patch, None, DropCode.GENERIC_TARGET, reason)
                continue
            key = identity_key(name)
            targets = {KnownTarget(bearer.uuid, bearer.subject) for bearer in known.owners.get(key, ())}
            found = [*targets, *planned.get(key, ())]
            if not found:
                reason = f"nobody is called {name!r}: it waits until somebody is"
                yield _Edge(resolution, patch, None, DropCode.TARGET_UNKNOWN, reason)
            elif len(found) > 1:
                reason = f"{name!r} may be any of {len(found)}: it waits until one name is enough"
                yield _Edge(resolution, patch, None, DropCode.TARGET_AMBIGUOUS, reason)
            elif _is_same(found[0], draft.target):
                reason = f"nobody is the {patch.relation!r} of oneself"
                yield _Edge(resolution, patch, None, DropCode.SELF_RELATION, reason)
            else:
                yield _Edge(resolution, patch, found[0])


def _is_same(one: RelationTarget, other: RelationTarget) -> bool:
    if isinstance(one, KnownTarget) and isinstance(other, KnownTarget):
        return one.uuid == other.uuid
    return one == other


def _is_told_of(draft: Draft, edges: Edges) -> bool:
    has_statements = any(each.observation.statements for each in draft.resolutions)
    return has_statements or any(edge.target for edge in edges[draft.place])


def _step(
    draft: Draft, names: NewNames, edges: Edges, known: KnownIdentities
) -> CreateEntityStep | UpdateExistingStep | None:
    aliases = [AddAlias(name, reason="observed as another name") for name in names.given[draft.place].values()]
    statements = surest_statements(patch for each in draft.resolutions for patch in each.observation.statements)
    relations = surest_edges(
        AddRelation(edge.target, edge.patch.relation, edge.patch.strength, _ids(edge.patch.sources), edge.patch.quote)
        for edge in edges[draft.place]
        if edge.target
    )
    patches: tuple[Patch, ...] = (
        *aliases,
        *(AddStatement(each.kind, each.text, each.confidence, _ids(each.sources), each.quote) for each in statements),
        *relations,
    )
    if draft.uuid:
        return UpdateExistingStep(draft.uuid, draft.subject, patches, draft.sources) if patches else None
    if not statements and not relations:
        return None
    # Only a person can have decided that somebody new is called like somebody known.
    return CreateEntityStep(
        draft.subject, patches, allow_homonym=bool(known.owners.get(draft.key)), sources=draft.sources
    )


def _waiting(draft: Draft, names: NewNames, edges: Edges, known: KnownIdentities) -> Iterator[Resolution]:
    """Yield, as observations of their own, the relations that may lead somewhere on a later run."""
    for resolution in draft.resolutions:
        waiting = [edge for edge in edges[draft.place] if edge.resolution is resolution and edge.waits]
        if waiting:
            own = {
                key: name
                for key, name in draft.names().items()
                if key != draft.key and (key in names.given[draft.place] or _is_borne(draft, key, known))
            }
            yield replace(
                resolution,
                observation=replace(
                    resolution.observation,
                    # Under the name of whom it was resolved to: it must come to the same entity again.
                    key=draft.key,
                    subject=draft.subject,
                    aliases=tuple(own[key] for key in sorted(own)),
                    statements=(),
                    relations=tuple(edge.patch for edge in waiting),
                ),
                decision=Decision.POSTPONED,
                entity_uuid=None,
                code=_WAITING[min(edge.refused for edge in waiting)],
                reason="; ".join(dict.fromkeys(edge.reason for edge in waiting)),
            )


def _is_borne(draft: Draft, key: str, known: KnownIdentities) -> bool:
    return draft.uuid in {bearer.uuid for bearer in known.owners.get(key, ())}


def _dropped_edge(draft: Draft, edge: _Edge) -> Dropped:
    return _dropped(edge.refused, f"{draft.subject}: {edge.patch.relation}: {edge.patch.target}", edge.reason)


def _nothing_left(draft: Draft) -> Dropped:
    return _dropped(DropCode.NOTHING_LEFT, draft.subject, "nothing that can be written is left of it")


def _dropped(code: DropCode, text: str, reason: str) -> Dropped:
    return Dropped(code, shown(text), shown(reason))


def _ids(sources: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(sources))
