"""Who an observation is about: decided by the owners of its names, without a language model and without vectors.

    names hit        the sets of owners, those without any left out, intersected
                     exactly one entity -> update; none or several -> postponed as ambiguous, with the candidates
    no name hits     a loose key hits -> postponed as a possible variant
                     evidence suffices -> create, else postponed as weak

A deprecated name owns its identity like a live one. The bindings of the source active entities only narrow several
candidates that the names share; they never add one, and never decide between names that contradict each other.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graph.names import identity_key, loose_key
from resolvers.update.decided import PersonsDecision, decision_on, resolve_as_decided
from resolvers.update.seen import (
    Aggregated,
    AggregatedObservation,
    Decision,
    KnownBearer,
    KnownIdentities,
    Resolution,
    ResolutionCode,
)
from resolvers.update.speaker import speaker_of, target_name

ENOUGH_CONFIDENCE: Final = 0.6
"""Of an observation that creates an entity."""


@dataclass(frozen=True, slots=True, order=True)
class AskedName:
    """A name to look up, by both of its keys."""

    key: str
    loose_key: str


def names_of(aggregated: Aggregated, speakers: Mapping[str, str]) -> tuple[AskedName, ...]:
    """Return every name a run needs the owners of, those of relation targets too: one read of the database.

    Args:
        aggregated: the observations.
        speakers: name of the speaker by id of a source text.
    """
    names: set[str] = set()
    for observation in aggregated.observations:
        names |= {observation.subject} if observation.key else set()
        names |= {speaker_of(observation, speakers) or "", *observation.aliases}
        names |= {target_name(each.target, each.sources, speakers) or "" for each in observation.relations}
    return tuple(sorted({AskedName(key, loose_key(name)) for name in names if (key := identity_key(name))}))


def resolve(
    aggregated: Aggregated,
    known: KnownIdentities,
    *,
    decided: Mapping[str, PersonsDecision] | None = None,
    assistant_counts: bool = False,
) -> tuple[Resolution, ...]:
    """Return what each observation is resolved to, in their order.

    Args:
        aggregated: the observations.
        known: the owners of all their names, see `names_of`.
        decided: what a person decided, by id of a pending observation; it wins over every rule.
        assistant_counts: whether what only the assistant said may create an entity.
    """
    desk = _Desk(known, _shared_aliases(aggregated.observations), assistant_counts=assistant_counts)
    resolutions = []
    for observation in aggregated.observations:
        decision = decision_on(observation, decided or {})
        resolutions.append(resolve_as_decided(observation, decision) if decision else desk.resolve(observation))
    return _without_variants_of_each_other(resolutions, desk.shared)


def _shared_aliases(observations: Iterable[AggregatedObservation]) -> frozenset[str]:
    """Return the keys of aliases that several subjects of the run claim: none of them is known by such a name alone."""
    claimed = {
        (identity_key(alias), observation.key)
        for observation in observations
        for alias in observation.aliases
        if observation.key
    }
    return frozenset(alias for alias, times in Counter(alias for alias, _ in claimed).items() if times > 1)


@dataclass(frozen=True, slots=True)
class _Named:
    """An observation, its names by key, and whom they belong to."""

    observation: AggregatedObservation
    names: Mapping[str, str]
    hits: Mapping[str, frozenset[KnownBearer]]
    """Owners by key, of the names that have any."""
    by_speaker: bool

    @property
    def listed(self) -> str:
        return ", ".join(repr(self.names[key]) for key in self.hits)


@dataclass(frozen=True, slots=True)
class _Desk:
    """Resolves observations by what is known."""

    known: KnownIdentities
    shared: frozenset[str]
    assistant_counts: bool = field(kw_only=True)

    def resolve(self, observation: AggregatedObservation) -> Resolution:
        named = self._named(observation)
        if named.hits:
            return self._doubt(named) or self._update(named)
        if not named.observation.key:
            reason = f"{observation.subject!r} names nobody"
            return _postponed(observation, ResolutionCode.GENERIC_SUBJECT, reason)
        return self._variant(named) or self._new(named)

    def _named(self, observation: AggregatedObservation) -> _Named:
        speaker = speaker_of(observation, self.known.speakers)
        if speaker:
            key = identity_key(speaker)
            aliases = tuple(alias for alias in observation.aliases if identity_key(alias) != key)
            observation = replace(observation, key=key, subject=speaker, aliases=aliases)
        names = {observation.key: observation.subject} if observation.key else {}
        names |= {identity_key(alias): alias for alias in observation.aliases}
        hits = {key: frozenset(self.known.owners[key]) for key in names if self.known.owners.get(key)}
        return _Named(observation, names, hits, by_speaker=bool(speaker))

    def _doubt(self, named: _Named) -> Resolution | None:
        """Postpone what the names alone do not decide."""
        common = frozenset.intersection(*named.hits.values())
        narrowed = self._narrowed(named, common)
        if not common:
            candidates: frozenset[KnownBearer] = frozenset().union(*named.hits.values())
            reason = f"{named.listed} are names of different entities"
        elif named.hits.keys() <= self.shared and named.observation.key not in named.hits:
            candidates, reason = common, f"several observed subjects are said to be {named.listed}"
        elif len(narrowed) > 1:
            candidates, reason = narrowed, f"{named.listed} may be any of {len(narrowed)} entities"
        else:
            return None
        return _postponed(named.observation, ResolutionCode.AMBIGUOUS, reason, candidates)

    def _narrowed(self, named: _Named, common: frozenset[KnownBearer]) -> frozenset[KnownBearer]:
        bindings = self.known.bindings
        bound = {bindings[source] for source in named.observation.sources if source in bindings}
        return frozenset(bearer for bearer in common if bearer.uuid in bound) or common

    def _update(self, named: _Named) -> Resolution:
        common = frozenset.intersection(*named.hits.values())
        entity = next(iter(self._narrowed(named, common)))
        if len(common) > 1:
            code = ResolutionCode.BINDING_NARROWS
            reason = f"of {len(common)} entities called {named.listed} the conversation is about this one"
        elif named.by_speaker:
            code = ResolutionCode.SPEAKER
            reason = f"the first person is the speaker {named.observation.subject!r}"
        elif all(len(owners) == 1 for owners in named.hits.values()):
            code, reason = ResolutionCode.EXACT_NAME, f"{named.listed} means {entity.subject!r}"
        else:
            code, reason = ResolutionCode.NAMES_INTERSECT, f"{entity.subject!r} alone is called {named.listed}"
        return Resolution(named.observation, Decision.UPDATE, code, reason, entity.uuid, candidates=(entity,))

    def _variant(self, named: _Named) -> Resolution | None:
        variants = frozenset(
            bearer for name in named.names.values() for bearer in self.known.variants.get(loose_key(name), ())
        )
        if not variants:
            return None
        others = ", ".join(repr(subject) for subject in sorted({bearer.subject for bearer in variants}))
        reason = f"{named.observation.subject!r} may be another spelling of a name of {others}"
        return _postponed(named.observation, ResolutionCode.POSSIBLE_VARIANT, reason, variants)

    def _new(self, named: _Named) -> Resolution:
        observation = named.observation
        if observation.assistant_only and not self.assistant_counts:
            reason = f"nobody is called {observation.subject!r}, and only the assistant spoke of it"
            return _postponed(observation, ResolutionCode.ASSISTANT_ONLY, reason)
        if lacking := _lacking(observation):
            reason = f"nobody is called {observation.subject!r}, and the evidence is weak: {lacking}"
            return _postponed(observation, ResolutionCode.WEAK_EVIDENCE, reason)
        code = ResolutionCode.SPEAKER if named.by_speaker else ResolutionCode.NEW_NAME
        return Resolution(observation, Decision.CREATE, code, f"nobody is called {observation.subject!r} yet")


def _lacking(observation: AggregatedObservation) -> str:
    if not observation.grounded:
        return "no quote of it was found"
    if observation.confidence < ENOUGH_CONFIDENCE:
        return f"a confidence of {observation.confidence:g}, below {ENOUGH_CONFIDENCE:g}"
    if not (observation.statements or observation.relations):
        return "nothing but names"
    return ""


def _without_variants_of_each_other(
    resolutions: Sequence[Resolution], shared: frozenset[str]
) -> tuple[Resolution, ...]:
    """Postpone a create whose name is a possible variant of another create's, of which the surer one stands.

    The database would have said so, had they come in two runs.
    """
    result = list(resolutions)
    taken: dict[str, str] = {}
    for place in sorted(range(len(result)), key=lambda place: _sureness(result[place])):
        observation = result[place].observation
        if result[place].decision is not Decision.CREATE:
            continue
        names = (observation.subject, *(each for each in observation.aliases if identity_key(each) not in shared))
        loose = {loose_key(name) for name in names}
        others = sorted({taken[each] for each in loose if taken.get(each, observation.key) != observation.key})
        if others and result[place].code is not ResolutionCode.DECIDED:
            reason = f"{observation.subject!r} may be another spelling of {others[0]!r}, which this run creates"
            result[place] = _postponed(observation, ResolutionCode.POSSIBLE_VARIANT, reason)
        else:
            taken |= dict.fromkeys(loose, observation.key)
    return tuple(result)


def _sureness(resolution: Resolution) -> tuple[bool, float, int, str]:
    observation = resolution.observation
    decided = resolution.code is ResolutionCode.DECIDED
    return not decided, -observation.confidence, -len(observation.evidence), observation.key


def _postponed(
    observation: AggregatedObservation,
    code: ResolutionCode,
    reason: str,
    candidates: Iterable[KnownBearer] = (),
) -> Resolution:
    ordered = tuple(sorted(candidates, key=lambda bearer: (bearer.subject, bearer.uuid)))
    return Resolution(observation, Decision.POSTPONED, code, reason, candidates=ordered)
