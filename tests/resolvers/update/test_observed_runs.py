"""Runs that a model observes, on a real Neo4j: batches, failures, leases, and who goes on with what was left."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from cypher import Query
from graph.errors import Conflict, NotConfigured, Unavailable
from graph.rows import Rows
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import FailureCode, ObservationFailed, Observed
from resolvers.update.pipeline import UpdateSettings
from resolvers.update.run_store import RunStore
from resolvers.update.runs import BatchStatus, ConfirmMode, Run, RunStatus
from resolvers.update.seen import Rolling
from tests.fakes import NOON, Labelled, ScriptedObserver
from tests.prepared import query
from tests.resolvers.update.updating import Updating, plan_of, rolled, seen
from tests.resolvers.world import World


def sees_all(rolling: Rolling, labelled: Labelled) -> ImpressionObservationPlan:  # noqa: ARG001 -- the port's shape
    """Observe one feature of each active entity, quoting its evidence, under its label."""
    return plan_of(
        *(
            seen(source.subject or "", source.evidence[0].text, features=[f"likes {source.subject}"], sources=[label])
            for label, source in labelled
        )
    )


# --- observed ---------------------------------------------------------------------------------------------------------


async def fifty(world: World, count: int = 50) -> list[str]:
    """Let a conversation be about many, each with one piece of evidence."""
    names = [f"Kwame{number:02}" for number in range(count)]
    await world.store.write(
        query(
            """
            UNWIND $names AS name
            CREATE (active:ActiveEntity {
              runtimeId: $space + name, space: $space, conversation: 'c', subject: name, state: 'ACTIVE',
              createdAt: $at, lastMentionedAt: $at, liveKey: $space + name
            })-[:HAS_EVIDENCE {associationConfidence: 1.0, reasons: []}]->(:Evidence&LiveEvidence {
              uuid: $space + name + 'e', space: $space, conversation: 'c', hash: name, source: 'USER_INPUT',
              content: name + ' came along to the garden party', firstAt: $at, lastAt: $at
            })
            """,
            "space",
            "names",
            "at",
        ),
        space=world.space,
        names=names,
        at=NOON,
    )
    return names


async def lease_over(updating: Updating) -> None:
    await updating.store.write(
        query("MATCH (r:UpdateRun {space: $space}) SET r.leaseUntil = $past", "space", "past"),
        space=updating.space,
        past=datetime(2020, 1, 1, tzinfo=UTC),
    )


async def test_all_active_entities_are_covered_and_nothing_lands_before(world: World) -> None:
    names = await fifty(world)
    landed: list[int] = []
    observer = ScriptedObserver(always=sees_all)
    updating = Updating(world, observer=observer)

    async def looking(rolling: Rolling, labelled: Labelled) -> object:
        counted = await world.rows("MATCH (e:Entity {space: $space}) RETURN count(e) AS count")
        landed.append(counted[0]["count"])
        return await ScriptedObserver.observe(observer, rolling, labelled)

    observer.observe = looking  # type: ignore[method-assign,assignment] # looks, then does what the class does
    run = (await updating.pipeline.update(updating.space, rolled("a party"))).run
    assert run.status is RunStatus.APPLIED, (run.violations, run.reason)
    assert sorted(len(shown) for _, shown in observer.asked) == [2, 8, 8, 8, 8, 8, 8]
    assert {source.subject for _, shown in observer.asked for _, source in shown} == set(names)
    assert landed == [0] * 7
    assert run.counts.entities == len(names)
    assert all((await updating.rolled()).values())
    assert sum(batch.prompt_tokens or 0 for batch in run.batches) == 700
    assert sum(batch.seconds for batch in run.batches) == 7 * 0.25
    bound = await updating.rows(
        "MATCH (a:ActiveEntity {space: $space})-[:BOUND_TO]->(e) WHERE a.liveKey IS NOT NULL RETURN count(*) AS count"
    )
    assert bound[0]["count"] == len(names)
    await updating.check()


async def test_a_partial_run_lands_nothing_and_resumes_with_what_failed(world: World) -> None:
    await fifty(world, 10)
    observer = ScriptedObserver(sees_all, ObservationFailed(FailureCode.TIMEOUT, "too slow"), always=sees_all)
    updating = Updating(world, observer=observer)
    partial = (await updating.pipeline.update(updating.space, rolled("a party"))).run
    assert partial.status is RunStatus.PARTIAL
    assert "1 of 2 batches failed" in (partial.reason or "")
    assert [batch.status for batch in partial.batches].count(BatchStatus.FAILED) == 1
    assert not await updating.export()
    assert not any((await updating.rolled()).values())
    with pytest.raises(Conflict):
        await updating.confirm(partial)
    resumed = await updating.another().resume(updating.space, partial.id)
    assert (resumed.status, resumed.counts.entities) == (RunStatus.APPLIED, 10)
    assert len(observer.asked) == 3
    failed = next(number for number, batch in enumerate(partial.batches) if batch.status is BatchStatus.FAILED)
    assert {label for label, _ in observer.asked[2][1]} == set(partial.batches[failed].labels)
    assert all((await updating.rolled()).values())


async def test_without_a_model_a_partial_run_is_refused_and_stays_as_it_is(world: World) -> None:
    await fifty(world, 2)
    failing = ObservationFailed(FailureCode.TIMEOUT, "too slow")
    updating = Updating(world, observer=ScriptedObserver(failing))
    partial = (await updating.pipeline.update(updating.space, rolled("a party"))).run
    before = await everything(updating)
    with pytest.raises(NotConfigured):
        await Updating(world).pipeline.resume(updating.space, partial.id)
    assert await everything(updating) == before


async def test_a_partial_run_can_be_rejected_and_frees_its_key(world: World) -> None:
    await fifty(world, 2)
    failing = ObservationFailed(FailureCode.TIMEOUT, "too slow")
    updating = Updating(world, observer=ScriptedObserver(failing, always=sees_all))
    partial = (await updating.pipeline.update(updating.space, rolled("a party"))).run
    await updating.pipeline.reject(updating.space, partial.id, None)
    again = (await updating.pipeline.update(updating.space, rolled("a party"))).run
    assert (again.id != partial.id, again.status) == (True, RunStatus.APPLIED)


async def test_an_abandoned_run_waits_for_its_lease_and_is_resumed_by_another(world: World) -> None:
    await fifty(world, 3)
    updating = Updating(world, observer=ScriptedObserver(always=sees_all))
    started = (await updating.pipeline.start(updating.space, rolled("a party"), confirm=ConfirmMode.AUTO)).run
    with pytest.raises(Conflict, match="in work elsewhere"):
        await updating.another().resume(updating.space, started.id)
    await lease_over(updating)
    resumed = await updating.another().resume(updating.space, started.id)
    assert (resumed.status, resumed.counts.entities) == (RunStatus.APPLIED, 3)
    with pytest.raises(Conflict):
        await updating.pipeline.work(started)


@dataclass
class Slow:
    """Observes all, once it may."""

    name = "slow/observer"
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    may: asyncio.Event = field(default_factory=asyncio.Event)

    async def observe(self, rolling: Rolling, labelled: Labelled) -> Observed:
        self.asked.set()
        await self.may.wait()
        return await ScriptedObserver(always=sees_all).observe(rolling, labelled)


async def test_the_lease_lasts_as_long_as_the_model_is_asked(world: World) -> None:
    await fifty(world, 2)
    slow = Slow()
    updating = Updating(world, observer=slow, settings=UpdateSettings(lease_seconds=2))
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        working = group.create_task(updating.pipeline.update(updating.space, rolled("a party")))
        await slow.asked.wait()
        page = await updating.runs.page(updating.space, first=1, before=None, status=RunStatus.OBSERVING)
        await asyncio.sleep(2.2)  # the first lease is over
        with pytest.raises(Conflict, match="in work elsewhere"):
            await updating.another().resume(updating.space, page.runs[0].id)
        slow.may.set()
    assert working.result().run.status is RunStatus.APPLIED


async def test_a_lease_that_cannot_be_renewed_is_told_and_costs_no_observation(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fifty(world, 2)
    slow = Slow()
    updating = Updating(world, observer=slow, settings=UpdateSettings(lease_seconds=1))
    write, told = world.store.write, asyncio.Event()

    async def failing(asked: Query, /, **parameters: object) -> Rows:
        if asked.name == "update/renew_lease":
            told.set()
            raise Unavailable("the database does not answer")
        return await write(asked, **parameters)

    monkeypatch.setattr(world.store, "write", failing)
    with capture_logs() as logs:
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            working = group.create_task(updating.pipeline.update(updating.space, rolled("a party")))
            await told.wait()
            slow.may.set()
    assert working.result().run.status is RunStatus.APPLIED
    assert "lease_not_renewed" in {each["event"] for each in logs}


async def test_the_same_sent_again_goes_on_with_what_was_left(world: World) -> None:
    await fifty(world, 3)
    updating = Updating(world, observer=ScriptedObserver(always=sees_all))
    left = (await updating.pipeline.start(updating.space, rolled("a party"), confirm=ConfirmMode.AUTO)).run
    busy = await updating.another().update(updating.space, rolled("a party"))
    assert (busy.created, busy.run.status) == (False, RunStatus.OBSERVING)
    await lease_over(updating)
    done = await updating.another().update(updating.space, rolled("a party"))
    assert (done.created, done.run.id, done.run.status) == (False, left.id, RunStatus.APPLIED)
    assert done.run.counts.entities == 3


async def test_a_process_that_lost_its_run_stops_and_writes_nothing(world: World) -> None:
    await fifty(world, 3)
    updating = Updating(world, observer=ScriptedObserver(always=sees_all))
    started = (await updating.pipeline.start(updating.space, rolled("a party"), confirm=ConfirmMode.AUTO)).run
    await lease_over(updating)
    thief = RunStore(updating.store)
    await thief.save(started, expected=[RunStatus.OBSERVING], working=True)
    with pytest.raises(Conflict, match="in work elsewhere"):
        await updating.pipeline.work(started)
    assert not await updating.export()


async def test_one_process_does_not_work_on_a_run_twice_at_once(world: World) -> None:
    await fifty(world, 2)
    updating = Updating(world)
    started_by = Updating(world, observer=ScriptedObserver(always=sees_all))
    refused: list[str] = []

    async def resuming(rolling: Rolling, labelled: Labelled) -> object:
        try:
            await started_by.pipeline.resume(updating.space, started.id)
        except Conflict as error:
            refused.append(str(error))
        return await ScriptedObserver.observe(observer, rolling, labelled)

    observer = ScriptedObserver(always=sees_all)
    observer.observe = resuming  # type: ignore[method-assign,assignment] # tries, then does what the class does
    started_by.observer = observer
    started_by.pipeline = started_by.another()
    started = (await started_by.pipeline.start(updating.space, rolled("a party"), confirm=ConfirmMode.AUTO)).run
    run = await started_by.pipeline.work(started)
    assert (run.status, len(refused)) == (RunStatus.APPLIED, 1)


async def test_an_estimate_asks_no_model_and_writes_nothing(world: World) -> None:
    await fifty(world, 10)
    observer = ScriptedObserver()
    updating = Updating(world, observer=observer)
    before = await updating.world.counts()
    estimate = await updating.pipeline.estimate(updating.space, rolled("a party"))
    assert estimate.batches == 2
    assert estimate.prompt_characters > 1_000
    assert (observer.asked, await updating.world.counts()) == ([], before)


async def test_the_same_rolling_twice_asks_the_model_once(world: World) -> None:
    await fifty(world, 2)
    observer = ScriptedObserver(always=sees_all)
    updating = Updating(world, observer=observer)
    first = await updating.pipeline.update(updating.space, rolled("a party"))
    second = await updating.pipeline.update(updating.space, rolled("a party"))
    assert (first.created, second.created, len(observer.asked)) == (True, False, 1)
    assert second.run.id == first.run.id


async def test_smaller_batches_are_a_setting(world: World) -> None:
    await fifty(world, 5)
    observer = ScriptedObserver(always=sees_all)
    updating = Updating(world, observer=observer, settings=replace(UpdateSettings(), batch_size=2))
    await updating.pipeline.update(updating.space, rolled("a party"))
    assert [len(shown) for _, shown in observer.asked] == [2, 2, 1]


# --- previews ---------------------------------------------------------------------------------------------------------


async def nobody(run: Run) -> None:
    """Watch nothing."""


async def everything(updating: Updating) -> object:
    """Return all that stands in the space: what the service keeps about itself too."""
    return await updating.rows(
        "MATCH (n) WHERE n.space = $space RETURN labels(n) AS labels, properties(n) AS is ORDER BY elementId(n)"
    )


async def test_a_preview_does_not_go_on_with_the_run_that_stands_under_its_key(world: World) -> None:
    await fifty(world, 3)
    updating = Updating(world, observer=ScriptedObserver(always=sees_all))
    await updating.pipeline.start(updating.space, rolled("a party"), confirm=ConfirmMode.AUTO)
    await lease_over(updating)
    before = await everything(updating)
    shown = await updating.pipeline.preview(updating.space, rolled("a party"), watch=nobody)
    assert (len(shown.plan.steps if shown.plan else ()), shown.violations) == (3, ())
    assert [step.kind.value for step in await updating.runs.diff(shown)] == ["CREATE"] * 3
    assert await everything(updating) == before


async def test_a_preview_without_a_step_rolls_nothing_and_stores_nothing_that_waits(world: World) -> None:
    await fifty(world, 2)
    said = "he came along to the garden party"
    updating = Updating(world, observer=ScriptedObserver(always=plan_of(seen("he", said, features=["came along"]))))
    before = await everything(updating)
    shown = await updating.pipeline.preview(updating.space, rolled(said), watch=nobody)
    assert (shown.plan and shown.plan.steps, [each.code.value for each in shown.resolutions]) == (
        (),
        ["GENERIC_SUBJECT"],
    )
    assert await everything(updating) == before


async def test_a_preview_whose_model_fails_says_so_and_stores_nothing(world: World) -> None:
    await fifty(world, 2)
    failing = ObservationFailed(FailureCode.TIMEOUT, "too slow")
    updating = Updating(world, observer=ScriptedObserver(always=failing))
    before = await everything(updating)
    with pytest.raises(Unavailable, match="1 of 1 batches failed"):
        await updating.pipeline.preview(updating.space, rolled("a party"), watch=nobody)
    assert await everything(updating) == before
