"""Every query file before the real server: its columns, its access, and a plan that never scans."""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

import cypher
from cypher import load
from graph.store import Store

_OTHERWISE: Final = {
    "read/count_all",  # of the whole database: answered by the counts the server keeps
    "update/forget_entity",  # looks for its name in the texts of all runs: see the test below
}
PLANNED: Final = [
    name for room in ("read", "recall", "project", "update") for name in cypher.names(room) if name not in _OTHERWISE
]
_SCANS: Final = re.compile("NodeByLabelScan|AllNodesScan|RelationshipTypeScan")
_ONE_ROW: Final = frozenset(
    {"NodeUniqueIndexSeek", "NodeUniqueIndexSeek(Locking)", "Argument", "Filter", "CacheProperties"}
)
# What only a value can tell the planner, so that a null would be refused.
_VALUES: Final[dict[str, object]] = {"options": {"indexConfig": {"vector.dimensions": 512}}}


async def explained(store: Store, name: str) -> tuple[str, dict[str, Any]]:
    """Return the kind and the plan the server sees in a query, without running it."""
    query = load(name)
    parameters = {each: _VALUES.get(each) for each in query.parameters}
    async with store.driver.session() as session:
        result = await session.run(f"EXPLAIN {query.text}", parameters)
        summary = await result.consume()
    assert summary.plan is not None
    return summary.query_type or "", summary.plan


async def operators(store: Store, name: str) -> list[str]:
    _, plan = await explained(store, name)
    return [kind(each) for each in operations(plan)]


def operations(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("children", ()):
        yield from operations(child)


def kind(plan: dict[str, Any]) -> str:
    return str(plan["operatorType"]).removesuffix("@neo4j")


def multiplies(plan: dict[str, Any]) -> bool:
    """Tell whether an operation joins many with many: neither side is found by a unique key."""
    sides = [{kind(each) for each in operations(side)} for side in plan.get("children", ())]
    return kind(plan) == "CartesianProduct" and not any(side <= _ONE_ROW for side in sides)


@pytest.mark.parametrize("name", cypher.names())
async def test_the_server_accepts_every_query_and_sees_the_columns_of_its_header(store: Store, name: str) -> None:
    assert await store.explain(load(name)) == load(name).columns


@pytest.mark.parametrize("name", cypher.names())
async def test_the_server_agrees_what_a_query_does(store: Store, name: str) -> None:
    does, _ = await explained(store, name)

    # 'r' reads, 'rw' and 'w' write, 's' defines; administrative procedures that only read count as the last, too.
    reads = {"r", "s"} if name.startswith("admin/") else {"r"}
    assert does in {"read": reads, "write": {"rw", "w"}, "schema": {"s"}}[load(name).access]


@pytest.mark.parametrize("name", PLANNED)
async def test_no_plan_looks_at_everything(store: Store, name: str) -> None:
    _, plan = await explained(store, name)

    assert not [kind(each) for each in operations(plan) if _SCANS.search(kind(each)) or multiplies(each)]


@pytest.mark.parametrize("name", [name for name in PLANNED if "space" in load(name).parameters])
async def test_what_asks_for_one_space_seeks_in_that_space_only(store: Store, name: str) -> None:
    _, plan = await explained(store, name)
    seeks = [each["args"]["Details"] for each in operations(plan) if "NodeIndexSeek" in kind(each)]

    # By another index a query would look through the nodes of all spaces: all that live, say, by their time.
    assert not [seek for seek in seeks if not re.search(r"RANGE INDEX \S+\(space\b", seek)]


async def test_forgetting_looks_at_the_runs_of_its_space_only(store: Store) -> None:
    used = await operators(store, "update/forget_entity")

    assert not [operator for operator in used if _SCANS.search(operator)]


async def test_counting_everything_reads_no_node(store: Store) -> None:
    used = await operators(store, "read/count_all")

    assert {"NodeCountFromCountStore", "RelationshipCountFromCountStore"} <= set(used)
    assert not [operator for operator in used if _SCANS.search(operator)]


async def test_a_page_of_entities_comes_from_the_index_in_its_order(store: Store) -> None:
    _, plan = await explained(store, "read/page_entities")
    ordered = [each for each in operations(plan) if re.search("Sort|Top", kind(each))]

    # While the database is as good as empty the planner may as well sort the handful there is.
    assert all(each["args"]["EstimatedRows"] < 100 for each in ordered)


async def test_a_recall_searches_its_space_inside_the_vector_index(store: Store) -> None:
    for name in ("recall/collect_signals", "recall/nearest_statements"):
        assert "NodeVectorIndexSearch" in await operators(store, name)
