"""What an import has done so far."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from resolvers.transfer.entity_values import EntityPlan
from resolvers.transfer.relation_plan import RelationPlan
from resolvers.transfer.report import MOST_REFUSED, ImportReport, ImportStopped, RefusedLine
from resolvers.transfer.rows import Row

_NOT_A_MEMORY: Final = (
    "no line of it is an entity; one looks like this: "
    '{"subject": "Alice", "aliases": ["Al"], "features": ["lives in Hangzhou"]}. '
    "What was said in a conversation goes in by `impressions project`, a rolling by `impressions update`"
)


@dataclass(slots=True)
class Tally:
    """Counts while an import runs; `report` is its result at any time."""

    strict: bool
    lines: int = 0
    _rows: int = 0
    """Lines that are entities, whatever becomes of them."""
    _started: float = field(default_factory=time.perf_counter)
    _created: set[str] = field(default_factory=set)
    _changed: set[str] = field(default_factory=set)
    _names: int = 0
    _statements: int = 0
    _relations: int = 0
    _refused: list[RefusedLine] = field(default_factory=list)
    _refused_count: int = 0
    _unused: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Field to its first line and the number of its lines."""
    _renamed: tuple[int, str] = (0, "")
    """The first line that calls an entity by another name than its subject, and that subject."""
    _renamed_count: int = 0

    def refuse(self, refused: Iterable[RefusedLine]) -> None:
        """Note what was not taken.

        Raises:
            ImportStopped: there is something, and the import is strict.
        """
        for each in refused:
            if self._refused and self._refused[-1] == each:
                continue  # another part of the same row
            self._refused_count += 1
            if len(self._refused) < MOST_REFUSED:
                self._refused.append(each)
            if self.strict:
                landed = f"before it, {len(self._created)} entities were created and {len(self._changed)} changed"
                raise ImportStopped(each.code, f"line {each.line}", f"{each.reason}; {landed}", self.report())

    def read(self, row: Row) -> None:
        """Note that a line is an entity, and its fields that nothing is made of."""
        self._rows += 1
        for unused in row.unused:
            first, count = self._unused.get(unused, (row.line, 0))
            self._unused[unused] = (first, count + 1)

    def add_entities(self, plan: EntityPlan) -> None:
        """Count what was written of a batch of rows."""
        self._created.update(each.uuid for each in plan.created)
        self._changed.update(each.uuid for each in plan.changed if each.uuid not in self._created)
        self._names += len(plan.names)
        self._statements += len(plan.statements)
        if plan.renamed and not self._renamed_count:
            self._renamed = plan.renamed[0]
        self._renamed_count += len(plan.renamed)

    def add_relations(self, plan: RelationPlan) -> None:
        """Count what was written of a batch of relations."""
        self._changed.update(plan.sources - self._created)
        self._relations += len(plan.added)

    def report(self) -> ImportReport:
        """Return the counts as a value."""
        return ImportReport(
            entities_created=len(self._created),
            entities_changed=len(self._changed),
            names=self._names,
            statements=self._statements,
            relations=self._relations,
            lines=self.lines,
            refused=tuple(sorted(self._refused, key=lambda each: each.line)),
            refused_count=self._refused_count,
            notes=self._notes(),
            seconds=time.perf_counter() - self._started,
        )

    def _notes(self) -> tuple[str, ...]:
        if self._refused and not self._rows:
            return (_NOT_A_MEMORY,)
        notes = [
            f"field {unused!r} is not used (in {count} lines, first in line {first})"
            for unused, (first, count) in sorted(self._unused.items())
        ]
        if self._renamed_count:
            line, subject = self._renamed
            notes.append(
                f"{self._renamed_count} lines give an entity by its id another subject than it has; that is kept as an "
                f"alias (first in line {line}, of {subject!r})"
            )
        return tuple(notes)
