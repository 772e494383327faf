"""A person's edits, in the API: each is a plan of its own."""

from collections.abc import Awaitable, Callable
from typing import Annotated

import strawberry

from api.context import Info
from api.queries import Space, check_id
from api.types.failures import EXPECTED, failure
from api.types.updates import UpdateRun, UpdateRunResult
from api.update_mutations import Key, RelationPatchInput, StatementPatchInput, once
from graph.checks import check_space, check_text
from graph.values import StatementKind
from resolvers.curate import Curator, NewEntity, NewRelation, NewStatement
from resolvers.update.runs import ConfirmMode, Run

AUTO = ConfirmMode.AUTO


@strawberry.input(description="An entity to be made by a person.")
class CreateEntityInput:
    subject: str
    external_id: str | None = None
    space: str = "default"
    aliases: list[str] = strawberry.field(default_factory=list)
    impressions: list[StatementPatchInput] = strawberry.field(default_factory=list)
    features: list[StatementPatchInput] = strawberry.field(default_factory=list)
    relations: list[RelationPatchInput] = strawberry.field(default_factory=list)
    allow_homonym: bool = strawberry.field(default=False, description="Make it although somebody bears the name.")

    def checked(self) -> NewEntity:
        statements = [
            NewStatement(kind, each.text, each.confidence)
            for kind, given in ((StatementKind.IMPRESSION, self.impressions), (StatementKind.FEATURE, self.features))
            for each in given
        ]
        return NewEntity(
            subject=self.subject,
            aliases=tuple(self.aliases),
            statements=tuple(statements),
            relations=tuple(NewRelation(each.target, each.relation, each.strength) for each in self.relations),
            external_id=check_text(self.external_id, "input.externalId", longest=200) if self.external_id else None,
            allow_homonym=self.allow_homonym,
        )


async def _edited(
    info: Info, space: str, key: str | None, edit: Callable[[Curator], Awaitable[Run]], *, path: str = "space"
) -> UpdateRunResult:
    """Carry out a person's edit, under a caller's key only once."""
    curator = info.context.service.curator
    return await once(
        info, lambda: check_space(space, path), key, lambda sent: edit(curator.under(sent) if sent else curator)
    )


@strawberry.type
class CurationMutations:
    @strawberry.mutation(description="Make an entity; a homonym only where that is asked for.")
    async def create_entity(
        self,
        info: Info,
        input: CreateEntityInput,  # noqa: A002 -- API name
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            input.space,
            idempotency_key,
            lambda curator: curator.create(check_space(input.space, "input.space"), input.checked(), confirm),
            path="input.space",
        )

    @strawberry.mutation(description="Give an entity another canonical name.")
    async def rename_entity(
        self,
        info: Info,
        uuid: strawberry.ID,
        subject: str,
        allow_homonym: bool = False,
        keep_old_subject_as_alias: bool = True,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.rename(
                check_space(space),
                check_id(uuid, "uuid"),
                subject,
                confirm,
                allow_homonym=allow_homonym,
                keep_old=keep_old_subject_as_alias,
            ),
        )

    @strawberry.mutation(description="Let an entity be known by one more name; a deprecated one becomes live again.")
    async def add_alias(
        self,
        info: Info,
        uuid: strawberry.ID,
        alias: str,
        allow_homonym: bool = False,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.add_alias(
                check_space(space), check_id(uuid, "uuid"), alias, confirm, allow_homonym=allow_homonym
            ),
        )

    @strawberry.mutation(description="Take a name from an entity, or only deprecate it: it owns its identity still.")
    async def remove_alias(
        self,
        info: Info,
        uuid: strawberry.ID,
        alias: str,
        deprecate: bool = True,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.remove_alias(
                check_space(space), check_id(uuid, "uuid"), alias, confirm, deprecate=deprecate
            ),
        )

    @strawberry.mutation(description="Add an impression, set its confidence, or put another text in its place.")
    async def set_impression(
        self,
        info: Info,
        uuid: strawberry.ID,
        text: str,
        new_text: str | None = None,
        confidence: float = 1.0,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.set_statement(
                check_space(space),
                check_id(uuid, "uuid"),
                StatementKind.IMPRESSION,
                text,
                confirm,
                new_text=new_text,
                confidence=confidence,
            ),
        )

    @strawberry.mutation(description="Add a feature, set its confidence, or put another text in its place.")
    async def set_feature(
        self,
        info: Info,
        uuid: strawberry.ID,
        text: str,
        new_text: str | None = None,
        confidence: float = 1.0,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.set_statement(
                check_space(space),
                check_id(uuid, "uuid"),
                StatementKind.FEATURE,
                text,
                confirm,
                new_text=new_text,
                confidence=confidence,
            ),
        )

    @strawberry.mutation(description="Remove an impression or a feature.")
    async def remove_statement(
        self,
        info: Info,
        statement_uuid: strawberry.ID,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.remove_statement(
                check_space(space), check_id(statement_uuid, "statementUuid"), confirm
            ),
        )

    @strawberry.mutation(description="Add a relation, or make it stronger.")
    async def set_relation(
        self,
        info: Info,
        uuid: strawberry.ID,
        target_uuid: strawberry.ID,
        relation: str,
        strength: float = 1.0,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.set_relation(
                check_space(space),
                check_id(uuid, "uuid"),
                check_id(target_uuid, "targetUuid"),
                relation,
                confirm,
                strength=strength,
            ),
        )

    @strawberry.mutation(description="Remove a relation.")
    async def remove_relation(
        self,
        info: Info,
        relation_uuid: strawberry.ID,
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.remove_relation(
                check_space(space), check_id(relation_uuid, "relationUuid"), confirm
            ),
        )

    @strawberry.mutation(description="Make one entity of two: what was known of `from` moves to `into`.")
    async def merge_entities(
        self,
        info: Info,
        into: strawberry.ID,
        from_: Annotated[strawberry.ID, strawberry.argument(name="from")],
        space: Space = "default",
        confirm: ConfirmMode = AUTO,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        return await _edited(
            info,
            space,
            idempotency_key,
            lambda curator: curator.merge(check_space(space), check_id(into, "into"), check_id(from_, "from"), confirm),
        )

    @strawberry.mutation(description="Forget an entity for good. The one write without a way back.")
    async def forget_entity(self, info: Info, uuid: strawberry.ID, space: Space = "default") -> UpdateRunResult:
        try:
            done = await info.context.service.pipeline.forget(check_space(space), check_id(uuid, "uuid"))
            mentions = tuple(f"still mentions it: {each}" for each in done.mentions)
            return UpdateRun.of(done.run, notes=mentions)
        except EXPECTED as error:
            return failure(error)
