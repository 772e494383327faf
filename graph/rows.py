"""A query's result as plain Python, so that nobody but the store needs the driver's types."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graph.errors import SetupError


@dataclass(frozen=True, slots=True)
class Counters:
    """What a write changed, as the server counted it."""

    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    labels_added: int = 0
    labels_removed: int = 0

    @property
    def any(self) -> bool:
        """Whether anything was written at all."""
        return any(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class Rows:
    """A whole result, so that no caller needs the driver's types."""

    query: str
    rows: tuple[dict[str, Any], ...]
    counters: Counters

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def one(self) -> dict[str, Any]:
        """Return the only row.

        Raises:
            SetupError: the query gave another number of rows than its purpose allows.
        """
        if len(self.rows) != 1:
            raise SetupError(f"{self.query} gave {len(self.rows)} rows where exactly one was due")
        return self.rows[0]

    def one_or_none(self) -> dict[str, Any] | None:
        """Return the only row, or None where there is none."""
        return self.one() if self.rows else None
