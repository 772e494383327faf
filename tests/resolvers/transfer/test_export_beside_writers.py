"""An export tells a space as it stood at one moment, whatever others write meanwhile."""

import asyncio
import json
from random import Random
from typing import Any

import pytest

from cypher import Query
from graph.errors import Unavailable
from graph.rows import Rows
from graph.values import StatementKind
from resolvers.curate import Curator
from resolvers.reading import Reader
from resolvers.transfer import exporting
from resolvers.update.pipeline import UpdatePipeline, UpdateSettings
from resolvers.update.runs import ConfirmMode
from tests.resolvers.transfer.conftest import Space
from tests.resolvers.update.updating import ALIVE

AUTO = ConfirmMode.AUTO
PEOPLE = 60


@pytest.fixture
async def curator(memory: Space, monkeypatch: pytest.MonkeyPatch) -> Curator:
    monkeypatch.setattr(exporting, "ENTITIES_A_PAGE", 5)
    await memory.load(
        *(
            {
                "subject": f"Person {number:02}",
                "features": [f"is number {number}"],
                "relations": [{"relation": "friend", "target": f"Person {(number + 1) % PEOPLE:02}"}],
            }
            for number in range(PEOPLE)
        )
    )
    pipeline = UpdatePipeline(memory.store, memory.embedder, memory.clock, settings=UpdateSettings(), observer=None)
    return Curator(Reader(memory.store, ALIVE), pipeline)


async def uuids(memory: Space) -> list[str]:
    return [row["uuid"] for row in await memory.rows("MATCH (e:Entity {space: $space}) RETURN e.uuid AS uuid")]


async def test_renames_meanwhile_lose_nobody_and_double_nobody(memory: Space, curator: Curator) -> None:
    """33 renames during an export once left two entities out and told four twice."""
    chance, going, everybody = Random(9), asyncio.Event(), await uuids(memory)

    async def rename() -> None:
        for number in range(33):
            name = f"{chance.choice('AMZ')}{number:02} renamed"
            uuid = chance.choice(everybody)
            await curator.rename(memory.name, uuid, name, AUTO, allow_homonym=False, keep_old=True)
            going.set()

    renaming = asyncio.create_task(rename())
    await going.wait()
    dumps: list[list[dict[str, Any]]] = []
    while not renaming.done():
        dumps.append([json.loads(line) for line in await memory.dump()])
    await renaming
    dumps.append([json.loads(line) for line in await memory.dump()])
    for dump in dumps:
        assert sorted(told["id"] for told in dump) == sorted(everybody)
        subjects = {told["subject"] for told in dump}
        assert {each["target"] for told in dump for each in told["relations"]} <= subjects, "a name that nobody bears"
        assert [told["subject"] for told in dump] == sorted(subjects)


async def test_what_a_merge_moves_is_told_once(
    memory: Space, curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Merged when the one that stays was read and the other was not: its statements would be in neither."""
    first, *_, last = sorted(await uuids(memory))
    read, merged = memory.store.read, asyncio.Event()

    async def reading(query: Query, /, **parameters: Any) -> Rows:
        rows = await read(query, **parameters)
        if query.name == "read/export_entities" and not merged.is_set():
            merged.set()
            assert first in parameters["uuids"] and last not in parameters["uuids"]  # noqa: PT018 -- a precondition
            await curator.merge(memory.name, first, last, AUTO)
        return rows

    monkeypatch.setattr(memory.store, "read", reading)
    told = {each["id"]: each for each in map(json.loads, await memory.dump())}
    assert merged.is_set()
    assert last not in told
    assert sum(len(each["features"]) for each in told.values()) == PEOPLE
    assert len(told[first]["features"]) == 2


async def test_who_is_made_and_what_is_said_meanwhile_is_whole_or_not_there(memory: Space, curator: Curator) -> None:
    async def say() -> None:
        for number, uuid in enumerate((await uuids(memory))[:20]):
            await curator.set_statement(
                memory.name, uuid, StatementKind.FEATURE, f"says {number}", AUTO, new_text=None, confidence=1.0
            )

    saying = asyncio.create_task(say())
    while not saying.done():
        assert len(await memory.dump()) == PEOPLE
    await saying


async def test_a_space_that_never_rests_is_retryable_and_says_so(
    memory: Space, curator: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "MOST_LOOKS", 2)
    uuid, read, count = (await uuids(memory))[0], memory.store.read, iter(range(1_000))

    async def reading(query: Query, /, **parameters: Any) -> Rows:
        if query.name == "read/list_revisions":
            await curator.rename(memory.name, uuid, f"Name {next(count)}", AUTO, allow_homonym=False, keep_old=False)
        return await read(query, **parameters)

    monkeypatch.setattr(memory.store, "read", reading)
    with pytest.raises(Unavailable, match="was written to 2 times while it was exported"):
        await memory.dump()
