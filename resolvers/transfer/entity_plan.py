"""Which entity each row means, and what is new in it: a pure decision from the rows and what is stored.

A row with an `id` means the entity that has it, from outside or as its own uuid. Failing that, the only entity of its
subject that has no id from outside yet: it gets this one. Failing that, a new one: so rows of different ids and one
subject stay homonyms. A row without an id means the only entity of its subject, or a new one; several are for a person
to choose from. Aliases decide nothing: whoever shares one stays apart.

What is stored is added to, never replaced: the subject of an entity stays (a row found by id that calls it otherwise
adds an alias), a deprecated name stays deprecated, a statement's confidence only grows.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from resolvers.transfer.entity_values import (
    ChangedEntity,
    EntityPlan,
    NewEntity,
    NewName,
    NewStatement,
    RaisedStatement,
    StatementKey,
    StoredEntity,
    StoredStatement,
)
from resolvers.transfer.report import RefusedLine
from resolvers.transfer.rows import Name, Row, RowStatement

_SHOWN: Final = 5
"""So many ids to choose from are shown."""


def plan_entities(rows: Sequence[Row], stored: Iterable[StoredEntity], *, new_uuid: Callable[[], str]) -> EntityPlan:
    """Decide what a batch of rows writes, taking its rows in order."""
    memory = _Memory(stored, {row.id for row in rows if row.id is not None}, new_uuid)
    homes: list[tuple[Row, str]] = []
    renamed: list[tuple[int, str]] = []
    refused: list[RefusedLine] = []
    locks: dict[str, Name] = {}
    for row in rows:
        draft = memory.find(row)
        if isinstance(draft, RefusedLine):
            refused.append(draft)
            continue
        if draft.subject_key != row.subject.key:
            renamed.append((row.line, draft.subject))
        locks |= {name.key: name for name in draft.take(row)}
        homes.append((row, draft.uuid))
    drafts = memory.drafts
    return EntityPlan(
        created=tuple(NewEntity(each.uuid, each.external_id, each.subject) for each in drafts if each.is_new),
        changed=tuple(
            ChangedEntity(each.uuid, each.external_id if each.adopted else None)
            for each in drafts
            if each.is_changed and not each.is_new
        ),
        names=tuple(
            NewName(each.uuid, name, is_subject=each.is_new and name.key == each.subject_key)
            for each in drafts
            for name in each.new_names
        ),
        statements=tuple(NewStatement(each.uuid, new) for each in drafts for new in each.new_statements.values()),
        raised=tuple(RaisedStatement(*raised) for each in drafts for raised in each.raised.items()),
        locks=tuple(locks[key] for key in sorted(locks)),
        homes=tuple(homes),
        renamed=tuple(renamed),
        refused=tuple(refused),
    )


@dataclass(slots=True)
class _Draft:
    """An entity while rows are added to it."""

    uuid: str
    external_id: str | None
    subject: str
    subject_key: str
    is_new: bool
    names: set[str]
    statements: Mapping[StatementKey, StoredStatement]
    adopted: bool = False
    new_names: list[Name] = field(default_factory=list)
    new_statements: dict[StatementKey, RowStatement] = field(default_factory=dict)
    raised: dict[str, float] = field(default_factory=dict)

    @property
    def is_changed(self) -> bool:
        return bool(self.adopted or self.new_names or self.new_statements or self.raised)

    def take(self, row: Row) -> Iterator[Name]:
        """Add what is new in a row; yield the names to lock for it."""
        before = len(self.new_names)
        for name in (row.subject, *row.aliases):
            if name.key not in self.names:
                self.names.add(name.key)
                self.new_names.append(name)
        for statement in row.statements:
            self._take(statement)
        if self.is_changed:
            yield row.subject
            yield from self.new_names[before:]

    def _take(self, statement: RowStatement) -> None:
        key = (statement.kind, statement.key)
        stored, new = self.statements.get(key), self.new_statements.get(key)
        if stored:
            if statement.confidence > self.raised.get(stored.uuid, stored.confidence):
                self.raised[stored.uuid] = statement.confidence
        elif new is None:
            self.new_statements[key] = statement
        elif statement.confidence > new.confidence:
            self.new_statements[key] = replace(new, confidence=statement.confidence)


class _Memory:
    """What is stored, together with what the rows so far have added."""

    def __init__(self, stored: Iterable[StoredEntity], ids: set[str], new_uuid: Callable[[], str]) -> None:
        self.drafts: list[_Draft] = []
        self._ids = ids
        self._new_uuid = new_uuid
        self._by_uuid: dict[str, _Draft] = {}
        self._by_external_id: defaultdict[str, list[_Draft]] = defaultdict(list)
        self._by_subject: defaultdict[str, list[_Draft]] = defaultdict(list)
        for entity in stored:
            self._add(
                _Draft(
                    uuid=entity.uuid,
                    external_id=entity.external_id,
                    subject=entity.subject,
                    subject_key=entity.subject_key,
                    is_new=False,
                    names=set(entity.names),
                    statements=entity.statements,
                )
            )

    def find(self, row: Row) -> _Draft | RefusedLine:
        """Return the entity a row means, a new one where it means none yet."""
        namesakes = self._by_subject[row.subject.key]
        if row.id is None:
            if len(namesakes) > 1:
                reason = f"{len(namesakes)} entities are called {row.subject.text!r}: add one of the ids "
                return RefusedLine(row.line, "AMBIGUOUS_SUBJECT", reason + _choice(namesakes))
            return namesakes[0] if namesakes else self._create(row)
        bearers = self._by_external_id[row.id]
        if len(bearers) > 1:
            reason = f"{len(bearers)} entities have the id {row.id!r}: use their own "
            return RefusedLine(row.line, "AMBIGUOUS_ID", reason + ", ".join(repr(each.uuid) for each in bearers))
        if found := next(iter(bearers), self._by_uuid.get(row.id)):
            return found
        # One that the batch addresses by its uuid is somebody else.
        free = [each for each in namesakes if each.external_id is None and each.uuid not in self._ids]
        if len(free) != 1:
            return self._create(row)
        free[0].external_id, free[0].adopted = row.id, True
        bearers.append(free[0])
        return free[0]

    def _create(self, row: Row) -> _Draft:
        draft = _Draft(
            uuid=self._new_uuid(),
            external_id=row.id,
            subject=row.subject.text,
            subject_key=row.subject.key,
            is_new=True,
            names=set(),
            statements={},
        )
        self._add(draft)
        return draft

    def _add(self, draft: _Draft) -> None:
        self.drafts.append(draft)
        self._by_uuid[draft.uuid] = draft
        self._by_subject[draft.subject_key].append(draft)
        if draft.external_id is not None:
            self._by_external_id[draft.external_id].append(draft)


def _choice(drafts: Sequence[_Draft]) -> str:
    ids = sorted(each.external_id or each.uuid for each in drafts)
    return ", ".join(map(repr, ids[:_SHOWN])) + (", …" if len(ids) > _SHOWN else "")
