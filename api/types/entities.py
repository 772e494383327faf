"""Long-term memory in the API: entities and what is known of them. Nested fields load in batches."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

import strawberry
from graphql import GraphQLError

from api.context import Info
from api.sizes import sized
from graph import values
from graph.checks import check_count
from resolvers.reading import MOST_ALIASES, MOST_EVIDENCE, MOST_RELATIONS, MOST_STATEMENTS

if TYPE_CHECKING:
    from api.types.updates import UpdateRun

MOST_RUNS: Final = 100


def check_first(first: int, most: int) -> int:
    """Return how many of a list are asked for."""
    return check_count(first, "first", most=most)


FIRST_EVIDENCE: Final = 5
"""Of a statement or a relation: most have one or two."""
FIRST: Final = 100


@strawberry.type(description="One input text as it was said.")
class Evidence:
    uuid: strawberry.ID
    content: str
    source: values.EvidenceSource
    speaker: str | None
    first_at: datetime
    last_at: datetime

    @classmethod
    def of(cls, value: values.Evidence) -> "Evidence":
        return cls(
            uuid=strawberry.ID(value.uuid),
            content=value.content,
            source=value.source,
            speaker=value.speaker,
            first_at=value.first_at,
            last_at=value.last_at,
        )


@strawberry.type(description="A name of an entity beside its subject.")
class Alias:
    text: str
    deprecated: bool = strawberry.field(description="Still owns its identity, but is no direct hit any more.")


@strawberry.type(description="An impression or a feature of an entity.")
class Statement:
    space: strawberry.Private[str]
    uuid: strawberry.ID
    text: str
    confidence: float
    support: int = strawberry.field(description="Number of distinct pieces of evidence behind it.")
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, value: values.Statement, space: str) -> "Statement":
        return cls(
            space=space,
            uuid=strawberry.ID(value.uuid),
            text=value.text,
            confidence=value.confidence,
            support=value.support,
            created_at=value.created_at,
            updated_at=value.updated_at,
        )

    @strawberry.field(description=f"Latest first, {MOST_EVIDENCE} at most.", metadata=sized(MOST_EVIDENCE, "first"))
    async def evidence(self, info: Info, first: int = FIRST_EVIDENCE) -> list[Evidence]:
        most = check_first(first, MOST_EVIDENCE)
        found = await info.context.loaders.statement_evidence.load((self.space, self.uuid), most)
        return [Evidence.of(each) for each in found]


@strawberry.type(description="A directed relation: the source's `relation` is the target.")
class Relation:
    space: strawberry.Private[str]
    source_uuid: strawberry.Private[str]
    target_uuid: strawberry.Private[str]
    uuid: strawberry.ID
    relation: str
    strength: float
    support: int

    @classmethod
    def of(cls, value: values.Relation, space: str) -> "Relation":
        return cls(
            space=space,
            source_uuid=value.source_uuid,
            target_uuid=value.target_uuid,
            uuid=strawberry.ID(value.uuid),
            relation=value.relation,
            strength=value.strength,
            support=value.support,
        )

    @strawberry.field
    async def source(self, info: Info) -> "Entity":
        return await load_entity(info, self.space, self.source_uuid)

    @strawberry.field
    async def target(self, info: Info) -> "Entity":
        return await load_entity(info, self.space, self.target_uuid)

    @strawberry.field(description=f"Latest first, {MOST_EVIDENCE} at most.", metadata=sized(MOST_EVIDENCE, "first"))
    async def evidence(self, info: Info, first: int = FIRST_EVIDENCE) -> list[Evidence]:
        most = check_first(first, MOST_EVIDENCE)
        found = await info.context.loaders.relation_evidence.load((self.space, self.uuid), most)
        return [Evidence.of(each) for each in found]


@strawberry.type(description="Somebody or something the memory knows for long.")
class Entity:
    uuid: strawberry.ID
    space: str
    external_id: str | None = strawberry.field(description="The id it was imported under.")
    subject: str = strawberry.field(description="Its canonical name.")
    revision: int = strawberry.field(description="Grows by one with every write to what is known about it.")
    created_at: datetime
    updated_at: datetime
    last_mentioned_at: datetime | None

    @classmethod
    def of(cls, value: values.Entity) -> "Entity":
        return cls(
            uuid=strawberry.ID(value.uuid),
            space=value.space,
            external_id=value.external_id,
            subject=value.subject,
            revision=value.revision,
            created_at=value.created_at,
            updated_at=value.updated_at,
            last_mentioned_at=value.last_mentioned_at,
        )

    @strawberry.field(
        description=f"Live ones first, in the order of the alphabet, {MOST_ALIASES} at most.",
        metadata=sized(MOST_ALIASES, "first"),
    )
    async def aliases(self, info: Info, first: int = FIRST) -> list[Alias]:
        most = check_first(first, MOST_ALIASES)
        found = await info.context.loaders.aliases.load((self.space, self.uuid), most)
        return [Alias(text=each.text, deprecated=each.deprecated) for each in found]

    @strawberry.field(
        description=f"Subjective, changeable statements, best supported first, {MOST_STATEMENTS} at most.",
        metadata=sized(MOST_STATEMENTS, "first"),
    )
    async def impressions(self, info: Info, first: int = FIRST) -> list[Statement]:
        most = check_first(first, MOST_STATEMENTS)
        found = await info.context.loaders.impressions.load((self.space, self.uuid), most)
        return [Statement.of(each, self.space) for each in found]

    @strawberry.field(
        description=f"Stable, factual statements, best supported first, {MOST_STATEMENTS} at most.",
        metadata=sized(MOST_STATEMENTS, "first"),
    )
    async def features(self, info: Info, first: int = FIRST) -> list[Statement]:
        most = check_first(first, MOST_STATEMENTS)
        found = await info.context.loaders.features.load((self.space, self.uuid), most)
        return [Statement.of(each, self.space) for each in found]

    @strawberry.field(
        description=f"Relations from and to it, strongest first, {MOST_RELATIONS} at most.",
        metadata=sized(MOST_RELATIONS, "first"),
    )
    async def relations(self, info: Info, first: int = FIRST) -> list[Relation]:
        most = check_first(first, MOST_RELATIONS)
        found = await info.context.loaders.relations.load((self.space, self.uuid), most)
        return [Relation.of(each, self.space) for each in found]

    @strawberry.field(description="The runs that changed it, latest first.", metadata=sized(MOST_RUNS, "first"))
    async def runs(
        self, info: Info, first: int = 20
    ) -> list[Annotated["UpdateRun", strawberry.lazy("api.types.updates")]]:
        from api.types.updates import UpdateRun as Shown  # noqa: PLC0415 -- the two types name each other

        found = await info.context.loaders.runs.load((self.space, self.uuid), check_first(first, MOST_RUNS))
        return [Shown.of(run) for run in found]


async def find_entity(info: Info, space: str, uuid: str) -> Entity | None:
    """Return an entity through the request's loader; None where the space has no such one."""
    found = await info.context.loaders.entity.load((space, uuid))
    return Entity.of(found) if found else None


async def load_entity(info: Info, space: str, uuid: str) -> Entity:
    """Return an entity that must be there; one that was forgotten meanwhile is a GraphQL error."""
    if (found := await find_entity(info, space, uuid)) is None:
        raise GraphQLError(f"entity {uuid} is gone", extensions={"code": "NOT_FOUND"})
    return found
