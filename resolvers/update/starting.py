"""A run before anything is observed: what it is about, what it shows, and what it was made of when it goes on later."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final
from uuid import uuid4

from pydantic import TypeAdapter

from graph.names import identity_key
from resolvers.update.batch import Batch, LabelledSource, batches
from resolvers.update.evidence import with_known_texts
from resolvers.update.intake import handed_in_labels
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.runs import BatchRecord, BatchStatus, ConfirmMode, Origin, Run, RunStatus, content_hash
from resolvers.update.seen import ActiveSource, Rolling

_REQUEST: Final[TypeAdapter[Any]] = TypeAdapter(tuple[Any, ...])


@dataclass(frozen=True, slots=True)
class Sent:
    """A caller's key, and what was sent under it: the same again is the same run."""

    key: str
    content: str
    """Hash of the request as it was sent, before anything was looked up for it."""


def sent_under(key: str, *request: object) -> Sent:
    """Return a key with the hash of a request, which may be anything that JSON can hold."""
    return Sent(key, blake2b(_REQUEST.dump_json(request), digest_size=16).hexdigest())


def new_run(
    space: str,
    conversation: str,
    origin: Origin,
    *,
    confirm: ConfirmMode,
    now: datetime,
    key: str | None = None,
    content: str = "",
) -> Run:
    """Return a run to be stored; without a key it has one that nothing else has."""
    return Run(
        id=uuid4().hex,
        space=space,
        conversation=conversation,
        origin=origin,
        confirm=confirm,
        status=RunStatus.OBSERVING,
        created_at=now,
        updated_at=now,
        key=key or str(uuid4()),
        content_hash=content,
    )


def rolled_run(
    space: str,
    rolling: Rolling,
    sources: Sequence[ActiveSource],
    *,
    confirm: ConfirmMode,
    now: datetime,
    key: str | None = None,
    batch_size: int,
) -> Run:
    """Return a run whose batches are to be observed."""
    content = content_hash(rolling.conversation, rolling)
    run = new_run(
        space, rolling.conversation, Origin.ROLLING, confirm=confirm, now=now, key=key or content, content=content
    )
    run = with_sources(run, sources)
    return replace(
        run,
        rolling=with_known_texts(space, rolling, sources),
        batches=batch_records(batches(sources, size=batch_size)),
        rolls=run.shown,
    )


def submitted_run(
    space: str,
    conversation: str,
    plans: Sequence[ImpressionObservationPlan],
    rolling: Rolling | None,
    sources: Sequence[ActiveSource],
    *,
    confirm: ConfirmMode,
    now: datetime,
    key: str | None = None,
) -> Run:
    """Return a run of handed-in plans: nothing of it is left to observe."""
    content = content_hash(conversation, rolling, plans)
    run = new_run(space, conversation, Origin.SUBMITTED, confirm=confirm, now=now, key=key or content, content=content)
    told = with_known_texts(space, rolling, sources) if rolling else None
    return replace(
        with_sources(run, sources),
        rolling=told,
        batches=tuple(BatchRecord(labels={}, status=BatchStatus.DONE, plan=plan) for plan in plans),
        rolls=handed_in_evidence(plans, told, sources),
    )


def failed_batches(run: Run) -> str | None:
    """Say how many of a run's batches failed, and why the first one did; None if none did."""
    failed = [record.failure for record in run.batches if record.status is BatchStatus.FAILED]
    return f"{len(failed)} of {len(run.batches)} batches failed: {failed[0]}" if failed else None


def was_landing(run: Run) -> bool:
    """Tell whether nobody's word was wanted any more when a run came to a stop."""
    if run.status is RunStatus.CONFIRMED:
        return True
    return run.status is RunStatus.PREPARED and run.confirm is ConfirmMode.AUTO and not run.violations


def with_sources(run: Run, sources: Sequence[ActiveSource]) -> Run:
    """Note whom a run looks at, and the evidence it shows."""
    shown = sorted({text.id for source in sources for text in source.evidence})
    return replace(run, shown=tuple(shown), sources=tuple(source.runtime_id for source in sources))


def handed_in_evidence(
    plans: Sequence[ImpressionObservationPlan], rolling: Rolling | None, sources: Sequence[ActiveSource]
) -> tuple[str, ...]:
    """Return the evidence that handed-in plans use up: of the sources they name, and what the rolling retells."""
    labels = handed_in_labels(sources)
    given = {label for plan in plans for seen in plan.observations for label in seen.sourceActiveRuntimeIds}
    named = {labels.get(label.strip()) or labels.get(identity_key(label)) for label in given}
    shown = {text.id for source in sources for text in source.evidence}
    used = {text.id for source in sources if source.runtime_id in named for text in source.evidence}
    told = {message.id for message in rolling.messages} if rolling else set()
    return tuple(sorted(used | (told & shown)))


def batch_records(made: Sequence[Batch]) -> tuple[BatchRecord, ...]:
    """Return batches as a run keeps them, nothing observed yet."""
    return tuple(BatchRecord(labels=batch.labels) for batch in made)


def batches_of(run: Run, sources: Sequence[ActiveSource]) -> tuple[Batch, ...]:
    """Return the batches as they were made at the start, whatever the conversation has become since."""
    by_id = {source.runtime_id: source for source in sources}
    return tuple(
        Batch(
            number,
            tuple(
                LabelledSource(label, by_id[runtime_id])
                for label, runtime_id in record.labels.items()
                if runtime_id in by_id
            ),
        )
        for number, record in enumerate(run.batches)
    )
