"""A person's edits: each a plan through the same validation and apply, shown before, undone after."""

import pytest

from graph.errors import InvalidInput, NotFound
from graph.values import StatementKind
from resolvers.curate import NewEntity, NewRelation, NewStatement
from resolvers.update.runs import ConfirmMode, Origin, Run, RunStatus
from tests.resolvers.update.updating import Updating, seen, statements_of
from tests.resolvers.world import attached, entity

AUTO, MANUAL = ConfirmMode.AUTO, ConfirmMode.MANUAL
FEATURE, IMPRESSION = StatementKind.FEATURE, StatementKind.IMPRESSION


async def alice(updating: Updating, **more: object) -> str:
    return (await updating.world.load(entity("Alice", **more)))["Alice"]


async def landed(updating: Updating, run: Run) -> None:
    """Check that an edit landed and is told as a diff."""
    assert (run.status, run.origin, run.violations) == (RunStatus.APPLIED, Origin.CURATION, ())
    assert await updating.runs.diff(run)
    await updating.check()


def refused(run: Run) -> set[str]:
    assert run.status is RunStatus.PREPARED
    return {each.code for each in run.violations}


async def test_create(updating: Updating) -> None:
    await updating.world.load(entity("Bob"))
    new = NewEntity(
        "Alice", ("Ally", "alice"), (NewStatement(FEATURE, "drinks tea", 0.7),), (NewRelation("Bob", "friend of", 0.5),)
    )
    run = await updating.curator.create(updating.space, new, AUTO)
    await landed(updating, run)
    assert await updating.names("Ally") == {"Ally"}
    assert await updating.statements("Alice") == {"drinks tea": 0.7}
    assert await updating.relations() == {("Alice", "friend of", "Bob")}
    assert refused(await updating.curator.create(updating.space, NewEntity("ALICE"), AUTO)) == {"NAME_TAKEN"}
    assert refused(
        await updating.curator.create(
            updating.space, NewEntity("Zoe", relations=(NewRelation("Nobody", "x", 1),)), AUTO
        )
    ) == {"TARGET_UNKNOWN"}
    with pytest.raises(InvalidInput):
        await updating.curator.create(
            updating.space, NewEntity("Zoe", statements=(NewStatement(FEATURE, "is tall", 7.0),)), AUTO
        )


async def test_a_target_that_several_are_called_is_refused_with_their_ids(updating: Updating) -> None:
    await updating.world.load(entity("Anna", id="a"), entity("Anna", id="b"))
    annas = {each.uuid for each in await updating.reader.by_name(updating.space, "Anna")}

    new = NewEntity("Kurt", relations=(NewRelation("Anna", "uncle", 1.0),))
    with pytest.raises(InvalidInput) as told:
        await updating.curator.create(updating.space, new, MANUAL)

    assert (told.value.code, told.value.path) == ("TARGET_AMBIGUOUS", "input.relations.0.target")
    assert all(uuid in told.value.message for uuid in annas)


async def test_a_homonym_is_ambiguous_by_name_and_singled_out_by_another(updating: Updating) -> None:
    first = await alice(updating)
    run = await updating.curator.create(updating.space, NewEntity("Alice", ("Lissy",), allow_homonym=True), AUTO)
    await landed(updating, run)
    assert len(await updating.known("Alice")) == 2
    second = (await updating.entity("Lissy")).uuid
    assert first != second
    said = "Alice likes to sail at night"
    ambiguous = await updating.submit(seen("Alice", said, features=["likes to sail"]), said=[said])
    assert ambiguous.status is RunStatus.NO_CHANGE
    clear = await updating.submit(seen("Alice", said, aliases=["Lissy"], features=["likes to sail"]), said=[said, "x"])
    assert clear.status is RunStatus.APPLIED
    assert await updating.statements("Lissy") == {"likes to sail": 0.8}
    await updating.check()


@pytest.mark.parametrize("keep", [True, False])
async def test_rename(updating: Updating, keep: bool) -> None:  # noqa: FBT001 -- a parameter of the test
    uuid = await alice(updating)
    run = await updating.curator.rename(updating.space, uuid, "Alicia", AUTO, allow_homonym=False, keep_old=keep)
    await landed(updating, run)
    assert (await updating.entity("Alicia")).uuid == uuid
    assert await updating.names("Alicia") == ({"Alice"} if keep else set())
    assert attached(await updating.world.recall("is Alice here?")) == ({"Alicia"} if keep else set())


async def test_rename_to_another_spelling_and_to_a_taken_name(updating: Updating) -> None:
    uuid = await alice(updating)
    await updating.world.load(entity("Bob"))
    await landed(
        updating,
        await updating.curator.rename(updating.space, uuid, "ALICE", AUTO, allow_homonym=False, keep_old=True),
    )
    assert (await updating.entity("alice")).subject == "ALICE"
    taken = await updating.curator.rename(updating.space, uuid, "Bob", AUTO, allow_homonym=False, keep_old=True)
    assert refused(taken) == {"NAME_TAKEN"}


async def test_alias_add_deprecate_revive_remove(updating: Updating) -> None:
    uuid = await alice(updating)
    curator, space = updating.curator, updating.space
    await landed(updating, await curator.add_alias(space, uuid, "Ally", AUTO, allow_homonym=False))
    assert await updating.names("Alice") == {"Ally"}
    await landed(updating, await curator.remove_alias(space, uuid, "Ally", AUTO, deprecate=True))
    assert await updating.names("Alice") == {"(Ally)"}
    assert (await updating.entity("Ally")).uuid == uuid  # it owns its identity still
    await landed(updating, await curator.add_alias(space, uuid, "ally", AUTO, allow_homonym=False))
    assert await updating.names("Alice") == {"ally"}
    await landed(updating, await curator.remove_alias(space, uuid, "Ally", AUTO, deprecate=False))
    assert await updating.names("Alice") == set()
    assert await updating.rows("MATCH (a:Alias {space: $space, key: 'ally'}) RETURN a") == []
    assert refused(await curator.remove_alias(space, uuid, "Ally", AUTO, deprecate=False)) == {"ALIAS_UNKNOWN"}
    assert refused(await curator.remove_alias(space, uuid, "Alice", AUTO, deprecate=True)) == {"SUBJECT_NOT_REMOVABLE"}


async def test_origin_p7_an_alias_equal_to_the_subject_is_harmless(updating: Updating) -> None:
    """P7."""
    uuid = await alice(updating)
    before = await updating.memory()
    run = await updating.curator.add_alias(updating.space, uuid, "ALICE", AUTO, allow_homonym=False)
    assert run.status in {RunStatus.APPLIED, RunStatus.NO_CHANGE}
    assert await updating.memory() == before


@pytest.mark.parametrize("kind", [FEATURE, IMPRESSION])
async def test_a_statement_is_set_weakened_replaced_and_removed(updating: Updating, kind: StatementKind) -> None:
    """P9: a replaced text vanishes everywhere; P10: vectors exist after a write."""
    uuid = await alice(updating)
    curator, space = updating.curator, updating.space

    async def put(text: str, new: str | None, sure: float) -> Run:
        return await curator.set_statement(space, uuid, kind, text, AUTO, new_text=new, confidence=sure)

    await landed(updating, await put("drinks tea", None, 0.9))
    await landed(updating, await put("Drinks tea", None, 0.4))
    assert await updating.statements("Alice") == {"Drinks tea": 0.4}
    await landed(updating, await put("drinks tea", "drinks coffee", 0.95))
    assert await updating.statements("Alice") == {"drinks coffee": 0.95}
    standing = await updating.rows(
        "MATCH (s:Impression|Feature {space: $space}) RETURN s.text AS text, labels(s) AS labels, s.embedding AS vector"
    )
    assert [(each["text"], each["labels"]) for each in standing] == [("drinks coffee", [kind.value])]
    assert len(standing[0]["vector"]) == updating.world.embedder.dimensions
    assert "tea" not in (await updating.export())[0]
    assert attached(await updating.world.recall("who drinks tea?")) == set()
    with pytest.raises(NotFound):
        await put("drinks tea", "drinks water", 0.5)
    found = await statements_of(updating.reader, space, uuid)
    await landed(updating, await curator.remove_statement(space, found[0].uuid, AUTO))
    assert await updating.statements("Alice") == {}
    with pytest.raises(NotFound):
        await curator.remove_statement(space, found[0].uuid, AUTO)


async def test_what_is_set_as_the_other_kind_lives_on_as_that_alone(updating: Updating) -> None:
    """P9: the two kinds share no object."""
    uuid = await alice(updating, features=["drinks tea"])
    run = await updating.curator.set_statement(
        updating.space, uuid, IMPRESSION, "drinks tea", AUTO, new_text=None, confidence=0.5
    )
    await landed(updating, run)
    found = await statements_of(updating.reader, updating.space, uuid)
    assert [(each.kind, each.text, each.confidence) for each in found] == [(IMPRESSION, "drinks tea", 0.5)]


async def test_relation_add_and_remove(updating: Updating) -> None:
    known = await updating.world.load(entity("Alice"), entity("Bob"))
    curator, space = updating.curator, updating.space
    run = await curator.set_relation(space, known["Alice"], known["Bob"], "friend of", AUTO, strength=0.5)
    await landed(updating, run)
    await landed(
        updating, await curator.set_relation(space, known["Alice"], known["Bob"], "Friend of", AUTO, strength=0.8)
    )
    assert await updating.relations() == {("Alice", "friend of", "Bob")}
    revision = (await updating.entity("Bob")).revision
    found = await updating.rows("MATCH (:Entity {space: $space})-[r:RELATES_TO]->() RETURN r.uuid AS uuid")
    await landed(updating, await curator.remove_relation(space, found[0]["uuid"], AUTO))
    assert await updating.relations() == set()
    assert (await updating.entity("Bob")).revision > revision
    itself = await curator.set_relation(space, known["Bob"], known["Bob"], "friend of", AUTO, strength=0.5)
    assert refused(itself) == {"SELF_RELATION"}
    with pytest.raises(NotFound):
        await curator.set_relation(space, known["Bob"], "nobody", "friend of", AUTO, strength=0.5)


async def test_a_manual_edit_waits_and_shows_before_and_after(updating: Updating) -> None:
    uuid = await alice(updating, features=["drinks tea"])
    before = await updating.memory()
    run = await updating.curator.set_statement(
        updating.space, uuid, FEATURE, "drinks tea", MANUAL, new_text="drinks coffee", confidence=0.9
    )
    assert (run.status, await updating.memory()) == (RunStatus.PREPARED, before)
    (step,) = await updating.runs.diff(run)
    assert [(each.before, each.after) for each in step.changes] == [("drinks tea (1.00)", "drinks coffee (0.90)")]
    await updating.confirm(run)
    (applied,) = await updating.runs.diff(await updating.pipeline.read(updating.space, run.id))
    assert [(each.before, each.after) for each in applied.changes] == [("drinks tea (1.00)", "drinks coffee (0.90)")]
    await updating.undo(run)
    assert await updating.memory() == before


async def test_a_space_of_another_is_not_reached(updating: Updating) -> None:
    uuid = await alice(updating)
    with pytest.raises(NotFound):
        await updating.curator.add_alias("elsewhere", uuid, "Ally", AUTO, allow_homonym=False)
