"""The commands of `impressions`, as the command line sees them.

What a command runs is imported when it runs: the embedding library alone takes seconds, and `--help` needs none of it.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer
import typer.main

from api.cli.exits import MEANINGS, ExitCode
from api.cli.options import Conversation, Json, Space, Speaker
from api.cli.output import Output
from api.cli.update_commands import updates
from resolvers.recall.values import VectorPolicy

app = typer.Typer(
    name="impressions",
    help="A memory of who and what an agent's conversations are about.",
    epilog=f"{MEANINGS} Settings are environment variables: see docs/settings.md.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
neo4j = typer.Typer(help="The managed Neo4j.", no_args_is_help=True)
app.add_typer(neo4j, name="neo4j")
app.add_typer(updates)

Text = Annotated[str, typer.Argument(metavar="TEXT", help="What was said.")]


def main() -> None:
    """Run the command line and exit."""
    typer.main.get_command(app)()


@app.command()
def serve(*, json: Json = False) -> None:
    """Serve GraphQL until Ctrl-C or SIGTERM, on the managed Neo4j or on the one NEO4J_URI names."""
    from api.cli import serving

    serving.serve_until_told(Output(json))


@app.command()
def demo(
    *,
    leave: Annotated[bool, typer.Option("--exit", help="End when the conversations are over.")] = False,
    json: Json = False,
) -> None:
    """Load two small memories, talk about them, show what each turn recalls and why, and go on serving."""
    from api.cli import serving

    serving.demonstrate(Output(json), stay=not leave)


@app.command()
def recall(
    text: Text,
    *,
    space: Space = "default",
    conversation: Conversation = "default",
    speaker: Speaker = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Matches at most; attached ones are always shown.")] = 8,
    vector: Annotated[
        VectorPolicy, typer.Option("--vector", case_sensitive=False, help="When to compare meanings, too.")
    ] = VectorPolicy.AUTO,
    json: Json = False,
) -> None:
    """Tell which entities a text is about, and why. Writes nothing."""
    from api.cli import recalling

    recalling.recall(
        Output(json), text, space=space, conversation=conversation, speaker=speaker, limit=limit, vector=vector
    )


@app.command("why-not")
def why_not(
    text: Text,
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="Its name or uuid.")],
    *,
    space: Space = "default",
    conversation: Conversation = "default",
    json: Json = False,
) -> None:
    """Tell why a text does not recall an entity, or does: its signals and the rule."""
    from api.cli import recalling

    recalling.why_not(Output(json), text, entity, space=space, conversation=conversation)


@app.command()
def project(
    text: Text,
    *,
    space: Space = "default",
    conversation: Conversation = "default",
    speaker: Speaker = None,
    mention: Annotated[list[str] | None, typer.Option("--mention", help="Names it for certain; repeatable.")] = None,
    json: Json = False,
) -> None:
    """Attach a text to what it is about, as a turn of a conversation."""
    from api.cli import recalling

    recalling.project(
        Output(json), text, space=space, conversation=conversation, speaker=speaker, mentions=mention or []
    )


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSONL; - reads standard input.")],
    *,
    space: Space = "default",
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first line that cannot be taken.")] = False,
    create_targets: Annotated[
        bool, typer.Option("--create-targets", help="Make entities of relation targets that nobody bears.")
    ] = False,
    json: Json = False,
) -> None:
    """Add a file of entities, one a line, to a space. The same file again changes nothing."""
    from api.cli import transferring

    transferring.take_in(Output(json), file, space=space, strict=strict, create_targets=create_targets)


@app.command()
def export(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", dir_okay=False, help="Where to; standard output without it, or for -."),
    ] = None,
    *,
    space: Space = "default",
    json: Json = False,
) -> None:
    """Write all a space knows for long, one entity a line, as an import reads it."""
    from api.cli import transferring

    transferring.give_out(Output(json), file, space=space)


@app.command("reindex")
def reindex_(
    *,
    check: Annotated[bool, typer.Option("--check", help="Only tell how much there is to do.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also where the model is the same as before.")] = False,
    json: Json = False,
) -> None:
    """Embed everything anew after a change of IMPRESSIONS_EMBEDDING_MODEL. Interrupted, it goes on when run again."""
    from api.cli import reindexing

    if check:
        reindexing.look_ahead(Output(json), force=force)
    else:
        reindexing.embed_anew(Output(json), force=force)


@app.command()
def doctor(
    *,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read the whole database, too, and see that it is sound.")
    ] = False,
    json: Json = False,
) -> None:
    """Look at everything the service needs, and say what to do where something is wrong. Changes nothing."""
    from api.cli import checkup

    checkup.doctor(Output(json), deep=deep)


@app.command()
def schema(
    *, check: Annotated[bool, typer.Option("--check", help="Compare with the tracked file instead.")] = False
) -> None:
    """Print the GraphQL schema."""
    from api.schema import PRINTED, printed

    text = printed()
    if not check:
        sys.stdout.write(text)
    elif PRINTED.read_text(encoding="utf-8") != text:
        Output().say(f"error: {PRINTED} is not what the code says: impressions schema > api/schema.graphql")
        raise typer.Exit(ExitCode.REFUSED)


@neo4j.command()
def start(*, json: Json = False) -> None:
    """Start it, to run until `stop` whoever comes and goes."""
    from api.cli import database

    database.start(Output(json))


@neo4j.command()
def stop(
    *,
    force: Annotated[bool, typer.Option("--force", help="Also while a service uses it.")] = False,
    json: Json = False,
) -> None:
    """Stop it, unless a service uses it."""
    from api.cli import database

    database.stop(Output(json), force=force)


@neo4j.command()
def status(
    *,
    password: Annotated[bool, typer.Option("--password", help="Show the password of user neo4j as well.")] = False,
    json: Json = False,
) -> None:
    """Tell whether it runs, where, and who uses it."""
    from api.cli import database

    database.status(Output(json), password=password)
