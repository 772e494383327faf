"""Every query has exactly one module that runs it, but for what the writers of memory share."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

import cypher

ROOT = Path(cypher.__file__).parent.parent
ROOMS = ("api", "resolvers", "graph")
_NAME = re.compile(r"[\"']((?:schema|recall|project|update|read|admin)/[a-z0-9_]+)[\"']")


SHARED = {
    "read/load_entities": "for readers, and for a person's decision",
}
"""Queries that two modules run, each with the reason."""


def callers() -> defaultdict[str, set[str]]:
    """Return the modules that name each query."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for name in _NAME.findall(path.read_text(encoding="utf-8")):
                found[name].add(path.relative_to(ROOT).as_posix())
    return found


def test_every_named_query_exists() -> None:
    assert set(callers()) <= set(cypher.names())


@pytest.mark.parametrize("name", [name for name in cypher.names() if not name.startswith(("schema/", "update/"))])
def test_every_query_has_exactly_one_caller(name: str) -> None:
    assert len(callers()[name]) == (2 if name in SHARED else 1)


@pytest.mark.parametrize("name", cypher.names("update"))
def test_every_query_that_import_and_update_may_share_has_a_caller(name: str) -> None:
    assert callers()[name]
