"""The form of a query file, and what the loader says of files that break it."""

import re
from typing import LiteralString

import pytest

import cypher
from cypher import QueryError, load, parse

GOOD: LiteralString = """\
// Find an entity.
// It need not exist.
//
// Access: read
// Parameters:
//   space: name of the space
//   uuid: id of the entity
// Columns:
//   subject: its name
//   uuid: the id again
MATCH (entity:Entity {uuid: $uuid})
WHERE entity.space = $space
RETURN entity.subject AS subject, entity.uuid AS uuid
"""


def test_a_file_of_the_form_is_read_whole() -> None:
    query = parse("read/find", GOOD)

    assert query.name == "read/find"
    assert query.text == GOOD
    assert query.access == "read"
    assert query.parameters == {"space", "uuid"}
    assert query.columns == ("subject", "uuid")


def test_lists_may_be_left_out_where_they_would_be_empty() -> None:
    query = parse("read/one", "// One.\n//\n// Access: read\nRETURN 1\n")

    assert (query.parameters, query.columns) == (frozenset(), ())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            "//   uuid: id of the entity\n", "", r"x/y\.cypher:1: used but not declared \['uuid'\]", id="used"
        ),
        pytest.param("WHERE entity.space = $space\n", "", r"x/y\.cypher:1: .* not used \['space'\]", id="declared"),
        pytest.param("// Columns:", "// Returns:", r"x/y\.cypher:8: unknown heading '// Returns:'", id="heading"),
        pytest.param("// Columns:", "// Columns: two", r"x/y\.cypher:8: unknown heading", id="heading with a value"),
        pytest.param("// Access: read", "// Access:", r"x/y\.cypher:4: unknown heading", id="access without a value"),
        pytest.param("// Access: read", "// Access: all", r"x/y\.cypher:1: Access must be .* 'all'", id="access"),
        pytest.param("// Access: read\n", "", r"x/y\.cypher:1: Access must be", id="no access"),
        pytest.param(
            "//   uuid: id of the entity\n",
            "//   uuid: id of the entity\n//   uuid: again\n",
            r"x/y\.cypher:8: 'uuid' is declared twice",
            id="parameter twice",
        ),
        pytest.param(
            "//   uuid: the id again\n",
            "//   subject: again\n",
            r"x/y\.cypher:10: 'subject' is declared twice",
            id="column twice",
        ),
        pytest.param(
            "//   uuid: id of", "// uuid: id of", r"x/y\.cypher:7: expected '//   name: meaning'", id="indent"
        ),
        pytest.param("//   uuid: id of the entity", "//   uuid:", r"x/y\.cypher:7: expected", id="no meaning"),
        pytest.param(
            "// Find an entity.\n// It need not exist.\n//\n", "", r"x/y\.cypher:1: no purpose", id="no purpose"
        ),
    ],
)
def test_what_breaks_the_form_is_refused_with_file_and_line(
    old: LiteralString, new: LiteralString, message: str
) -> None:
    assert old in GOOD

    with pytest.raises(QueryError) as refused:
        parse("x/y", GOOD.replace(old, new, 1))

    assert re.match(message, str(refused.value))


@pytest.mark.parametrize(
    "not_code",
    ["// $other", "/* $other\n$other */", "'costs $other'", '"\\" $other"', "`$other`"],
)
def test_parameters_in_comments_and_strings_are_none(not_code: LiteralString) -> None:
    assert parse("x/y", GOOD + not_code).parameters == {"space", "uuid"}


def test_a_query_that_no_file_holds_is_named() -> None:
    with pytest.raises(QueryError, match=r"^read/nothing\.cypher:1: no such query"):
        load("read/nothing")


def test_a_call_needs_exactly_the_declared_parameters() -> None:
    query = parse("read/find", GOOD)

    query.check(frozenset({"space", "uuid"}))
    with pytest.raises(QueryError, match=r"read/find: missing parameters \['uuid'\], unknown parameters \['id'\]"):
        query.check(frozenset({"space", "id"}))


def test_every_file_is_listed_by_its_room_and_loads() -> None:
    names = cypher.names()

    assert names == sorted(names)
    assert "recall/collect_signals" in cypher.names("recall")
    assert {load(name).name for name in names} == set(names)


@pytest.mark.parametrize("name", cypher.names())
def test_a_file_is_named_by_a_verb_and_opens_with_a_sentence(name: str) -> None:
    room, _, file = name.partition("/")

    assert room in {"schema", "recall", "project", "update", "read", "admin"}
    assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", file), "verb_noun"
    assert re.match(r"// [A-Z][^\n]+", load(name).text)


@pytest.mark.parametrize("name", cypher.names())
def test_access_says_what_the_query_does(name: str) -> None:
    query = load(name)
    writes = re.search(r"^\s*(CREATE|MERGE|SET|REMOVE|DELETE|DETACH)\b", _code(query.text), re.MULTILINE)
    defines = re.search(r"^\s*(CREATE|DROP)\b.*\b(INDEX|CONSTRAINT)\b", _code(query.text), re.MULTILINE)

    assert query.access == ("schema" if defines else "write" if writes else "read")


def _code(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
