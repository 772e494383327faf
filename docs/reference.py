"""Writes what the documents repeat from the code: the settings, the commands, the queries.

python docs/reference.py writes them; with --check it only compares, and fails where one is out of date.
"""  # noqa: INP001 -- a script

import ast
import inspect
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import typer.main

import cypher
from api import settings
from api.cli.app import app
from api.settings import Settings

ROOT: Final = Path(__file__).parents[1]
_ROOMS: Final = {
    "schema": "constraints and indexes, in the order of their numbers",
    "recall": "what a recall needs, in one round trip",
    "project": "writes of the runtime: active entities and evidence",
    "update": "long-term memory: import, updates, curation, undo",
    "read": "reads of the API and the export",
    "admin": "housekeeping of the database itself",
}


def settings_table() -> Iterator[str]:
    """Yield the settings as rows: variable, default, meaning."""
    yield "| variable | default | meaning |"
    yield "| --- | --- | --- |"
    meanings = dict(_meanings())
    for name, field in Settings.model_fields.items():
        variable = str(field.validation_alias or f"{Settings.model_config['env_prefix']}{name.upper()}")
        default = "the user's data folder" if field.default_factory else _default(field.default)
        yield f"| `{variable}` | {default} | {meanings[name]} |"


def _default(value: Any) -> str:
    return "" if value is None else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _meanings() -> Iterator[tuple[str, str]]:
    """Yield the settings' names and the docstrings under them."""
    (body,) = (
        each.body
        for each in ast.parse(inspect.getsource(settings)).body
        if isinstance(each, ast.ClassDef) and each.name == Settings.__name__
    )
    for field, docstring in itertools.pairwise(body):
        match field, docstring:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(meaning))):
                yield name, " ".join(meaning.split())
            case _:
                pass


def commands() -> Iterator[str]:
    """Yield the commands with their arguments and options."""
    yield from _commands(typer.main.get_command(app), "impressions")


def _commands(command: Any, name: str) -> Iterator[str]:
    nested = getattr(command, "commands", None)
    if nested:
        for each in nested:
            yield from _commands(nested[each], f"{name} {each}")
        return
    shown = [each for each in command.params if each.name != "help"]
    arguments = [
        f" {each.name.upper().strip('_')}" if each.required else f" [{each.name.upper()}]"
        for each in shown
        if each.param_type_name == "argument"
    ]
    yield f"### `{name}{''.join(arguments)}`"
    yield ""
    yield " ".join(command.help.split())
    yield ""
    for each in shown:
        label = each.name.upper() if each.param_type_name == "argument" else ", ".join(each.opts)
        default = f" (default `{each.default}`)" if isinstance(each.default, (str, int)) and each.default else ""
        yield f"- `{label}`: {each.help}{'' if isinstance(each.default, bool) else default}"
    if shown:
        yield ""


def queries() -> Iterator[str]:
    """Yield the query files with their purpose, room by room."""
    for room, meaning in _ROOMS.items():
        yield f"## cypher/{room}"
        yield ""
        yield f"{meaning[0].upper()}{meaning[1:]}."
        yield ""
        for name in cypher.names(room):
            query = cypher.load(name)
            yield f"- `{name.removeprefix(f'{room}/')}` ({query.access}): {_purpose(query.text)}"
        yield ""


def _purpose(text: str) -> str:
    lines = []
    for line in text.splitlines():
        if not line.removeprefix("//").strip():
            break
        lines.append(line.removeprefix("//").strip())
    return " ".join(lines)


BLOCKS: Final = (
    ("README.md", "settings", settings_table),
    ("docs/cli.md", "commands", commands),
    ("docs/queries.md", "queries", queries),
)


def main() -> int:
    """Write or compare every block, and return the exit code."""
    stale = []
    for file, name, lines in BLOCKS:
        path = ROOT / file
        before = path.read_text(encoding="utf-8")
        begin, end = f"<!-- {name}: written by make docs -->\n", f"<!-- end of {name} -->"
        head, rest = before.split(begin)
        block = "\n".join(lines()).rstrip()
        after = f"{head}{begin}{block}\n{end}{rest.split(end)[1]}"
        if before != after:
            stale.append(file)
            if "--check" not in sys.argv:
                path.write_text(after, encoding="utf-8")
    if stale:
        sys.stderr.write(
            f"{', '.join(stale)}: {'out of date, run make docs' if '--check' in sys.argv else 'written'}\n"
        )
    return int("--check" in sys.argv and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
