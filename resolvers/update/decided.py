"""What a person decided about a pending observation: it wins over every rule of identity."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from graph.names import identity_key
from resolvers.update.seen import AggregatedObservation, Decision, KnownBearer, Resolution, ResolutionCode


@dataclass(frozen=True, slots=True)
class DecidedUpdate:
    """It is about this entity."""

    entity: KnownBearer


@dataclass(frozen=True, slots=True)
class DecidedCreate:
    """It is about somebody new, whoever else is called so."""


@dataclass(frozen=True, slots=True)
class DecidedDiscard:
    """It is about nobody worth knowing."""


PersonsDecision = DecidedUpdate | DecidedCreate | DecidedDiscard


def decision_on(observation: AggregatedObservation, decided: Mapping[str, PersonsDecision]) -> PersonsDecision | None:
    """Return what was decided about one of the pending observations that went into this one."""
    return next((decided[each] for each in sorted(observation.pending) if each in decided), None)


def resolve_as_decided(observation: AggregatedObservation, decision: PersonsDecision) -> Resolution:
    """Return the resolution a person chose. Under a word that names nobody there is nothing to create."""
    match decision:
        case DecidedUpdate(entity):
            reason = f"a person decided that it is {entity.subject!r}"
            return Resolution(
                observation, Decision.UPDATE, ResolutionCode.DECIDED, reason, entity.uuid, candidates=(entity,)
            )
        case DecidedDiscard():
            return Resolution(observation, Decision.DISCARDED, ResolutionCode.DECIDED, "a person discarded it")
        case DecidedCreate():
            named = _named_by_alias(observation)
            if not named.key:
                reason = f"{observation.subject!r} names nobody, so nobody can be created under it: choose an entity"
                return Resolution(observation, Decision.POSTPONED, ResolutionCode.GENERIC_SUBJECT, reason)
            reason = f"a person decided that {named.subject!r} is somebody new"
            return Resolution(named, Decision.CREATE, ResolutionCode.DECIDED, reason)
        case _:
            assert_never(decision)


def _named_by_alias(observation: AggregatedObservation) -> AggregatedObservation:
    if observation.key or not observation.aliases:
        return observation
    subject, *aliases = observation.aliases
    return replace(observation, key=identity_key(subject), subject=subject, aliases=tuple(aliases))
