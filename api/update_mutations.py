"""Mutations of the update pipeline."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, cast

import strawberry
from strawberry.types import get_object_definition
from strawberry.types.arguments import InputContext
from strawberry.types.nodes import SelectedField

from api.context import Info
from api.queries import Space, check_id
from api.types.failures import EXPECTED, failure
from api.types.updates import UpdateEstimate, UpdateRun, UpdateRunResult
from graph import errors
from graph.checks import check_space, check_text
from resolvers.update.observed import PlanStatus
from resolvers.update.requests import Message, observation_plans
from resolvers.update.requests import idempotency_key as check_key
from resolvers.update.requests import rolling as check_rolling
from resolvers.update.runs import ConfirmMode, Run
from resolvers.update.seen import Decision, Rolling
from resolvers.update.starting import Sent, sent_under

Key = Annotated[
    str | None,
    strawberry.argument(description="The same again under the same key is the same run."),
]


@strawberry.input(description="One message of the slice that is rolled.")
class RollingMessageInput:
    role: str = strawberry.field(description="user or assistant (also human, ai, agent, bot).")
    text: str
    at: datetime | None = None
    speaker: str | None = strawberry.field(default=None, description="Whom first-person words stand for.")


@strawberry.input(description="The agent's summary of a slice of its conversation, and the slice.")
class RollingInput:
    summary: str
    id: str | None = None
    conversation: str = "default"
    messages: list[RollingMessageInput] = strawberry.field(default_factory=list)
    started_at: datetime | None = None
    ended_at: datetime | None = None

    def checked(self, now: datetime) -> Rolling:
        return check_rolling(
            self.summary,
            [Message(each.role, each.text, each.at, each.speaker) for each in self.messages],
            now=now,
            conversation=self.conversation,
            id=self.id,
            started_at=self.started_at,
            ended_at=self.ended_at,
        )


@strawberry.input(description="An observed statement; without evidence the observation's snippets support it.")
class StatementPatchInput:
    text: str
    evidence: str | None = None
    confidence: float = 1.0


@strawberry.input(description="An observed relation: the subject's `relation` is `target`.")
class RelationPatchInput:
    target: str
    relation: str
    evidence: str | None = None
    strength: float = 1.0


@strawberry.input(description="What was seen about one subject; carries no identity decision.")
class EntityObservationInput:
    proposed_subject: str
    aliases: list[str] = strawberry.field(default_factory=list)
    impressions: list[StatementPatchInput] = strawberry.field(default_factory=list)
    features: list[StatementPatchInput] = strawberry.field(default_factory=list)
    relations: list[RelationPatchInput] = strawberry.field(default_factory=list)
    source_active_runtime_ids: list[str] = strawberry.field(
        default_factory=list, description="Active entities it came from, by runtime id or subject."
    )
    evidence_snippets: list[str] = strawberry.field(default_factory=list)
    confidence: float = 1.0
    reason: str | None = None


@strawberry.input(description="What an agent observed.")
class ObservationPlanInput:
    observations: list[EntityObservationInput]
    status: PlanStatus = PlanStatus.PREPARED
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SentPlan:
    """A plan as it was sent, checked against the schema; thousands of objects are not made of it on the event loop."""

    given: Mapping[str, Any]

    def as_model(self) -> dict[str, object]:
        """Return it as the pipeline's own model reads it: that has the names of the schema, and no nulls."""
        return {
            "status": PlanStatus(self.given["status"]),
            "reason": self.given.get("reason") or "",
            "observations": [_observation(each) for each in self.given["observations"]],
        }


def _as_sent(_: type, given: Mapping[str, Any], __: InputContext) -> SentPlan:
    return SentPlan(given)


get_object_definition(ObservationPlanInput, strict=True).from_input = _as_sent


def _observation(given: Mapping[str, Any]) -> dict[str, object]:
    patches = {
        name: [{**each, "evidence": each.get("evidence") or ""} for each in given[name]]
        for name in ("impressions", "features", "relations")
    }
    return {**given, **patches, "reason": given.get("reason") or ""}


async def as_result(start: Callable[[], Awaitable[Run]]) -> UpdateRunResult:
    """Return a run, or in its place the expected failure, of the checks of the arguments too."""
    try:
        return UpdateRun.of(await start())
    except EXPECTED as error:
        return failure(error)


async def once(
    info: Info, check: Callable[[], str], key: str | None, work: Callable[[Sent | None], Awaitable[Run]]
) -> UpdateRunResult:
    """Do what a mutation asks for; under a caller's key only once, however often it is sent.

    Args:
        info: of the mutation: its name and arguments are what was sent.
        check: returns the space, or raises InvalidInput.
        key: the caller's, if there is one.
        work: does it, storing its run under the key.
    """
    try:
        if (checked := check_key(key)) is None:
            return UpdateRun.of(await work(None))
        asked = info.selected_fields[0]
        assert isinstance(asked, SelectedField)  # of a mutation's own field there is nothing else
        arguments = {name: value for name, value in asked.arguments.items() if name != "idempotencyKey"}
        space, sent = check(), sent_under(checked, asked.name, arguments)
        if stands := await info.context.service.pipeline.standing(space, sent):
            return UpdateRun.of(stands, created=False)
        return UpdateRun.of(await work(sent))
    except EXPECTED as error:
        return failure(error)


@strawberry.type
class UpdateMutations:
    @strawberry.mutation(
        description="Turn a rolled slice of a conversation into long-term memory. Without `wait` it goes on behind."
    )
    async def update_impressions(
        self,
        info: Info,
        rolling: RollingInput,
        space: Space = "default",
        confirm: ConfirmMode = ConfirmMode.AUTO,
        wait: bool = True,
        idempotency_key: str | None = None,
    ) -> UpdateRunResult:
        service = info.context.service
        try:
            outcome = await service.pipeline.start(
                check_space(space), rolling.checked(service.clock()), confirm=confirm, key=check_key(idempotency_key)
            )
            if not wait:
                service.background.start(outcome)
            run = await service.pipeline.go_on(outcome) if wait else outcome.run
            return UpdateRun.of(run, created=outcome.created)
        except EXPECTED as error:
            return failure(error)

    @strawberry.mutation(description="What an update would ask of the language model. Asks nothing and writes nothing.")
    async def estimate_update(self, info: Info, rolling: RollingInput, space: Space = "default") -> UpdateEstimate:
        service = info.context.service
        estimate = await service.pipeline.estimate(check_space(space), rolling.checked(service.clock()))
        return UpdateEstimate(batches=estimate.batches, prompt_characters=estimate.prompt_characters)

    @strawberry.mutation(description="Hand in observations made by an agent that is a language model itself.")
    async def submit_observations(
        self,
        info: Info,
        plans: list[ObservationPlanInput],
        rolling: RollingInput | None = None,
        space: Space = "default",
        conversation: str = "default",
        confirm: ConfirmMode = ConfirmMode.AUTO,
        idempotency_key: str | None = None,
    ) -> UpdateRunResult:
        service = info.context.service
        try:
            told = rolling.checked(service.clock()) if rolling else None
            sent = cast("list[SentPlan]", plans)
            outcome = await service.pipeline.submit(
                check_space(space),
                told.conversation if told else conversation,
                await asyncio.to_thread(lambda: observation_plans([each.as_model() for each in sent])),
                rolling=told,
                confirm=confirm,
                key=check_key(idempotency_key),
            )
            return UpdateRun.of(outcome.run, created=outcome.created)
        except EXPECTED as error:
            return failure(error)

    @strawberry.mutation(description="Land a prepared plan.")
    async def confirm_update(self, info: Info, run_id: strawberry.ID, space: Space = "default") -> UpdateRunResult:
        return await as_result(
            lambda: info.context.service.pipeline.confirm(check_space(space), check_id(run_id, "runId"))
        )

    @strawberry.mutation(description="Throw a prepared or partial run away; its key is free again.")
    async def reject_update(
        self, info: Info, run_id: strawberry.ID, space: Space = "default", reason: str | None = None
    ) -> UpdateRunResult:
        return await as_result(
            lambda: info.context.service.pipeline.reject(
                check_space(space),
                check_id(run_id, "runId"),
                check_text(reason, "reason", longest=1_000) if reason else None,
            )
        )

    @strawberry.mutation(description="Observe the failed batches of a partial run, or go on with an abandoned one.")
    async def resume_update(self, info: Info, run_id: strawberry.ID, space: Space = "default") -> UpdateRunResult:
        return await as_result(
            lambda: info.context.service.pipeline.resume(check_space(space), check_id(run_id, "runId"))
        )

    @strawberry.mutation(description="Take an applied run back; refused with the conflicts if it was built upon since.")
    async def undo_update(self, info: Info, run_id: strawberry.ID, space: Space = "default") -> UpdateRunResult:
        return await as_result(
            lambda: info.context.service.pipeline.undo(check_space(space), check_id(run_id, "runId"))
        )

    @strawberry.mutation(description="Decide a pending observation: exactly one of entityUuid, create and discard.")
    async def decide_observation(
        self,
        info: Info,
        id: strawberry.ID,  # noqa: A002 -- API name
        space: Space = "default",
        entity_uuid: strawberry.ID | None = None,
        create: bool | None = None,
        discard: bool | None = None,
        idempotency_key: Key = None,
    ) -> UpdateRunResult:
        async def decide(sent: Sent | None) -> Run:
            decision = _decision(entity_uuid, create=bool(create), discard=bool(discard))
            pipeline = info.context.service.pipeline
            return await pipeline.decide(check_space(space), check_id(id, "id"), decision, entity_uuid, sent=sent)

        return await once(info, lambda: check_space(space), idempotency_key, decide)


def _decision(entity_uuid: str | None, *, create: bool, discard: bool) -> Decision:
    if [entity_uuid is not None, create, discard].count(True) != 1:
        message = "give exactly one of entityUuid, create: true and discard: true"
        raise errors.InvalidInput("DECISION_UNCLEAR", "", message)
    return Decision.UPDATE if entity_uuid is not None else Decision.CREATE if create else Decision.DISCARDED
