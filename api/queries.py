"""The Query type: thin fields over the resolvers. Nothing here writes."""

from typing import Annotated

import strawberry

from api.context import Info
from api.sizes import OF_PAGE, paged, sized
from api.types.active import ActiveEntity
from api.types.entities import FIRST, Entity, Relation
from api.types.failures import missing, refused, unavailable
from api.types.pages import (
    MOST_KEYS,
    EntityConnection,
    KnownEntityIdentity,
    KnownEntityIdentityConnection,
    KnownEntityIdentityEdge,
    cursor_of,
    moment_of,
    page_info,
    place_of,
)
from api.types.recalled import EntityMatch, Recall, RecallResult, WhyNot, WhyNotResult
from api.types.updates import PendingObservation, UpdateRun, UpdateRunConnection, UpdateRunEdge
from graph import errors
from graph.checks import check_conversation, check_count, check_space, check_text
from graph.names import check_name, identity_key
from resolvers.context import MOST_ENTITIES
from resolvers.context import context as read_context
from resolvers.reading import MOST_ACTIVE, MOST_BEARERS
from resolvers.recall.values import Match, VectorPolicy
from resolvers.requests import MOST_MATCHES, question
from resolvers.update.run_store import MOST_PENDING
from resolvers.update.runs import RunStatus

MOST_IN_PAGE = 200
MOST_SKIPPED = 1_000_000
MOST_HOPS = 4
MOST_RELATIONS = 5_000
MOST_TOKENS = 100_000

Space = Annotated[str, strawberry.argument(description="The tenant: nothing ever crosses it.")]
Conversation = Annotated[str, strawberry.argument(description="One chat or runtime of the agent.")]


@strawberry.type(description="Entities and the relations between them, as far as they were followed.")
class Neighbourhood:
    entities: list[Entity] = strawberry.field(metadata=OF_PAGE)
    relations: list[Relation] = strawberry.field(metadata=OF_PAGE)
    truncated: bool


@strawberry.type(description="A ready prompt block of a conversation.")
class ContextBlock:
    text: str
    tokens: int = strawberry.field(description="Estimated: one an ideograph, 1.3 a word.")
    entities: list[Entity] = strawberry.field(metadata=sized(MOST_ENTITIES))
    truncated: bool = strawberry.field(description="Whether something was left out for the budget.")


@strawberry.type(description="How much a space, or the whole database, holds.")
class Stats:
    entities: int
    names: int
    impressions: int
    features: int
    relations: int
    active_entities: int
    evidence: int


@strawberry.type
class Query:
    @strawberry.field(
        description="Which entities a text is about, and why. Writes nothing.", metadata=paged(MOST_MATCHES, "limit")
    )
    async def recall(
        self,
        info: Info,
        text: str,
        space: Space = "default",
        conversation: Conversation = "default",
        speaker: str | None = None,
        limit: int = 8,
        vector: VectorPolicy = VectorPolicy.AUTO,
    ) -> RecallResult:
        service = info.context.service
        try:
            asked = question(
                text,
                now=service.clock(),
                space=space,
                conversation=conversation,
                speaker=speaker,
                limit=limit,
                vector=vector,
            )
            return Recall.of(await service.recall.recall(asked), space)
        except errors.InvalidInput as error:
            return refused(error)
        except errors.Unavailable as error:
            return unavailable(error)

    @strawberry.field(description="Why a text did not recall an entity, or did: its signals and the rule.")
    async def why_not(
        self,
        info: Info,
        text: str,
        entity_uuid: strawberry.ID,
        space: Space = "default",
        conversation: Conversation = "default",
    ) -> WhyNotResult:
        service = info.context.service
        try:
            asked = question(text, now=service.clock(), space=space, conversation=conversation)
            match = await service.recall.why_not(asked, check_id(entity_uuid, "entityUuid"))
        except errors.InvalidInput as error:
            return refused(error)
        except errors.NotFound as error:
            return missing(error)
        except errors.Unavailable as error:
            return unavailable(error)
        shown = EntityMatch.of(match, space) if match.signals else None
        return WhyNot(match=shown, rule=match.rule.value, reason=match.reason)

    @strawberry.field(description="One entity by its id.")
    async def entity(self, info: Info, uuid: strawberry.ID, space: Space = "default") -> Entity | None:
        found = await info.context.loaders.entity.load((check_space(space), check_id(uuid, "uuid")))
        return Entity.of(found) if found else None

    @strawberry.field(
        description="Who bears a name, deprecated or not; several make it ambiguous. "
        f"The oldest first, {MOST_BEARERS} at most.",
        metadata=sized(MOST_BEARERS, "first"),
    )
    async def entity_by_name(self, info: Info, name: str, space: Space = "default", first: int = 10) -> list[Entity]:
        found = await info.context.service.reader.by_name(
            check_space(space), check_name(name, "name"), most=check_count(first, "first", most=MOST_BEARERS)
        )
        return [Entity.of(each) for each in found]

    @strawberry.field(
        description="All entities of a space, in the order of their subjects.", metadata=paged(MOST_IN_PAGE, "first")
    )
    async def entities(
        self,
        info: Info,
        space: Space = "default",
        first: int = 20,
        after: str | None = None,
        name_contains: str | None = None,
    ) -> EntityConnection:
        page = await info.context.service.reader.page(
            check_space(space),
            first=check_count(first, "first", most=MOST_IN_PAGE),
            after=place_of(after),
            name_contains=check_text(name_contains, "nameContains") if name_contains else "",
        )
        return EntityConnection.of(page, after)

    @strawberry.field(
        description="The identity index: which names, as they are compared, lead to which entity.",
        metadata=paged(MOST_IN_PAGE, "first"),
    )
    async def known_entity_identities(
        self, info: Info, space: Space = "default", first: int = 100, after: str | None = None
    ) -> KnownEntityIdentityConnection:
        page = await info.context.service.reader.page(
            check_space(space), first=check_count(first, "first", most=MOST_IN_PAGE), after=place_of(after)
        )
        aliases = await info.context.loaders.aliases.load_many(
            [(space, each.uuid) for each in page.entities], MOST_KEYS
        )
        edges = [
            KnownEntityIdentityEdge(
                node=KnownEntityIdentity(
                    entity=Entity.of(each),
                    subject_key=identity_key(each.subject),
                    alias_keys=sorted({identity_key(alias.text) for alias in names}),
                ),
                cursor=cursor_of((each.subject, each.uuid)),
            )
            for each, names in zip(page.entities, aliases, strict=True)
        ]
        return KnownEntityIdentityConnection(
            edges=edges, page_info=page_info([edge.cursor for edge in edges], has_more=page.has_more, after=after)
        )

    @strawberry.field(
        description=f"What a conversation is about, latest first, {MOST_ACTIVE} at most.",
        metadata=sized(MOST_ACTIVE, "first"),
    )
    async def active_entities(
        self,
        info: Info,
        space: Space = "default",
        conversation: Conversation = "default",
        include_expired: bool = False,
        first: int = FIRST,
    ) -> list[ActiveEntity]:
        service = info.context.service
        found = await service.reader.conversation(
            check_space(space),
            check_conversation(conversation),
            include_expired=include_expired,
            now=service.clock(),
            most=check_count(first, "first", most=MOST_ACTIVE),
        )
        return [ActiveEntity.of(each) for each in found]

    @strawberry.field(description="What is known of a conversation's things, ready for the agent's prompt.")
    async def context(
        self,
        info: Info,
        space: Space = "default",
        conversation: Conversation = "default",
        text: Annotated[
            str | None, strawberry.argument(description="The input to come: what it is about goes first.")
        ] = None,
        token_budget: int = 800,
    ) -> ContextBlock:
        service, now = info.context.service, info.context.service.clock()
        budget = check_count(token_budget, "tokenBudget", most=MOST_TOKENS)
        matches: tuple[Match, ...] = ()
        if text is not None:
            asked = question(text, now=now, space=space, conversation=conversation)
            matches = (await service.recall.recall(asked)).matches
        block = await read_context(
            service.reader,
            space=check_space(space),
            conversation=check_conversation(conversation),
            matches=matches,
            token_budget=budget,
            now=now,
        )
        return ContextBlock(
            text=block.text,
            tokens=block.tokens,
            entities=[Entity.of(each) for each in block.entities],
            truncated=block.truncated,
        )

    @strawberry.field(
        description="The entities around one, with the relations between them, strongest first.",
        metadata=paged(MOST_RELATIONS, "limit"),
    )
    async def neighbourhood(
        self,
        info: Info,
        entity_uuid: strawberry.ID,
        space: Space = "default",
        depth: int = 1,
        limit: Annotated[int, strawberry.argument(description="Relations at most.")] = 200,
    ) -> Neighbourhood:
        found = await info.context.service.reader.neighbourhood(
            check_space(space),
            check_id(entity_uuid, "entityUuid"),
            depth=check_count(depth, "depth", most=MOST_HOPS),
            limit=check_count(limit, "limit", most=MOST_RELATIONS),
        )
        if found is None:
            raise errors.NotFound(f"no entity {entity_uuid!r} in space {space!r}")
        return Neighbourhood(
            entities=[Entity.of(each) for each in found.entities],
            relations=[Relation.of(each, space) for each in found.relations],
            truncated=found.truncated,
        )

    @strawberry.field(description="One run of the update pipeline.")
    async def update_run(self, info: Info, id: strawberry.ID, space: Space = "default") -> UpdateRun | None:  # noqa: A002 -- API name
        try:
            return UpdateRun.of(await info.context.service.runs.run(check_space(space), check_id(id, "id")))
        except errors.NotFound:
            return None

    @strawberry.field(description="Runs of a space, latest first.", metadata=paged(MOST_IN_PAGE, "first"))
    async def update_runs(
        self,
        info: Info,
        space: Space = "default",
        first: int = 20,
        after: str | None = None,
        status: RunStatus | None = None,
    ) -> UpdateRunConnection:
        page = await info.context.service.runs.page(
            check_space(space),
            first=check_count(first, "first", most=MOST_IN_PAGE),
            before=moment_of(after),
            status=status,
        )
        edges = [
            UpdateRunEdge(node=UpdateRun.of(run), cursor=cursor_of((run.created_at.isoformat(), run.id)))
            for run in page.runs
        ]
        info_of_page = page_info([edge.cursor for edge in edges], has_more=page.has_more, after=after)
        return UpdateRunConnection(edges=edges, page_info=info_of_page)

    @strawberry.field(
        description="Observations that wait for a decision, latest first; count them for how many.",
        metadata=sized(MOST_PENDING, "first"),
    )
    async def pending_observations(
        self,
        info: Info,
        space: Space = "default",
        first: int = MOST_PENDING,
        skip: Annotated[int, strawberry.argument(description="How many of the latest to leave out.")] = 0,
    ) -> list[PendingObservation]:
        found = await info.context.service.runs.pending(
            check_space(space),
            first=check_count(first, "first", most=MOST_PENDING),
            skip=check_count(skip, "skip", least=0, most=MOST_SKIPPED),
        )
        return [PendingObservation.of(each, space) for each in found]

    @strawberry.field(description="How many observations wait for a decision.")
    async def pending_observation_count(self, info: Info, space: Space = "default") -> int:
        return await info.context.service.runs.count_pending(check_space(space))

    @strawberry.field(description="How much a space holds; without one, the whole database.")
    async def stats(self, info: Info, space: str | None = None) -> Stats:
        counts = await info.context.service.reader.counts(check_space(space) if space is not None else None)
        return Stats(
            entities=counts.entities,
            names=counts.names,
            impressions=counts.impressions,
            features=counts.features,
            relations=counts.relations,
            active_entities=counts.active_entities,
            evidence=counts.evidence,
        )


def check_id(value: str, path: str) -> str:
    """Return an id as it may be looked up: any text the database can take."""
    return check_text(value, path, longest=200)
