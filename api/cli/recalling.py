"""The commands `recall`, `why-not` and `project`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

from rich.console import Group
from rich.text import Text

from api.cli.matches import match_document, recall_document, render_match, render_recall
from api.cli.output import Output, plain
from api.cli.progress import stages
from api.cli.running import run
from api.settings import Settings
from api.wiring import Service, open_service
from graph.errors import InvalidInput
from graph.names import check_name
from resolvers.project import Projection
from resolvers.recall.values import Match, VectorPolicy
from resolvers.requests import projection_input, question


@asynccontextmanager
async def opened(output: Output, settings: Settings) -> AsyncIterator[Service]:
    """Open a service for one command, showing what the start is waiting for."""
    async with AsyncExitStack() as stack:
        with stages(output.err) as progress:
            service = await stack.enter_async_context(open_service(settings, progress=progress))
        yield service


def recall(
    output: Output,
    text: str,
    *,
    space: str,
    conversation: str,
    speaker: str | None,
    limit: int,
    vector: VectorPolicy,
) -> None:
    """Show what a text is about."""

    async def work(settings: Settings) -> None:
        asked = question(
            text,
            now=datetime.now(UTC),
            space=space,
            conversation=conversation,
            speaker=speaker,
            limit=limit,
            vector=vector,
        )
        async with opened(output, settings) as service:
            found = await service.recall.recall(asked)
        output.result(recall_document(found), lambda: render_recall(found))

    run(output, work)


def why_not(output: Output, text: str, entity: str, *, space: str, conversation: str) -> None:
    """Show the signals of one entity, and the rule that attached it or cut it."""

    async def work(settings: Settings) -> None:
        asked = question(text, now=datetime.now(UTC), space=space, conversation=conversation)
        name = check_name(entity, "ENTITY")
        async with opened(output, settings) as service:
            match = await service.recall.why_not(asked, await _uuid(service, name, space))
        output.result(match_document(match), lambda: Group(*_why(match)))

    run(output, work)


def _why(match: Match) -> list[Text]:
    if not match.signals:
        return [Text.assemble(f"○ {match.subject or match.target.id}  ", (match.reason, "dim"))]
    return list(render_match(match))


async def _uuid(service: Service, entity: str, space: str) -> str:
    """Return the uuid that a name leads to; what is nobody's name is taken for a uuid."""
    bearers = await service.reader.by_name(space, entity)
    if len(bearers) > 1:
        told = ", ".join(f"{each.uuid} ({each.subject})" for each in bearers)
        raise InvalidInput("NAME_AMBIGUOUS", "ENTITY", f"several bear this name, give one's uuid: {told}")
    return bearers[0].uuid if bearers else entity


def project(
    output: Output, text: str, *, space: str, conversation: str, speaker: str | None, mentions: Sequence[str]
) -> None:
    """Project a text, and show what it was attached to."""

    async def work(settings: Settings) -> None:
        given = projection_input(
            text,
            now=datetime.now(UTC),
            space=space,
            conversation=conversation,
            speaker=speaker,
            mentions=mentions,
        )
        async with opened(output, settings) as service:
            projection = await service.projector.project(given)
        document = {
            **recall_document(projection.recall),
            "linked": plain(projection.linked),
            "evidenceUuid": projection.evidence_uuid,
            "created": projection.created,
            "reason": projection.reason,
            "notes": list(projection.notes),
        }
        output.result(document, lambda: Group(render_recall(projection.recall), outcome(projection)))

    run(output, work)


def outcome(projection: Projection) -> Text:
    """Say in a line what became of an input."""
    linked, opened = len(projection.linked), sum(each.opened for each in projection.linked)
    if not linked:
        return Text(f"→ kept nowhere: {projection.reason}", style="dim")
    entities = "active entity" if linked == 1 else "active entities"
    return Text(f"→ evidence of {linked} {entities}, {opened} of them new", style="dim")
