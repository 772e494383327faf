"""The commands around updates, as the command line sees them."""

from pathlib import Path
from typing import Annotated

import typer

from api.cli.options import Json, Space
from api.cli.output import Output
from resolvers.update.runs import RunStatus

updates = typer.Typer()

RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run.")]


@updates.command()
def update(
    file: Annotated[Path, typer.Argument(metavar="ROLLING", help="JSON: summary and messages; see docs/updates.md.")],
    *,
    space: Space = "default",
    observations: Annotated[
        Path | None, typer.Option("--observations", help="Observations made elsewhere, instead of asking a model.")
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show the plan and throw it away.")] = False,
    manual: Annotated[bool, typer.Option("--manual", help="Show the plan and keep it for `confirm`.")] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what the model would be asked; ask nothing.")
    ] = False,
    key: Annotated[str | None, typer.Option("--key", help="What makes the same update the same run.")] = None,
    json: Json = False,
) -> None:
    """Turn a rolled slice of a conversation into long-term memory."""
    from api.cli import updating

    how = updating.How(observations=observations, preview=preview, manual=manual, estimate=estimate, key=key)
    updating.update(Output(json), file, space=space, how=how)


@updates.command()
def runs(
    *,
    space: Space = "default",
    status: Annotated[RunStatus | None, typer.Option("--status", case_sensitive=False, help="Only these.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="How many.")] = 20,
    json: Json = False,
) -> None:
    """List the runs of a space, latest first."""
    from api.cli import updating

    updating.list_runs(Output(json), space=space, status=status, limit=limit)


@updates.command()
def run(run_id: RunId, *, space: Space = "default", json: Json = False) -> None:
    """Show one run: its plan as a diff, what was decided and what was left out."""
    from api.cli import updating

    updating.show_run(Output(json), run_id, space=space)


@updates.command()
def confirm(run_id: RunId, *, space: Space = "default", json: Json = False) -> None:
    """Land a prepared plan."""
    from api.cli import updating

    updating.move(Output(json), lambda pipeline: pipeline.confirm(space, run_id))


@updates.command()
def reject(
    run_id: RunId,
    *,
    space: Space = "default",
    reason: Annotated[str | None, typer.Option("--reason", help="Why.")] = None,
    json: Json = False,
) -> None:
    """Throw a prepared or partial run away."""
    from api.cli import updating

    updating.move(Output(json), lambda pipeline: pipeline.reject(space, run_id, reason))


@updates.command()
def resume(run_id: RunId, *, space: Space = "default", json: Json = False) -> None:
    """Observe the failed batches of a partial run, or go on with an abandoned one."""
    from api.cli import updating

    updating.move(Output(json), lambda pipeline: pipeline.resume(space, run_id))


@updates.command()
def undo(run_id: RunId, *, space: Space = "default", json: Json = False) -> None:
    """Take an applied run back."""
    from api.cli import updating

    updating.move(Output(json), lambda pipeline: pipeline.undo(space, run_id))


@updates.command()
def pending(
    *,
    space: Space = "default",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="How many.")] = 500,
    skip: Annotated[int, typer.Option("--skip", min=0, help="How many of the latest to leave out.")] = 0,
    json: Json = False,
) -> None:
    """List the observations that wait for a decision, latest first."""
    from api.cli import updating

    updating.list_pending(Output(json), space=space, limit=limit, skip=skip)


@updates.command()
def decide(
    observation: Annotated[str, typer.Argument(metavar="OBSERVATION", help="Id of a pending observation.")],
    *,
    space: Space = "default",
    entity: Annotated[str | None, typer.Option("--entity", help="It is about the entity with this uuid.")] = None,
    create: Annotated[bool, typer.Option("--create", help="It is about somebody new.")] = False,
    discard: Annotated[bool, typer.Option("--discard", help="Throw it away.")] = False,
    json: Json = False,
) -> None:
    """Decide a pending observation."""
    from api.cli import updating

    updating.decide(Output(json), observation, space=space, entity=entity, create=create, discard=discard)


@updates.command()
def forget(
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="Its uuid.")],
    *,
    space: Space = "default",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Forget an entity for good. This cannot be undone."""
    from api.cli import updating

    updating.forget(Output(json), entity, space=space, sure=yes)
