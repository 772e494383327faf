"""Where runs are kept between their stages, so that any process can go on with one whose owner is gone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from cypher import load
from graph.errors import Conflict, NotFound
from graph.store import Store
from graph.values import EvidenceSource
from resolvers.update.runs import (
    PendingObservation,
    Run,
    RunStatus,
    pending_of,
    properties,
    run_of,
)
from resolvers.update.seen import ActiveSource, KnownBearer, KnownIdentities, ResolutionCode, Role, SourceText

MOST_PENDING: Final = 500
"""Pending observations of a space that are tried again, or listed, at once."""
LEASE_SECONDS: Final = 15
"""How long a process may be silent about a run it works on before another one may take it over."""


@dataclass(frozen=True, slots=True)
class Started:
    """A run, and whether it is a new one."""

    run: Run
    created: bool


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A run whose owner is gone, this process being the owner now."""

    run: Run
    takeovers: int
    """How often that has happened."""


class RunStore:
    """Reads and writes runs; one for each process, which owns the runs it works on."""

    def __init__(self, store: Store, lease_seconds: int = LEASE_SECONDS, most_pending: int = MOST_PENDING) -> None:
        self._store = store
        self.lease_seconds = lease_seconds
        self.most_pending = most_pending
        self._owner = uuid4().hex

    async def start(self, run: Run) -> Started:
        """Start a run under its key, or return the one that stands under it.

        Raises:
            Conflict: the key belongs to a run of other content.
        """
        row = (
            await self._store.write(
                load("update/start_run"),
                space=run.space,
                key=run.key,
                run=await asyncio.to_thread(properties, run),
                owner=self._owner,
                seconds=self.lease_seconds,
            )
        ).one()
        # A new one stands as it was sent: to read it back, all that was said in it, would keep everybody else waiting.
        stands = run if row["created"] else run_of(row["run"])
        if not row["created"] and stands.content_hash != run.content_hash:
            raise Conflict(f"key {run.key!r} belongs to run {stands.id}, which has other content")
        return Started(stands, row["created"])

    async def save(self, run: Run, *, expected: Sequence[RunStatus], working: bool) -> None:
        """Store how a run stands; `working` keeps the lease on it.

        Raises:
            Conflict: it has another status by now, or another process works on it.
        """
        row = (
            await self._store.write(
                load("update/save_run"),
                runId=run.id,
                space=run.space,
                run=await asyncio.to_thread(properties, run),
                owner=self._owner,
                seconds=self.lease_seconds if working else 0,
                **{"from": [status.value for status in expected]},
            )
        ).one()
        if not row["saved"]:
            stands = await self.read(run.space, run.id)
            until = f", and in work elsewhere until {stands.lease_until:%H:%M:%S} UTC" if stands.lease_until else ""
            raise Conflict(f"run {run.id} is {stands.status.value}{until}: look at it again then")

    async def renew(self, run: Run) -> bool:
        """Renew the lease on a run; tell whether this process holds it.

        Raises:
            Unavailable: the database does not answer.
        """
        rows = await self._store.write(
            load("update/renew_lease"), runId=run.id, space=run.space, owner=self._owner, seconds=self.lease_seconds
        )
        return bool(rows.one()["renewed"])

    async def release(self, run: Run, *, waits: bool) -> None:
        """Give up the lease on a run, if this process holds it.

        Args:
            run: which.
            waits: whether it waits for somebody's word; else the next to look for abandoned runs goes on with it.
        """
        await self._store.write(
            load("update/release_run"), runId=run.id, space=run.space, owner=self._owner, wait=waits
        )

    async def abandoned(self, most: int, space: str | None) -> tuple[Abandoned, ...]:
        """Take over runs, of one space or of all, that somebody was working on and is not any more."""
        taken = []
        for left in await self._store.read(load("update/list_abandoned"), onlySpace=space, most=most):
            rows = await self._store.write(
                load("update/take_run"), **left, owner=self._owner, seconds=self.lease_seconds
            )
            if row := rows.one_or_none():
                taken.append(Abandoned(run_of(row["run"]), row["takeovers"]))
        return tuple(taken)

    async def read(self, space: str, run_id: str) -> Run:
        """Return a run.

        Raises:
            NotFound: the space has no such run.
        """
        found = await self.read_all(space, [run_id])
        if not found:
            raise NotFound(f"no run {run_id!r} in space {space!r}")
        return found[0]

    async def under_key(self, space: str, key: str) -> Run | None:
        """Return the run that stands under a caller's key."""
        found = (await self._store.read(load("update/find_run_by_key"), space=space, key=key)).one_or_none()
        return run_of(found["run"]) if found else None

    async def read_all(self, space: str, run_ids: Sequence[str]) -> tuple[Run, ...]:
        """Return those of the runs that the space has, in any order."""
        rows = await self._store.read(load("update/read_runs"), space=space, runIds=list(run_ids))
        return tuple(run_of(row["run"]) for row in rows)

    async def sources(self, space: str, conversation: str) -> tuple[ActiveSource, ...]:
        """Return a conversation's active entities with unrolled evidence, expired ones included."""
        rows = await self._store.read(load("update/read_sources"), space=space, conversation=conversation)
        return tuple(_source(row) for row in rows)

    async def shown(self, run: Run) -> tuple[ActiveSource, ...]:
        """Return a run's active entities with the evidence it was shown, whoever has rolled it by now."""
        rows = await self._store.read(
            load("update/read_shown"), space=run.space, runtimeIds=list(run.sources), evidence=list(run.shown)
        )
        return tuple(_source(row) for row in rows)

    async def pending(self, space: str) -> tuple[PendingObservation, ...]:
        """Return the observations that are tried again: the latest, `most_pending` of them.

        Those about nobody in particular ("he") wait longest and would keep the place of all others: they come last.
        """
        return await self._pending(space, last=[ResolutionCode.GENERIC_SUBJECT], skip=0, most=self.most_pending)

    async def pending_page(self, space: str, *, first: int, skip: int) -> tuple[PendingObservation, ...]:
        """Return the observations that wait for a decision, latest first."""
        return await self._pending(space, last=[], skip=skip, most=first)

    async def _pending(
        self, space: str, *, last: Sequence[ResolutionCode], skip: int, most: int
    ) -> tuple[PendingObservation, ...]:
        rows = await self._store.read(
            load("update/list_pending"), space=space, last=[code.value for code in last], skip=skip, most=most
        )
        return tuple(pending_of(row["observation"], row["runId"]) for row in rows)

    async def count_pending(self, space: str) -> int:
        """Return how many observations wait for a decision."""
        total: int = (await self._store.read(load("update/count_pending"), space=space)).one()["total"]
        return total

    async def observation(self, space: str, observation_id: str) -> tuple[PendingObservation, str]:
        """Return an observation and the conversation it comes from.

        Raises:
            NotFound: the space has no such observation, or its texts were forgotten.
        """
        found = (
            await self._store.read(load("update/read_observation"), space=space, observationId=observation_id)
        ).one_or_none()
        if found is None:
            raise NotFound(f"no observation {observation_id!r} in space {space!r}")
        return pending_of(found["observation"], found["runId"], found["settledBy"]), found["conversation"]

    async def known(
        self, space: str, *, keys: Sequence[str], loose_keys: Sequence[str], runtime_ids: Sequence[str]
    ) -> KnownIdentities:
        """Return who bears names, or names written nearly so, and what active entities are bound to."""
        row = (
            await self._store.read(
                load("update/find_owners"),
                space=space,
                asked={
                    "keys": sorted(keys),
                    "looseKeys": sorted(loose_keys),
                    "runtimeIds": sorted(runtime_ids),
                },
            )
        ).one()
        return KnownIdentities(
            owners=_bearers(row["owners"]),
            variants=_bearers(row["variants"]),
            bindings={each["runtimeId"]: each["uuid"] for each in row["bindings"]},
        )


def _bearers(rows: Sequence[dict[str, Any]]) -> dict[str, tuple[KnownBearer, ...]]:
    found: dict[str, list[KnownBearer]] = {}
    for row in sorted(rows, key=lambda row: (row["key"], row["uuid"])):
        found.setdefault(row["key"], []).append(KnownBearer(row["uuid"], row["subject"]))
    return {key: tuple(bearers) for key, bearers in found.items()}


def _source(row: dict[str, Any]) -> ActiveSource:
    return ActiveSource(
        runtime_id=row["runtimeId"],
        subject=row["subject"],
        bound_uuid=row["bound"],
        live_key=row["liveKey"],
        mentions=tuple(sorted(row["mentions"])),
        evidence=tuple(
            SourceText(each["id"], each["text"], role_of(each["source"]), each["speaker"], each["at"])
            for each in row["evidence"]
        ),
        last_mentioned_at=row["lastMentionedAt"],
    )


def role_of(source: str) -> Role:
    """Return who said an evidence; a rolled message was said by whom the conversation is with, unless it says so."""
    return Role.ASSISTANT if source == EvidenceSource.ASSISTANT_REPLY.value else Role.USER
