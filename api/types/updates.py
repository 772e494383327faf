"""Runs of the update pipeline, in the API."""

from asyncio import gather
from datetime import datetime
from typing import Annotated, Final

import strawberry

from api.context import Info
from api.sizes import OF_PAGE, sized
from api.types.entities import FIRST, Entity, Evidence, check_first, find_entity
from api.types.failures import Conflict, InvalidInput, NotConfigured, NotFound, Unavailable
from api.types.listed import listed
from api.types.pages import PageInfo
from resolvers.update import runs
from resolvers.update.diff import ChangeKind, Part, ShownChange, ShownStep
from resolvers.update.runs import BatchStatus, RunStatus
from resolvers.update.runs import PendingObservation as StoredObservation
from resolvers.update.seen import Decision, DropCode, ResolutionCode
from resolvers.update.seen import Dropped as DroppedValue
from resolvers.update.seen import Resolution as ResolutionValue
from resolvers.update.steps import MOST_STEPS
from resolvers.update.violations import ViolationCode

MOST_EVIDENCE: Final = 100
MOST_CHANGES: Final = 1_000
MOST_IN_RUN: Final = 5_000
"""Resolutions, observations or dropped things of a run; 64 plans of 64 observations have 4,096."""
MOST_CANDIDATES: Final = 20
MOST_NOTES: Final = 100
MOST_OBSERVED: Final = 50
"""Names, or statements, of one observation."""


@strawberry.type(description="One thing that a step changes, or refuses to.")
class Change:
    space: strawberry.Private[str]
    evidence_uuids: strawberry.Private[list[str]]
    kind: str = strawberry.field(description=f"{listed(ChangeKind)}.")
    part: str = strawberry.field(description=f"{listed(Part)}.")
    before: str | None
    after: str | None
    reason: str | None

    @classmethod
    def of(cls, value: ShownChange, space: str) -> "Change":
        return cls(
            space=space,
            evidence_uuids=list(value.evidence),
            kind=value.kind.value,
            part=value.part.value,
            before=value.before,
            after=value.after,
            reason=value.reason or None,
        )

    @strawberry.field(
        description="The texts behind it; of a plan that has not landed only those that are stored yet.",
        metadata=sized(MOST_EVIDENCE, "first"),
    )
    async def evidence(self, info: Info, first: int = 3) -> list[Evidence]:
        loaders, most = info.context.loaders, check_first(first, MOST_EVIDENCE)
        found = await gather(*(loaders.evidence.load((self.space, uuid)) for uuid in self.evidence_uuids[:most]))
        return [Evidence.of(each) for each in found if each]


@strawberry.type(description="One step of a plan, as a diff.")
class UpdateStep:
    value: strawberry.Private[ShownStep]
    space: strawberry.Private[str]
    kind: str = strawberry.field(description="CREATE, UPDATE or MERGE.")
    entity_uuid: strawberry.ID | None
    subject: str

    @classmethod
    def of(cls, value: ShownStep, space: str) -> "UpdateStep":
        return cls(
            value=value,
            space=space,
            kind=value.kind.value,
            entity_uuid=strawberry.ID(value.entity_uuid) if value.entity_uuid else None,
            subject=value.subject,
        )

    @strawberry.field(metadata=sized(MOST_CHANGES, "first"))
    def changes(self, first: int = 20) -> list[Change]:
        return [Change.of(each, self.space) for each in self.value.changes[: check_first(first, MOST_CHANGES)]]


@strawberry.type(description="A reason why a plan cannot be applied as it is.")
class Violation:
    code: str = strawberry.field(
        description=f"{listed(ViolationCode)}, or what refuses a name, a text or a number, e.g. NAME_TOO_LONG."
    )
    path: str
    message: str


@strawberry.type(description="Something observed that is not in the plan, and why.")
class Dropped:
    code: str = strawberry.field(description=f"{listed(DropCode)}.")
    text: str
    reason: str

    @classmethod
    def of(cls, value: DroppedValue) -> "Dropped":
        return cls(code=value.code.value, text=value.text, reason=value.reason)


@strawberry.type(description="What was decided about one observed subject.")
class Resolution:
    space: strawberry.Private[str]
    candidate_uuids: strawberry.Private[list[str]]
    subject: str
    decision: str = strawberry.field(description=f"{listed(Decision)}.")
    entity_uuid: strawberry.ID | None
    code: str = strawberry.field(description=f"{listed(ResolutionCode)}.")
    reason: str

    @classmethod
    def of(cls, value: ResolutionValue, space: str) -> "Resolution":
        return cls(
            space=space,
            candidate_uuids=[each.uuid for each in value.candidates[:MOST_CANDIDATES]],
            subject=value.observation.subject,
            decision=value.decision.value,
            entity_uuid=strawberry.ID(value.entity_uuid) if value.entity_uuid else None,
            code=value.code.value,
            reason=value.reason,
        )

    @strawberry.field(description=f"{MOST_CANDIDATES} at most.", metadata=sized(MOST_CANDIDATES))
    async def candidates(self, info: Info) -> list[Entity]:
        return await load_known(info, self.space, self.candidate_uuids)


@strawberry.type(description="An observation that waits for a decision, or waited.")
class PendingObservation:
    space: strawberry.Private[str]
    candidate_uuids: strawberry.Private[list[str]]
    id: strawberry.ID
    subject: str
    aliases: list[str] = strawberry.field(description=f"{MOST_OBSERVED} at most.", metadata=sized(MOST_OBSERVED))
    decision: str = strawberry.field(description=f"{listed(Decision)}.")
    code: str = strawberry.field(description="As that of a resolution.")
    reason: str
    run_id: strawberry.ID
    at: datetime
    statements: list[str] = strawberry.field(
        description=f"What was observed of it, {MOST_OBSERVED} at most.", metadata=sized(MOST_OBSERVED)
    )

    @classmethod
    def of(cls, value: StoredObservation, space: str) -> "PendingObservation":
        seen = value.resolution.observation
        return cls(
            space=space,
            candidate_uuids=[each.uuid for each in value.resolution.candidates[:MOST_CANDIDATES]],
            id=strawberry.ID(value.id),
            subject=seen.subject,
            aliases=list(seen.aliases[:MOST_OBSERVED]),
            decision=value.decision.value,
            code=value.resolution.code.value,
            reason=value.reason,
            run_id=strawberry.ID(value.run_id),
            at=value.at,
            statements=[
                *(each.text for each in seen.statements),
                *(f"{each.relation}: {each.target}" for each in seen.relations),
            ][:MOST_OBSERVED],
        )

    @strawberry.field(description=f"{MOST_CANDIDATES} at most.", metadata=sized(MOST_CANDIDATES))
    async def candidates(self, info: Info) -> list[Entity]:
        return await load_known(info, self.space, self.candidate_uuids)


@strawberry.type(description="What a run wrote, as the database counted it.")
class WriteCounts:
    entities: int
    aliases: int
    impressions: int
    features: int
    relations: int
    reinforced: int
    replaced: int


@strawberry.type(description="How far a run is, and what the model took.")
class RunProgress:
    batches: int
    batches_done: int
    batches_failed: int
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float = strawberry.field(description="Time of the model, all batches added up.")

    @classmethod
    def of(cls, value: runs.Run) -> "RunProgress":
        batches = value.batches
        return cls(
            batches=len(batches),
            batches_done=sum(each.status is BatchStatus.DONE for each in batches),
            batches_failed=sum(each.status is BatchStatus.FAILED for each in batches),
            prompt_tokens=_total([each.prompt_tokens for each in batches]),
            completion_tokens=_total([each.completion_tokens for each in batches]),
            seconds=sum(each.seconds for each in batches),
        )


def _total(numbers: list[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


@strawberry.type(description="The stored record of one pass: observed, decided, planned, written.")
class UpdateRun:
    value: strawberry.Private[runs.Run]
    id: strawberry.ID
    conversation: str
    origin: str = strawberry.field(description="ROLLING, SUBMITTED, DECISION or CURATION.")
    status: RunStatus
    reason: str | None
    created_at: datetime
    updated_at: datetime
    counts: WriteCounts
    progress: RunProgress
    notes: list[str] = strawberry.field(description=f"{MOST_NOTES} at most.", metadata=sized(MOST_NOTES))
    created: bool = strawberry.field(description="False when an equal run existed already.")

    @classmethod
    def of(cls, value: runs.Run, *, created: bool = True, notes: tuple[str, ...] = ()) -> "UpdateRun":
        counts = value.counts
        cuts = [cut for batch in value.batches for cut in batch.cut]
        return cls(
            value=value,
            id=strawberry.ID(value.id),
            conversation=value.conversation,
            origin=value.origin.value,
            status=value.status,
            reason=value.reason,
            created_at=value.created_at,
            updated_at=value.updated_at,
            counts=WriteCounts(
                entities=counts.entities,
                aliases=counts.aliases,
                impressions=counts.impressions,
                features=counts.features,
                relations=counts.relations,
                reinforced=counts.reinforced,
                replaced=counts.replaced,
            ),
            progress=RunProgress.of(value),
            notes=_told([*value.notes, *cuts, *notes]),
            created=created,
        )

    @strawberry.field(description="Why the plan cannot be applied as it is.", metadata=sized(MOST_IN_RUN, "first"))
    def violations(self, first: int = FIRST) -> list[Violation]:
        told = self.value.violations[: check_first(first, MOST_IN_RUN)]
        return [Violation(code=each.code, path=each.path, message=each.message) for each in told]

    @strawberry.field(metadata=sized(MOST_IN_RUN, "first"))
    def resolutions(self, first: int = FIRST) -> list[Resolution]:
        told = self.value.resolutions[: check_first(first, MOST_IN_RUN)]
        return [Resolution.of(each, self.value.space) for each in told]

    @strawberry.field(
        description="All that did not make it into the plan, with its code.", metadata=sized(MOST_IN_RUN, "first")
    )
    def dropped(self, first: int = FIRST) -> list[Dropped]:
        return [Dropped.of(each) for each in self.value.dropped[: check_first(first, MOST_IN_RUN)]]

    @strawberry.field(
        description="The plan as a diff: before it lands against what stands now, afterwards as it landed.",
        metadata=sized(MOST_STEPS, "first"),
    )
    async def steps(self, info: Info, first: int = 50) -> list[UpdateStep]:
        most = check_first(first, MOST_STEPS)
        found = await info.context.loaders.diff.load(self.value)
        return [UpdateStep.of(each, self.value.space) for each in found[:most]]

    @strawberry.field(
        description="What it observed; postponed ones can be decided.", metadata=sized(MOST_IN_RUN, "first")
    )
    async def observations(self, info: Info, first: int = 50) -> list[PendingObservation]:
        most = check_first(first, MOST_IN_RUN)
        found = await info.context.loaders.observations.load((self.value.space, self.value.id), most)
        return [PendingObservation.of(each, self.value.space) for each in found]


def _told(notes: list[str]) -> list[str]:
    if len(notes) <= MOST_NOTES:
        return notes
    return [*notes[: MOST_NOTES - 1], f"and {len(notes) - MOST_NOTES + 1} more"]


@strawberry.type
class UpdateRunEdge:
    node: UpdateRun
    cursor: str


@strawberry.type(description="Runs of a space, latest first.")
class UpdateRunConnection:
    edges: list[UpdateRunEdge] = strawberry.field(metadata=OF_PAGE)
    page_info: PageInfo


@strawberry.type(description="What an update would ask of the language model.")
class UpdateEstimate:
    batches: int
    prompt_characters: int


async def load_known(info: Info, space: str, uuids: list[str]) -> list[Entity]:
    """Return entities by id, without those that are gone."""
    found = await gather(*(find_entity(info, space, uuid) for uuid in uuids))
    return [entity for entity in found if entity]


UpdateRunResult = Annotated[
    UpdateRun | InvalidInput | NotFound | Conflict | NotConfigured | Unavailable, strawberry.union("UpdateRunResult")
]
