"""The update pipeline: rolling -> batches -> observed -> aggregated -> identity -> plan -> validated -> applied.

Reads and writes at its ends only; everything between is pure. A run is stored before each step that takes time, so that
any process can go on with it, and nothing of long-term memory is written but by `apply`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graph.errors import Conflict, NotConfigured, Unavailable
from graph.ports import Clock, Embedder
from graph.store import Store
from resolvers.update.abandoned import AbandonedRuns
from resolvers.update.aggregate import AggregateSettings
from resolvers.update.apply import MOST_ROLLED, Applier
from resolvers.update.at_work import UNFINISHED, AtWork
from resolvers.update.batch import BATCH_SIZE, batches
from resolvers.update.concluding import Concluder
from resolvers.update.deciding import Decider
from resolvers.update.forget import Forgotten, forget_entity
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import Observer
from resolvers.update.observing import observe_batches
from resolvers.update.prompts import prompt_characters
from resolvers.update.run_store import LEASE_SECONDS, MOST_PENDING, RunStore
from resolvers.update.runs import ConfirmMode, Origin, Run, RunStatus, ended, in_work
from resolvers.update.seen import Decision, Rolling
from resolvers.update.starting import (
    Sent,
    batches_of,
    failed_batches,
    new_run,
    rolled_run,
    submitted_run,
    was_landing,
)
from resolvers.update.steps import UpdatePlan
from resolvers.update.undo import undo_run

NO_MODEL: Final = (
    "no language model is configured: set IMPRESSIONS_LLM_MODEL (provider/model), or hand in observations made by "
    "your agent with submitObservations"
)


@dataclass(frozen=True, slots=True)
class UpdateSettings:
    """All that can be set about an update."""

    batch_size: int = BATCH_SIZE
    aggregate: AggregateSettings = field(default_factory=AggregateSettings)
    most_rolled: int = MOST_ROLLED
    lease_seconds: int = LEASE_SECONDS
    most_pending: int = MOST_PENDING


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run, and whether this call has made it."""

    run: Run
    created: bool


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an update would ask of the model."""

    batches: int
    prompt_characters: int


class UpdatePipeline:
    """Runs updates. Holds no state but its collaborators, and what it is working on."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        clock: Clock,
        *,
        settings: UpdateSettings,
        observer: Observer | None,
    ) -> None:
        self._store = store
        self._runs = RunStore(store, settings.lease_seconds, settings.most_pending)
        self._decider = Decider(store, self._runs)
        self._applier = Applier(store, embedder, clock, settings.most_rolled)
        self._concluder = Concluder(self._runs, self._decider, self._applier, clock, settings.aggregate)
        self._clock = clock
        self._settings = settings
        self._observer = observer
        self._at_work = AtWork(self._runs, clock)
        self.abandoned = AbandonedRuns(
            self._runs, clock, resume=self.resume, confirm=self.confirm, can_observe=observer is not None
        )

    async def start(self, space: str, rolling: Rolling, *, confirm: ConfirmMode, key: str | None = None) -> Outcome:
        """Store a new run for a rolling, or return the one that stands under its key; nothing is observed yet.

        Raises:
            NotConfigured: there is no language model.
            Conflict: the key belongs to other content.
            Unavailable: the database does not answer.
        """
        self._able_to_observe()
        sources = await self._runs.sources(space, rolling.conversation)
        size = self._settings.batch_size
        run = await asyncio.to_thread(
            rolled_run, space, rolling, sources, confirm=confirm, now=self._clock(), key=key, batch_size=size
        )
        started = await self._runs.start(run)
        return Outcome(started.run, started.created)

    async def work(self, run: Run) -> Run:
        """Observe what is left of a run, then decide, plan, and land it if it is AUTO.

        Raises:
            NotConfigured: there is no language model.
            Conflict: it is in work already, here or in another process.
            Unavailable: the database or the embedder does not answer.
        """
        async with self._at_work.alone(run):
            return await self._work(run)

    async def _work(self, run: Run) -> Run:
        observer = self._able_to_observe()
        if run.rolling is None:
            raise Conflict(f"run {run.id} has nothing left to observe")
        sources = await self._runs.shown(run)
        made = batches_of(run, sources)
        observed = await observe_batches(observer, run, run.rolling, made, self._keep)
        if reason := failed_batches(observed):
            partial = replace(observed, status=RunStatus.PARTIAL, reason=reason, updated_at=self._clock())
            await self._runs.save(partial, expected=[RunStatus.OBSERVING], working=False)
            return partial
        return await self._concluder.conclude(observed, sources)

    async def _keep(self, run: Run) -> None:
        await self._runs.save(run, expected=[RunStatus.OBSERVING], working=True)

    async def update(
        self, space: str, rolling: Rolling, *, confirm: ConfirmMode = ConfirmMode.AUTO, key: str | None = None
    ) -> Outcome:
        """Start a run and work on it to its end; see `start` and `work`."""
        started = await self.start(space, rolling, confirm=confirm, key=key)
        return Outcome(await self.go_on(started), started.created)

    async def go_on(self, started: Outcome) -> Run:
        """Work on what `start` returned: a new run, or one that somebody left unfinished under the same key.

        One that is in work elsewhere, or waits for somebody's word, is returned as it stands. Raises as `work`.
        """
        if started.created:
            return await self.work(started.run)
        run = started.run
        try:
            if run.status is RunStatus.OBSERVING:
                return await self.resume(run.space, run.id)
            if was_landing(run):
                return await self.confirm(run.space, run.id)
        except Conflict:
            return in_work(await self._runs.read(run.space, run.id))
        return run

    async def submit(
        self,
        space: str,
        conversation: str,
        plans: Sequence[ImpressionObservationPlan],
        *,
        rolling: Rolling | None = None,
        confirm: ConfirmMode = ConfirmMode.AUTO,
        key: str | None = None,
    ) -> Outcome:
        """Take the plans of an agent that is a language model itself: the same checks, no model of ours.

        Raises:
            Conflict: the key belongs to other content.
            Unavailable: the database or the embedder does not answer.
        """
        sources = await self._runs.sources(space, conversation)
        run = await asyncio.to_thread(
            submitted_run, space, conversation, plans, rolling, sources, confirm=confirm, now=self._clock(), key=key
        )
        started = await self._runs.start(run)
        if not started.created:
            return Outcome(await self.go_on(Outcome(started.run, created=False)), created=False)
        async with self._at_work.alone(started.run):
            return Outcome(await self._concluder.conclude(started.run, sources), created=True)

    async def preview(
        self,
        space: str,
        rolling: Rolling,
        plans: Sequence[ImpressionObservationPlan] | None = None,
        *,
        watch: Callable[[Run], Awaitable[None]],
    ) -> Run:
        """Return what an update would come to. It is stored nowhere, and nobody's run is touched.

        Args:
            space: name of the space.
            rolling: what was said.
            plans: observations made elsewhere, instead of asking the model.
            watch: is told the run after each batch.

        Raises:
            NotConfigured: there is no language model.
            Unavailable: the database does not answer, or the model did not observe a batch.
        """
        sources = await self._runs.sources(space, rolling.conversation)
        manual, now = ConfirmMode.MANUAL, self._clock()
        if plans is not None:
            conversation = rolling.conversation
            run = await asyncio.to_thread(
                submitted_run, space, conversation, plans, rolling, sources, confirm=manual, now=now
            )
            return await self._concluder.preview(run, sources)
        observer = self._able_to_observe()
        size = self._settings.batch_size
        run = await asyncio.to_thread(rolled_run, space, rolling, sources, confirm=manual, now=now, batch_size=size)
        run = await observe_batches(observer, run, run.rolling or rolling, batches_of(run, sources), watch)
        if reason := failed_batches(run):
            raise Unavailable(reason)
        return await self._concluder.preview(run, sources)

    async def estimate(self, space: str, rolling: Rolling) -> Estimate:
        """Return what an update would ask of the model, without asking it."""
        made = batches(await self._runs.sources(space, rolling.conversation), size=self._settings.batch_size)
        shown = ([(each.label, each.source) for each in batch.sources] for batch in made)
        characters = await asyncio.to_thread(lambda: sum(prompt_characters(rolling, each) for each in shown))
        return Estimate(len(made), characters)

    async def resume(self, space: str, run_id: str) -> Run:
        """Observe the failed batches of a partial run, or go on with one whose process is gone.

        Raises:
            NotFound, NotConfigured, Conflict, Unavailable: as they say.
        """
        run = await self._runs.read(space, run_id)
        if run.status not in {RunStatus.PARTIAL, RunStatus.OBSERVING}:
            raise Conflict(f"run {run.id} is {run.status.value}: only a partial or an abandoned run is resumed")
        if run.origin is not Origin.SUBMITTED:
            self._able_to_observe()
        async with self._at_work.alone(run):
            resumed = replace(run, status=RunStatus.OBSERVING, reason=None, updated_at=self._clock())
            await self._runs.save(resumed, expected=[RunStatus.PARTIAL, RunStatus.OBSERVING], working=True)
            if run.origin is Origin.SUBMITTED:
                return await self._concluder.conclude(resumed, await self._runs.shown(resumed))
            return await self._work(resumed)

    async def confirm(self, space: str, run_id: str) -> Run:
        """Land a prepared plan. If the memory has changed, it goes back to PREPARED with the violations.

        Raises:
            NotFound, Conflict, Unavailable: as they say.
        """
        run = await self._runs.read(space, run_id)
        if run.status is RunStatus.APPLIED:
            return run
        if run.status not in {RunStatus.PREPARED, RunStatus.CONFIRMED} or run.plan is None:
            raise Conflict(f"run {run.id} is {run.status.value}: only a prepared one can be confirmed")
        try:
            async with self._at_work.until_done(run):
                checked = await self._concluder.check(space, run.plan)
                return await self._concluder.land(run, checked, await self._runs.shown(run))
        except Conflict:
            # Confirmed twice at once: the other one has landed it.
            if (stands := await self._runs.read(space, run_id)).status is RunStatus.APPLIED:
                return stands
            raise

    async def reject(self, space: str, run_id: str, reason: str | None) -> Run:
        """Throw a run away that is prepared, partial, abandoned or was not landed because something did not answer.

        Its key is free again, its evidence stays unrolled.

        Raises:
            NotFound, Conflict, Unavailable: as they say.
        """
        run = await self._runs.read(space, run_id)
        rejected = ended(run, RunStatus.REJECTED, self._clock(), reason=reason or "rejected by a person")
        # A confirmed one that is landing at this moment has its lease, and claims its status where it lands.
        abandoned = [RunStatus.PREPARED, RunStatus.PARTIAL, RunStatus.OBSERVING, RunStatus.CONFIRMED]
        async with self._at_work.alone(run):
            await self._runs.save(rejected, expected=abandoned, working=False)
        return rejected

    async def warm_up(self, space: str) -> None:
        """Let the server plan what an update asks, which takes it seconds the first time. Leaves nothing behind.

        Args:
            space: any name. The server plans anew for another order of its length: warm up a short and a long one.

        Raises:
            Unavailable: the database does not answer.
        """
        await self._runs.sources(space, "default")
        await self._runs.known(space, keys=[], loose_keys=[], runtime_ids=[])
        await self._decider.around(space, UpdatePlan(()))
        await self._applier.warm_up(space)

    async def undo(self, space: str, run_id: str) -> Run:
        """Take an applied run back; see `undo_run`."""
        return await undo_run(self._store, self._clock, await self._runs.read(space, run_id))

    async def forget(self, space: str, uuid: str) -> Forgotten:
        """Forget an entity for good; see `forget_entity`."""
        return await forget_entity(self._store, self._clock, space, uuid)

    async def read(self, space: str, run_id: str) -> Run:
        """Return a run as it stands.

        Raises:
            NotFound: the space has no such run.
        """
        return await self._runs.read(space, run_id)

    async def standing(self, space: str, sent: Sent) -> Run | None:
        """Return the run of an edit or a decision that was sent before under the same key.

        One that was interrupted is ended: nothing of it was written, and it can be sent anew, as it is now.

        Raises:
            Conflict: the key belongs to something else that was sent, or the run is in work.
            Unavailable: the database does not answer.
        """
        run = await self._runs.under_key(space, sent.key)
        if run is None:
            return None
        if run.content_hash != sent.content:
            raise Conflict(f"key {sent.key!r} belongs to run {run.id}, which has other content")
        if run.status is not RunStatus.OBSERVING and not was_landing(run):
            return run
        async with self._at_work.alone(run):
            reason = "interrupted before it was carried out, and sent anew"
            failed = ended(run, RunStatus.FAILED, self._clock(), reason=reason)
            await self._runs.save(failed, expected=UNFINISHED, working=False)
        return None

    async def curate(self, space: str, plan: UpdatePlan, confirm: ConfirmMode, *, sent: Sent | None = None) -> Run:
        """Take a person's plan through the same validation and apply.

        Args:
            space: name of the space.
            plan: what to do.
            confirm: whether it lands by itself.
            sent: the caller's key, where there is one; see `standing` before.

        Raises:
            Conflict, Unavailable: as they say.
        """
        run = _keyed(new_run(space, "", Origin.CURATION, confirm=confirm, now=self._clock()), sent)
        started = await self._runs.start(run)
        async with self._at_work.until_done(run):
            return await self._concluder.prepare(started.run, plan, ())

    async def decide(
        self,
        space: str,
        observation_id: str,
        decision: Decision,
        entity_uuid: str | None,
        *,
        sent: Sent | None = None,
    ) -> Run:
        """Carry out a person's decision about a pending observation.

        Raises:
            NotFound: no such observation, or entity.
            Conflict: it waits no longer.
            Unavailable: the database or the embedder does not answer.
        """
        pending, conversation = await self._runs.observation(space, observation_id)
        if pending.decision is not Decision.POSTPONED:
            raise Conflict(f"observation {observation_id} was decided already: {pending.reason}")
        decided = await self._decider.decide_one(space, pending, decision, entity_uuid)
        run = _keyed(new_run(space, conversation, Origin.DECISION, confirm=ConfirmMode.AUTO, now=self._clock()), sent)
        started = await self._runs.start(run)
        async with self._at_work.until_done(run):
            return await self._concluder.conclude_with(started.run, (), decided)

    def _able_to_observe(self) -> Observer:
        if self._observer is None:
            raise NotConfigured("IMPRESSIONS_LLM_MODEL", NO_MODEL)
        return self._observer


def _keyed(run: Run, sent: Sent | None) -> Run:
    return replace(run, key=sent.key, content_hash=sent.content) if sent else run
