"""How long the runtime remembers: pure decisions about expiry and bounds, and the task that applies them in passing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cypher import load
from graph.store import Store
from resolvers.recall.normalise import decay
from resolvers.recall.values import LiveActive

EXPIRED_IN_PASSING: Final = 32
"""Active entities one projection lets go at most: it must stay quick."""
EXPIRED_PER_ROUND: Final = 500
"""Active entities one round of housekeeping lets go at most."""


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
    """Rolled evidence one active entity keeps."""


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


async def expire_overdue(store: Store, settings: LifecycleSettings, *, now: datetime) -> int:
    """Let one round of overdue active entities go, of whatever space; return how many there were."""
    found = await store.read(
        load("project/find_overdue"), aliveSince=now - settings.time_to_live, limit=EXPIRED_PER_ROUND
    )
    return await expire(store, [row["runtimeId"] for row in found])


async def expire(store: Store, runtime_ids: Sequence[str]) -> int:
    """Let active entities go; return how many of them were live until now."""
    if not runtime_ids:
        return 0
    done = await store.write(load("project/expire_actives"), runtimeIds=sorted(runtime_ids))
    return int(done.one()["expired"])


async def roll(store: Store, *, space: str, evidence: Sequence[str], run: str, settings: LifecycleSettings) -> int:
    """Mark evidence as rolled in a run: it leaves the live index, and each active entity keeps a bounded rest of it.

    Returns:
        How many pieces of evidence were marked.
    """
    done = await store.write(
        load("project/roll_evidence"),
        space=space,
        evidence=sorted(evidence),
        run=run,
        mostRolled=settings.most_rolled,
    )
    return int(done.one()["rolled"])
