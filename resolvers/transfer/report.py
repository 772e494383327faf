"""What an import tells its caller: while it runs, when it is done, and when it stops."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from graph.errors import InvalidInput

MOST_REFUSED: Final = 10_000
"""So many refused lines are kept with their reason; of the rest only the number, lest a wrong file fill the memory."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line, or one relation of it, that was not taken."""

    line: int
    """Its number in the file, from 1."""
    code: str
    """Machine-readable, upper snake case."""
    reason: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import has changed. All zero when everything was known before."""

    entities_created: int
    entities_changed: int
    """Entities that were there before and are not the same now."""
    names: int
    """Subjects and aliases added."""
    statements: int
    """Impressions and features added."""
    relations: int
    """Relations added."""
    lines: int
    """Lines read, blank and refused ones included."""
    refused: tuple[RefusedLine, ...]
    """In order of their lines; at most `MOST_REFUSED`."""
    refused_count: int
    """All of them."""
    notes: tuple[str, ...]
    """Remarks that refuse nothing, e.g. on fields that are not used."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an import is. Entities come first, then the relations between them."""

    lines: int
    """Lines whose entity is stored."""
    relations: int = 0
    """Relations that are stored, or were before."""
    relations_due: int = 0
    """Known once the file is read: 0 before that."""


OnProgress = Callable[[Progress], None]


@dataclass(eq=False)
class ImportStopped(InvalidInput):
    """A strict import met a line it cannot take. What had landed before stays, and is in `report`."""

    report: ImportReport
