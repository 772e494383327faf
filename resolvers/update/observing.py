"""Observe all batches of a run: concurrently, each one's result kept as it comes, no transaction held meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from resolvers.update.batch import Batch
from resolvers.update.observer_port import ObservationFailed, Observed, Observer
from resolvers.update.runs import BatchRecord, BatchStatus, Run
from resolvers.update.seen import Rolling


async def observe_batches(
    observer: Observer, run: Run, rolling: Rolling, batches: Sequence[Batch], keep: Callable[[Run], Awaitable[None]]
) -> Run:
    """Observe the batches of a run that are not done yet, and return the run with what came of each.

    Args:
        observer: whom to ask.
        run: the run as it stands.
        rolling: what was said.
        batches: all of the run's.
        keep: takes the run after each batch; what it raises ends the work.
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
            await keep(run)
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
