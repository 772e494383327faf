"""Every query has exactly one place in the sources that runs it, but for what the writers of memory share."""

import re
from collections import Counter
from pathlib import Path

import pytest

import cypher

ROOT = Path(cypher.__file__).parent.parent
ROOMS = ("api", "resolvers", "graph")
_NAME = re.compile(r"[\"']((?:schema|recall|project|update|read|admin)/[a-z0-9_]+)[\"']")


def mentions() -> Counter[str]:
    """Return how many places of the sources name each query."""
    sources = [path.read_text(encoding="utf-8") for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return Counter(name for source in sources for name in _NAME.findall(source))


def test_every_named_query_exists() -> None:
    assert set(mentions()) <= set(cypher.names())


@pytest.mark.parametrize("name", [name for name in cypher.names() if not name.startswith(("schema/", "update/"))])
def test_every_query_has_exactly_one_caller(name: str) -> None:
    assert mentions()[name] == 1


@pytest.mark.parametrize("name", cypher.names("update"))
def test_every_query_that_import_and_update_may_share_has_a_caller(name: str) -> None:
    assert mentions()[name] >= 1
