"""What is stored, read in batches for the API: queries in, frozen values out. Never writes."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from cypher import Query, load
from graph.names import identity_key
from graph.nodes import active_entity_value, entity_value, evidence_value, moment, statement_value
from graph.store import Store
from graph.values import (
    ActiveEntity,
    ActiveState,
    Alias,
    Entity,
    Evidence,
    EvidenceLink,
    ProjectedStatement,
    Relation,
    Statement,
    StatementKind,
)

MOST_ALIASES: Final = 1_000
MOST_STATEMENTS: Final = 1_000
"""Impressions of one entity that are read at most, and features."""
MOST_RELATIONS: Final = 500
"""Relations of one entity that are read at most, the strongest first."""
MOST_EVIDENCE: Final = 200
"""Evidence of one statement or relation that is read at most, the latest first."""
MOST_EVIDENCE_OF_ACTIVE: Final = 400
"""Evidence of one active entity that is read at most, the latest first; more than it can hold unrolled and rolled."""
MOST_PROJECTED: Final = 200
MOST_MENTIONS: Final = 50
"""Names of one active entity that are read at most, in the order of the alphabet."""
MOST_ACTIVE: Final = 1_000
MOST_BEARERS: Final = 200
"""Entities of one name that are read at most."""
ROWS_IN_ONE_GO: Final = 500
"""Rows that become values without giving way to the rest of the loop: a few milliseconds."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EntityPage:
    """One page of entities and whether there are more."""

    entities: tuple[Entity, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Entities and the relations between them, as far as they were followed."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a space, or the whole database, holds."""

    entities: int
    names: int
    impressions: int
    features: int
    relations: int
    active_entities: int
    evidence: int


class Reader:
    """Reads one store. Lists follow the order of the ids asked for; unknown ids give None or an empty list."""

    def __init__(self, store: Store, time_to_live: timedelta) -> None:
        self._store = store
        self._time_to_live = time_to_live

    async def entities(self, space: str, uuids: Sequence[str]) -> list[Entity | None]:
        """Return entities by id."""
        rows = await self._store.read(load("read/load_entities"), space=space, uuids=list(uuids))
        found = {entity.uuid: entity for entity in (entity_value(row["entity"]) for row in rows)}
        return [found.get(uuid) for uuid in uuids]

    async def aliases(self, space: str, uuids: Sequence[str], most: int) -> list[list[Alias]]:
        """Return each entity's names beside its subject, so many at most, live ones first."""
        rows = await self._store.read(load("read/load_aliases"), space=space, uuids=list(uuids), most=most)
        return await _grouped(uuids, rows, "uuid", lambda row: Alias(row["text"], row["deprecated"]))

    async def impressions(self, space: str, uuids: Sequence[str], most: int) -> list[list[Statement]]:
        """Return each entity's impressions, so many at most, the best supported first."""
        return await self._statements(load("read/load_impressions"), StatementKind.IMPRESSION, space, uuids, most)

    async def features(self, space: str, uuids: Sequence[str], most: int) -> list[list[Statement]]:
        """Return each entity's features, so many at most, the best supported first."""
        return await self._statements(load("read/load_features"), StatementKind.FEATURE, space, uuids, most)

    async def _statements(
        self, query: Query, kind: StatementKind, space: str, uuids: Sequence[str], most: int
    ) -> list[list[Statement]]:
        rows = await self._store.read(query, space=space, uuids=list(uuids), most=most)
        return await _grouped(uuids, rows, "uuid", lambda row: statement_value(row["statement"], kind))

    async def bears_statement(self, space: str, uuid: str, text: str) -> bool:
        """Tell whether an entity has a statement, of either kind, that is the same as this text."""
        rows = await self._store.read(load("read/find_statement"), space=space, uuid=uuid, key=identity_key(text))
        return bool(rows.one()["found"])

    async def relations(self, space: str, uuids: Sequence[str], most: int) -> list[list[Relation]]:
        """Return each entity's relations in both directions, so many at most, the strongest first."""
        rows = await self._store.read(load("read/load_relations"), space=space, uuids=list(uuids), most=most)
        return await _grouped(uuids, rows, "uuid", _relation)

    async def evidence(self, space: str, uuids: Sequence[str]) -> list[Evidence | None]:
        """Return evidence by id."""
        rows = await self._store.read(load("read/load_evidence"), space=space, uuids=list(uuids))
        found = {evidence.uuid: evidence for evidence in (evidence_value(row["evidence"]) for row in rows)}
        return [found.get(uuid) for uuid in uuids]

    async def evidence_of_statements(self, space: str, uuids: Sequence[str], most: int) -> list[list[Evidence]]:
        """Return the evidence behind each statement, so much at most, the latest first."""
        rows = await self._store.read(
            load("read/load_evidence_of_statements"), space=space, uuids=list(uuids), most=most
        )
        return await _grouped(uuids, rows, "uuid", lambda row: evidence_value(row["evidence"]))

    async def evidence_of_relations(self, space: str, uuids: Sequence[str], most: int) -> list[list[Evidence]]:
        """Return the evidence behind each relation, so much at most, the latest first."""
        rows = await self._store.read(
            load("read/load_evidence_of_relations"), space=space, uuids=list(uuids), most=most
        )
        return await _grouped(uuids, rows, "uuid", lambda row: evidence_value(row["evidence"]))

    async def active_entities(self, space: str, runtime_ids: Sequence[str]) -> list[ActiveEntity | None]:
        """Return active entities by runtime id, expired ones too."""
        rows = await self._store.read(
            load("read/load_active_entities"), space=space, runtimeIds=list(runtime_ids), mostMentions=MOST_MENTIONS
        )
        found = {active.runtime_id: active for active in map(_active, rows)}
        return [found.get(runtime_id) for runtime_id in runtime_ids]

    async def evidence_of_actives(self, space: str, runtime_ids: Sequence[str], most: int) -> list[list[EvidenceLink]]:
        """Return each active entity's evidence, so much at most, the latest first."""
        rows = await self._store.read(
            load("read/load_evidence_of_actives"), space=space, runtimeIds=list(runtime_ids), most=most
        )
        return await _grouped(
            runtime_ids, rows, "runtimeId", lambda row: EvidenceLink(evidence_value(row["evidence"]), row["confidence"])
        )

    async def projected_statements(
        self, space: str, runtime_ids: Sequence[str], most: int
    ) -> list[list[ProjectedStatement]]:
        """Return the statements that the conversation touched, so many of each active entity, strongest hit first."""
        rows = await self._store.read(
            load("read/load_projected_statements"), space=space, runtimeIds=list(runtime_ids), most=most
        )
        return await _grouped(
            runtime_ids,
            rows,
            "runtimeId",
            _projected,
        )

    async def page(
        self, space: str, *, first: int, after: tuple[str, str] = ("", ""), name_contains: str = ""
    ) -> EntityPage:
        """Return entities in the order of their subjects, after a given subject and id."""
        rows = await self._store.read(
            load("read/page_entities"),
            space=space,
            afterSubject=after[0],
            afterUuid=after[1],
            nameContains=identity_key(name_contains),
            first=first + 1,
        )
        entities = tuple(entity_value(row["entity"]) for row in rows)
        return EntityPage(entities[:first], has_more=len(entities) > first)

    async def by_name(self, space: str, name: str, *, most: int = MOST_BEARERS) -> tuple[Entity, ...]:
        """Return who bears a name, deprecated or not, so many at most, the oldest first; several make it ambiguous."""
        key = identity_key(name)
        rows = await self._store.read(load("read/find_entities_by_name"), space=space, key=key, most=most)
        return tuple(entity_value(row["entity"]) for row in rows)

    async def conversation(
        self, space: str, conversation: str, *, include_expired: bool, now: datetime, most: int = MOST_ACTIVE
    ) -> tuple[ActiveEntity, ...]:
        """Return a conversation's active entities, latest first, so many at most."""
        states = [ActiveState.ACTIVE.value, *([ActiveState.EXPIRED.value] if include_expired else [])]
        rows = await self._store.read(
            load("read/list_active_entities"),
            space=space,
            conversation=conversation,
            states=states,
            aliveSince=now - self._time_to_live,
            withOverdue=include_expired,
            most=most,
            mostMentions=MOST_MENTIONS,
        )
        return tuple(map(_active, rows))

    async def neighbourhood(self, space: str, uuid: str, *, depth: int, limit: int) -> Neighbourhood | None:
        """Return what lies within `depth` hops of an entity, at most `limit` relations; None for an unknown one."""
        if (await self.entities(space, [uuid]))[0] is None:
            return None
        known, ring = {uuid}, [uuid]
        relations: dict[str, Relation] = {}
        truncated = False
        for _ in range(depth):
            if not ring:
                break
            rows = await self._store.read(
                load("read/walk_neighbourhood"),
                space=space,
                uuids=ring,
                known=sorted(known),
                most=limit + 1,
            )
            found = [_relation(row) for row in rows if row["relation"]["uuid"] not in relations]
            room = limit - len(relations)
            truncated = truncated or len(found) > room
            relations |= {relation.uuid: relation for relation in found[:room]}
            ends = {end for relation in found[:room] for end in (relation.source_uuid, relation.target_uuid)}
            ring = sorted(ends - known)
            known |= ends
        entities = await self.entities(space, sorted(known))
        return Neighbourhood(tuple(filter(None, entities)), tuple(relations.values()), truncated)

    async def owner_of_statement(self, space: str, uuid: str) -> str | None:
        """Return the entity a statement is of."""
        row = (await self._store.read(load("read/find_owner"), space=space, uuid=uuid)).one()
        return str(row["statementOwner"]) if row["statementOwner"] else None

    async def source_of_relation(self, space: str, uuid: str) -> str | None:
        """Return the entity a relation starts at."""
        row = (await self._store.read(load("read/find_owner"), space=space, uuid=uuid)).one()
        return str(row["relationSource"]) if row["relationSource"] else None

    async def counts(self, space: str | None) -> Counts:
        """Count what a space holds, or the whole database."""
        if space is None:
            row = (await self._store.read(load("read/count_all"))).one()
        else:
            row = (await self._store.read(load("read/count_space"), space=space)).one()
        return Counts(
            entities=row["entities"],
            names=row["names"],
            impressions=row["impressions"],
            features=row["features"],
            relations=row["relations"],
            active_entities=row["activeEntities"],
            evidence=row["evidence"],
        )


async def _grouped(
    ids: Sequence[str], rows: Iterable[dict[str, Any]], column: str, value: Callable[[dict[str, Any]], T]
) -> list[list[T]]:
    groups: dict[str, list[T]] = {each: [] for each in ids}
    for place, row in enumerate(rows, 1):
        groups[row[column]].append(value(row))
        if place % ROWS_IN_ONE_GO == 0:
            await asyncio.sleep(0)
    return [groups[each] for each in ids]


def _projected(row: dict[str, Any]) -> ProjectedStatement:
    shown = row["statement"]
    return ProjectedStatement(statement_value(shown, StatementKind(shown["kind"])), row["score"], moment(row["at"]))


def _relation(row: dict[str, Any]) -> Relation:
    relation = row["relation"]
    return Relation(
        uuid=relation["uuid"],
        source_uuid=row["source"],
        target_uuid=row["target"],
        relation=relation["relation"],
        strength=relation["strength"],
        support=relation["support"],
        created_at=moment(relation["createdAt"]),
        updated_at=moment(relation["updatedAt"]),
    )


def _active(row: dict[str, Any]) -> ActiveEntity:
    return active_entity_value(row["shown"], bound_uuid=row["bound"], mentions=tuple(sorted(row["mentions"])))
