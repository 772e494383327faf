"""Applying: all or nothing, checked again under locks, read back, and tied to what the conversation is about."""

from dataclasses import replace

import pytest

from cypher import load
from graph.errors import Conflict
from graph.store import Transaction
from graph.values import StatementKind
from resolvers.update.apply import Applier, NotClaimed
from resolvers.update.concluding import Concluder
from resolvers.update.runs import ConfirmMode, RunStatus
from resolvers.update.steps import AddStatement, CreateEntityStep, UpdatePlan, ValidPlan
from tests.resolvers.update.updating import Updating, plan_of, rolled, seen
from tests.resolvers.world import attached, entity

SAID = "Alice moved to Hangzhou last year"


async def test_counts_are_what_stands_in_the_graph(updating: Updating) -> None:
    await updating.world.load(entity("Bob", features=["likes tea"]))
    run = await updating.submit(
        seen("Alice", SAID, aliases=["Ally"], features=["lives in Hangzhou"], impressions=["seems happy"]),
        seen("Bob", SAID, features=["likes tea", "knows Alice"], relations={"Alice": "friend of"}),
        said=[SAID],
    )
    assert run.status is RunStatus.APPLIED
    counts = run.counts
    assert (counts.entities, counts.aliases, counts.impressions, counts.features, counts.relations) == (1, 2, 1, 2, 1)
    assert counts.reinforced == 1
    assert await updating.relations() == {("Bob", "friend of", "Alice")}
    await updating.check()


async def test_reinforcing_takes_the_surer_number_and_counts_distinct_evidence(updating: Updating) -> None:
    await updating.learn("Alice", quote="Alice drinks tea at home", features=["drinks tea"], sure=0.9)
    await updating.learn("Alice", quote="Alice drinks tea at work", features=["drinks tea"], sure=0.5)
    await updating.learn("Alice", quote="Alice drinks tea at work", features=["Drinks tea", "works"], sure=0.5)
    found = await updating.rows(
        """
        MATCH (s:Feature {space: $space, key: 'drinks tea'})
        RETURN s.confidence AS confidence, s.support AS support, COUNT { (s)-[:SUPPORTED_BY]->() } AS links
        """
    )
    assert found == [{"confidence": 0.9, "support": 2, "links": 2}]
    await updating.check()


async def test_a_relation_is_reinforced_with_its_evidence(updating: Updating) -> None:
    await updating.learn("Bob", features=["is tall"])
    for quote, sure in (("Alice met Bob on Monday", 0.4), ("Alice met Bob on Friday", 0.7)):
        await updating.learn("Alice", quote=quote, features=["meets people"], relations={"Bob": "friend of"}, sure=sure)
    found = await updating.rows(
        """
        MATCH (:Entity {space: $space})-[r:RELATES_TO]->()
        RETURN r.strength AS strength, r.support AS support, size(r.evidence) AS evidence
        """
    )
    assert found == [{"strength": 0.7, "support": 2, "evidence": 2}]
    await updating.check()


async def test_a_plan_whose_name_was_taken_meanwhile_goes_back_with_its_violations(updating: Updating) -> None:
    run = await updating.manual(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    await updating.world.load(entity("Alicia", aliases=["Alice"]))
    before = await updating.memory()
    stale = await updating.confirm(run)
    assert stale.status is RunStatus.PREPARED
    assert {each.code for each in stale.violations} == {"NAME_TAKEN"}
    assert await updating.memory() == before
    assert (await updating.pipeline.read(updating.space, run.id)).violations == stale.violations


@pytest.mark.parametrize("fate", ["forgotten", "merged"])
async def test_a_plan_about_somebody_gone_goes_back(updating: Updating, fate: str) -> None:
    known = await updating.world.load(entity("Alice"), entity("Bob"))
    run = await updating.manual(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    if fate == "forgotten":
        await updating.pipeline.forget(updating.space, known["Alice"])
        assert (await updating.pipeline.read(updating.space, run.id)).status is RunStatus.REJECTED
    else:
        await updating.curator.merge(updating.space, known["Bob"], known["Alice"], ConfirmMode.AUTO)
        stale = await updating.confirm(run)
        assert (stale.status, {each.code for each in stale.violations}) == (RunStatus.PREPARED, {"ENTITY_UNKNOWN"})
    await updating.check()


async def test_what_changes_between_the_check_and_the_locks_is_seen_inside(
    updating: Updating, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await updating.manual(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    landing = Concluder.land

    async def slow(self: Concluder, *given: object) -> object:
        await updating.world.load(entity("Alicia", aliases=["Alice"]))
        return await landing(self, *given)  # type: ignore[arg-type] # handed on as it came

    monkeypatch.setattr(Concluder, "land", slow)
    stale = await updating.confirm(run)
    assert (stale.status, {each.code for each in stale.violations}) == (RunStatus.PREPARED, {"NAME_TAKEN"})
    assert [each.subject for each in await updating.known("Alice")] == ["Alicia"]


async def test_an_automatic_run_is_decided_anew(updating: Updating, monkeypatch: pytest.MonkeyPatch) -> None:
    landing = Concluder.land

    async def slow(self: Concluder, *given: object) -> object:
        await updating.world.load(entity("Alicia", aliases=["Alice"]))
        return await landing(self, *given)  # type: ignore[arg-type] # handed on as it came

    monkeypatch.setattr(Concluder, "land", slow)
    run = await updating.submit(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    assert (run.status, run.counts.entities) == (RunStatus.APPLIED, 0)
    assert "lives in Hangzhou" in await updating.statements("Alicia")
    assert [
        each.resolution.decision.value for each in (await updating.runs.observations(updating.space, [run.id], 10))[0]
    ]
    await updating.check()


async def test_what_is_postponed_when_decided_anew_is_pending(
    updating: Updating, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = Concluder.land

    async def slow(self: Concluder, *given: object) -> object:
        await updating.world.load(
            entity("Alex Smith", aliases=["Alice"], externalId="s"),
            entity("Alex Jones", aliases=["Alice"], externalId="j"),
        )
        return await landing(self, *given)  # type: ignore[arg-type] # handed on as it came

    monkeypatch.setattr(Concluder, "land", slow)
    run = await updating.submit(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    assert run.status is RunStatus.NO_CHANGE
    (waiting,) = await updating.runs.pending(updating.space)
    assert (waiting.resolution.code, waiting.run_id) == ("AMBIGUOUS", run.id)


async def test_a_run_that_never_comes_through_has_failed_and_frees_its_key(
    updating: Updating, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def changes_again(*_: object) -> object:
        raise Conflict("the graph did not take what was sent", ("names: 1 of 2 written",))

    monkeypatch.setattr(Applier, "apply", changes_again)
    run = await updating.submit(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    assert (run.status, "5 times" in (run.reason or "")) == (RunStatus.FAILED, True)
    assert not await updating.export()
    monkeypatch.undo()
    again = await updating.submit(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    assert (again.id != run.id, again.status) == (True, RunStatus.APPLIED)


async def test_a_hundred_steps_take_ten_round_trips_at_most(
    updating: Updating, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    run_query = Transaction.run

    async def counting(self: Transaction, query: object, /, **parameters: object) -> object:
        asked.append(query.name)  # type: ignore[attr-defined] # a Query
        return await run_query(self, query, **parameters)  # type: ignore[arg-type] # handed on as it came

    monkeypatch.setattr(Transaction, "run", counting)
    names = [f"Kwame{number:02}" for number in range(60)]
    await updating.world.load(*(entity(f"Abena{number:02}") for number in range(40)))
    asked.clear()
    said = [f"{name} likes tea very much" for name in [*names, *(f"Abena{number:02}" for number in range(40))]]
    plan = [seen(text.split()[0], text, features=["likes tea"]) for text in said]
    outcome = await updating.pipeline.submit(
        updating.space, "c", [plan_of(*plan[:50]), plan_of(*plan[50:])], rolling=rolled(*said)
    )
    assert (outcome.run.status, outcome.run.counts.features) == (RunStatus.APPLIED, 100)
    assert len(asked) <= 10, asked
    await updating.check()


# --- what the conversation is about -----------------------------------------------------------------------------------


async def test_an_unbound_source_becomes_the_live_one_of_its_entity(updating: Updating) -> None:
    said = "Alice brought a cake with cherries"
    opened = (await updating.project(said, mentions=["Alice"])).linked[0]
    await updating.submit(seen("Alice", said, features=["bakes cakes"], sources=["Alice"]))
    (active,) = await updating.world.actives()
    assert (active["id"], active["bound"]) == (opened.runtime_id, "Alice")
    later = await updating.project("what would Alice bake next week?")
    assert [(each.runtime_id, each.opened) for each in later.linked] == [(opened.runtime_id, False)]
    assert attached(later.recall) == {"Alice"}


async def test_an_unbound_source_is_merged_into_the_live_one(updating: Updating) -> None:
    await updating.world.load(entity("Alice", aliases=["Ally"]))
    live = (await updating.project("Alice went home early today")).linked[0]
    said = "Lissy brought a cake with cherries"
    other = (await updating.project(said, mentions=["Lissy"])).linked[0]
    before = await updating.memory()
    run = await updating.submit(seen("Alice", said, aliases=["Lissy"], features=["bakes cakes"], sources=["Lissy"]))
    assert run.status is RunStatus.APPLIED
    (active,) = await updating.world.actives()
    assert active["id"] == live.runtime_id != other.runtime_id
    assert {each["text"] for each in active["evidence"]} == {"Alice went home early today", said}
    (expired,) = await updating.world.actives("EXPIRED")
    assert (expired["id"], expired["bound"]) == (other.runtime_id, "Alice")
    await updating.undo(run)
    assert await updating.memory() == before


async def test_a_source_that_somebody_else_bound_meanwhile_is_left_alone(
    updating: Updating,
) -> None:
    said = "Alice brought a cake with cherries"
    await updating.project(said, mentions=["Alice"])
    first = await updating.manual(seen("Alice", said, features=["bakes cakes"], sources=["Alice"]))
    second = await updating.manual(seen("Alice", said, features=["likes cherries"], sources=["Alice"]))
    await updating.confirm(first)
    (bound,) = await updating.world.actives()
    stale = await updating.confirm(second)
    assert stale.status is RunStatus.PREPARED
    assert await updating.world.actives() == [bound]
    await updating.check()


async def test_an_expired_source_is_bound_but_does_not_live_again(updating: Updating) -> None:
    said = "Alice brought a cake with cherries"
    await updating.project(said, mentions=["Alice"])
    run = await updating.manual(seen("Alice", said, features=["bakes cakes"], sources=["Alice"]))
    (active,) = await updating.world.actives()
    await updating.store.write(load("project/expire_actives"), runtimeIds=[active["id"]])
    assert (await updating.confirm(run)).status is RunStatus.APPLIED
    (expired,) = await updating.world.actives("EXPIRED")
    assert (expired["bound"], expired["liveKey"]) == ("Alice", None)
    assert await updating.world.actives() == []
    await updating.undo(run)
    (back,) = await updating.world.actives("EXPIRED")
    assert back["bound"] is None


async def test_projecting_never_waits_for_another_conversation(updating: Updating) -> None:
    said = "Alice brought a cake with cherries"
    await updating.project(said, mentions=["Alice"])
    await updating.submit(seen("Alice", said, features=["bakes cakes"], sources=["Alice"]))
    elsewhere = await updating.world.but(conversation="d").project("is Alice around this week?")
    assert [each.opened for each in elsewhere.linked] == [True]


async def test_evidence_that_is_gone_by_now_supports_nothing(updating: Updating) -> None:
    """A plan may wait for weeks: what was forgotten meanwhile is not counted any more."""
    known = await updating.world.load(entity("Zoe"))
    said = "Zoe and Alice bake cakes together"
    await updating.project(said, mentions=["Zoe"])
    run = await updating.manual(seen("Alice", said, features=["bakes cakes"]))
    plan = run.plan
    assert plan is not None
    await updating.pipeline.forget(updating.space, known["Zoe"])
    stands = await updating.pipeline.read(updating.space, run.id)
    assert stands.status is RunStatus.REJECTED  # it speaks of Zoe
    await updating.check()


async def test_a_plan_is_applied_only_when_confirmed(updating: Updating) -> None:
    run = await updating.manual(seen("Alice", SAID, features=["lives in Hangzhou"]), said=[SAID])
    applier = Applier(updating.store, updating.world.embedder, updating.clock)
    plan = UpdatePlan((CreateEntityStep("Alice", (AddStatement(StatementKind.FEATURE, "lives in Hangzhou", 0.8),)),))
    outcome = await applier.apply(replace(run), ValidPlan(plan))
    assert outcome == NotClaimed(RunStatus.PREPARED)
    assert not await updating.export()


async def test_warming_up_leaves_nothing_behind(updating: Updating) -> None:
    await updating.pipeline.warm_up(updating.space)
    assert await updating.world.counts() == {}


def test_no_large_statement_takes_a_list_as_a_parameter() -> None:
    """The server plans a statement anew for each order of length that a list has; the large ones take it seconds."""
    for name, lists in (("write_changes", "changes"), ("read_state", "around"), ("find_owners", "asked")):
        assert load(f"update/{name}").parameters - {"lock"} == {"space", lists}
