"""Several imports at once leave what one would have left."""

import asyncio

from tests.resolvers.transfer.conftest import Space
from tests.resolvers.transfer.test_import import assert_terms_counted, example


async def test_four_imports_of_one_file(memory: Space) -> None:
    lines = example("three_kingdoms.jsonl")
    alone = memory.another()
    await alone.load(*lines)
    reports = await asyncio.gather(*(memory.load(*lines, batch_size=5, strict=True) for _ in range(4)))
    assert await memory.dump() == await alone.dump()
    assert sum(report.entities_created for report in reports) == 31
    assert sum(report.statements for report in reports) == 139
    assert sum(report.relations for report in reports) == 76
    await assert_terms_counted(memory)


async def test_overlapping_files_in_opposite_orders(memory: Space) -> None:
    lines = example("sherlock_holmes.jsonl")
    alone = memory.another()
    await alone.load(*lines)
    orders = [lines, lines[::-1], lines[10:] + lines[:10], lines[::2] + lines[1::2]]
    await asyncio.gather(*(memory.load(*order, batch_size=7) for order in orders))
    assert await memory.dump() == await alone.dump()
    await assert_terms_counted(memory)


async def test_one_id_under_two_names_is_given_once(memory: Space) -> None:
    for round_ in range(5):
        await asyncio.gather(*(memory.load({"id": f"{round_}", "subject": f"{name} {round_}"}) for name in "abcd"))
    assert len(await memory.told()) == 5
    assert len(await memory.rows("MATCH (e:Entity {space: $space}) RETURN e.uuid")) == 5


async def test_one_target_is_created_once(memory: Space) -> None:
    hero = {"relations": [{"relation": "in", "target": f"Comic {number}"} for number in range(20)]}
    await asyncio.gather(*(memory.load({"subject": name, **hero}, create_targets=True) for name in "abcd"))
    assert len(await memory.told()) == 24
    await assert_terms_counted(memory)
