"""Matches and their reasons, in the API."""

from asyncio import gather
from typing import Annotated, Final

import strawberry

from api.context import Info
from api.sizes import OF_PAGE, sized
from api.types.active import ActiveEntity, find_active
from api.types.entities import Entity, Evidence, find_entity
from api.types.failures import InvalidInput, NotFound, Unavailable
from api.types.listed import listed
from resolvers.project import Projection as ProjectionValue
from resolvers.recall import values
from resolvers.recall.values import SignalSource, TargetType

MOST_CANDIDATES: Final = 20
"""Bearers of an ambiguous name that are told; `entityByName` tells them all."""


@strawberry.type(description="The stored text that shares words with the input.")
class TextHit:
    field: str = strawberry.field(description="subject, alias, impression, feature, relation, evidence or mention.")
    text: str
    matched_terms: list[str] = strawberry.field(metadata=sized(50))
    phrase: bool = strawberry.field(description="Whether two or more of them stand side by side in both texts.")


@strawberry.type(description="The statement whose meaning is near the input's.")
class VectorHit:
    statement_uuid: strawberry.ID
    text: str
    similarity: float = strawberry.field(description="Cosine, from -1 to 1.")


@strawberry.type(description="One relation between a named entity and the recalled one, in its own direction.")
class RelationStep:
    from_uuid: strawberry.ID
    to_uuid: strawberry.ID
    relation: str


@strawberry.type(description="One reason to recall one target.")
class AssociationSignal:
    source: SignalSource
    channel: str = strawberry.field(description="NAME, TEXT, VECTOR, PHRASE, NEIGHBOUR or RECENCY.")
    raw: float = strawberry.field(description="In its own unit: name units, BM25, cosine, strength, age in seconds.")
    normalised: float = strawberry.field(description="From 0 to 1, absolute: a weak best hit stays weak.")
    contribution: float = strawberry.field(description="Its share of the score; the shares of a match sum to it.")
    reason: str
    text_hit: TextHit | None
    vector_hit: VectorHit | None
    path: list[RelationStep] | None = strawberry.field(metadata=sized(4))

    @classmethod
    def of(cls, value: values.Signal) -> "AssociationSignal":
        text, vector = value.text_hit, value.vector_hit
        return cls(
            source=value.source,
            channel=value.channel.value,
            raw=value.raw,
            normalised=value.normalised,
            contribution=value.contribution,
            reason=value.reason,
            text_hit=TextHit(
                field=text.field, text=text.text, matched_terms=list(text.matched_terms), phrase=text.phrase
            )
            if text
            else None,
            vector_hit=VectorHit(
                statement_uuid=strawberry.ID(vector.statement_uuid), text=vector.text, similarity=vector.similarity
            )
            if vector
            else None,
            path=[
                RelationStep(
                    from_uuid=strawberry.ID(step.from_uuid),
                    to_uuid=strawberry.ID(step.to_uuid),
                    relation=step.relation,
                )
                for step in value.path
            ]
            or None,
        )


@strawberry.type(description="What was recalled. An entity with a live active entity has both.")
class Target:
    space: strawberry.Private[str]
    entity_uuid: strawberry.Private[str | None]
    runtime_id: strawberry.Private[str | None]
    type: TargetType
    id: strawberry.ID = strawberry.field(description="Uuid of an entity, or runtime id of an unbound active entity.")
    subject: str | None

    @strawberry.field
    async def entity(self, info: Info) -> Entity | None:
        return await find_entity(info, self.space, self.entity_uuid) if self.entity_uuid else None

    @strawberry.field
    async def active_entity(self, info: Info) -> ActiveEntity | None:
        return await find_active(info, self.space, self.runtime_id) if self.runtime_id else None


@strawberry.type(description="A target, its score and all the signals behind it.")
class EntityMatch:
    target: Target
    score: float = strawberry.field(description="From 0 to 1.")
    attached: bool = strawberry.field(description="Whether the text is about it.")
    rule: str = strawberry.field(description=f"The rule that attached it, or cut it: {listed(values.Rule)}.")
    reason: str
    signals: list[AssociationSignal] = strawberry.field(description="Largest contribution first.", metadata=sized(20))

    @classmethod
    def of(cls, value: values.Match, space: str) -> "EntityMatch":
        is_entity = value.target.type is TargetType.ENTITY
        return cls(
            target=Target(
                space=space,
                entity_uuid=value.target.id if is_entity else None,
                runtime_id=value.runtime_id,
                type=value.target.type,
                id=strawberry.ID(value.target.id),
                subject=value.subject,
            ),
            score=value.score,
            attached=value.attached,
            rule=value.rule.value,
            reason=value.reason,
            signals=[AssociationSignal.of(signal) for signal in value.signals],
        )


@strawberry.type(description="A name that several entities bear.")
class AmbiguousName:
    space: strawberry.Private[str]
    uuids: strawberry.Private[list[str]]
    name: str

    @classmethod
    def of(cls, value: values.AmbiguousName, space: str) -> "AmbiguousName":
        return cls(space=space, uuids=[each.uuid for each in value.candidates[:MOST_CANDIDATES]], name=value.name)

    @strawberry.field(
        description=f"In the order of their subjects, {MOST_CANDIDATES} at most.", metadata=sized(MOST_CANDIDATES)
    )
    async def candidates(self, info: Info) -> list[Entity]:
        found = await gather(*(find_entity(info, self.space, uuid) for uuid in self.uuids))
        return [entity for entity in found if entity]


@strawberry.type(description="What a text is about, and why. Nothing was written.")
class Recall:
    matches: list[EntityMatch] = strawberry.field(metadata=OF_PAGE)
    ambiguous_names: list[AmbiguousName] = strawberry.field(metadata=sized(10))
    notes: list[str] = strawberry.field(description="What was capped or left out.", metadata=sized(10))
    vector_used: bool
    took_ms: float

    @classmethod
    def of(cls, value: values.Recall, space: str) -> "Recall":
        return cls(
            matches=[EntityMatch.of(match, space) for match in value.matches],
            ambiguous_names=[AmbiguousName.of(each, space) for each in value.ambiguous_names],
            notes=list(value.notes),
            vector_used=value.vector_used,
            took_ms=value.took_ms,
        )


@strawberry.type(description="Why an entity was not recalled, or was.")
class WhyNot:
    match: EntityMatch | None = strawberry.field(description="Its signals and score, where it had any.")
    rule: str = strawberry.field(description="As that of a match.")
    reason: str


@strawberry.type(description="What became of one input.")
class Projection:
    space: strawberry.Private[str]
    runtime_ids: strawberry.Private[list[str]]
    evidence_uuid: strawberry.Private[str | None]
    matches: list[EntityMatch] = strawberry.field(metadata=OF_PAGE)
    ambiguous_names: list[AmbiguousName] = strawberry.field(metadata=sized(10))
    notes: list[str] = strawberry.field(
        description="What was capped or left out, and when a rolling is due.", metadata=sized(10)
    )
    created: bool = strawberry.field(description="Whether an active entity was opened.")
    reason: str

    @classmethod
    def of(cls, value: ProjectionValue, space: str) -> "Projection":
        return cls(
            space=space,
            runtime_ids=[each.runtime_id for each in value.linked],
            evidence_uuid=value.evidence_uuid,
            matches=[EntityMatch.of(match, space) for match in value.recall.matches],
            ambiguous_names=[AmbiguousName.of(each, space) for each in value.recall.ambiguous_names],
            notes=list(value.notes),
            created=value.created,
            reason=value.reason,
        )

    @strawberry.field(description="The active entities the input is evidence of now, surest first.", metadata=sized(20))
    async def active_entities(self, info: Info) -> list[ActiveEntity]:
        found = await gather(*(find_active(info, self.space, each) for each in self.runtime_ids))
        return [active for active in found if active]

    @strawberry.field(description="The input as evidence; null where it was attached to nothing.")
    async def evidence(self, info: Info) -> Evidence | None:
        if self.evidence_uuid is None:
            return None
        found = await info.context.loaders.evidence.load((self.space, self.evidence_uuid))
        return Evidence.of(found) if found else None


RecallResult = Annotated[Recall | InvalidInput | Unavailable, strawberry.union("RecallResult")]
WhyNotResult = Annotated[WhyNot | InvalidInput | NotFound | Unavailable, strawberry.union("WhyNotResult")]
ProjectEntityResult = Annotated[Projection | InvalidInput | Unavailable, strawberry.union("ProjectEntityResult")]
