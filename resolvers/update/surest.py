"""What is said several times, once: the surest wording, with the sources of all."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from graph.names import identity_key
from resolvers.update.seen import RelationPatch, StatementPatch
from resolvers.update.steps import AddRelation, KnownTarget

P = TypeVar("P", StatementPatch, RelationPatch)


def surest_statements(patches: Iterable[StatementPatch]) -> tuple[StatementPatch, ...]:
    """Return each statement once, by kind and key."""
    ordered = sorted(patches, key=lambda each: (-each.confidence, each.text, each.quote))
    return _merged(ordered, lambda each: (each.kind.value, identity_key(each.text)))


def surest_relations(patches: Iterable[RelationPatch]) -> tuple[RelationPatch, ...]:
    """Return each relation once, by its own key and the target's."""
    ordered = sorted(patches, key=lambda each: (-each.strength, each.relation, each.target, each.quote))
    return _merged(ordered, lambda each: (identity_key(each.relation), identity_key(each.target)))


def surest_edges(patches: Iterable[AddRelation]) -> tuple[AddRelation, ...]:
    """Return each relation once, by its key and the entity it leads to, under whatever name that was observed."""
    merged: dict[tuple[str, bool, str], AddRelation] = {}
    for patch in sorted(patches, key=lambda each: (-each.strength, each.relation, each.reason)):
        known = isinstance(patch.target, KnownTarget)
        target = patch.target.uuid if isinstance(patch.target, KnownTarget) else patch.target.key
        key = (identity_key(patch.relation), known, target)
        first = merged.setdefault(key, patch)
        merged[key] = replace(first, evidence=tuple(sorted({*first.evidence, *patch.evidence})))
    return tuple(merged[key] for key in sorted(merged))


def _merged(ordered: Iterable[P], key: Callable[[P], tuple[str, str]]) -> tuple[P, ...]:
    merged: dict[tuple[str, str], P] = {}
    for patch in ordered:
        first = merged.setdefault(key(patch), patch)
        merged[key(patch)] = replace(first, sources=first.sources | patch.sources)
    return tuple(merged[each] for each in sorted(merged))
