"""What a conversation is about, in the API."""

from datetime import datetime

import strawberry

from api.context import Info
from api.sizes import sized
from api.types.entities import Entity, Evidence, Statement, check_first, find_entity
from graph import values
from resolvers.reading import MOST_EVIDENCE_OF_ACTIVE, MOST_MENTIONS, MOST_PROJECTED


@strawberry.type(description="Why an active entity holds an evidence.")
class EvidenceLink:
    evidence: Evidence
    association_confidence: float = strawberry.field(
        description="How sure it is that the text is about the active entity; says nothing about its truth."
    )


@strawberry.type(description="A statement of the bound entity that the conversation touched.")
class ProjectedStatement:
    statement: Statement
    score: float
    at: datetime


@strawberry.type(description="What a conversation is about: unbound, or bound to one entity.")
class ActiveEntity:
    bound_uuid: strawberry.Private[str | None]
    runtime_id: strawberry.ID
    space: str
    conversation: str
    subject: str | None
    state: str = strawberry.field(description="ACTIVE or EXPIRED.")
    created_at: datetime
    last_mentioned_at: datetime
    mentions: list[str] = strawberry.field(
        description=f"Names it was mentioned by, {MOST_MENTIONS} at most.", metadata=sized(MOST_MENTIONS)
    )

    @classmethod
    def of(cls, value: values.ActiveEntity) -> "ActiveEntity":
        return cls(
            bound_uuid=value.bound_uuid,
            runtime_id=strawberry.ID(value.runtime_id),
            space=value.space,
            conversation=value.conversation,
            subject=value.subject,
            state=value.state.value,
            created_at=value.created_at,
            last_mentioned_at=value.last_mentioned_at,
            mentions=list(value.mentions),
        )

    @strawberry.field(description="The entity it stands for, once that is known.")
    async def bound_entity(self, info: Info) -> Entity | None:
        return await find_entity(info, self.space, self.bound_uuid) if self.bound_uuid else None

    @strawberry.field(
        description=f"Latest first, {MOST_EVIDENCE_OF_ACTIVE} at most.",
        metadata=sized(MOST_EVIDENCE_OF_ACTIVE, "first"),
    )
    async def evidence(self, info: Info, first: int = 20) -> list[EvidenceLink]:
        most = check_first(first, MOST_EVIDENCE_OF_ACTIVE)
        found = await info.context.loaders.active_evidence.load((self.space, self.runtime_id), most)
        return [
            EvidenceLink(evidence=Evidence.of(each.evidence), association_confidence=each.association_confidence)
            for each in found
        ]

    @strawberry.field(
        description=f"Strongest hit first, {MOST_PROJECTED} at most.", metadata=sized(MOST_PROJECTED, "first")
    )
    async def projected(self, info: Info, first: int = 20) -> list[ProjectedStatement]:
        most = check_first(first, MOST_PROJECTED)
        found = await info.context.loaders.projected.load((self.space, self.runtime_id), most)
        return [
            ProjectedStatement(statement=Statement.of(each.statement, self.space), score=each.score, at=each.at)
            for each in found
        ]


async def find_active(info: Info, space: str, runtime_id: str) -> ActiveEntity | None:
    """Return an active entity through the request's loader."""
    found = await info.context.loaders.active.load((space, runtime_id))
    return ActiveEntity.of(found) if found else None
