"""The style and the queries for Neo4j Browser: about labels that exist, and accepted by Neo4j."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cypher import Query
from graph import nodes
from graph.neo4j_server import ServerAddress
from graph.store import Store
from tests.prepared import prepared_store

FOLDER = Path(__file__).parents[2] / "docker" / "browser"
QUERIES = sorted((FOLDER / "queries").glob("*.cypher"))
TEXTS = {path: path.read_text(encoding="utf-8") for path in QUERIES}


@pytest.fixture(scope="module")
async def store(neo4j_address: ServerAddress) -> AsyncIterator[Store]:
    async with prepared_store(neo4j_address) as opened:
        yield opened


def test_the_style_names_labels_and_properties_that_are_stored() -> None:
    style = (FOLDER / "style.grass").read_text(encoding="utf-8")
    for label, rules in re.findall(r"node\.(\w+) \{(.*?)\}", style, re.DOTALL):
        properties = getattr(nodes, label).defined_properties()
        for name in re.findall(r'caption: "\{(\w+)\}"', rules):
            assert name in properties, (label, name)


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
async def test_each_query_runs_and_names_itself(store: Store, path: Path) -> None:
    text = TEXTS[path]
    assert re.match(r"// [A-Z]", text), "Neo4j Browser takes a query's name from its first line"
    given = {"space": "nobody", "name": "nobody", "conversation": "nobody"}
    asked = {name: given[name] for name in set(re.findall(r"\$(\w+)", text))}
    assert list(await store.read(Query(path.stem, text, "read", frozenset(asked), ()), **asked)) == []
