"""The pipeline on a real Neo4j: handed-in plans and observed ones, from what was said to what stands in the graph."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from graph.errors import Conflict, NotConfigured, NotFound
from graph.rows import Rows
from resolvers.update.diff import ChangeKind
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import FailureCode, ObservationFailed
from resolvers.update.pipeline import UpdateSettings
from resolvers.update.run_store import RunStore
from resolvers.update.runs import BatchStatus, ConfirmMode, RunStatus
from resolvers.update.seen import Decision, Rolling
from tests.fakes import NOON, Labelled, ScriptedObserver
from tests.prepared import query
from tests.resolvers.update.updating import Updating, plan_of, rolled, seen
from tests.resolvers.world import World, attached, entity

SAID = "Alice moved to Hangzhou last year"


def sees_all(rolling: Rolling, labelled: Labelled) -> ImpressionObservationPlan:  # noqa: ARG001 -- the port's shape
    """Observe one feature of each active entity, quoting its evidence, under its label."""
    return plan_of(
        *(
            seen(source.subject or "", source.evidence[0].text, features=[f"likes {source.subject}"], sources=[label])
            for label, source in labelled
        )
    )


async def test_a_manual_plan_is_a_diff_then_confirmed_found_and_undone(updating: Updating) -> None:
    before = await updating.memory()
    run = await updating.manual(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    assert run.status is RunStatus.PREPARED
    assert (await updating.memory()) == before
    (step,) = await updating.runs.diff(run)
    assert [(change.kind, change.after) for change in step.changes if change.part.value == "FEATURE"] == [
        (ChangeKind.ADDED, "lives in Hangzhou (0.80)")
    ]
    applied = await updating.confirm(run)
    assert (applied.status, applied.counts.entities, applied.counts.features) == (RunStatus.APPLIED, 1, 1)
    assert attached(await updating.world.recall("where does Alice live?")) == {"Alice"}
    await updating.check()
    assert (await updating.undo(run)).status is RunStatus.UNDONE
    assert (await updating.memory()) == before
    assert attached(await updating.world.recall("where does Alice live?")) == set()


async def test_the_same_plans_twice_are_one_run_and_no_write(
    updating: Updating, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await updating.handed_in(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    stands, counts = await updating.memory(), await updating.world.counts()
    changed: list[str] = []

    async def watching(name: str, result: Any) -> Rows:
        rows = await finish(name, result)
        if rows.counters.any:
            changed.append(name)
        return rows

    finish = updating.store._finish
    monkeypatch.setattr(updating.store, "_finish", watching)
    second = await updating.handed_in(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    assert (first.created, second.created) == (True, False)
    assert second.run == await updating.pipeline.read(updating.space, first.run.id)
    assert (await updating.memory(), await updating.world.counts()) == (stands, counts)
    assert changed == []


async def test_a_callers_key_with_other_content_is_a_conflict(updating: Updating) -> None:
    first = await updating.handed_in(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID], key="k1")
    again = await updating.handed_in(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID], key="k1")
    assert again.run.id == first.run.id
    with pytest.raises(Conflict, match="k1"):
        await updating.handed_in(seen("Alice", SAID, features=["has moved"]), said=[SAID], key="k1")


async def test_rejected_and_undone_runs_free_their_key(updating: Updating) -> None:
    given = seen("Alice", SAID, features=["lives in Hangzhou"])
    rejected = await updating.manual(given, said=[SAID])
    await updating.pipeline.reject(updating.space, rejected.id, "not now")
    applied = await updating.submit(given, said=[SAID])
    assert (applied.id != rejected.id, applied.status) == (True, RunStatus.APPLIED)
    await updating.undo(applied)
    again = await updating.submit(given, said=[SAID])
    assert (again.id != applied.id, again.status) == (True, RunStatus.APPLIED)
    assert await updating.statements("Alice") == {"lives in Hangzhou": 0.8}
    await updating.check()


async def test_nothing_left_ends_as_no_change_and_says_why(updating: Updating) -> None:
    run = await updating.submit(seen("Alice", "never said by anybody", features=["is tall"]), said=[SAID])
    assert run.status is RunStatus.NO_CHANGE
    assert {each.code for each in run.dropped} >= {"QUOTE_INVENTED"}


async def test_without_a_model_the_refusal_names_the_setting_and_the_other_way(updating: Updating) -> None:
    with pytest.raises(NotConfigured, match=r"IMPRESSIONS_LLM_MODEL.*submitObservations"):
        await updating.pipeline.update(updating.space, rolled(SAID))


async def test_unknown_runs_are_not_found(updating: Updating) -> None:
    for call in (updating.pipeline.resume, updating.pipeline.confirm, updating.pipeline.undo):
        with pytest.raises(NotFound):
            await call(updating.space, "nobody")


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


async def lease_over(updating: Updating) -> None:
    await updating.store.write(
        query("MATCH (r:UpdateRun {space: $space}) SET r.leaseUntil = $past", "space", "past"),
        space=updating.space,
        past=datetime(2020, 1, 1, tzinfo=UTC),
    )


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


# --- evidence ---------------------------------------------------------------------------------------------------------


async def test_handed_in_plans_roll_the_evidence_of_the_sources_they_name(updating: Updating) -> None:
    alice, bob = "Alice brought a cake with cherries", "Boris sang all evening long"
    await updating.project(alice, mentions=["Alice"])
    await updating.project(bob, mentions=["Boris"])
    run = await updating.submit(seen("Alice", alice, features=["bakes cakes"], sources=["Alice"]))
    assert run.status is RunStatus.APPLIED
    assert await updating.rolled() == {alice: True, bob: False}


async def test_what_a_rolling_retells_is_rolled_and_is_one_evidence(updating: Updating) -> None:
    said = "Alice brought a cake with cherries"
    await updating.project(said, mentions=["Alice"])
    await updating.submit(seen("Alice", said, features=["bakes cakes"]), said=[said])
    assert await updating.rolled() == {said: True}
    await updating.check()


@pytest.mark.parametrize("ending", ["prepared", "rejected"])
async def test_evidence_of_what_has_not_landed_stays_unrolled(updating: Updating, ending: str) -> None:
    said = "Alice brought a cake with cherries"
    await updating.project(said, mentions=["Alice"])
    run = await updating.manual(seen("Alice", said, features=["bakes cakes"], sources=["Alice"]))
    if ending == "rejected":
        await updating.pipeline.reject(updating.space, run.id, None)
    assert await updating.rolled() == {said: False}


async def test_the_same_message_in_two_rollings_is_one_evidence(updating: Updating) -> None:
    first = await updating.submit(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    second = await updating.submit(seen("Alice", SAID, features=["has moved"]), said=[SAID, "that was all"])
    assert (first.status, second.status) == (RunStatus.APPLIED, RunStatus.APPLIED)
    links = await updating.rows(
        "MATCH (s:Feature {space: $space})-[:SUPPORTED_BY]->(e) RETURN s.text AS text, e.content AS said ORDER BY text"
    )
    assert links == [{"text": "has moved", "said": SAID}, {"text": "lives in Hangzhou", "said": SAID}]
    await updating.check()


# --- pending ----------------------------------------------------------------------------------------------------------


async def two_alexes(updating: Updating) -> dict[str, str]:
    found = await updating.world.load(
        entity("Alex Smith", aliases=["Alex"], externalId="s"), entity("Alex Jones", aliases=["Alex"], externalId="j")
    )
    assert set(found) == {"Alex Smith", "Alex Jones"}
    return found


PENDING = "Alex plays the violin on Sundays"


async def test_an_ambiguous_observation_waits_with_its_candidates(updating: Updating) -> None:
    known = await two_alexes(updating)
    run = await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    assert run.status is RunStatus.NO_CHANGE
    (waiting,) = await updating.runs.pending(updating.space)
    assert waiting.resolution.code == "AMBIGUOUS"
    assert {each.uuid for each in waiting.resolution.candidates} == set(known.values())
    assert waiting.run_id == run.id


async def test_a_later_run_neither_repeats_nor_loses_what_waits(updating: Updating) -> None:
    await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (before,) = await updating.runs.pending(updating.space)
    await updating.learn("Bob", features=["is tall"])
    assert [each.id for each in await updating.runs.pending(updating.space)] == [before.id]


async def test_what_waits_lands_when_its_name_becomes_clear(updating: Updating) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, aliases=["Lex"], features=["plays the violin"]), said=[PENDING])
    await updating.curator.add_alias(updating.space, known["Alex Jones"], "Lex", ConfirmMode.AUTO, allow_homonym=False)
    run = await updating.learn("Bob", features=["is tall"])
    assert "plays the violin" in await updating.statements("Alex Jones")
    assert not await updating.runs.pending(updating.space)
    links = await updating.rows("MATCH (s:Feature {space: $space})-[:SUPPORTED_BY]->(e) RETURN e.content AS said")
    assert PENDING in [each["said"] for each in links]
    await updating.check()
    # Taken back, it waits again.
    await updating.undo(run)
    assert [each.resolution.observation.subject for each in await updating.runs.pending(updating.space)] == ["Alex"]


async def test_what_a_manual_plan_decides_waits_until_it_is_confirmed(updating: Updating) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, aliases=["Lex"], features=["plays the violin"]), said=[PENDING])
    await updating.curator.add_alias(updating.space, known["Alex Jones"], "Lex", ConfirmMode.AUTO, allow_homonym=False)
    run = await updating.manual(seen("Bob", SAID, features=["is tall"]), said=[SAID])
    assert len(await updating.runs.pending(updating.space)) == 1
    await updating.confirm(run)
    assert not await updating.runs.pending(updating.space)
    assert "plays the violin" in await updating.statements("Alex Jones")


@pytest.mark.parametrize("decision", [Decision.UPDATE, Decision.CREATE, Decision.DISCARDED])
async def test_a_person_decides_what_waits(updating: Updating, decision: Decision) -> None:
    known = await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (waiting,) = await updating.runs.pending(updating.space)
    chosen = known["Alex Smith"] if decision is Decision.UPDATE else None
    run = await updating.pipeline.decide(updating.space, waiting.id, decision, chosen)
    assert run.status is (RunStatus.NO_CHANGE if decision is Decision.DISCARDED else RunStatus.APPLIED)
    assert not await updating.runs.pending(updating.space)
    bearers = {each.subject for each in await updating.known("Alex")}
    if decision is Decision.UPDATE:
        assert "plays the violin" in await updating.statements("Alex Smith")
    elif decision is Decision.CREATE:
        assert bearers == {"Alex Smith", "Alex Jones", "Alex"}
    else:
        assert bearers == {"Alex Smith", "Alex Jones"}
    with pytest.raises(Conflict, match="decided already"):
        await updating.pipeline.decide(updating.space, waiting.id, decision, chosen)
    await updating.check()
    if run.status is RunStatus.APPLIED:
        await updating.undo(run)
        assert [each.id for each in await updating.runs.pending(updating.space)] == [waiting.id]


async def test_a_decision_that_cannot_be_carried_out_leaves_no_run_behind(updating: Updating) -> None:
    await two_alexes(updating)
    await updating.submit(seen("Alex", PENDING, features=["plays the violin"]), said=[PENDING])
    (waiting,) = await updating.runs.pending(updating.space)
    with pytest.raises(NotFound):
        await updating.pipeline.decide(updating.space, waiting.id, Decision.UPDATE, "nobody")
    page = await updating.runs.page(updating.space, first=10, before=None, status=RunStatus.OBSERVING)
    assert page.runs == ()


async def test_a_relation_waits_for_its_target_and_lands_with_it(updating: Updating) -> None:
    said = "Alice works for Zorblatt since May"
    run = await updating.submit(
        seen("Alice", said, features=["has a job"], relations={"Zorblatt": "works for"}), said=[said]
    )
    assert run.status is RunStatus.APPLIED
    assert await updating.relations() == set()
    (waiting,) = await updating.runs.pending(updating.space)
    assert waiting.resolution.code == "TARGET_UNKNOWN"
    await updating.learn("Zorblatt", features=["sells kites"])
    assert await updating.relations() == {("Alice", "works for", "Zorblatt")}
    assert not await updating.runs.pending(updating.space)
    await updating.check()


async def test_an_undone_run_leaves_nothing_waiting(updating: Updating) -> None:
    said = "Alice works for Zorblatt since May"
    given = seen("Alice", said, features=["has a job"], relations={"Zorblatt": "works for"})
    before = await updating.memory()
    await updating.undo(await updating.submit(given, said=[said]))
    assert not await updating.runs.pending(updating.space)
    assert await updating.memory() == before
    await updating.submit(given, said=[said])
    assert len(await updating.runs.pending(updating.space)) == 1


async def test_smaller_batches_are_a_setting(world: World) -> None:
    await fifty(world, 5)
    observer = ScriptedObserver(always=sees_all)
    updating = Updating(world, observer=observer, settings=replace(UpdateSettings(), batch_size=2))
    await updating.pipeline.update(updating.space, rolled("a party"))
    assert [len(shown) for _, shown in observer.asked] == [2, 2, 1]
