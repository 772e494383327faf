"""What is known about an entity as lines that an import reads: sorted, and the same for the same knowledge."""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from graph.controls import written_out_json
from resolvers.transfer.rows import MAX_ITEMS

LINE_BYTES: Final = 1024 * 1024
"""About where a line is broken and goes on in another one with the same id; `rows.MAX_LINE` is well above."""

# Line ends to some readers, and JSON leaves them as they are.
_LINE_ENDS: Final = str.maketrans({"\u0085": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"})


@dataclass(frozen=True, slots=True)
class ExportedAlias:
    """A name that is not the subject."""

    text: str
    deprecated: bool


@dataclass(frozen=True, slots=True)
class ExportedStatement:
    """An impression or feature."""

    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class ExportedRelation:
    """A relation to another entity."""

    relation: str
    strength: float
    id: str
    subject: str


@dataclass(frozen=True, slots=True)
class ExportedEntity:
    """All that an export tells of an entity."""

    id: str
    subject: str
    aliases: tuple[ExportedAlias, ...]
    impressions: tuple[ExportedStatement, ...]
    features: tuple[ExportedStatement, ...]
    relations: tuple[ExportedRelation, ...]


def lines_of(entity: ExportedEntity, *, ambiguous: Collection[str]) -> Iterator[str]:
    """Yield the lines that tell an entity, mostly one, without line ends.

    Args:
        entity: what to tell.
        ambiguous: ids of the entities that relations must name by id.
    """
    head = f'{{"id": {_json(entity.id)}, "subject": {_json(entity.subject)}'
    for part in _parts(_entries(entity, ambiguous)):
        fields = "".join(f', "{field}": [{", ".join(entries)}]' for field, entries in part.items())
        yield head + fields + "}"


def _entries(entity: ExportedEntity, ambiguous: Collection[str]) -> Iterator[tuple[str, str]]:
    for alias in sorted(entity.aliases, key=lambda each: each.text):
        yield "aliases", _json({"text": alias.text, "deprecated": True} if alias.deprecated else alias.text)
    for field, statements in (("impressions", entity.impressions), ("features", entity.features)):
        for statement in sorted(statements, key=lambda each: each.text):
            certain = statement.confidence == 1
            yield (
                field,
                _json(statement.text if certain else {"text": statement.text, "confidence": statement.confidence}),
            )
    relations = [
        (each.relation, each.id if each.id in ambiguous else each.subject, each.strength) for each in entity.relations
    ]
    for relation, target, strength in sorted(relations):
        told = {"relation": relation, "target": target}
        yield "relations", _json(told if strength == 1 else {**told, "strength": strength})


def _parts(entries: Iterable[tuple[str, str]]) -> Iterator[dict[str, list[str]]]:
    part: dict[str, list[str]] = {}
    size = 0
    for field, entry in entries:
        if size >= LINE_BYTES or len(part.get(field, ())) >= MAX_ITEMS:
            yield part
            part, size = {}, 0
        part.setdefault(field, []).append(entry)
        size += len(entry.encode())
    yield part


def _json(value: object) -> str:
    return written_out_json(json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS))
