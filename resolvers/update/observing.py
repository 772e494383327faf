"""Observe all batches of a run: concurrently, each one's result stored as it comes, no transaction held meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from resolvers.update.batch import Batch
from resolvers.update.observer_port import ObservationFailed, Observed, Observer
from resolvers.update.run_store import RunStore
from resolvers.update.runs import BatchRecord, BatchStatus, Run, RunStatus
from resolvers.update.seen import Rolling


async def observe_batches(
    runs: RunStore, observer: Observer, run: Run, rolling: Rolling, batches: Sequence[Batch]
) -> Run:
    """Observe the batches of a run that are not done yet, and return the run with what came of each.

    Raises:
        Conflict: another process has taken the run over.
        Unavailable: the database does not answer.
    """
    waiting = [
        asyncio.create_task(_observe(observer, rolling, batch))
        for batch, record in zip(batches, run.batches, strict=True)
        if record.status is not BatchStatus.DONE
    ]
    try:
        for finished in asyncio.as_completed(waiting):
            number, record = await finished
            records = list(run.batches)
            records[number] = replace(record, labels=records[number].labels)
            run = replace(run, batches=tuple(records))
            await runs.save(run, expected=[RunStatus.OBSERVING], working=True)
    finally:
        for task in waiting:
            task.cancel()
    return run


async def _observe(observer: Observer, rolling: Rolling, batch: Batch) -> tuple[int, BatchRecord]:
    try:
        seen = await observer.observe(rolling, [(each.label, each.source) for each in batch.sources])
    except ObservationFailed as failed:
        return batch.number, BatchRecord(
            labels={},
            status=BatchStatus.FAILED,
            failure=str(failed),
            prompt_tokens=failed.prompt_tokens,
            completion_tokens=failed.completion_tokens,
            seconds=failed.seconds,
        )
    return batch.number, _record(seen)


def _record(seen: Observed) -> BatchRecord:
    return BatchRecord(
        labels={},
        status=BatchStatus.DONE,
        plan=seen.plan,
        prompt_tokens=seen.prompt_tokens,
        completion_tokens=seen.completion_tokens,
        seconds=seen.seconds,
        cut=tuple(each.message for each in seen.cut),
    )
