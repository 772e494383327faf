"""Lets go what `lifetimes` says is over: in passing, and by the housekeeping task."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from cypher import load
from graph.store import Store
from resolvers.lifetimes import LifecycleSettings

EXPIRED_PER_ROUND: Final = 500
"""Active entities one round of housekeeping lets go at most."""


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
