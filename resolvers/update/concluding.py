"""From what was observed to what is written: decide, plan, check, and land what needs nobody's word.

Other writers may come in between at any time. A run of a model's that meets one is decided anew, a bounded number of
times; a person's plan goes back to the person.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from graph.errors import Conflict
from graph.ports import Clock
from resolvers.update.aggregate import AggregateSettings
from resolvers.update.apply import Applied, Applier, NotClaimed, Outdated
from resolvers.update.binding import plan_bindings
from resolvers.update.deciding import Decided, Decider
from resolvers.update.run_store import RunStore
from resolvers.update.runs import ConfirmMode, Origin, Run, RunStatus, ended
from resolvers.update.seen import ActiveSource
from resolvers.update.steps import UpdatePlan, ValidPlan, Violation
from resolvers.update.validate import validate
from resolvers.update.vicinity import facts_of

ATTEMPTS: Final = 5
"""How often an AUTO plan is made anew when other writers were faster."""
GRAPH_CHANGED: Final = "GRAPH_CHANGED"
"""Violation: what was written was not what was read; nothing was kept of it."""


class Concluder:
    """Brings runs to their end, or to where they wait for somebody."""

    def __init__(
        self, runs: RunStore, decider: Decider, applier: Applier, clock: Clock, settings: AggregateSettings
    ) -> None:
        self._runs = runs
        self._decider = decider
        self._applier = applier
        self._clock = clock
        self._settings = settings

    async def conclude(self, run: Run, sources: Sequence[ActiveSource]) -> Run:
        """Decide what a run's observations come to, and go on with it.

        Raises:
            Conflict: another process works on it.
            Unavailable: the database or the embedder does not answer.
        """
        decided = await self._decider.decide(run, sources, self._settings)
        if decided.untried > 0:
            waiting = decided.untried + self._runs.most_pending
            note = f"{waiting} observations wait for a decision: {decided.untried} of them were not tried again"
            run = replace(run, notes=(*run.notes, note))
        run = replace(run, notes=tuple(dict.fromkeys((*run.notes, *decided.notes))))
        return await self.conclude_with(run, sources, decided)

    async def conclude_with(self, run: Run, sources: Sequence[ActiveSource], decided: Decided) -> Run:
        """Go on with a run whose observations are decided; raises as `conclude`."""
        run = replace(run, resolutions=decided.resolutions, dropped=decided.dropped, updated_at=self._clock())
        return await self.prepare(run, decided.plan, sources)

    async def prepare(self, run: Run, plan: UpdatePlan, sources: Sequence[ActiveSource]) -> Run:
        """Check a run's plan; land it, or leave it prepared; raises as `conclude`."""
        if not plan.steps:
            return await self._applier.end_without_change(replace(run, plan=plan))
        checked = await self.check(run.space, plan)
        goes_on = run.confirm is ConfirmMode.AUTO and (isinstance(checked, ValidPlan) or _can_be_decided_anew(run))
        prepared = replace(
            run,
            plan=plan,
            status=RunStatus.PREPARED,
            violations=() if isinstance(checked, ValidPlan) or goes_on else checked,
            updated_at=self._clock(),
        )
        await self._runs.save(prepared, expected=[RunStatus.OBSERVING, RunStatus.PREPARED], working=goes_on)
        return await self.land(prepared, checked, sources) if goes_on else prepared

    async def preview(self, run: Run, sources: Sequence[ActiveSource]) -> Run:
        """Return a run as it would be prepared, thrown away already; nothing is stored.

        Raises:
            Unavailable: the database does not answer.
        """
        decided = await self._decider.decide(run, sources, self._settings)
        checked = await self.check(run.space, decided.plan)
        return ended(
            run,
            RunStatus.REJECTED,
            self._clock(),
            reason="a preview: nothing was written, this run is stored nowhere",
            plan=decided.plan,
            resolutions=decided.resolutions,
            dropped=decided.dropped,
            notes=(*run.notes, *decided.notes),
            violations=() if isinstance(checked, ValidPlan) else checked,
        )

    async def check(self, space: str, plan: UpdatePlan) -> ValidPlan | tuple[Violation, ...]:
        """Return a plan as one that can be applied to what stands now, or what is wrong with it."""
        state = await self._decider.around(space, plan)
        return await asyncio.to_thread(lambda: validate(plan, facts_of(state)))

    async def land(self, run: Run, checked: ValidPlan | tuple[Violation, ...], sources: Sequence[ActiveSource]) -> Run:
        """Confirm and apply; an AUTO run of a model's is decided anew when the memory has changed meanwhile.

        Any other one goes back to its person, with what is wrong with it by now.
        """
        for _ in range(ATTEMPTS):
            if isinstance(checked, ValidPlan):
                confirmed = replace(run, status=RunStatus.CONFIRMED, violations=(), updated_at=self._clock())
                await self._runs.save(confirmed, expected=[RunStatus.PREPARED, RunStatus.CONFIRMED], working=True)
                outcome = await self._apply(confirmed, checked, sources)
                if isinstance(outcome, Applied):
                    return outcome.run
                if isinstance(outcome, NotClaimed):
                    return await self._runs.read(run.space, run.id)
                run = replace(confirmed, status=RunStatus.PREPARED, violations=outcome.violations)
                await self._runs.save(run, expected=[RunStatus.CONFIRMED], working=True)
            elif checked == run.violations:  # nobody else's doing: the same again
                break
            else:
                run = replace(run, violations=checked)
            if not _can_be_decided_anew(run):
                return await self._wait(run)
            decided = await self._decider.decide(run, sources, self._settings)
            run = replace(run, plan=decided.plan, resolutions=decided.resolutions, dropped=decided.dropped)
            if not decided.plan.steps:
                return await self._applier.end_without_change(run)
            checked = await self.check(run.space, decided.plan)
        if not isinstance(checked, ValidPlan):
            return await self._wait(replace(run, violations=checked))
        reason = f"the memory changed {ATTEMPTS} times while the plan was being applied: send it again"
        failed = ended(run, RunStatus.FAILED, self._clock(), reason=reason)
        await self._runs.save(failed, expected=[RunStatus.PREPARED, RunStatus.CONFIRMED], working=False)
        return failed

    async def _apply(
        self, run: Run, valid: ValidPlan, sources: Sequence[ActiveSource]
    ) -> Applied | Outdated | NotClaimed:
        try:
            bindings = await asyncio.to_thread(plan_bindings, valid.plan, sources)
            return await self._applier.apply(run, valid, bindings)
        except Conflict as refused:
            return Outdated((Violation(GRAPH_CHANGED, "", "; ".join((refused.message, *refused.conflicts))),))

    async def _wait(self, run: Run) -> Run:
        """Leave a run prepared, for a person."""
        waiting = replace(run, status=RunStatus.PREPARED, updated_at=self._clock())
        await self._runs.save(waiting, expected=[RunStatus.PREPARED, RunStatus.CONFIRMED], working=False)
        return waiting


def _can_be_decided_anew(run: Run) -> bool:
    """Tell whether a run that met another writer may decide for itself what its observations come to now."""
    return run.confirm is ConfirmMode.AUTO and run.origin in {Origin.ROLLING, Origin.SUBMITTED}
