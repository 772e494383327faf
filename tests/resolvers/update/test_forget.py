"""Forgetting is complete: no name, text or vector is left anywhere; what is of others stays, and is told."""

import pytest

from cypher import Query
from graph.errors import Conflict, NotFound
from graph.rows import Rows
from graph.store import Transaction
from graph.values import StatementKind
from resolvers.update.forget import MOST_MENTIONS
from resolvers.update.runs import ConfirmMode, Run, RunStatus
from tests.prepared import query
from tests.resolvers.update.updating import Updating, seen
from tests.resolvers.world import attached, entity

AUTO = ConfirmMode.AUTO


async def forget(updating: Updating, name: str) -> tuple[str, ...]:
    return (await updating.pipeline.forget(updating.space, (await updating.entity(name)).uuid)).mentions


async def test_nothing_of_it_is_found_anywhere(updating: Updating) -> None:
    """Names old and new, statements standing and replaced, runs, steps, observations, evidence, counters."""
    said = "Brunhilde tames ocelots, and her uncle helps"
    await updating.learn("Wotan", quote="Wotan rides an octopus", features=["rides an octopus"])
    await updating.project(said, mentions=["Brunhilde"])
    await updating.submit(
        seen(
            "Brunhilde", said, aliases=["Hilda"], features=["tames ocelots"], impressions=["seems valiant"],
            relations={"Wotan": "niece of"}, sources=["Brunhilde"],
        ),
        said=[said],
    )  # fmt: skip
    uuid = (await updating.entity("Brunhilde")).uuid
    await updating.curator.rename(updating.space, uuid, "Sigrun", AUTO, allow_homonym=False, keep_old=False)
    await updating.curator.set_statement(
        updating.space, uuid, StatementKind.FEATURE, "tames ocelots", AUTO, new_text="tames gryphons", confidence=0.9
    )
    await updating.submit(seen("Nobody Known", "Sigrun is on leave", relations={"Sigrun": "boss of"}),
                          said=["Sigrun is on leave"])  # fmt: skip
    await updating.manual(seen("Sigrun", "Sigrun plays the zither", features=["plays zither"]),
                          said=["Sigrun plays the zither"])  # fmt: skip
    mentions = await forget(updating, "Sigrun")
    left = await updating.texts()
    for word in ("brunhilde", "hilda", "sigrun", "ocelot", "gryphon", "valiant", "zither", "niece", uuid):
        if word == uuid:
            continue  # the audit keeps ids
        assert word not in left, (word, [line for line in left.splitlines() if word in line])
    assert "octopus" in left
    assert mentions == ()
    assert await updating.rows("MATCH (s:Superseded {space: $space}) RETURN s") == []
    assert not await updating.runs.pending(updating.space)
    assert attached(await updating.world.recall("is Sigrun, called Brunhilde or Hilda, here?")) == set()
    await updating.check()
    assert await updating.statements("Wotan") == {"rides an octopus": 0.8}


async def test_what_was_merged_into_it_is_forgotten_with_it(updating: Updating) -> None:
    await updating.learn("Hilda", quote="Hilda tames ocelots here", features=["tames ocelots", "seems valiant"])
    await updating.learn("Brunhilde", quote="Brunhilde tames ocelots too", features=["tames ocelots"])
    hilda, brunhilde = await updating.entity("Hilda"), await updating.entity("Brunhilde")
    await updating.curator.merge(updating.space, brunhilde.uuid, hilda.uuid, AUTO)
    await updating.curator.remove_alias(updating.space, brunhilde.uuid, "Hilda", AUTO, deprecate=False)
    await forget(updating, "Brunhilde")
    left = await updating.texts()
    assert not [word for word in ("hilda", "brunhilde", "ocelot", "valiant") if word in left]
    assert await updating.rows("MATCH (e:MergedEntity {space: $space}) RETURN e") == []
    await updating.check()


async def test_shared_evidence_and_statements_of_others_stay_and_are_listed(updating: Updating) -> None:
    said = "Brunhilde and Wotan went skating"
    await updating.submit(
        seen("Brunhilde", said, features=["skates"]), seen("Wotan", said, features=["skates with Brunhilde"]),
        said=[said],
    )  # fmt: skip
    mentions = await forget(updating, "Brunhilde")
    assert sorted(mentions) == ["Wotan: skates with Brunhilde", f"evidence: {said}"]
    assert await updating.rolled() == {said: False}
    assert await updating.statements("Wotan") == {"skates with Brunhilde": 0.8}
    await updating.check()


async def test_evidence_of_other_conversations_that_names_it_is_listed(updating: Updating) -> None:
    await updating.learn("Brunhilde", quote="Brunhilde skates all day", features=["skates"])
    said = "I think Wotan knows brunhilde well"
    await updating.world.but(conversation="d").project(said, mentions=["Wotan"])
    mentions = await forget(updating, "Brunhilde")
    assert f"evidence: {said}" in mentions or said.lower() not in await updating.texts()
    await updating.check()


async def test_what_it_said_about_others_is_listed(updating: Updating) -> None:
    """It stays the speaker of evidence that another entity alone holds."""
    await updating.world.load(entity("Brunhilde"), entity("Wotan"))
    said = "Wotan is nice to everybody"
    await updating.project(said, mentions=["Wotan"], speaker="Brunhilde")
    assert await forget(updating, "Brunhilde") == (f"evidence: Brunhilde: {said}",)


async def test_former_names_are_looked_for_in_statements_too(updating: Updating) -> None:
    await updating.learn("Wotan", quote="Wotan is the uncle of Hilda", features=["is the uncle of Hilda"])
    known = await updating.world.load(entity("Hilda"))
    await updating.curator.rename(updating.space, known["Hilda"], "Sigrun", AUTO, allow_homonym=False, keep_old=False)
    assert sorted(await forget(updating, "Sigrun")) == [
        "Wotan: is the uncle of Hilda", "evidence: Wotan is the uncle of Hilda"
    ]  # fmt: skip


async def test_a_long_list_says_how_many_more_there_are(updating: Updating) -> None:
    told = [f"met Brunhilde {number} times" for number in range(MOST_MENTIONS + 3)]
    await updating.world.load(entity("Brunhilde"), entity("Wotan", features=told))
    create = """
    UNWIND $told AS text
    CREATE (:Evidence {uuid: randomUUID(), space: $space, hash: text, conversation: 'd', content: text,
      source: 'USER_INPUT', firstAt: datetime(), lastAt: datetime()})
    """
    await updating.store.write(query(create, "told", "space"), told=told[:-1], space=updating.space)
    mentions = await forget(updating, "Brunhilde")
    assert len(mentions) == 2 * (MOST_MENTIONS + 1)
    assert {"3 more statements of others", "2 more pieces of evidence"} <= {*mentions}


async def test_a_relations_own_evidence_goes_with_it(updating: Updating) -> None:
    await updating.world.load(entity("Wotan"), entity("Brunhilde"))
    said = "Wotan is the uncle of Brunhilde"
    await updating.submit(seen("Wotan", said, relations={"Brunhilde": "uncle of"}), said=[said])
    assert await updating.rolled() == {said: False}
    await forget(updating, "Brunhilde")
    assert await updating.rolled() == {}
    await updating.check()


async def test_evidence_that_only_waiting_observations_of_it_rest_on_goes(updating: Updating) -> None:
    known = await updating.world.load(
        entity("Brunhilde", aliases=["Hilda"], externalId="b"), entity("Hilda Smith", aliases=["Hilda"], externalId="h")
    )
    said = "Hilda collects tin soldiers"
    await updating.submit(seen("Hilda", said, features=["collects tin soldiers"]), said=[said])
    assert len(await updating.runs.pending(updating.space)) == 1
    await updating.pipeline.forget(updating.space, known["Brunhilde"])
    assert not await updating.runs.pending(updating.space)
    assert "tin soldiers" not in await updating.texts()
    await updating.check()


@pytest.mark.parametrize("name", ["Al", "C", "Ann"])
async def test_short_names_do_not_blank_what_is_not_about_them(updating: Updating, name: str) -> None:
    await updating.world.load(entity(name))
    run = await updating.learn(
        "Gala", quote="Gala organises the annual vitamin C gala", features=["organises the annual vitamin gala"]
    )
    about = await updating.learn(name, quote=f"{name} likes sailing boats", features=["likes sailing boats"])
    await forget(updating, name)
    kept = await updating.pipeline.read(updating.space, run.id)
    assert kept.plan is not None
    assert kept.plan.steps
    assert (await updating.pipeline.read(updating.space, about.id)).plan is None
    assert "sailing" not in await updating.texts()
    await updating.check()


@pytest.mark.parametrize("name", ["Patch", "Target", "Reason", "Code", "Evidence", "Subject", "Decision"])
async def test_a_name_that_is_a_word_of_the_records_blanks_nothing_of_others(updating: Updating, name: str) -> None:
    """Records are JSON: their keys and codes are no texts about anybody."""
    await updating.world.load(entity(name))
    said = "Gala likes to skate on the lake"
    run = await updating.submit(
        seen("Gala", said, aliases=["Galina"], features=["skates"], relations={"Nobody Known": "sister of"}),
        said=[said],
    )
    edit = await updating.curator.add_alias(
        updating.space, (await updating.entity("Gala")).uuid, "Gal", AUTO, allow_homonym=False
    )
    waiting = await updating.runs.pending(updating.space)
    assert len(waiting) == 1
    before = [await updating.pipeline.read(updating.space, each.id) for each in (run, edit)]
    await forget(updating, name)
    assert [await updating.pipeline.read(updating.space, each.id) for each in (run, edit)] == before
    assert await updating.runs.pending(updating.space) == waiting
    for each in (edit, run):
        assert (await updating.undo(each)).status is RunStatus.UNDONE
    await updating.check()


async def test_what_is_stored_about_it_meanwhile_is_blanked_as_well(
    updating: Updating, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process stores a run between the look and the write: the look is taken once more."""
    await updating.learn("Brunhilde", quote="Brunhilde skates all day", features=["skates"])
    said = "Wotan is married to Brunhilde"
    stored: list[Run] = []
    run_query = Transaction.run

    async def run_and_wait(self: Transaction, query: Query, /, **parameters: object) -> Rows:
        found = await run_query(self, query, **parameters)
        if query.name == "update/find_traces" and not stored:
            stored.append(await updating.manual(seen("Wotan", said, features=["is married to Brunhilde"]), said=[said]))
        return found

    monkeypatch.setattr(Transaction, "run", run_and_wait)
    await forget(updating, "Brunhilde")
    assert (await updating.pipeline.read(updating.space, stored[0].id)).status is RunStatus.REJECTED
    assert "brunhilde" not in await updating.texts()


async def test_a_forgetting_cannot_be_undone_nor_what_went_with_it(updating: Updating) -> None:
    both = "Brunhilde and Wotan went skating"
    run = await updating.submit(
        seen("Brunhilde", both, features=["skates"]), seen("Wotan", both, features=["rows"]), said=[both]
    )
    forgotten = await updating.pipeline.forget(updating.space, (await updating.entity("Brunhilde")).uuid)
    for each in (forgotten.run, run):
        with pytest.raises(Conflict, match="forgotten"):
            await updating.undo(each)
    assert await updating.statements("Wotan") == {"rows": 0.8}


async def test_an_open_run_about_it_is_rejected_and_its_key_free(updating: Updating) -> None:
    await updating.learn("Brunhilde", quote="Brunhilde skates all day", features=["skates"])
    said = "Brunhilde also plays golf"
    run = await updating.manual(seen("Brunhilde", said, features=["plays golf"]), said=[said])
    await forget(updating, "Brunhilde")
    assert (await updating.pipeline.read(updating.space, run.id)).status is RunStatus.REJECTED
    again = await updating.manual(seen("Brunhilde", said, features=["plays golf"]), said=[said])
    assert (again.id != run.id, again.status) == (True, RunStatus.PREPARED)


async def test_nobody_is_forgotten_twice(updating: Updating) -> None:
    known = await updating.world.load(entity("Brunhilde"))
    await updating.pipeline.forget(updating.space, known["Brunhilde"])
    with pytest.raises(NotFound):
        await updating.pipeline.forget(updating.space, known["Brunhilde"])
