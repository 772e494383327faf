"""Whom first-person words stand for: whoever said what was quoted, where the conversation knows the name."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from graph.names import identity_key
from resolvers.update.generic import is_first_person, is_generic
from resolvers.update.seen import AggregatedObservation


def speaker_of(observation: AggregatedObservation, speakers: Mapping[str, str]) -> str | None:
    """Return the name that a first-person subject stands for: that of the one speaker of all its patches.

    Args:
        observation: of any subject; only a first-person one has an answer.
        speakers: name by id of a source text.
    """
    if observation.key or not is_first_person(observation.subject):
        return None
    patches = [each.sources for each in observation.statements] + [each.sources for each in observation.relations]
    spoke = {speaker_among(sources, speakers) for sources in patches or [observation.evidence]}
    keys = {identity_key(name or "") for name in spoke}
    return min(filter(None, spoke), default=None) if len(keys) == 1 else None


def speaker_among(sources: Iterable[str], speakers: Mapping[str, str]) -> str | None:
    """Return the only one who spoke, by name; None where nobody is named, or several are."""
    names: dict[str, str] = {}
    for source in sorted(sources):
        name = speakers.get(source, "")
        if (key := identity_key(name)) and not is_generic(name):
            names.setdefault(key, name)
    return next(iter(names.values())) if len(names) == 1 else None


def target_name(target: str, sources: Iterable[str], speakers: Mapping[str, str]) -> str | None:
    """Return the name a relation's target has: the speaker's for first-person words, None where it names nobody."""
    if is_first_person(target):
        return speaker_among(sources, speakers)
    return None if is_generic(target) else target


def with_named_targets(observation: AggregatedObservation, speakers: Mapping[str, str]) -> AggregatedObservation:
    """Return an observation whose relations lead to the speakers by name: who spoke is known in this run only."""
    relations = (
        replace(each, target=target_name(each.target, each.sources, speakers) or each.target)
        for each in observation.relations
    )
    return replace(observation, relations=tuple(relations))
