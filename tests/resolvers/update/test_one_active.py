"""One thing has one live active entity in a conversation, whatever came first: the talk, a person's edit, an import."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.errors import Conflict, NotFound
from resolvers.curate import NewEntity
from resolvers.update.runs import ConfirmMode, RunStatus
from tests.fakes import NOON
from tests.resolvers.update.updating import Updating, plan_of, rolled, seen
from tests.resolvers.world import Row, entity, later

AUTO = ConfirmMode.AUTO
TEXT = "Quentin Vale came along to the garden party"


async def live(updating: Updating, conversation: str | None = None) -> list[Row]:
    """Return the live active entities: their names, and whom each is bound to."""
    return await updating.rows(
        """
        MATCH (active:ActiveEntity {space: $space, state: 'ACTIVE'})
        WHERE $conversation IS NULL OR active.conversation = $conversation
        RETURN active.runtimeId AS id, active.conversation AS conversation,
          [(active)-[:MENTIONED_AS]->(name:Alias) | name.key] AS names,
          [(active)-[:BOUND_TO]->(entity:Entity) | entity.subject] AS bound,
          [(active)-[:BOUND_TO]->(entity:Entity) | entity.uuid] AS entities,
          COUNT { (active)-[:HAS_EVIDENCE]->(:Evidence) } AS evidence
        """,
        conversation=conversation,
    )


async def create(updating: Updating, subject: str = "Quentin Vale", **more: object) -> str:
    run = await updating.curator.create(updating.space, NewEntity(subject, **more), AUTO)  # type: ignore[arg-type]
    assert run.status is RunStatus.APPLIED
    return run.id


@pytest.mark.parametrize("way", ["created", "handed in elsewhere", "imported", "named so"])
async def test_who_was_talked_of_before_the_memory_knew_him_is_not_there_twice(updating: Updating, way: str) -> None:
    await updating.project(TEXT, mentions=["Quentin Vale"])
    (before,) = await live(updating)
    if way == "created":
        await create(updating)
    elif way == "handed in elsewhere":
        said = "Quentin Vale lives in Leeds"
        await updating.pipeline.submit(
            updating.space, "another", [plan_of(seen("Quentin Vale", said, features=["lives in Leeds"]))],
            rolling=rolled(said, conversation="another"),
        )  # fmt: skip
    elif way == "imported":
        await updating.world.load(entity("Quentin Vale"))
    else:
        await create(updating, "Q. V.")
        uuid = (await updating.entity("Q. V.")).uuid
        await updating.curator.add_alias(updating.space, uuid, "Quentin Vale", AUTO, allow_homonym=False)
    again = await updating.project(TEXT, mentions=["Quentin Vale"], at=later(minutes=1))
    other = await updating.project("what does Quentin Vale want from us", at=later(minutes=2))
    (after,) = await live(updating)
    assert (after["id"], after["evidence"]) == (before["id"], 2)
    assert after["bound"] == (["Q. V."] if way == "named so" else ["Quentin Vale"])
    assert [[each.runtime_id for each in one.linked] for one in (again, other)] == [[after["id"]]] * 2


async def test_undoing_what_made_him_known_leaves_one_that_nobody_is_known_behind(updating: Updating) -> None:
    await updating.project(TEXT, mentions=["Quentin Vale"])
    (before,) = await live(updating)
    run_id = await create(updating)
    await updating.project(TEXT, mentions=["Quentin Vale"], at=later(minutes=1))
    await updating.undo(await updating.pipeline.read(updating.space, run_id))
    (after,) = await live(updating)
    assert (after["id"], after["bound"]) == (before["id"], [])
    await updating.project(TEXT, mentions=["Quentin Vale"], at=later(minutes=2))
    assert [each["id"] for each in await live(updating)] == [before["id"]]


async def test_whose_name_two_entities_bear_stays_unbound(updating: Updating) -> None:
    await updating.project(TEXT, mentions=["Quentin Vale"])
    await create(updating, "Quentin Vale of Leeds", aliases=("Quentin Vale",))
    (bound,) = await live(updating)
    assert bound["bound"] == ["Quentin Vale of Leeds"]
    await updating.project("Rosa Klein sang a song", mentions=["Rosa Klein"])
    await updating.world.load(
        entity("Rosa Klein of Bath", aliases=["Rosa Klein"]), entity("Rosa Klein of York", aliases=["Rosa Klein"])
    )
    await create(updating, "Rosa Klein of Hull", aliases=("Rosa Klein",), allow_homonym=True)
    assert [each["bound"] for each in await live(updating) if "rosa klein" in each["names"]] == [[]]


async def test_in_each_conversation_its_own_becomes_the_one(updating: Updating) -> None:
    for conversation in ("c", "d"):
        await updating.world.but(conversation=conversation).project(TEXT, mentions=("Quentin Vale",))
    before = {each["conversation"]: each["id"] for each in await live(updating)}
    await create(updating)
    assert {each["conversation"]: (each["id"], each["bound"]) for each in await live(updating)} == {
        conversation: (runtime_id, ["Quentin Vale"]) for conversation, runtime_id in before.items()
    }


NAMES = ("Alice", "Bob Reed", "Carol")
STEPS = ("talk", "mention", "create", "import", "alias", "submit", "undo", "merge", "rename")


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=9))
async def test_no_order_of_things_makes_two_of_one(updating: Updating, steps: list[tuple[str, str, str]]) -> None:
    updating = Updating(updating.world.another_space())
    at = NOON
    for step, name, other in steps:
        at += timedelta(minutes=1)
        try:
            await _take(updating, step, name, other, at)
        except (Conflict, NotFound):
            continue  # a name is taken, nobody is called so, or there is nothing to take back
    for name in NAMES:
        at += timedelta(minutes=1)
        await updating.project(f"{name} plays the violin tonight", mentions=[name], at=at)
    found = await live(updating, "c")
    bound = [uuid for each in found for uuid in each["entities"]]
    assert len(bound) == len(set(bound)), "two live ones of one entity"
    bearers = {name.lower(): await updating.known(name) for name in NAMES}
    for each in found:
        owners = [bearers[key] for key in each["names"] if bearers.get(key)]
        if not each["bound"] and owners and all(len(known) == 1 for known in owners):
            assert len({known[0].uuid for known in owners}) > 1, f"{each['names']} waits beside the one it is"


async def _take(updating: Updating, step: str, name: str, other: str, at: object) -> None:
    said = f"{name} plays the violin tonight"
    curator, space = updating.curator, updating.space

    async def undo() -> None:
        page = await updating.runs.page(space, first=1, before=None, status=RunStatus.APPLIED)
        for run in page.runs:
            await updating.undo(run)

    async def uuid(who: str) -> str:
        if not (known := await updating.known(who)):
            raise NotFound(who)
        return known[0].uuid

    async def alias() -> None:
        await curator.add_alias(space, await uuid(name), other, AUTO, allow_homonym=True)

    async def rename() -> None:
        await curator.rename(space, await uuid(name), other, AUTO, allow_homonym=True, keep_old=True)

    async def merge() -> None:
        await curator.merge(space, await uuid(name), await uuid(other), AUTO)

    steps: dict[str, Callable[[], Awaitable[object]]] = {
        "talk": lambda: updating.project(said, at=at),
        "mention": lambda: updating.project("see you tomorrow at the station", mentions=[name], at=at),
        "create": lambda: curator.create(space, NewEntity(name), AUTO),
        "import": lambda: updating.world.load(entity(name)),
        "submit": lambda: updating.submit(seen(name, said, features=["plays the violin"]), said=[said]),
        "alias": alias,
        "rename": rename,
        "merge": merge,
        "undo": undo,
    }
    await steps[step]()
