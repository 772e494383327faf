"""What the commands around updates do."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from api.cli.exits import ExitCode
from api.cli.output import Output, plain
from api.cli.recalling import opened
from api.cli.running import run
from api.cli.told_runs import render_pending, render_run, render_runs, run_document
from api.settings import Settings
from api.wiring import Service
from graph.checks import check_space, check_text
from graph.errors import InvalidInput
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.pipeline import UpdatePipeline
from resolvers.update.requests import Message, idempotency_key, observation_plans, rolling
from resolvers.update.runs import BatchStatus, ConfirmMode, Run, RunStatus
from resolvers.update.seen import Decision, Rolling

POLL_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class How:
    """How an update is to be run."""

    observations: Path | None
    preview: bool
    manual: bool
    estimate: bool
    key: str | None


class _FileMessage(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")

    role: str
    text: str
    at: datetime | None = None
    speaker: str | None = None


class _FileRolling(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")

    summary: str
    id: str | None = None
    conversation: str = "default"
    messages: list[_FileMessage] = []
    started_at: datetime | None = None
    ended_at: datetime | None = None


def update(output: Output, file: Path, *, space: str, how: How) -> None:
    """Run an update from a file."""

    async def work(settings: Settings) -> None:
        told = read_rolling(file, now=datetime.now(UTC))
        plans = read_plans(how.observations) if how.observations else None
        check_space(space)
        async with opened(output, settings) as service:
            if how.estimate:
                estimate = await service.pipeline.estimate(space, told)
                words = f"{estimate.batches} batches, {estimate.prompt_characters} characters of prompts"
                output.result(plain(estimate), lambda: Text(words))
                return
            if how.preview:
                shown = await _preview(output, service, space, told, plans)
            else:
                shown = await _run(output, service, space, told, plans=plans, how=how)
            diff = await service.runs.diff(shown)
        output.result(run_document(shown, diff), lambda: render_run(shown, diff))
        _end_as(shown)

    run(output, work)


def _end_as(shown: Run) -> None:
    """End with a code that says so where a run came to nothing for the time being, or for good."""
    if shown.status is RunStatus.PARTIAL:
        raise typer.Exit(ExitCode.UNAVAILABLE)
    if shown.status is RunStatus.FAILED:
        raise typer.Exit(ExitCode.NOT_FOUND)


async def _run(
    output: Output,
    service: Service,
    space: str,
    told: Rolling,
    *,
    plans: tuple[ImpressionObservationPlan, ...] | None,
    how: How,
) -> Run:
    confirm = ConfirmMode.MANUAL if how.manual else ConfirmMode.AUTO
    key = idempotency_key(how.key)
    pipeline = service.pipeline
    if plans is not None:
        done = await pipeline.submit(space, told.conversation, plans, rolling=told, confirm=confirm, key=key)
        return done.run
    started = await pipeline.start(space, told, confirm=confirm, key=key)
    if not started.created:
        output.say("the same was sent before: this is its run")
        return await pipeline.go_on(started)
    return await _with_progress(output, service, started.run)


async def _preview(
    output: Output, service: Service, space: str, told: Rolling, plans: tuple[ImpressionObservationPlan, ...] | None
) -> Run:
    with _bar(output) as bar:
        task = bar.add_task("observing", visible=plans is None)

        async def watch(run: Run) -> None:
            bar.update(task, total=len(run.batches), completed=_observed(run))

        return await service.pipeline.preview(space, told, plans, watch=watch)


async def _with_progress(output: Output, service: Service, started: Run) -> Run:
    """Work on a run, showing each batch as it is done."""
    working = asyncio.create_task(service.pipeline.work(started))
    with _bar(output) as bar:
        task = bar.add_task("observing", total=len(started.batches))
        while not (await asyncio.wait([working], timeout=POLL_SECONDS))[0]:
            stands = await service.runs.run(started.space, started.id)
            bar.update(task, completed=_observed(stands))
    return await working


def _bar(output: Output) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, console=output.err, transient=True)


def _observed(run: Run) -> int:
    return sum(each.status is not BatchStatus.WAITING for each in run.batches)


def read_rolling(file: Path, *, now: datetime) -> Rolling:
    """Read a rolling from a JSON file.

    Raises:
        InvalidInput: it cannot be read, or is no rolling.
    """
    try:
        given = _FileRolling.model_validate(_read(file))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise InvalidInput("ROLLING_INVALID", f"{file.name}:{where}", fault["msg"]) from error
    return rolling(
        given.summary,
        [Message(each.role, each.text, each.at, each.speaker) for each in given.messages],
        now=now,
        conversation=given.conversation,
        id=given.id,
        started_at=given.started_at,
        ended_at=given.ended_at,
    )


def read_plans(file: Path) -> tuple[ImpressionObservationPlan, ...]:
    """Read observation plans from a JSON file: one plan, or a list of them.

    Raises:
        InvalidInput: it cannot be read, or holds something else.
    """
    given = _read(file)
    return observation_plans(given if isinstance(given, list) else [given], path=file.name)


def _read(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidInput("FILE_UNREADABLE", str(file), error.strerror or "cannot be read") from error
    except ValueError as error:
        raise InvalidInput("INVALID_JSON", str(file), f"this is no JSON: {error}") from error


def move(output: Output, what: Callable[[UpdatePipeline], Awaitable[Run]]) -> None:
    """Move a run on, and show it."""

    async def work(settings: Settings) -> None:
        async with opened(output, settings) as service:
            moved = await what(service.pipeline)
            await _show(output, service, moved)
        _end_as(moved)

    run(output, work)


async def _show(output: Output, service: Service, shown: Run) -> None:
    diff = await service.runs.diff(shown)
    output.result(run_document(shown, diff), lambda: render_run(shown, diff))


def show_run(output: Output, run_id: str, *, space: str) -> None:
    """Show one run."""

    async def work(settings: Settings) -> None:
        async with opened(output, settings) as service:
            await _show(
                output, service, await service.runs.run(check_space(space), check_text(run_id, "RUN", longest=200))
            )

    run(output, work)


def list_runs(output: Output, *, space: str, status: RunStatus | None, limit: int) -> None:
    """List runs."""

    async def work(settings: Settings) -> None:
        async with opened(output, settings) as service:
            page = await service.runs.page(check_space(space), first=limit, before=None, status=status)
        documents = [run_document(each, ()) for each in page.runs]
        output.result(documents, lambda: render_runs(page.runs))

    run(output, work)


def list_pending(output: Output, *, space: str, limit: int, skip: int) -> None:
    """List the observations that wait, and say how many more there are."""

    async def work(settings: Settings) -> None:
        async with opened(output, settings) as service:
            found = await service.runs.pending(check_space(space), first=limit, skip=skip)
            total = await service.runs.count_pending(space)
        if len(found) < total:
            output.say(f"{len(found)} of {total} that wait, latest first; see --limit and --skip")
        output.result(plain(list(found)), lambda: render_pending(found))

    run(output, work)


def decide(output: Output, observation: str, *, space: str, entity: str | None, create: bool, discard: bool) -> None:
    """Decide a pending observation."""
    if [entity is not None, create, discard].count(True) != 1:
        output.say("error: give exactly one of --entity UUID, --create and --discard")
        raise typer.Exit(2)
    decision = Decision.UPDATE if entity is not None else Decision.CREATE if create else Decision.DISCARDED
    move(output, lambda pipeline: pipeline.decide(space, observation, decision, entity))


def forget(output: Output, entity: str, *, space: str, sure: bool) -> None:
    """Forget an entity."""
    if not sure:
        typer.confirm(f"Forget {entity} for good?", abort=True, err=True)

    async def work(settings: Settings) -> None:
        async with opened(output, settings) as service:
            done = await service.pipeline.forget(check_space(space), check_text(entity, "ENTITY", longest=200))
        document = {**run_document(done.run, ()), "mentions": list(done.mentions)}
        output.result(document, lambda: _forgotten(done.run, done.mentions))

    run(output, work)


def _forgotten(done: Run, mentions: Sequence[str]) -> Text:
    lines = [*done.notes, *(f"still mentions it: {each}" for each in mentions)]
    return Text("\n".join(lines))
