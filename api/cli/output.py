"""Where a command's words go: results to standard output, everything else to standard error."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from api.cli.exits import exit_code
from graph.controls import written_out, written_out_json
from graph.errors import ImpressionsError, InvalidInput, ServerNotStarted


@dataclass(frozen=True)
class Output:
    """The two streams of one command. With `as_json` the first carries one JSON document and nothing else."""

    as_json: bool = False
    out: Console = field(default_factory=lambda: _console(stderr=False))
    err: Console = field(default_factory=lambda: _console(stderr=True))

    def result(self, document: object, render: Callable[[], RenderableType]) -> None:
        """Write the result of a command, for a program or for a person."""
        if self.as_json:
            self.out.file.write(written_out_json(json.dumps(plain(document), ensure_ascii=False)) + "\n")
            self.out.file.flush()
        else:
            self.out.print(render())

    def say(self, text: RenderableType) -> None:
        """Tell a person what goes on."""
        self.err.print(text)

    def fail(self, error: ImpressionsError) -> None:
        """Say what went wrong in a line, in the words of the error, which name the next step."""
        message, tail = (error.message, error.log_tail) if isinstance(error, ServerNotStarted) else (str(error), "")
        line = Text.assemble(("error: ", "bold red"), " ".join(message.split("\n")))
        if error.retryable:
            line.append(". Try again; impressions doctor looks for the reason", "dim")
        self.err.print(line)
        if tail:
            self.err.print(Text(tail, "dim"))
        if self.as_json:
            told: dict[str, object] = {
                "kind": type(error).__name__,
                "exitCode": exit_code(error),
                "message": str(error),
                "retryable": error.retryable,
            }
            if isinstance(error, InvalidInput):
                told |= {"code": error.code, "path": error.path}
            self.out.file.write(written_out_json(json.dumps({"error": told}, ensure_ascii=False)) + "\n")


class _Terminal(Console):
    """A console on which stored text can do nothing: its control characters are shown written out."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(written_out(segment.text), segment.style)


def _console(*, stderr: bool) -> Console:
    """Return a console that takes text for what it is: no markup, no emoji codes, lines broken by the terminal."""
    return _Terminal(stderr=stderr, soft_wrap=True, highlight=False, markup=False, emoji=False)


def plain(value: object) -> Any:
    """Return a value as JSON has it: frozen values become objects, their fields camelCase as in GraphQL."""
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(each.name): plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
