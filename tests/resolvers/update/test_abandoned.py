"""Runs whose process is gone, or was told to end: free at once, and brought to their end by the next to look."""

import asyncio
from typing import Any

import pytest

from graph.errors import Conflict, Unavailable
from graph.values import StatementKind
from resolvers.update.abandoned import MOST_TAKEOVERS, AbandonedRuns
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.pipeline import UpdatePipeline, UpdateSettings
from resolvers.update.runs import ConfirmMode, Origin, Run, RunStatus
from resolvers.update.seen import Rolling
from resolvers.update.starting import new_run
from resolvers.update.steps import AddStatement, CreateEntityStep, UpdatePlan
from tests.fakes import NOON, Labelled, ScriptedObserver
from tests.prepared import query, rows
from tests.resolvers.update.updating import Updating, plan_of, rolled, seen

SAID = "Alice lives in Hangzhou"
ALICE = seen("Alice", SAID, features=["lives in Hangzhou"])
MADE = UpdatePlan((CreateEntityStep("Alice", (AddStatement(StatementKind.FEATURE, "is tall", 0.8),)),))


def sees_alice(rolling: Rolling, labelled: Labelled) -> ImpressionObservationPlan:  # noqa: ARG001 -- the port's shape
    return plan_of(*(seen("Alice", SAID, features=["lives in Hangzhou"], sources=[label]) for label, _ in labelled))


@pytest.fixture
def stopped_before_apply(updating: Updating, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let plans wait where they are about to be applied, CONFIRMED already."""
    there = asyncio.Event()
    embed = updating.world.embedder.embed

    async def waits(*texts: Any) -> Any:
        if not there.is_set():
            there.set()
            await asyncio.Event().wait()
        return await embed(*texts)

    monkeypatch.setattr(updating.world.embedder, "embed", waits)
    return there


async def killed(updating: Updating, run_id: str) -> None:
    """Make a run look as after a kill: in work, its lease just over."""
    await updating.store.write(
        query(
            "MATCH (r:UpdateRun {runId: $id}) SET r.owner = 'gone', r.leaseUntil = datetime() - duration('PT1S')", "id"
        ),
        id=run_id,
    )


async def take_over(updating: Updating, pipeline: UpdatePipeline | None = None) -> list[Run]:
    """Let a surviving process look for abandoned runs; return those of this space as they stand then."""
    surviving = pipeline or updating.another()
    mine = []
    for left in await surviving.abandoned.take(updating.space):  # others' runs are other tests' matter
        await surviving.abandoned.finish(left)
        mine.append(await surviving.read(updating.space, left.run.id))
    return mine


async def cancelled_at(task: "asyncio.Task[Any]", there: asyncio.Event) -> None:
    await there.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# --- an orderly end ---------------------------------------------------------------------------------------------------


async def test_a_run_is_free_at_once_when_its_process_is_told_to_end(
    updating: Updating, stopped_before_apply: asyncio.Event
) -> None:
    working = asyncio.create_task(updating.pipeline.submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID)))
    await cancelled_at(working, stopped_before_apply)
    (run,) = (await updating.runs.page(updating.space, first=9, before=None, status=None)).runs
    assert run.status is RunStatus.CONFIRMED
    again = await updating.another().submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID))
    assert (again.created, again.run.id, again.run.status) == (False, run.id, RunStatus.APPLIED)


async def test_a_run_that_a_model_is_asked_about_is_free_at_once(updating: Updating) -> None:
    asked = asyncio.Event()

    async def endless(rolling: Rolling, labelled: Labelled) -> Any:  # noqa: ARG001 -- the port's shape
        asked.set()
        await asyncio.Event().wait()

    await updating.project(SAID, mentions=["Alice"])
    observer = ScriptedObserver(always=sees_alice)
    observer.observe = endless  # type: ignore[method-assign] # never answers
    first = Updating(updating.world, observer=observer)
    await cancelled_at(asyncio.create_task(first.pipeline.update(updating.space, rolled("hello"))), asked)
    second = Updating(updating.world, observer=ScriptedObserver(always=sees_alice))
    assert (await second.pipeline.update(updating.space, rolled("hello"))).run.status is RunStatus.APPLIED


async def test_who_has_to_wait_is_told_until_when(updating: Updating, stopped_before_apply: asyncio.Event) -> None:
    working = asyncio.create_task(updating.pipeline.submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID)))
    await stopped_before_apply.wait()
    other = updating.another()
    (run,) = (await updating.runs.page(updating.space, first=9, before=None, status=None)).runs
    for refused in (other.confirm(updating.space, run.id), other.reject(updating.space, run.id, None)):
        with pytest.raises(Conflict, match=r"is CONFIRMED, and in work elsewhere until \d\d:\d\d:\d\d UTC"):
            await refused
    same = (await other.submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID))).run
    assert same.notes[-1].startswith("in work elsewhere until ")
    working.cancel()
    await asyncio.wait([working])


async def test_the_lease_is_renewed_for_as_long_as_a_plan_lands(
    updating: Updating, stopped_before_apply: asyncio.Event
) -> None:
    slow = Updating(updating.world, settings=UpdateSettings(lease_seconds=1))
    working = asyncio.create_task(slow.pipeline.submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID)))
    await stopped_before_apply.wait()
    await asyncio.sleep(1.5)
    assert await take_over(updating) == []
    working.cancel()
    await asyncio.wait([working])


# --- a kill -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reached", [RunStatus.OBSERVING, RunStatus.CONFIRMED])
async def test_what_an_agent_handed_in_is_completed_by_a_surviving_process(
    updating: Updating, stopped_before_apply: asyncio.Event, reached: RunStatus
) -> None:
    working = asyncio.create_task(updating.pipeline.submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID)))
    await cancelled_at(working, stopped_before_apply)
    (run,) = (await updating.runs.page(updating.space, first=9, before=None, status=None)).runs
    if reached is RunStatus.OBSERVING:
        await updating.store.write(
            query("MATCH (r:UpdateRun {runId: $id}) SET r.status = 'OBSERVING'", "id"), id=run.id
        )
    await killed(updating, run.id)
    assert [each.status for each in await take_over(updating)] == [RunStatus.APPLIED]
    assert (await updating.entity("Alice")).subject == "Alice"
    assert await take_over(updating) == []


async def test_what_was_observed_is_decided_anew_where_the_memory_has_moved_on(
    updating: Updating, stopped_before_apply: asyncio.Event
) -> None:
    """The same entity landed under another key meanwhile: the interrupted plan wants to create it once more."""
    first = updating.pipeline.submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID), key="a")
    await cancelled_at(asyncio.create_task(first), stopped_before_apply)
    other = await updating.pipeline.submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID), key="b")
    assert other.run.status is RunStatus.APPLIED
    again = await updating.another().submit(updating.space, "c", [plan_of(ALICE)], rolling=rolled(SAID), key="a")
    assert (again.created, again.run.status) == (False, RunStatus.APPLIED)
    assert [each.entity_uuid for each in again.run.resolutions] == [(await updating.entity("Alice")).uuid]
    await updating.check()


async def test_a_persons_edit_that_was_interrupted_is_ended_and_nothing_of_it_lands(
    updating: Updating, stopped_before_apply: asyncio.Event
) -> None:
    editing = asyncio.create_task(updating.pipeline.curate(updating.space, MADE, ConfirmMode.AUTO))
    await cancelled_at(editing, stopped_before_apply)
    (ended,) = await take_over(updating)
    assert (ended.origin, ended.status) == (Origin.CURATION, RunStatus.FAILED)
    assert "nothing was written, send it again" in (ended.reason or "")
    assert await updating.export() == []
    with pytest.raises(Conflict, match="FAILED"):
        await updating.pipeline.confirm(updating.space, ended.id)


async def test_without_a_model_what_waits_to_be_observed_is_left_to_somebody(updating: Updating) -> None:
    await updating.project(SAID, mentions=["Alice"])
    with_model = Updating(updating.world, observer=ScriptedObserver(always=sees_alice))
    started = await with_model.pipeline.start(updating.space, rolled("hello"), confirm=ConfirmMode.AUTO)
    await killed(updating, started.run.id)
    assert [each.status for each in await take_over(updating)] == [RunStatus.OBSERVING]
    assert await take_over(updating) == [], "it is asked for nobody twice"
    assert (await with_model.pipeline.resume(updating.space, started.run.id)).status is RunStatus.APPLIED


async def test_with_a_model_it_is_observed(updating: Updating) -> None:
    await updating.project(SAID, mentions=["Alice"])
    with_model = Updating(updating.world, observer=ScriptedObserver(always=sees_alice))
    started = await with_model.pipeline.start(updating.space, rolled("hello"), confirm=ConfirmMode.AUTO)
    await killed(updating, started.run.id)
    assert [each.status for each in await take_over(updating, with_model.another())] == [RunStatus.APPLIED]


async def test_two_processes_do_not_take_the_same_run(updating: Updating) -> None:
    run = new_run(updating.space, "c", Origin.CURATION, confirm=ConfirmMode.AUTO, now=NOON)
    await updating.pipeline._runs.start(run)
    await killed(updating, run.id)
    looks = await asyncio.gather(*(updating.another().abandoned.take(updating.space) for _ in range(6)))
    assert [left.run.id for look in looks for left in look] == [run.id]


async def test_a_run_that_always_ends_its_process_is_left_alone_in_the_end(updating: Updating) -> None:
    await updating.project(SAID, mentions=["Alice"])
    with_model = Updating(updating.world, observer=ScriptedObserver(always=sees_alice))
    started = await with_model.pipeline.start(updating.space, rolled("hello"), confirm=ConfirmMode.AUTO)
    for number in range(MOST_TAKEOVERS + 2):
        await killed(updating, started.run.id)
        taken = await with_model.pipeline.abandoned.take(updating.space)
        assert [left.takeovers for left in taken] == [number + 1]
    await with_model.pipeline.abandoned.finish(taken[0])
    found = await rows(
        updating.store, "MATCH (r:UpdateRun {runId: $id}) RETURN r.leaseUntil AS until", id=started.run.id
    )
    assert found == [{"until": None}]
    assert (await with_model.pipeline.read(updating.space, started.run.id)).status is RunStatus.OBSERVING


async def test_an_outage_while_it_is_finished_leaves_it_for_the_next_look(
    updating: Updating, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(updating.space, "c", Origin.CURATION, confirm=ConfirmMode.AUTO, now=NOON)
    await updating.pipeline._runs.start(run)
    await killed(updating, run.id)
    with monkeypatch.context() as patch:

        async def down(*_: object) -> None:
            raise Unavailable("the database does not answer")

        patch.setattr(AbandonedRuns, "_end", down)
        assert [each.status for each in await take_over(updating)] == [RunStatus.OBSERVING]
    await killed(updating, run.id)
    assert [each.status for each in await take_over(updating)] == [RunStatus.FAILED]
