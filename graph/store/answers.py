"""What the server answers, as plain Python: `datetime` for the driver's dates; nodes stay nodes for `graph.nodes`."""

from collections.abc import Sequence
from types import NoneType
from typing import Any, Final

from neo4j import AsyncResult, GqlStatusObject
from neo4j.time import DateTime

from graph.errors import SetupError
from graph.rows import Counters, Rows


async def fetch(name: str, result: AsyncResult, *, strict: bool) -> Rows:
    """Return all rows of a result; with `strict` an unexpected notification of the server is an error."""
    keys = result.keys()
    rows = tuple([dict(zip(keys, map(_plain, record.values()), strict=True)) async for record in result])
    summary = await result.consume()
    if strict:
        _refuse_notifications(name, summary.gql_status_objects)
    counts = summary.counters
    return Rows(name, rows, Counters(*(getattr(counts, each) for each in Counters.__slots__)))


_PLAIN_ALREADY: Final = frozenset({str, int, float, bool, NoneType})


def _plain(value: Any) -> Any:
    # Nearly everything that comes back is one of these.
    if type(value) in _PLAIN_ALREADY:
        return value
    if isinstance(value, DateTime):
        return value.to_native()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value


_EXPECTED_STATUS: Final = frozenset({"00000", "00001", "00N50", "02000"})
"""Success, success with nothing to return, and an index or constraint that stands already."""


def _refuse_notifications(query: str, statuses: Sequence[GqlStatusObject]) -> None:
    for status in statuses:
        if status.gql_status not in _EXPECTED_STATUS and not status.gql_status.startswith("00N"):
            raise SetupError(f"Neo4j remarks on {query}: {status.gql_status} {status.status_description}")
