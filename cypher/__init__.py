"""Every query of the service, one pasteable file each, and the strict loader.

A file `cypher/<room>/<verb_noun>.cypher` opens with a comment of this shape:

    // One sentence or more that says what the query is for.
    //
    // Access: read
    // Parameters:
    //   space: name of the space
    // Columns:
    //   uuid: id of the entity, and so on
    //     on the next line

`Access` is `read`, `write` or `schema`. Both lists may be left out where they would be empty. A declared parameter
that the text does not use, a used one that is not declared, an unknown heading or a missing purpose is an error at
load, with the file and line. User text only ever travels as a parameter: nothing here is formatted, glued or filled in.

This package imports nothing of ours.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Final, Literal, LiteralString, cast

Access = Literal["read", "write", "schema"]

_HEADINGS: Final = ("Access", "Parameters", "Columns")
_ENTRY: Final = re.compile(r"//   ([a-zA-Z_][a-zA-Z0-9_]*): \S")
_HEADING: Final = re.compile(r"// ([A-Z][a-z]+):(?: (\w+))?$")
_CONTINUATION: Final = "//     "
_NOT_CODE: Final = re.compile(r"//[^\n]*|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|/\*.*?\*/", re.DOTALL)
_PARAMETER: Final = re.compile(r"\$([a-zA-Z_][a-zA-Z0-9_]*)")


class QueryError(Exception):
    """A query file breaks the form; the message opens with `file:line`."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query file, read and checked."""

    name: str
    """Path below `cypher/` without its ending, e.g. `recall/collect_signals`."""
    text: LiteralString
    """The whole file, header included, so that what runs is what can be pasted."""
    access: Access
    parameters: frozenset[str]
    columns: tuple[str, ...]

    def check(self, given: frozenset[str]) -> None:
        """Refuse a call whose parameters are not exactly the declared ones.

        Raises:
            QueryError: a parameter is missing or unknown.
        """
        if given != self.parameters:
            missing, unknown = sorted(self.parameters - given), sorted(given - self.parameters)
            raise QueryError(f"{self.name}: missing parameters {missing}, unknown parameters {unknown}")


@cache
def load(name: str) -> Query:
    """Return the query in `cypher/<name>.cypher`.

    Raises:
        QueryError: there is no such file, or it breaks the form.
    """
    path = resources.files(__package__).joinpath(f"{name}.cypher")
    if not path.is_file():
        raise QueryError(f"{name}.cypher:1: no such query")
    # Every text below this folder is ours and was reviewed with the code: as good as a literal.
    return parse(name, path.read_text(encoding="utf-8"))


def names(room: str = "") -> list[str]:
    """List the names of all queries, or of those in one room (`recall`, `project`, …), sorted."""
    root = resources.files(__package__)
    rooms = [room] if room else sorted(entry.name for entry in root.iterdir() if entry.is_dir())
    return [
        f"{each}/{entry.name.removesuffix('.cypher')}"
        for each in rooms
        for entry in sorted(root.joinpath(each).iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".cypher")
    ]


def parse(name: str, text: LiteralString) -> Query:
    """Read the header of a query text and hold it against the query.

    Raises:
        QueryError: see the form in this module's docstring.
    """
    header = _read_header(name, text)
    if not header.purpose:
        raise QueryError(f"{name}.cypher:1: no purpose in the header")
    if header.access not in {"read", "write", "schema"}:
        raise QueryError(f"{name}.cypher:1: Access must be read, write or schema, found {header.access!r}")
    used, declared = set(_PARAMETER.findall(_NOT_CODE.sub(" ", text))), set(header.parameters)
    if used != declared:
        raise QueryError(
            f"{name}.cypher:1: used but not declared {sorted(used - declared)}, "
            f"declared but not used {sorted(declared - used)}"
        )
    return Query(name, text, cast("Access", header.access), frozenset(declared), tuple(header.columns))


@dataclass(slots=True)
class _Header:
    purpose: str = ""
    access: str = ""
    parameters: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)


def _read_header(name: str, text: str) -> _Header:
    header = _Header()
    heading = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("//"):
            break
        if found := _HEADING.match(line):
            heading, value = found.group(1), found.group(2) or ""
            if heading not in _HEADINGS or (heading == "Access") != bool(value):
                raise QueryError(f"{name}.cypher:{number}: unknown heading {line!r}")
            header.access = value or header.access
        elif heading in {"Parameters", "Columns"} and not line.startswith(_CONTINUATION):
            entries = header.parameters if heading == "Parameters" else header.columns
            if not (entry := _ENTRY.match(line)):
                raise QueryError(f"{name}.cypher:{number}: expected '//   name: meaning', found {line!r}")
            if entry.group(1) in entries:
                raise QueryError(f"{name}.cypher:{number}: {entry.group(1)!r} is declared twice")
            entries.append(entry.group(1))
        elif not heading:
            header.purpose += line.removeprefix("//").strip()
    return header
