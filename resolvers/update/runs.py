"""The stored record of one pass: what was observed, decided, planned and written, and how it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Final

from pydantic import TypeAdapter

from resolvers.update.diff import ShownStep
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.seen import AggregatedObservation, Decision, Dropped, Resolution, Rolling
from resolvers.update.steps import Step, UpdatePlan, Violation


class RunStatus(StrEnum):
    """Where a run stands.

    OBSERVING -> PARTIAL (a batch failed) or PREPARED -> CONFIRMED -> APPLIED; or NO_CHANGE, REJECTED, FAILED; an
    applied one may become UNDONE.
    """

    OBSERVING = "OBSERVING"
    PARTIAL = "PARTIAL"
    PREPARED = "PREPARED"
    CONFIRMED = "CONFIRMED"
    APPLIED = "APPLIED"
    NO_CHANGE = "NO_CHANGE"
    REJECTED = "REJECTED"
    UNDONE = "UNDONE"
    FAILED = "FAILED"


KEY_FREE: Final = frozenset({RunStatus.REJECTED, RunStatus.FAILED, RunStatus.UNDONE})
"""A run that ended so frees its key: the same may be sent again."""


class Origin(StrEnum):
    """What a run came from."""

    ROLLING = "ROLLING"
    SUBMITTED = "SUBMITTED"
    DECISION = "DECISION"
    CURATION = "CURATION"


class ConfirmMode(StrEnum):
    """Whether a valid plan lands by itself."""

    AUTO = "AUTO"
    MANUAL = "MANUAL"


class BatchStatus(StrEnum):
    """How far one batch is."""

    WAITING = "WAITING"
    DONE = "DONE"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch of active entities and what was observed of it."""

    labels: Mapping[str, str]
    """Runtime id by label; for handed-in plans, by what the agent may call it."""
    status: BatchStatus = BatchStatus.WAITING
    plan: ImpressionObservationPlan | None = None
    failure: str | None = None
    """Code and message of the failure."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0
    cut: tuple[str, ...] = ()
    """What the model said beyond the bounds of a plan, in sentences."""


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What an applied run wrote, as counted by the database and read back."""

    entities: int = 0
    aliases: int = 0
    impressions: int = 0
    features: int = 0
    relations: int = 0
    reinforced: int = 0
    replaced: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One run as it is stored."""

    id: str
    space: str
    conversation: str
    origin: Origin
    confirm: ConfirmMode
    status: RunStatus
    created_at: datetime
    updated_at: datetime
    key: str | None = None
    content_hash: str = ""
    reason: str | None = None
    rolling: Rolling | None = None
    """Kept only while it is needed to observe or to apply."""
    batches: tuple[BatchRecord, ...] = ()
    plan: UpdatePlan | None = None
    resolutions: tuple[Resolution, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    violations: tuple[Violation, ...] = ()
    counts: WriteCounts = field(default_factory=WriteCounts)
    shown: tuple[str, ...] = ()
    """Uuids of the evidence that quotes may come from: all that was live when the run began."""
    rolls: tuple[str, ...] = ()
    """Those of it that are rolled when the run ends well: what the observer saw, or what a handed-in plan is about."""
    sources: tuple[str, ...] = ()
    """Runtime ids of the active entities it looked at."""
    notes: tuple[str, ...] = ()
    lease_until: datetime | None = field(default=None, compare=False)
    """Until when it is in work; read only, the lease is kept beside the run."""


_JSON: Final[Mapping[str, TypeAdapter[Any]]] = {
    "rolling": TypeAdapter(Rolling | None),
    "batches": TypeAdapter(tuple[BatchRecord, ...]),
    "plan": TypeAdapter(UpdatePlan | None),
    "resolutions": TypeAdapter(tuple[Resolution, ...]),
    "dropped": TypeAdapter(tuple[Dropped, ...]),
    "violations": TypeAdapter(tuple[Violation, ...]),
    "counts": TypeAdapter(WriteCounts),
}
_PIECES: Final[Mapping[str, TypeAdapter[Any]]] = {
    "batches": TypeAdapter(BatchRecord),
    "resolutions": TypeAdapter(Resolution),
    "dropped": TypeAdapter(Dropped),
    "violations": TypeAdapter(Violation),
    "plan.steps": TypeAdapter(Step),
    "plan.dropped": TypeAdapter(Dropped),
    "plan.postponed": TypeAdapter(Resolution),
}
"""Writes one of each list that may be long."""

_ANY: Final[TypeAdapter[Any]] = TypeAdapter(Any)


def _json(name: str, value: Any) -> str:
    """Write one part of a run, a list piece by piece: nothing else of this process runs while one piece is written."""
    if isinstance(value, UpdatePlan):
        parts = (f'"{each.name}":{_listed(f"plan.{each.name}", getattr(value, each.name))}' for each in fields(value))
        return "{" + ",".join(parts) + "}"
    return _listed(name, value) if name in _PIECES else _JSON[name].dump_json(value).decode()


def _listed(name: str, values: Sequence[object]) -> str:
    return "[" + ",".join(_PIECES[name].dump_json(each).decode() for each in values) + "]"


def properties(run: Run) -> dict[str, object]:
    """Return a run as the properties of its node; structured parts as JSON."""
    return {
        "runId": run.id,
        "space": run.space,
        "conversation": run.conversation,
        "origin": run.origin.value,
        "confirm": run.confirm.value,
        "status": run.status.value,
        "createdAt": run.created_at,
        "updatedAt": run.updated_at,
        "key": None if run.status in KEY_FREE else run.key,
        "contentHash": run.content_hash,
        "reason": run.reason,
        "shown": list(run.shown),
        "rolls": list(run.rolls),
        "sources": list(run.sources),
        "notes": list(run.notes),
        **{name: _json(name, getattr(run, name)) for name in _JSON},
    }


def content_hash(conversation: str, rolling: Rolling | None, plans: Sequence[ImpressionObservationPlan] = ()) -> str:
    """Return what makes an update the same: conversation, times, summary and messages, and handed-in plans."""
    told = (
        [rolling.summary, rolling.started_at, rolling.ended_at]
        + [(each.role.value, each.text, each.speaker) for each in rolling.messages]
        if rolling
        else None
    )
    sent = [conversation, told, [plan.model_dump(mode="json") for plan in plans]]
    return blake2b(_ANY.dump_json(sent), digest_size=16).hexdigest()


def ended(run: Run, status: RunStatus, at: datetime, **changes: Any) -> Run:
    """Return a run at its end: what only served to get there, the rolled texts first of all, is not kept."""
    return replace(run, status=status, updated_at=at, rolling=None, **changes)


def in_work(run: Run) -> Run:
    """Return a run with a note until when somebody else works on it, at the latest."""
    if run.lease_until is None:
        return run
    until = f"in work elsewhere until {run.lease_until:%H:%M:%S} UTC at the latest: look at it again then"
    return replace(run, notes=(*run.notes, until))


def run_of(stored: Mapping[str, Any]) -> Run:
    """Read a run from the properties of its node."""
    return Run(
        id=stored["runId"],
        space=stored["space"],
        conversation=stored["conversation"],
        origin=Origin(stored["origin"]),
        confirm=ConfirmMode(stored["confirm"]),
        status=RunStatus(stored["status"]),
        created_at=stored["createdAt"],
        updated_at=stored["updatedAt"],
        key=stored.get("key"),
        content_hash=stored.get("contentHash", ""),
        reason=stored.get("reason"),
        shown=tuple(stored.get("shown", ())),
        rolls=tuple(stored.get("rolls", ())),
        sources=tuple(stored.get("sources", ())),
        notes=tuple(stored.get("notes", ())),
        lease_until=stored.get("leaseUntil"),
        **{name: adapter.validate_json(stored[name]) for name, adapter in _JSON.items() if name in stored},
    )


@dataclass(frozen=True, slots=True)
class PendingObservation:
    """An observation as it is stored."""

    id: str
    run_id: str
    at: datetime
    resolution: Resolution
    decision: Decision
    """What it is decided to by now; POSTPONED while it waits."""
    reason: str
    """Why it waits, or was decided so."""


SHOWN_STEP: Final[TypeAdapter[ShownStep]] = TypeAdapter(ShownStep)
"""Reads and writes a step's diff as JSON."""
_RESOLUTION: Final[TypeAdapter[Resolution]] = TypeAdapter(Resolution)


def pending_of(stored: Mapping[str, Any], run_id: str, decided_by: str | None = None) -> PendingObservation:
    """Read an observation of a run from the properties of its node, and which later run has decided it."""
    return PendingObservation(
        id=stored["observationId"],
        run_id=run_id,
        at=stored["at"],
        resolution=_RESOLUTION.validate_json(stored["payload"]),
        decision=Decision(stored["decision"]),
        reason=f"decided by run {decided_by}" if decided_by else stored["reason"],
    )


def settled_by(run: Run) -> list[dict[str, str]]:
    """Return the pending observations of earlier runs that a run decides once it has landed, and how.

    One that waits on with nothing new to it is in the plan, but not among the run's own resolutions.
    """
    # Few of thousands are pending ones of earlier runs, and these are looked up, not each compared with each.
    own = frozenset(each for each in run.resolutions if each.observation.pending)
    stay = {
        waiting
        for each in (run.plan.postponed if run.plan else ())
        if each.observation.pending and each not in own
        for waiting in each.observation.pending
    }
    return [
        {
            "observationId": settled,
            "decision": (Decision.DISCARDED if each.decision is Decision.POSTPONED else each.decision).value,
        }
        for each in run.resolutions
        for settled in sorted(each.observation.pending - stay)
    ]


def evidence_of(seen: AggregatedObservation) -> frozenset[str]:
    """Return the ids of all texts that an observation rests on."""
    return seen.evidence.union(*(each.sources for each in seen.statements), *(each.sources for each in seen.relations))


def observations_of(run: Run, new_id: Sequence[str]) -> list[dict[str, object]]:
    """Return what was observed as nodes of its own: they can be listed, and decided while they are pending."""
    return [
        {
            "observationId": uuid,
            "subject": resolution.observation.subject,
            "aliases": list(resolution.observation.aliases),
            "decision": resolution.decision.value,
            "code": resolution.code.value,
            "reason": resolution.reason,
            "candidates": [candidate.uuid for candidate in resolution.candidates],
            "payload": _RESOLUTION.dump_json(resolution).decode(),
            "sources": sorted(resolution.observation.sources),
            "cites": sorted(evidence_of(resolution.observation)) if resolution.decision is Decision.POSTPONED else [],
        }
        for uuid, resolution in zip(new_id, run.resolutions, strict=True)
    ]
