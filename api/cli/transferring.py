"""The commands `import` and `export`."""

import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

import typer
from rich.text import Text

from api.cli.exits import ExitCode
from api.cli.output import Output
from api.cli.progress import counting, stages
from api.cli.recalling import opened
from api.cli.running import run
from api.settings import Settings
from api.wiring import open_store
from graph.checks import check_space
from graph.errors import InvalidInput
from resolvers.transfer.exporting import export_entities
from resolvers.transfer.importing import import_entities
from resolvers.transfer.lines import lines_of
from resolvers.transfer.report import ImportReport, Progress

_REFUSED_SHOWN = 20
"""Exported lines between two words about it."""


def take_in(output: Output, file: Path, *, space: str, strict: bool, create_targets: bool) -> None:
    """Import a file, show what it changed, and fail if a line was refused."""

    async def work(settings: Settings) -> ImportReport:
        check_space(space)
        async with AsyncExitStack() as open_:
            source, size = open_.enter_context(_source(file))
            service = await open_.enter_async_context(opened(output, settings))
            show = open_.enter_context(counting(output.err, f"Importing {file.name}"))

            def tell(progress: Progress) -> None:
                if progress.relations_due:
                    part = progress.relations / progress.relations_due
                    show(progress.relations, "relations", fraction=part)
                else:
                    show(progress.lines, "entities", fraction=source.tell() / size if size else None)

            return await import_entities(
                service.store,
                service.embedder,
                service.clock,
                lines_of(source),
                space=space,
                strict=strict,
                create_targets=create_targets,
                progress=tell,
            )

    report = run(output, work)
    output.result(report, lambda: _import_summary(report, space))
    for refused in report.refused[:_REFUSED_SHOWN]:
        output.say(f"line {refused.line}: {refused.code}: {refused.reason}")
    if report.refused_count > _REFUSED_SHOWN:
        output.say(f"… and {report.refused_count - _REFUSED_SHOWN} more; --json tells them")
    for note in report.notes:
        output.say(f"note: {note}")
    if report.refused_count:
        raise typer.Exit(ExitCode.REFUSED)


@contextmanager
def _source(file: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open what is to be imported, and tell its size; 0 where it is not known."""
    if str(file) == "-":
        yield sys.stdin.buffer, 0
        return
    try:
        source = file.open("rb")
    except OSError as error:
        raise InvalidInput("FILE_NOT_READ", "FILE", f"{file} cannot be read: {error.strerror}") from error
    with source:
        yield source, file.stat().st_size


def _import_summary(report: ImportReport, space: str) -> Text:
    rate = report.lines / report.seconds if report.seconds else 0
    return Text(
        f"{space}: {report.entities_created} entities created, {report.entities_changed} changed; "
        f"{report.names} names, {report.statements} statements and {report.relations} relations added; "
        f"{report.refused_count} refused ({report.lines} lines in {report.seconds:.1f} s, {rate:,.0f}/s)"
    )


def give_out(output: Output, file: Path | None, *, space: str) -> None:
    """Export a space to a file, which appears when it is whole, or to standard output (no file, or `-`)."""
    file = None if file == Path("-") else file
    if output.as_json and file is None:
        raise typer.BadParameter("--json tells about the export: name a FILE for the rest", param_hint="FILE")

    async def work(settings: Settings) -> int:
        check_space(space)
        async with AsyncExitStack() as open_:
            target = open_.enter_context(_target(file))
            with stages(output.err) as progress:
                store = await open_.enter_async_context(open_store(settings, progress=progress))
            show = open_.enter_context(counting(output.err, f"Exporting {space}"))

            def told(read: int, of: int) -> None:
                show(read, "entities", fraction=min(1.0, read / max(of, 1)))

            lines = 0
            async for line in export_entities(store, space=space, progress=told):
                target.write(f"{line}\n")
                lines += 1
        return lines

    lines = run(output, work)
    if not lines:
        output.say(f"space {space!r} holds nothing")
    if file is not None:
        output.result({"file": str(file), "lines": lines}, lambda: Text(f"{lines} lines in {file}"))


@contextmanager
def _target(file: Path | None) -> Iterator[TextIO]:
    if file is None:
        assert isinstance(sys.stdout, TextIOWrapper)
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        yield sys.stdout
        return
    part = file.with_name(f"{file.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as target:
            yield target
        part.replace(file)
    except OSError as error:
        raise InvalidInput("FILE_NOT_WRITTEN", "FILE", f"{file} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
