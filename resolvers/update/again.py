"""Pending observations of earlier runs that a run tries once more: which of them wait on as they did."""

from collections.abc import Mapping

from resolvers.update.seen import AggregatedObservation, Decision, Resolution

Pending = Mapping[str, AggregatedObservation]
"""What is tried again, by id, as it was stored."""


def waits_on(waiting: Resolution, pending: Pending) -> bool:
    """Tell whether a postponed observation is a pending one of an earlier run with nothing new to it."""
    seen = waiting.observation
    if waiting.decision is not Decision.POSTPONED or len(seen.pending) != 1:
        return False
    before = pending.get(*seen.pending)
    return before is not None and (seen.statements, seen.relations, seen.aliases) == (
        before.statements,
        before.relations,
        before.aliases,
    )
