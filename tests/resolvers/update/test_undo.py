"""Undo: applied and taken back, the memory is as it was; or it says what was built upon it since."""

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graph.errors import Conflict
from graph.store import Store
from graph.values import StatementKind
from resolvers.update.pipeline import UpdateSettings
from resolvers.update.runs import ConfirmMode, Run, RunStatus
from tests.fakes import NOON, FakeEmbedder
from tests.resolvers.update.updating import Updating, seen
from tests.resolvers.world import World, entity

AUTO = ConfirmMode.AUTO
NAMES = ("Alice", "Bob", "Chen Wei", "刘备", "Ally")
TEXTS = ("drinks tea", "喜欢喝茶", "lives in Hangzhou", "seems tired", "plays chess")
RELATIONS = ("friend of", "manager", "兄弟")

names = st.sampled_from(NAMES)
statements = st.lists(st.sampled_from(TEXTS), max_size=3, unique=True)
observations = st.fixed_dictionaries(
    {
        "subject": names,
        "aliases": st.lists(names, max_size=1),
        "features": statements,
        "impressions": statements,
        "relations": st.dictionaries(names, st.sampled_from(RELATIONS), max_size=2),
        "sure": st.sampled_from([0.4, 0.9]),
    }
)
plans = st.lists(observations, min_size=1, max_size=4)


async def submit(updating: Updating, plan: list[dict[str, Any]], word: str) -> Run:
    said = [f"{one['subject']} was here, {word} {number}" for number, one in enumerate(plan)]
    for text in said[:1]:
        await updating.project(text, mentions=[plan[0]["subject"]])
    return await updating.submit(
        *(seen(one["subject"], text, **{k: v for k, v in one.items() if k != "subject"}, sources=[one["subject"]])
          for one, text in zip(plan, said, strict=True)),
        said=said,
    )  # fmt: skip


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(memory=plans, plan=plans, after=plans)
async def test_apply_then_undo_changes_nothing(store: Store, memory: Any, plan: Any, after: Any) -> None:
    """Of memory, counters, bindings and marks; and the later run goes first, then the earlier one."""
    updating = Updating(World(store, FakeEmbedder(), f"test-{uuid.uuid4().hex}"))
    await submit(updating, memory, "first")
    export = await updating.export()
    projected = [f"{one['subject']} was here, second {number}" for number, one in enumerate(plan)]
    await updating.project(projected[0], mentions=[plan[0]["subject"]])
    before = await updating.memory()
    run = await submit(updating, plan, "second")
    await updating.check()
    between = await updating.memory()
    await updating.project(f"{after[0]['subject']} was here, third 0", mentions=[after[0]["subject"]])
    later = await submit(updating, after, "third")
    await updating.check()
    if later.status is RunStatus.APPLIED:
        await updating.undo(later)
    await updating.check()
    if run.status is RunStatus.APPLIED:
        await updating.undo(run)
        assert await updating.export() == export
        if later.status is not RunStatus.APPLIED:
            assert _but_conversation(await updating.memory()) == _but_conversation(before)
    else:
        assert _but_conversation(await updating.memory()) == _but_conversation(between)
    await updating.check()


def _but_conversation(memory: Any) -> Any:
    """Leave out what the projection of the third input has changed: what the conversation is about."""
    longterm = ("Entity", "Impression", "Feature")
    kept = [node for node in memory["nodes"] if node["labels"][0] in longterm]
    for node in kept:
        node["properties"].pop("lastMentionedAt", None)
    links = [each for each in memory["links"] if each["type"] in {"HAS_FEATURE", "HAS_IMPRESSION", "RELATES_TO"}]
    return {"nodes": kept, "links": links, "terms": memory["terms"]}


async def test_apply_then_undo_is_the_identity_with_bindings_and_marks(updating: Updating) -> None:
    await updating.learn("Bob", features=["is tall"])
    said = "Alice and Bob drink tea together"
    await updating.project(said, mentions=["Alice", "Bob"])
    before, export = await updating.memory(), await updating.export()
    run = await updating.submit(
        seen("Alice", said, features=["drinks tea"], relations={"Bob": "friend of"}, sources=["Alice"]),
        seen("Bob", said, features=["is tall"], sources=["Bob"]),
        said=[said, "and so on"],
    )
    assert run.status is RunStatus.APPLIED
    await updating.undo(run)
    assert await updating.export() == export
    assert await updating.memory() == before
    with pytest.raises(Conflict, match="UNDONE"):
        await updating.undo(run)


async def test_what_was_built_upon_is_refused_with_the_list_until_that_is_undone(updating: Updating) -> None:
    first = await updating.learn("Alice", features=["drinks tea"])
    second = await updating.learn("Alice", features=["plays chess"])
    third = await updating.learn("Alice", features=["sings"])
    stands = await updating.memory()
    for early in (first, second):
        with pytest.raises(Conflict) as refused:
            await updating.undo(early)
        assert refused.value.conflicts == ("'Alice' was changed since",)
    assert await updating.memory() == stands
    for run in (third, second, first):
        assert (await updating.undo(run)).status is RunStatus.UNDONE
    assert await updating.export() == []
    await updating.check()


async def test_after_undo_and_another_run_the_order_still_holds(updating: Updating) -> None:
    first = await updating.learn("Alice", features=["drinks tea"])
    await updating.undo(await updating.learn("Alice", features=["plays chess"]))
    third = await updating.learn("Alice", features=["sings"])
    with pytest.raises(Conflict):
        await updating.undo(first)
    await updating.undo(third)
    await updating.undo(first)
    assert await updating.export() == []


async def test_a_relation_from_elsewhere_is_built_upon_too(updating: Updating) -> None:
    first = await updating.learn("Alice", features=["drinks tea"])
    later = await updating.learn("Bob", features=["is tall"], relations={"Alice": "friend of"})
    with pytest.raises(Conflict, match="undo the later changes first"):
        await updating.undo(first)
    await updating.undo(later)
    await updating.undo(first)
    assert await updating.export() == []


async def test_merge_is_undone_whole_and_what_came_before_can_be_undone_next(updating: Updating) -> None:
    ally = await updating.learn("Ally", features=["drinks tea", "sings"], impressions=["seems happy"], sure=0.9)
    alice = await updating.learn("Alice", features=["drinks tea"], relations={"Ally": "same desk as"}, sure=0.5)
    bob = await updating.learn("Bob", features=["is tall"], relations={"Ally": "friend of", "Alice": "friend of"})
    await updating.project("Ally sings in the kitchen")
    before, export = await updating.memory(), await updating.export()
    merged = await updating.curator.merge(
        updating.space, (await updating.entity("Alice")).uuid, (await updating.entity("Ally")).uuid, AUTO
    )
    assert merged.status is RunStatus.APPLIED, merged.violations
    assert await updating.statements("Alice") == {"drinks tea": 0.9, "sings": 0.9, "seems happy": 0.9}
    assert await updating.relations() == {("Bob", "friend of", "Alice")}
    assert (await updating.entity("Ally")).subject == "Alice"
    (active,) = await updating.world.actives()
    assert active["bound"] == "Alice"
    await updating.check()
    await updating.undo(merged)
    assert await updating.export() == export
    assert await updating.memory() == before
    assert [run.id for run in (await updating.runs.of_entities(
        updating.space, [(await updating.entity("Ally")).uuid], most=9))[0]][-1] == ally.id  # fmt: skip
    for run in (bob, alice, ally):
        await updating.undo(run)
    assert await updating.export() == []
    await updating.check()


@pytest.mark.parametrize("keep", [True, False])
async def test_rename_is_undone(updating: Updating, keep: bool) -> None:  # noqa: FBT001 -- a parameter of the test
    await updating.learn("Alice", features=["drinks tea"])
    before = await updating.memory()
    uuid_ = (await updating.entity("Alice")).uuid
    run = await updating.curator.rename(updating.space, uuid_, "Alicia", AUTO, allow_homonym=False, keep_old=keep)
    assert bool(await updating.known("Alice")) is keep
    await updating.undo(run)
    assert await updating.memory() == before


async def test_a_name_that_somebody_else_has_got_since_is_a_conflict(updating: Updating) -> None:
    await updating.learn("Alice", features=["drinks tea"])
    uuid_ = (await updating.entity("Alice")).uuid
    run = await updating.curator.rename(updating.space, uuid_, "Alicia", AUTO, allow_homonym=False, keep_old=False)
    other = await updating.learn("Alice", features=["plays chess"])
    with pytest.raises(Conflict) as refused:
        await updating.undo(run)
    assert refused.value.conflicts == ("'Alice' has got the name 'Alice' since",)
    await updating.undo(other)
    await updating.undo(run)
    assert (await updating.entity("Alice")).uuid == uuid_


async def test_a_run_without_effect_does_not_let_an_older_one_be_undone_over_a_newer_one(updating: Updating) -> None:
    await updating.learn("Alice", features=["drinks tea"])
    uuid_ = (await updating.entity("Alice")).uuid
    first = await updating.curator.rename(updating.space, uuid_, "Alicia", AUTO, allow_homonym=False, keep_old=True)
    second = await updating.curator.rename(updating.space, uuid_, "Alix", AUTO, allow_homonym=False, keep_old=True)
    stands = await updating.memory()
    third = await updating.curator.add_alias(updating.space, uuid_, "Alix", AUTO, allow_homonym=False)
    assert third.status is RunStatus.APPLIED
    # What a run has not changed does not tell of it.
    (changers,) = await updating.runs.of_entities(updating.space, [uuid_], most=9)
    assert [run.id for run in changers][:2] == [second.id, first.id]
    await updating.undo(third)
    with pytest.raises(Conflict) as refused:
        await updating.undo(first)
    assert refused.value.conflicts == ("'Alix' was changed since",)
    assert await updating.memory() == stands
    await updating.undo(second)
    await updating.undo(first)
    assert (await updating.entity("Alice")).subject == "Alice"
    await updating.check()


async def test_a_rolling_that_tells_nothing_new_is_undone_in_any_order(updating: Updating) -> None:
    said = "Alice drinks tea in the garden"
    given = seen("Alice", said, features=["drinks tea"])
    first = await updating.submit(given, said=[said])
    second = await updating.learn("Alice", features=["sings"])
    overlaps = await updating.submit(given, said=[said, "so it was"])
    assert overlaps.status is RunStatus.APPLIED
    later = await updating.learn("Alice", features=["plays chess"])
    await updating.undo(overlaps)
    for early in (first, second):
        with pytest.raises(Conflict, match="undo the later changes first"):
            await updating.undo(early)
    for run in (later, second, first):
        await updating.undo(run)
    assert await updating.export() == []
    await updating.check()


@pytest.mark.parametrize("way", ["replaced", "removed"])
async def test_superseded_statements_come_back_with_their_id_and_vector(updating: Updating, way: str) -> None:
    await updating.learn("Alice", features=["drinks tea"])
    stored = "MATCH (s:Feature {space: $space}) RETURN s.uuid AS uuid, s.embedding AS embedding, s.text AS text"
    before, all_before = await updating.rows(stored), await updating.memory()
    alice = await updating.entity("Alice")
    if way == "replaced":
        run = await updating.curator.set_statement(
            updating.space, alice.uuid, StatementKind.FEATURE, "drinks tea", AUTO, new_text="drinks coffee",
            confidence=0.7,
        )  # fmt: skip
    else:
        run = await updating.curator.remove_statement(updating.space, before[0]["uuid"], AUTO)
    assert run.status is RunStatus.APPLIED
    assert "drinks tea" not in await updating.statements("Alice")
    await updating.check()
    await updating.undo(run)
    assert await updating.rows(stored) == before
    assert await updating.memory() == all_before


async def test_a_removed_relation_comes_back(updating: Updating) -> None:
    await updating.learn("Bob", features=["is tall"])
    await updating.learn("Alice", features=["drinks tea"], relations={"Bob": "friend of"})
    before = await updating.memory()
    found = await updating.rows("MATCH (:Entity {space: $space})-[r:RELATES_TO]->() RETURN r.uuid AS uuid")
    run = await updating.curator.remove_relation(updating.space, found[0]["uuid"], AUTO)
    assert await updating.relations() == set()
    await updating.check()
    await updating.undo(run)
    assert await updating.memory() == before


async def test_evidence_that_a_relation_of_another_run_rests_on_stays(updating: Updating) -> None:
    await updating.world.load(entity("Bob"), entity("Carol"))
    said = "Alice, Bob and Carol are friends"
    first = await updating.submit(seen("Alice", said, features=["has friends"]), said=[said])
    await updating.submit(seen("Bob", said, relations={"Carol": "friend of"}), said=[said, "so it is"])
    await updating.undo(first)
    assert await updating.rolled() == {said: False}
    await updating.check()


async def test_what_no_run_needs_any_more_is_dropped(updating: Updating) -> None:
    await updating.undo(await updating.learn("Alice", features=["drinks tea"]))
    assert await updating.rolled() == {}
    assert await updating.rows("MATCH (a:Alias {space: $space}) RETURN a") == []


async def test_an_undone_rolling_can_be_rolled_again(updating: Updating) -> None:
    said = "Alice brought a cake with cherries"
    await updating.project(said, mentions=["Alice"])
    given = seen("Alice", said, features=["bakes cakes"], sources=["Alice"])
    await updating.undo(await updating.submit(given))
    assert await updating.rolled() == {said: False}
    live = await updating.rows("MATCH (e:LiveEvidence {space: $space}) RETURN e.content AS text")
    assert live == [{"text": said}]
    again = await updating.submit(given)
    assert again.status is RunStatus.APPLIED


async def test_evidence_beyond_the_bound_comes_back_when_its_rolling_is_undone(updating: Updating) -> None:
    """A run cuts off what earlier ones have rolled, not what it rolls itself."""
    few = replace(updating, settings=UpdateSettings(most_rolled=2))
    said = [f"Alice baked {number} cakes with cherries" for number in range(5)]
    for minutes, text in enumerate(said):
        await few.project(text, mentions=["Alice"], at=NOON + timedelta(minutes=minutes))
    given = seen("Alice", said[0], features=["bakes cakes"], sources=["Alice"])
    before = await few.memory()
    run = await few.submit(given)
    assert (run.status, await few.rolled()) == (RunStatus.APPLIED, dict.fromkeys(said, True))
    await few.undo(run)
    assert await few.memory() == before
    assert [each["live"] for active in await few.world.actives() for each in active["evidence"]] == [True] * 5
    await few.submit(given)
    last = "Alice baked a tart with plums"
    await few.project(last, mentions=["Alice"], at=NOON + timedelta(hours=1))
    await few.submit(seen("Alice", last, features=["bakes tarts"], sources=["Alice"]))
    assert await few.rolled() == dict.fromkeys([said[0], said[4], last], True), "the first supports a statement"
