"""How long the runtime remembers: who is let go, and how much of what was said is kept. Pure decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from resolvers.recall.normalise import decay
from resolvers.recall.values import LiveActive

EXPIRED_IN_PASSING: Final = 32
"""Active entities one projection lets go at most: it must stay quick."""


@dataclass(frozen=True, slots=True)
class LifecycleSettings:
    """Bounds of what a conversation keeps."""

    time_to_live: timedelta = timedelta(hours=72)
    """How long an active entity lives without a mention."""
    evidence_half_life: timedelta = timedelta(hours=24)
    most_unbound: int = 32
    """Unbound active entities of one conversation."""
    rolling_due: int = 256
    """Unrolled evidence of one active entity from which a projection warns that a rolling is due."""
    most_rolled: int = 64
    """Rolled evidence one active entity keeps; what the last run rolled stays whole until the next."""


def to_expire(
    actives: Sequence[LiveActive], settings: LifecycleSettings, *, at: datetime, opening: int
) -> tuple[str, ...]:
    """Return the runtime ids a projection should let go: overdue ones, then the weakest unbound beyond the bound.

    Args:
        actives: all active entities of the conversation.
        settings: the bounds.
        at: moment of the projection.
        opening: how many unbound ones it opens.
    """
    overdue = [active.runtime_id for active in actives if not active.live]
    unbound = [active for active in actives if active.live and active.bound_uuid is None]
    excess = max(0, len(unbound) + opening - settings.most_unbound)
    half_life = settings.evidence_half_life.total_seconds()
    weakest = sorted(
        unbound,
        key=lambda active: (
            active.last_confidence * decay((at - active.last_mentioned_at).total_seconds(), half_life),
            active.last_mentioned_at,
            active.runtime_id,
        ),
    )[:excess]
    return tuple([*(active.runtime_id for active in weakest), *overdue][:EXPIRED_IN_PASSING])
