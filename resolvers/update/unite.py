"""Which observations are about one and the same: by their names, never by what they say.

Observations of one subject key are one. So are two subjects where one is an alias of the other and of no third. A
generic one ("he", 用户) joins the only named one whose aliases or quotes it shares; it never joins another generic one.
The result does not depend on the order of the observations, nor on the batches they came in.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from graph.names import identity_key
from resolvers.update.generic import is_assistant, is_first_person
from resolvers.update.seen import AggregatedObservation

SAME_EVIDENCE: Final = 0.8
"""Jaccard overlap from which a generic observation is taken to be about whom the other one names."""

Group = tuple[AggregatedObservation, ...]


def unite(observations: Iterable[AggregatedObservation]) -> tuple[Group, ...]:
    """Return the observations in groups, each about one subject; a generic one that joins nobody is a group alone."""
    named: dict[str, list[AggregatedObservation]] = {}
    generic: list[AggregatedObservation] = []
    for observation in observations:
        if observation.key:
            named.setdefault(observation.key, []).append(observation)
        else:
            generic.append(observation)
    groups = _united_by_alias(named)
    index = _Index(groups)
    joining: dict[int, list[AggregatedObservation]] = {}
    alone: list[Group] = []
    for observation in generic:
        place = index.place_of(observation)
        if place is None:
            alone.append((observation,))
        else:
            joining.setdefault(place, []).append(observation)
    return (*((*group, *joining.get(place, ())) for place, group in enumerate(groups)), *alone)


def _united_by_alias(named: Mapping[str, Sequence[AggregatedObservation]]) -> list[Group]:
    """Unite until nothing changes: a name that two subjects share may, once these are one, be the alias of one only."""
    union = _Union(named)
    waiting = list(named)
    while waiting:
        waiting += union.unite_with_bearer_of(waiting.pop())
    return [tuple(member for key in keys for member in named[key]) for keys in union.keys.values()]


class _Union:
    """Subjects that were found to be one; each is a group alone at first, under its own key.

    To unite two groups moves what is known of the smaller one, so a key moves a few times, however many there are.
    """

    def __init__(self, named: Mapping[str, Sequence[AggregatedObservation]]) -> None:
        self.keys = {key: [key] for key in named}
        self._home = {key: key for key in named}
        self._aliases = {key: set(_aliases(members)) for key, members in named.items()}
        self._bearers: dict[str, set[str]] = {}
        for key, aliases in self._aliases.items():
            for alias in aliases:
                self._bearers.setdefault(alias, set()).add(key)

    def unite_with_bearer_of(self, key: str) -> list[str]:
        """Unite a subject with the only other one that it is an alias of; return the subjects to look at once more."""
        others = self._bearers.get(key, set()) - {self._home[key]}
        if len(others) != 1:
            return []
        return self._unite(self._home[key], others.pop())

    def _unite(self, one: str, other: str) -> list[str]:
        small, large = sorted((one, other), key=lambda home: len(self.keys[home]) + len(self._aliases[home]))
        moved, aliases = self.keys.pop(small), self._aliases.pop(small)
        self._home |= dict.fromkeys(moved, large)
        self.keys[large] += moved
        self._aliases[large] |= aliases
        for alias in aliases:
            self._bearers[alias].discard(small)
            self._bearers[alias].add(large)
        return [*moved, *(alias for alias in aliases if alias in self._home)]


def _aliases(members: Iterable[AggregatedObservation]) -> frozenset[str]:
    return frozenset(identity_key(alias) for member in members for alias in member.aliases)


class _Index:
    """Finds the group a generic observation belongs to, by names and by evidence."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self._groups = groups
        self._by_subject: dict[str, int] = {}
        self._by_evidence: dict[str, set[int]] = {}
        for place, group in enumerate(groups):
            for member in group:
                self._by_subject[member.key] = place
                for text in member.evidence:
                    self._by_evidence.setdefault(text, set()).add(place)

    def place_of(self, generic: AggregatedObservation) -> int | None:
        """Return the place of the one group it belongs to."""
        by_alias = {self._by_subject[alias] for alias in _aliases([generic]) if alias in self._by_subject}
        if by_alias:
            return by_alias.pop() if len(by_alias) == 1 else None
        # Who says "I" is hardly ever whom the sentence names, and the agent never is.
        if is_first_person(generic.subject) or is_assistant(generic.subject):
            return None
        near: set[int] = set().union(*(self._by_evidence.get(text, ()) for text in generic.evidence))
        same = [place for place in near if any(_is_about_the_same(generic, member) for member in self._groups[place])]
        return same[0] if len(same) == 1 and not _are_related(generic, self._groups[same[0]]) else None


def _is_about_the_same(generic: AggregatedObservation, named: AggregatedObservation) -> bool:
    if generic.sources and named.sources and _jaccard(generic.sources, named.sources) < SAME_EVIDENCE:
        return False
    return _jaccard(generic.evidence, named.evidence) >= SAME_EVIDENCE


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _are_related(generic: AggregatedObservation, group: Group) -> bool:
    """Tell whether one has a relation to the other: two ends of a relation are two."""
    names = {member.key for member in group} | _aliases(group)
    word = identity_key(generic.subject)
    return any(identity_key(relation.target) in names for relation in generic.relations) or any(
        identity_key(relation.target) == word for member in group for relation in member.relations
    )
