"""The pipeline on a real Neo4j: handed-in plans and observed ones, from what was said to what stands in the graph."""

from typing import Any

import pytest

from graph.errors import Conflict, NotConfigured, NotFound
from graph.rows import Rows
from resolvers.update.diff import ChangeKind
from resolvers.update.runs import RunStatus
from tests.resolvers.update.updating import Updating, rolled, seen
from tests.resolvers.world import attached

SAID = "Alice moved to Hangzhou last year"


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

    finish = updating.store._fetch
    monkeypatch.setattr(updating.store, "_fetch", watching)
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
